package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// unsettledError refuses a claim: an attempt has its mark, and the store does not know of it.
type unsettledError struct{ made resume.Claim }

func (e *unsettledError) Error() string {
	return fmt.Sprintf("attempt %d was made already, as its mark says", e.made.N)
}

// overdue is for how long a wait had been over when clawd was started, counted from when it was last
// there, by its clean end or its last sign of life: what clawd itself put off, or slept through, is not late.
func (d *Daemon) overdue(wake time.Time) time.Duration {
	if d.parted.After(wake) {
		wake = d.parted
	}
	return d.started.Sub(wake)
}

func refusal(v resume.Verdict, why string) error {
	return &resume.Refusal{Outcome: resume.Outcome{Verdict: v, Why: why}}
}

func postponed(again time.Time, format string, args ...any) error {
	return &resume.Refusal{Outcome: resume.Outcome{Verdict: resume.Postponed, Again: again, Why: fmt.Sprintf(format, args...)}}
}

// begins notes a session that clawd itself begins.
func (d *Daemon) begins(ds detect.Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun[state.Key(ds)] = true
}

// siblings looks for a session that was started after the stop in the same folder: then a person
// or a script moved on. A sub-agent's session tells nothing that its parent's does not, and one that clawd itself
// began only that it is at work.
func (d *Daemon) siblings(rec state.Session) (w rules.World) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, s := range d.sessions {
		o := s.sum.Load()
		if o == nil || key == state.Key(rec.Session) || o.dir == "" || o.dir != rec.Info.Dir || !o.created.After(rec.Stop.At) || o.session == rec.NewSession || o.parent != "" {
			continue
		}
		byOthers := !d.begun[key]
		switch {
		case byOthers && o.firstPrompt != "" && o.firstPrompt == rec.Info.FirstPrompt:
			w.SamePrompt = o.session
		case byOthers && o.answered.After(rec.Stop.At):
			w.WentOn = o.session
		}
		if d.sleeper.Now().Sub(o.busyAt) < busyFor {
			w.Busy = o.session
		}
	}
	return w
}

// busyFor: an unfinished turn without a new record for so long is not taken for busy.
const busyFor = 10 * time.Minute

func cut(key string) (agentName, id string, ok bool) { return strings.Cut(key, "/") }

// LastLook is what the shim looks at before it becomes the agent: is the tail of the files still
// the claimed stop, and is nobody else in the session? held is the folder of the sessions that clawd
// exec has open. A text says why not.
func LastLook(ctx context.Context, a agent.Agent, c resume.Claim, held string) string {
	f := rules.Facts{Stop: c.Stop, Record: rules.Record{Session: c.Session}}
	var err error
	if f.Who.Exec, f.Who.ExecTold, err = callers(held, c.Session, c.Stop); err != nil {
		return err.Error()
	}
	batch, err := a.Read(ctx, c.Session, agent.Cursor(c.Cursor), func(e detect.Event) {
		if e.Kind != detect.KindRetry && e.Kind != detect.KindHolder {
			f.Tail.MovedOn = "somebody went on in this session"
		}
	})
	if errors.Is(err, fs.ErrNotExist) && c.Plan.Form == resume.FormFresh && c.Stop.NotResumable {
		err = nil // the agent itself deletes such a session
	}
	f.Tail.Err, f.Tail.Rewritten = err, batch.Anew && f.Tail.MovedOn == ""
	if found, ok := rules.Ask(rules.Shim, &f); ok {
		return found.Why
	}
	holders, err := a.Live(ctx, c.Session, c.Info)
	if err != nil {
		return "who holds the session cannot be seen: " + err.Error()
	}
	if c.Plan.Way == resume.Queue {
		if slices.ContainsFunc(holders, c.Plan.Reaches) {
			return ""
		}
		return "the process that had the session open is gone"
	}
	f.Who.Holder = strongest(holders)
	found, _ := rules.Ask(rules.Shim, &f)
	return found.Why
}
