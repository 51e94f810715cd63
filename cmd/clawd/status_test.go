package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// clawd runs a command of this world, and gives what it printed and its exit status.
func (w *world) clawd(args ...string) (out, said string, code int) {
	w.t.Helper()
	var o, e strings.Builder
	cmd := exec.Command(build(w.t).clawd, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = w.env, w.root, &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// A program that is there and not taken, or is still looked for, is not called missing.
func TestStatusOfAProgramNotTaken(t *testing.T) {
	for _, why := range []string{"/opt/claude is writable for others", "clawd has just started, and still looks for the agent's program", `exec: "claude": executable file not found in $PATH`} {
		var out strings.Builder
		printDaemon(&out, daemon.Status{Agents: []daemon.AgentStatus{{Name: "claude", Missing: why}}})
		if said := out.String(); !strings.Contains(said, "\nclaude: can't be started now: "+why+"\n") {
			t.Error(said)
		}
	}
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
		if st.Agents == nil || st.Stats.Stops[detect.RateLimit] != 1 {
			t.Errorf("%s: agents %v, counters %+v", when, st.Agents, st.Stats)
		}
		out, _, code = w.clawd("status")
		if code != want || !strings.Contains(out, "WAITING") || !strings.Contains(out, "resumes 0 (fresh sessions 0), ") || strings.Contains(out, "Z") {
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

// What cannot be read is not called quiet.
func TestStatusOfADamagedStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.state + "/clawd/clawd.db"
	w.write(path, "precious")
	out, said, code := w.clawd("status")
	if code != exitNoDaemon || out != "" || !strings.Contains(said, "no daemon is running") || !strings.Contains(said, path+" does not begin as a store does") {
		t.Errorf("%d %s%s", code, out, said)
	}
}

// A window that clawd can't reach waits for its user: the row says what to do, and counts down to nothing.
func TestStatusOfAnUnreachableWindow(t *testing.T) {
	at := time.Now().Add(time.Hour)
	rows := func(s daemon.SessionStatus) string {
		var out strings.Builder
		if err := printSessions(&out, daemon.Status{Sessions: []daemon.SessionStatus{s}}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	s := daemon.SessionStatus{Agent: "claude", Session: "d07e", Phase: state.Waiting, Attempt: 1, WakeAt: &at, LeftS: 3600, Status: state.NeedsYou,
		Needs: &daemon.Needs{What: "process 7 has it open in a terminal that clawd can\x1bnot reach", Command: `type "continue" there`}}
	if got := rows(s); !strings.Contains(got, "NEEDS YOU") || !strings.Contains(got, `reach; type "continue" there`) || strings.Contains(got, "attempt") || strings.Contains(got, "\x1b") {
		t.Errorf("%s", got)
	}
	s.Status, s.Needs = state.Waits, nil // it was closed
	if got := rows(s); !strings.Contains(got, "WAITING") || !strings.Contains(got, "attempt 1 in 1h0m0s") {
		t.Errorf("%s", got)
	}
	s.Status, s.Ignored = state.OnHold, true
	if got := rows(s); !strings.Contains(got, "ON HOLD") || !strings.Contains(got, "ignored by you; clawd ignore --off d07e") {
		t.Errorf("%s", got)
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
