package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rs/zerolog"

	clawd "github.com/clawd-project/clawd"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/internal/config"
)

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			for _, dir := range []string{"home", "projects/-home-dev-work-demo"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, dir), 0o700); err != nil {
					return err
				}
			}
			for _, v := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "CLAWD_CONFIG", "CLAUDE_CONFIG_DIR", "OPENCODE_DB", "XDG_DATA_HOME"} {
				e.Setenv(v, "")
			}
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"jsonpath":  jsonField,
			"patiently": patiently,
			"until":     until,
		},
	})
}

// exits runs a command and checks its exit status: exits 2 clawd config check.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("exit status %s, want %s", code, args[0])
	}
}

// patiently runs a command, in whose arguments PATIENCE is ever more seconds until stderr has a text, and checks its exit
// status: patiently 124 'waiting until' clawd exec --total-timeout PATIENCE x.
func patiently(ts *testscript.TestScript, _ bool, args []string) {
	for seconds := 1; seconds <= 64; seconds *= 2 {
		command := slices.Clone(args[2:])
		for i, a := range command {
			command[i] = strings.ReplaceAll(a, "PATIENCE", fmt.Sprint(seconds, "s"))
		}
		exits(ts, false, slices.Insert(command, 0, args[0]))
		if strings.Contains(ts.ReadFile("stderr"), args[1]) {
			return
		}
	}
	ts.Fatalf("never said %q: %v", args[1], args)
}

// until runs a command until it succeeds: until clawd why 92268ba5.
func until(ts *testscript.TestScript, _ bool, args []string) {
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ts.Exec(args[0], args[1:]...) != nil {
		select {
		case <-deadline:
			ts.Fatalf("never succeeded: %v", args)
		case <-tick.C:
		}
	}
}

// jsonField checks a field of the first line of stdout: jsonpath reason usage_limit.
func jsonField(ts *testscript.TestScript, _ bool, args []string) {
	var v map[string]any
	if err := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout"))).Decode(&v); err != nil {
		ts.Fatalf("stdout is no JSON: %v", err)
	}
	field, ok := v[args[0]]
	got, _ := json.Marshal(field)
	if want := args[1]; !ok || string(got) != want && string(got) != `"`+want+`"` {
		ts.Fatalf("%s is %s, want %s", args[0], got, want)
	}
}

// The example names every key with its default.
func TestExampleIsDefault(t *testing.T) {
	got, err := config.Parse(clawd.ExampleConfig, all.Names())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(config.Default(), got); d != "" {
		t.Errorf("config.example.toml differs from the defaults (-default +example):\n%s", d)
	}
	// A key that is not in the example would pass the comparison above.
	var shown bytes.Buffer
	if err := encodeConfig(&shown, config.Default()); err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\s*(\w+) = `).FindAllStringSubmatch(shown.String(), -1) {
		if !regexp.MustCompile(`(?m)^(# )?` + m[1] + ` = `).MatchString(clawd.ExampleConfig) {
			t.Errorf("config.example.toml does not name %s", m[1])
		}
	}
}

// Who adds an agent says so where users look for its section.
func TestExampleNamesEveryAgent(t *testing.T) {
	for _, name := range all.Names() {
		if !strings.Contains(clawd.ExampleConfig, "[agent."+name+"]") {
			t.Errorf("config.example.toml does not name [agent.%s]", name)
		}
	}
}

func TestConsoleIsTame(t *testing.T) {
	for in, want := range map[string]string{
		"plain, also ü and 漢": "plain, also ü and 漢",
		"\x1b[2J":             `\x1b[2J`,
		"a\nb\r\x07":          `a\nb\r\a`,
		"\u202egpj.exe":       "\ufffdgpj.exe",
		"\u2066x\u2069":       "\ufffdx\ufffd",
		"\u009b31m":           `\u009b31m`,
		"zero\u200bwidth":     "zero\ufffdwidth",
		"\xff":                `\xff`,
	} {
		got := tame(in)
		if strings.ContainsAny(got, "\x1b\n\r\x07\u202e\u2066\u2069\u009b\u200b") {
			t.Errorf("tame(%q) lets something through: %q", in, got)
		}
		if !strings.EqualFold(got, want) && !strings.Contains(want, "\ufffd") {
			t.Errorf("tame(%q) = %q, want %q", in, got, want)
		}
	}
	var out bytes.Buffer
	log := newConsoleLog(&out)
	log.Info().Str("event", "session_found").Str("project", "/home/\x1b]0;owned\x07\u202e").Str("why", "a\x1b[2Jb").Msg("\x1b[31mred")
	if strings.ContainsAny(out.String(), "\x1b\x07\u202e") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("the console got %q", out.String())
	}
}

func encodeConfig(out *bytes.Buffer, c config.Config) error { return toml.NewEncoder(out).Encode(c) }

func newConsoleLog(out *bytes.Buffer) zerolog.Logger {
	return zerolog.New(console(out, false)).With().Timestamp().Logger()
}
