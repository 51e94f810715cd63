package gemini

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

const denies = "[[rule]]\ntoolName = \"write_file\"\ndecision = \"deny\"\npriority = 900\n"

func TestSoundPolicy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, version string
		want          string // in the error; empty: there is none
	}{
		{"", "0.61.0", ""},
		{denies, "0.61.0", ""},
		{denies + "argsPattern = 'x'\n[[rule]]\ntoolName = [\"a\", \"b\"]\ndecision = \"ask_user\"\npriority = 0.0\n", "0.61.0", ""},
		{"[[rule]]\nmcpName = \"m\"\ndecision = \"allow\"\npriority = 5\n", "0.28.2", ""},
		{denies + "[[rule", "0.61.0", "line 5"},
		{strings.Replace(denies, "deny", "denyy", 1), "0.61.0", "rule 1: decision"},
		{strings.Replace(denies, "deny", "denyy", 1), "", "rule 1: decision"},
		{strings.Replace(denies, "deny", "tomorrow", 1), "0.62.0", ""},
		{denies + strings.Replace(denies, "900", "1000", 1), "0.61.0", "rule 2: priority"},
		{strings.Replace(denies, "900", "9.5", 1), "0.61.0", "rule 1: priority"},
		{strings.Replace(denies, "900", `"900"`, 1), "0.61.0", "rule 1: priority"},
		{strings.Replace(denies, "priority = 900", "", 1), "0.61.0", "rule 1: priority"},
		{strings.Replace(denies, `"write_file"`, "5", 1), "0.61.0", "rule 1: toolName"},
		{strings.Replace(denies, `"write_file"`, `["write_file", 5]`, 1), "0.61.0", "rule 1: toolName"},
		{"rule = 5", "0.61.0", "rule"},
	} {
		err := soundPolicy(c.text, c.version)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q with %q: %v", c.text, c.version, err)
		}
	}
}

// TestBrokenPolicies: no run begins while a file with rules is broken, wherever it is.
func TestBrokenPolicies(t *testing.T) {
	for _, where := range []string{"user", "project", "option", "folder by option"} {
		g, r := planner(t, agent.Config{})
		other := filepath.Join(t.TempDir(), "a [b]")
		path := map[string]string{
			"user":             filepath.Join(g.root, "policies", "mine.toml"),
			"project":          filepath.Join(r.Info.Dir, ".gemini", "policies", "ours.toml"),
			"option":           filepath.Join(other, "given.toml"),
			"folder by option": filepath.Join(other, "given.toml"),
		}[where]
		put(t, path, denies)
		switch where {
		case "option":
			r.Launch = &detect.Launch{Flags: []detect.Flag{{Name: "--policy", Values: []string{path}}}}
		case "folder by option":
			r.Launch = &detect.Launch{Flags: []detect.Flag{{Name: "--policy", Values: []string{other}}}}
		}
		if _, err := g.Plan(r); err != nil {
			t.Errorf("%s: sound, and %v", where, err)
		}
		put(t, path, denies+"[[rule")
		if _, err := g.Plan(r); err == nil || !strings.Contains(err.Error(), path+": line 5") {
			t.Errorf("%s: %v", where, err)
		}
		_, err := g.TakeOver(agent.TurnRequest{Program: r.Program, NewID: r.Session.ID, Dir: r.Info.Dir, Prompt: "h"})
		if given := r.Launch != nil; (err == nil) != given { // which a new session is not
			t.Errorf("%s: it takes over, and %v", where, err)
		}
	}
}
