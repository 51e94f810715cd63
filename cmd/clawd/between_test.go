package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/state"
)

// TestBetweenVerdictAndNextRead kills clawd, or stops it for longer than the next wait lasts, right around the
// verdict of each attempt that failed, before the session's files are read again. The next attempt is the next
// one, in the form that its stop needs, and no attempt is burnt.
func TestBetweenVerdictAndNextRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		modes, forms string
		stops        int // how many stops were fired for
	}{
		{"limit limit limit succeed", "idempotent prompt idempotent prompt", 4},
		{"idle idle succeed", "idempotent prompt prompt", 1}, // it was opened, and nothing asked: the same stop again
	} {
		for _, point := range []string{"T4.before", "T4.after"} {
			for _, by := range []string{"kill", "stop"} {
				t.Run(c.modes+"/"+point+"/"+by, func(t *testing.T) {
					t.Parallel()
					modes := strings.Fields(c.modes)
					w := newWorld(t, modes...)
					conf := filepath.Join(w.root, "clawd.toml")
					b, err := os.ReadFile(conf)
					if err != nil {
						t.Fatal(err)
					}
					w.write(conf, strings.Replace(string(b), `rescan = "1s"`, `rescan = "5m"`, 1)) // the store hears of what was read late
					id, _ := w.limited()
					var d *daemonProc
					for n := range modes[1:] {
						d = w.crashes(d, n, point, by)
					}
					if by == "kill" {
						d = w.start()
					} else {
						d.goOn()
					}
					w.until("it is resumed", func() bool { return len(d.events("resume_succeeded")) == 1 })
					d.stop()
					w.checkForms(id, c.forms, c.stops)
				})
			}
		}
	}
}

// crashes has clawd killed, or stopped and told to go on, at a point that each attempt reaches, for the n-th time.
// d runs already where it was only stopped before.
func (w *world) crashes(d *daemonProc, n int, point, by string) *daemonProc {
	w.t.Helper()
	once := filepath.Join(w.root, fmt.Sprint("once", n))
	if by == "stop" {
		once = filepath.Join(w.root, "once")
	}
	if err := os.MkdirAll(once, 0o700); err != nil {
		w.t.Fatal(err)
	}
	crashed := filepath.Join(once, "crashed")
	switch {
	case d == nil || by == "kill":
		d = w.start("CLAWD_CRASH_AT="+point, "CLAWD_CRASH_ONCE="+once, "CLAWD_CRASH_BY="+by)
	default:
		if err := os.Remove(crashed); err != nil {
			w.t.Fatal(err)
		}
		d.goOn()
	}
	w.until(fmt.Sprint("attempt ", n+1, " at ", point), func() bool { _, err := os.Stat(crashed); return err == nil })
	if by == "kill" {
		d.ended(false)
		return d
	}
	since := time.Now()
	w.until("the next wait is over", func() bool { return time.Since(since) > 2*time.Second<<n })
	return d
}

// goOn lets a clawd go on that was stopped.
func (d *daemonProc) goOn() {
	d.w.t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		d.w.t.Fatal(err)
	}
}

// checkForms checks that the agent was started once for each form, and nothing else was counted.
func (w *world) checkForms(id, forms string, stops int) {
	w.t.Helper()
	l := w.ledger()
	w.neverTwice(l)
	var took []string
	keys := map[string]bool{}
	for _, s := range w.starts() {
		took, keys[s[0]] = append(took, s[2]), true
	}
	if got := strings.Join(took, " "); got != forms {
		w.t.Errorf("the agent was started in the forms %s, want %s", got, forms)
	}
	rec := l.sessions[id]
	if rec.Phase != state.Following || l.stats.TotalResumes != 1 || rec.Claim.N != len(took) || l.count("fired", "") != len(took) || len(keys) != stops {
		w.t.Errorf("phase %s, %d resumes, attempt %d, %d fired, %d stops; want following, 1, %d, %d, %d", rec.Phase, l.stats.TotalResumes, rec.Claim.N,
			l.count("fired", ""), len(keys), len(took), len(took), stops)
	}
}
