package trigger

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// here is a process table with one process.
type here struct {
	agent.Procs
	p agent.Proc
}

func (h here) Get(pid int) (agent.Proc, bool) { return h.p, pid == h.p.PID }

// Keys that do not show may be taken for commands, so the next attempt for the stop types none: also where the attempt is made as the daemon makes
// it, within the time that all its looks and keys have.
func TestHiddenWithinOpenTime(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	synctest.Test(t, func(t *testing.T) {
		s := &tardy{after: time.Hour}
		tr, c := tardyTrigger(s)
		tr.Procs, c.Mark = here{p: agent.Proc{PID: 7, Start: 8}}, mark+"1"
		p, err := tr.Ready(t.Context(), c.Session, c.Stop, c.Plan)
		if err != nil {
			t.Fatal(err)
		}
		c.Plan = p
		run, err := tr.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		gate, why, _ := run.Open(t.Context())
		if gate != resume.GateExec || !strings.Contains(why, "does not stand alone") || s.box != longPrompt {
			t.Fatalf("gate %s, why %q, box %q", gate, why, s.box)
		}
		if _, err := tr.Ready(t.Context(), c.Session, c.Stop, c.Plan); !errors.As(err, new(*BlockedError)) || !strings.Contains(err.Error(), "did not appear") {
			t.Errorf("the next attempt: %v", err)
		}
		c.Mark = mark + "2"
		if run, err = tr.Start(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		gate, why, _ = run.Open(t.Context())
		if s.box != longPrompt {
			t.Errorf("typed twice: %q (gate %s, why %q)", s.box, gate, why)
		}
	})
}

// Called off before the keys show, the attempt leaves it open whether they ever will: the next one for the stop types none on top of them.
func TestCalledOffBeforeKeysShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tardy{after: time.Minute}
		tr, c := tardyTrigger(s)
		var err error
		if c.Plan, err = tr.Ready(t.Context(), c.Session, c.Stop, c.Plan); err != nil {
			t.Fatal(err)
		}
		l := tr.live(c, holder{})
		act, err := l.prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // its user says no, or the clock is set
		defer cancel()
		if err := act(ctx); err == nil || s.box != longPrompt {
			t.Fatalf("%v, box %q", err, s.box)
		}
		again := attempt(t, tr, s, c) // ordered
		if s.box != longPrompt {
			t.Errorf("typed twice: %q (%v)", s.box, again)
		}
		<-time.After(2 * time.Minute)
		if err := attempt(t, tr, s, c); err != nil || s.result != longPrompt+"\n" {
			t.Errorf("once it shows: %v, submitted %q", err, s.result)
		}
	})
}
