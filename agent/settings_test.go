package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// TestWholeSettings: the file and the line that are broken are named; what is not there is whole.
func TestWholeSettings(t *testing.T) {
	sound := func(all any) error {
		if _, ok := all.(map[string]any); !ok {
			return errors.New("not as it should be")
		}
		return nil
	}
	const whole = `{"permissions": {"deny": ["Write"]}}`
	for _, c := range []struct {
		name, text string
		want       string // in the error; empty: there is none
	}{
		{"whole", whole, ""},
		{"with a byte order mark", "\xef\xbb\xbf" + whole, ""},
		{"empty", " \n", ""},
		{"a comma too many", "{\"permissions\": {\n\"deny\": [\"Write\"],}}", "line 2"},
		{"a comment", "{\n// mine\n}", "line 2"},
		{"a comment, behind blank lines", "\n\r\n \n{\n// mine\n}", "line 5:"},
		{"a mark and blank lines", "\xef\xbb\xbf\n\n{]", "line 3:"},
		{"half of it, behind a blank line", "\n{\n\"a\": \n\n\n", "line 3:"},
		{"half of it", `{"permissions": {"de`, "line 1"},
		{"two of it", whole + "\n" + whole, "line 2"},
		{"of another kind", "[1]", "not as it should be"},
		{"torn behind a text with slashes", `{"a": "https://x/*", "b": "\\"//"`, "line 1"},
		{"too long", whole + strings.Repeat(" ", 1<<10), "larger than"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "settings.json")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, "link.json")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{path, link} {
			err := agent.WholeSettings(1<<10, nil, sound, filepath.Join(dir, "none.json"), filepath.Join(path, "below.json"), at)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.name, err)
			}
			if err != nil && at == path && !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v names no file", c.name, err)
			}
		}
	}
}

// TestWholeSettingsWithComments: an agent that bears them bears no comma too many all the same.
func TestWholeSettingsWithComments(t *testing.T) {
	for text, want := range map[string]string{
		"// mine\n{\"a\": \"// \\\" /*\", /* all\nof it */ \"b\": 1} // end": "",
		"// nothing else":      "",
		"{\"a\": 1} /* no end": "line 1",
		"{\n// mine, too\n\"a\": [1, /* 2 */],\n\"b\": 1}": "line 3",
		"{\"a\": \"no end // \n}":                          "line 2",
		"{\"a\": 1 / 2}":                                   "line 1",
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := agent.WholeSettings(1<<10, agent.Uncommented, nil, path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), path+", "+want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
