package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/state"
)

// clawd runs a command of this world, and gives what it printed and its exit status.
func (w *world) clawd(args ...string) (out, said string, code int) {
	w.t.Helper()
	program, err := crashing()
	if err != nil {
		w.t.Fatal(err)
	}
	var o, e strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = w.env, w.root, &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// The status is true with a daemon, beside a dry run, and without any.
func TestStatusCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.root+"/clawd.toml", "[log]\nformat = \"json\"\n[notify]\ndesktop = false\n[watch]\nagents = [\"claude\"]\nrescan = \"1s\"\n[resume]\nbase = \"1h\"\ncap = \"1h\"\n")
	id, _ := w.limited()
	if _, said, code := w.clawd("status"); code != exitNoDaemon || !strings.Contains(said, "no daemon is running") {
		t.Errorf("never run: %d %s", code, said)
	}
	d := w.start()
	d.await("resume_scheduled")
	check := func(when string, want int) {
		t.Helper()
		out, said, code := w.clawd("status", "--json")
		var st daemon.Status
		if err := json.Unmarshal([]byte(out), &st); err != nil || code != want || len(st.Sessions) != 1 || st.Sessions[0].Session != id || st.Sessions[0].Status != state.Waits {
			t.Errorf("%s: %d %v %s%s", when, code, err, out, said)
		}
		out, _, code = w.clawd("status")
		if code != want || !strings.Contains(out, "WAITING") || strings.Contains(out, "Z") {
			t.Errorf("%s: %d %s", when, code, out)
		}
		for _, verb := range []string{"why", "resume", "cancel", "ignore"} {
			if out, _, _ := w.clawd("__complete", verb, id[:3]); !strings.Contains(out, id+"\tclaude") || !strings.HasSuffix(strings.TrimSpace(out), ":4") {
				t.Errorf("%s: TAB after %s: %q", when, verb, out)
			}
		}
	}
	check("running", 0)
	d.stop()
	store, err := os.ReadFile(w.state + "/clawd/clawd.db")
	if err != nil {
		t.Fatal(err)
	}
	check("no daemon", exitNoDaemon)
	if after, err := os.ReadFile(w.state + "/clawd/clawd.db"); err != nil || string(after) != string(store) {
		t.Errorf("the store was touched (%v)", err)
	}

	w.write(w.root+"/clawd.toml", strings.Replace(read(t, w.root+"/clawd.toml"), "[resume]\n", "[resume]\ndry_run = true\n", 1))
	d = w.start()
	d.await("resume_scheduled")
	check("a dry run", 0)
	if out, _, _ := w.clawd("status"); !strings.Contains(out, "dry run") {
		t.Errorf("a dry run: %s", out)
	}
	if _, said, code := w.clawd("cancel", id); code != exitNoDaemon || !strings.Contains(said, "only a dry run") {
		t.Errorf("an order to a dry run: %d %s", code, said)
	}
	d.stop()
	if left, err := os.ReadDir(w.state + "/clawd"); err != nil {
		t.Error(err)
	} else {
		for _, e := range left {
			if strings.Contains(e.Name(), "dry-run") {
				t.Errorf("left behind: %s", e.Name())
			}
		}
	}
}

func TestErrorsAreTame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, said, code := w.clawd("detect", "no\x1b[2Jfile\u009b"); code != exitFailed || strings.ContainsAny(said, "\x1b\u009b") || !strings.Contains(said, "no") {
		t.Errorf("%d %q", code, said)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
