package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// check is the last look before a claim, inside its transaction: is it still this stop, did nobody
// move on in the folder? It gives the attempt's particulars. Who has the session open was just seen.
func (s *session) check(ctx context.Context, rec state.Session, d resume.Decision, seen look) (resume.Claim, error) {
	if s.d.reach.late(seen.at) {
		return resume.Claim{}, postponed(s.d.sleeper.Now(), "it took too long to reach the store, so who has the session open is looked at once more")
	}
	now, err := s.readOn(ctx, rec)
	gone := errors.Is(err, fs.ErrNotExist)
	if gone && deleted(rec) && d.Strategy == resume.FreshSession {
		now, gone, err = onward{Batch: agent.Batch{Cursor: agent.Cursor(rec.Cursor)}, fold: rec.Classifier}, false, nil
	}
	if gone {
		return resume.Claim{}, refusal(resume.LeftAlone, "its files are gone: its user removed it")
	}
	if err != nil {
		return resume.Claim{}, postponed(s.d.sleeper.Now().Add(time.Minute), "its files cannot be read: %v", err)
	}
	switch who := moved(rec, now); {
	case who == rewritten:
		return resume.Claim{}, refusal(resume.LeftAlone, who)
	case who != "":
		return resume.Claim{}, refusal(resume.ByHand, who)
	}
	rec = folded(rec, now)
	rec.Decision = d
	f := s.d.facts(rec, detect.Holder{})
	if err := s.d.askCallers(&f); err != nil {
		return resume.Claim{}, postponed(s.d.sleeper.Now().Add(time.Minute), "%v", err)
	}
	if found, ok := rules.Ask(rules.Claim, &f); ok {
		return resume.Claim{}, &ruledError{found}
	}
	if err := s.d.siblings(rec); err != nil {
		return resume.Claim{}, err
	}
	// The store may be an older one than the marks: it was lost, and came back from a snapshot.
	switch made, err := s.marked(rec.Stop); {
	case err != nil:
		return resume.Claim{}, postponed(s.d.sleeper.Now().Add(lookAgain), "the marks of earlier attempts cannot be read: %v", err)
	case made != nil && made.N > rec.Episode.Attempts:
		return resume.Claim{}, &unsettledError{*made}
	}
	var plan resume.Plan
	if seen.live != nil {
		plan = *seen.live
	} else if _, err := s.d.program(s.a); err != nil { // it is being replaced, say
		return resume.Claim{}, postponed(s.d.sleeper.Now().Add(lookAgain), "%v", err)
	} else if plan, err = s.plan(rec, d, seen.handOff); aboutMachine(err) {
		return resume.Claim{}, s.d.short(err.Error())
	} else if err != nil {
		return resume.Claim{}, s.d.unplanned(rec, err)
	}
	if err := s.d.shortage.turn(s.d.sleeper.Now()); err != nil {
		return resume.Claim{}, err
	}
	n := rec.Episode.Attempts + 1
	token := uuid.NewString()
	return resume.Claim{Token: token, Boot: s.d.boot, Info: rec.Info, Cursor: rec.Cursor, Plan: plan,
		Mark:   marks.Path(s.d.marks(), s.ds, rec.Stop.Key, n),
		Output: filepath.Join(s.d.runs(), fmt.Sprintf("%s-%s-%d-%s.out", s.ds.Agent, s.ds.ID, n, token[:8]))}, nil
}

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

func heldBy(h detect.Holder) string {
	who := "a process"
	if h.PID != 0 {
		who = fmt.Sprintf("process %d", h.PID)
	}
	if h.Liveness == detect.HolderUnknown {
		return "whether a process has the session open cannot be seen: " + h.Why
	}
	return strings.TrimSuffix(fmt.Sprintf("%s has the session open: %s", who, h.Why), ": ")
}

