package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A path means one place: from the root, or from the home folder.
func TestPaths(t *testing.T) {
	t.Setenv("HOME", "/home/dev")
	agents := []string{"claude"}
	for _, key := range []string{"[log]\nfile = %", "[watch]\nignore_projects = [%]", "[agent.claude]\nconfig_dir = %", "[agent.claude]\ncommand = %",
		"[terminal]\ntmux_server = %"} {
		_, name, _ := strings.Cut(key, "\n")
		name, _, _ = strings.Cut(name, " ")
		for value, want := range map[string]string{"~/x": "/home/dev/x", "/abs": "/abs", "work/x": "", "./x": "", "~other/x": ""} {
			path := filepath.Join(t.TempDir(), "c.toml")
			text := strings.Replace(key, "%", tomlText(value), 1)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := Load(path, true, agents)
			if want == "" {
				if err == nil || !strings.Contains(err.Error(), path+":2: ") || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), value) {
					t.Errorf("%s: %v", text, err)
				}
				continue
			}
			got := c.Log.File + strings.Join(c.Watch.IgnoreProjects, "") + c.Agent["claude"].ConfigDir + c.Agent["claude"].Command + c.Terminal.TmuxServer
			if err != nil || got != want {
				t.Errorf("%s: got %q (%v), want %q", text, got, err, want)
			}
		}
	}
	for _, plain := range []string{"[agent.claude]\ncommand = \"claude-dev\"", "[terminal]\ntmux_server = \"work\"", "[resume.fresh]\nnext_step_file = \"docs/NEXT.md\""} {
		if _, err := Parse(plain, agents); err != nil {
			t.Errorf("%s: %v", plain, err)
		}
	}
	if _, err := Parse("[watch]\nignore_projects = [\"\"]", agents); err == nil {
		t.Error("an empty path is accepted")
	}
}

// What a config names in vain is said with file, line and key.
// A log that is a folder keeps clawd from starting.
func TestLogIsAFolder(t *testing.T) {
	c, dir := Default(), t.TempDir()
	c.Log.File = dir
	if got := c.Problems(filepath.Join(dir, "none.toml")); len(got) != 1 || !strings.HasSuffix(got[0], "log.file: "+dir+" is a folder, so there can be no log") {
		t.Errorf("%q", got)
	}
	c.Log.File = filepath.Join(dir, "new.log")
	if got := c.Problems(filepath.Join(dir, "none.toml")); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestProblems(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	path := filepath.Join(dir, "c.toml")
	text := `[log]
file = "DIR/none/log"
[watch]
ignore_projects = ["DIR", "DIR/gone", "DIR/file"]
[agent.claude]
config_dir = "DIR/gone"
command = "DIR/file"
env = { ANTHROPIC_API_KEY = "x" }
[notify]
webhook = "http://localhost/secret"
`
	for name, s := range map[string]string{file: "", path: strings.ReplaceAll(text, "DIR", dir)} {
		if err := os.WriteFile(name, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Load(path, true, []string{"claude"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{path + ":4: watch.ignore_projects: " + dir + "/gone does not exist", path + ":4: watch.ignore_projects: " + file + " is not a folder",
		path + ":2: log.file: " + dir + "/none does not exist", path + ":6: agent.claude.config_dir: " + dir + "/gone does not exist", path + ":7: agent.claude.command: "}
	check := func(want []string) {
		t.Helper()
		got := c.Problems(path)
		ok := slices.EqualFunc(got, want, strings.HasPrefix)
		if !ok || strings.Contains(strings.Join(got, ""), "localhost") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	check(want)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	check(append(want, path+":10: notify.webhook: others can read this file", path+":8: agent.claude.env: others can read this file"))
}
