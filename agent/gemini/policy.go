package gemini

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// decisions are what a rule may say.
var decisions = []string{"allow", "ask_user", "deny"}

// soundPolicies refuses a run while a file with its user's rules is broken: a headless run passes over the whole file then, without a word,
// and over what it denies. What extensions and an administrator say is not looked at.
func (g *Gemini) soundPolicies(p agent.Program, dir string, l *detect.Launch) error {
	places := []string{filepath.Join(g.root, "policies"), filepath.Join(dir, ".gemini", "policies")}
	if l != nil {
		places = append(places, policiesOf(dir, l.Flags)...)
	}
	for _, place := range places {
		files := agent.FilesIn(place, ".toml")
		if strings.HasSuffix(place, ".toml") {
			files = append(files, place)
		}
		for _, file := range files {
			b, err := agent.ReadSettings(file, settingsMax)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = soundPolicy(string(b), p.Version)
			}
			if err != nil {
				return fmt.Errorf("it would run without the rules in %s: %w", file, err)
			}
		}
	}
	return nil
}

// policiesOf gives the paths that a process was given policies by.
func policiesOf(dir string, flags []detect.Flag) (paths []string) {
	for _, f := range flags {
		if f.Name == "--policy" || f.Name == "--admin-policy" {
			paths = append(paths, policyPaths(dir, f.Values)...)
		}
	}
	return paths
}

// policyPaths gives the paths in lists of them.
func policyPaths(dir string, lists []string) (paths []string) {
	for path := range strings.SplitSeq(strings.Join(lists, ","), ",") {
		if path = strings.TrimSpace(path); !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		paths = append(paths, path)
	}
	return paths
}

// soundPolicy says what in a file of rules has the agent pass over all of it, as 0.28 and 0.61 do. Newer versions may have more decisions.
func soundPolicy(text, version string) error {
	var all struct {
		Rule []map[string]any `toml:"rule"`
	}
	if _, err := toml.Decode(text, &all); err != nil {
		bad := toml.ParseError{}
		if errors.As(err, &bad) {
			return fmt.Errorf("line %d: %w", bad.Position.Line, err)
		}
		return err
	}
	for n, rule := range all.Rule {
		decision, _ := rule["decision"].(string) // what is none is no decision
		tool, named := rule["toolName"]
		switch {
		case !ranks(rule["priority"]):
			return fmt.Errorf("rule %d: priority must be a whole number from 0 to 999", n+1)
		case !slices.Contains(decisions, decision) && !agent.AtLeast(version, 0, 62):
			return fmt.Errorf("rule %d: decision must be one of %s", n+1, strings.Join(decisions, ", "))
		case named && !names(tool):
			return fmt.Errorf("rule %d: toolName must be a string or an array of strings", n+1)
		}
	}
	return nil
}

// ranks tells whether a value is a priority.
func ranks(v any) bool {
	n, ok := v.(float64)
	if whole, is := v.(int64); is {
		n, ok = float64(whole), true
	}
	return ok && n == math.Trunc(n) && n >= 0 && n <= 999
}

// names tells whether a value is a string or some of them.
func names(v any) bool {
	list, ok := v.([]any)
	if !ok {
		_, ok = v.(string)
	}
	return ok && !slices.ContainsFunc(list, func(v any) bool { _, is := v.(string); return !is })
}