// folded is the record with what was read since it was stored. A plan is made from that alone: how the
// newest prompt came about, in which mode and model it ran, stands in the files before it stands in
// the store.
func folded(rec state.Session, now onward) state.Session {
	rec.Classifier = now.fold
	rec.Info.Merge(now.Info)
	rec.Cursor = string(now.Cursor)
	return rec
}

// moved tells whether the tail of the files is still the claimed stop; empty: it is.
func moved(rec state.Session, o onward) string {
	c := o.fold
	if o.Anew && !told(c, rec.Stop) {
		return rewritten
	}
	c.Holder = detect.Holder{Liveness: detect.Gone}
	if rec.Stop.Reason == detect.Crashed { // a proven crash stays one: the proof is not in the records
		c.Holder.Liveness = detect.LeftBehind
	}
	now := c.Stop()
	switch {
	case now.Reason == detect.Completed:
		return "the turn ended well"
	case now.Reason == detect.Interrupted && rec.Stop.Reason != detect.Interrupted && now.Key == rec.Stop.Key:
		return "its user stopped it"
	case now.State == detect.Stopped && (now.Key == rec.Stop.Key || "cut:"+now.Key == rec.Stop.Key || now.Key == "cut:"+rec.Stop.Key):
		return ""
	case now.Key == rec.Stop.Key:
		return fmt.Sprintf("the session is %s now", now.State)
	}
	return "somebody went on in this session"
}

// begins notes a session that clawd itself begins.
func (d *Daemon) begins(ds detect.Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun[state.Key(ds)] = true
}

// siblings looks for a session that was started after the stop in the same folder: then a person
// or a script moved on, unless this one's user says otherwise. A sub-agent's session tells nothing that its
// parent's does not, and one that clawd itself began only that it is at work.
func (d *Daemon) siblings(rec state.Session) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, s := range d.sessions {
		o := s.sum.Load()
		if o == nil || key == state.Key(rec.Session) || o.dir == "" || o.dir != rec.Info.Dir || !o.created.After(rec.Stop.At) || o.session == rec.NewSession || o.parent != "" {
			continue
		}
		byOthers := !rec.Decision.Asked && !d.begun[key]
		switch {
		case byOthers && o.firstPrompt != "" && o.firstPrompt == rec.Info.FirstPrompt:
			return refusal(resume.LeftAlone, "session "+o.session+" was started after the stop with the same prompt: a person or a script tries again by itself")
		case byOthers && o.answered.After(rec.Stop.At):
			return refusal(resume.LeftAlone, "session "+o.session+" was started after the stop in the same folder and went on: somebody moved on")
		case d.sleeper.Now().Sub(o.busyAt) < busyFor:
			return postponed(d.sleeper.Now().Add(wallStep), "session %s is busy in the same folder", o.session)
		}
	}
	return nil
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
	if found, ok := rules.Ask(rules.Shim, &f); ok {
		return found.Why
	}
	on := false
	batch, err := a.Read(ctx, c.Session, agent.Cursor(c.Cursor), func(e detect.Event) {
		on = on || e.Kind != detect.KindRetry && e.Kind != detect.KindHolder
	})
	if errors.Is(err, fs.ErrNotExist) && c.Plan.Form == resume.FormFresh && c.Stop.NotResumable {
		err = nil // the agent itself deletes such a session
	}
	if err != nil {
		return "its files cannot be read: " + err.Error()
	}
	switch {
	case on:
		return "somebody went on in this session"
	case batch.Anew:
		return rewritten
	}
	holders, err := a.Live(ctx, c.Session, c.Info)
	if err != nil {
		return "who holds the session cannot be seen: " + err.Error()
	}
	h := strongest(holders)
	switch {
	case c.Plan.Way == resume.Queue && slices.ContainsFunc(holders, c.Plan.Reaches):
		return ""
	case c.Plan.Way == resume.Queue:
		return "the process that had the session open is gone"
	case h.Liveness == detect.Alive || h.Liveness == detect.HolderUnknown:
		return heldBy(h)
	}
	return ""
}
