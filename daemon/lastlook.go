package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/held"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// seeAll is the last look before an attempt. It ends as soon as something speaks against one.
func (s *session) seeAll(ctx context.Context, q machine.AskAll) *machine.AllSeen {
	rec := *q.Rec
	out := &machine.AllSeen{Facts: q.Facts, Rec: &rec, Roles: q.Roles, At: s.d.mono()}
	if err := s.renew(ctx, &rec); err != nil && rec.Decision.With == "" { // where another agent can't take over, the plan says so
		out.Later = s.later(lookAgain, "%v", err)
		return out
	}
	if err := s.d.folders(); err != nil {
		out.Short = "clawd's own folders: " + err.Error()
		return out
	}
	f := &out.Facts
	out.Subs = s.subsOf(ctx, &rec) // first, as it may take a while; what is new since ends the look
	f.Tail = s.tailOf(ctx, &rec)
	var handOff []byte
	if rec.Decision.Strategy == resume.FreshSession { // first, for it may take a while
		handOff, f.Plan.HandOff = s.handOff(ctx, &rec)
	}
	holders, ok := s.lastHolders(ctx, q, out)
	if !ok {
		return out
	}
	h, attended := attendedBy(holders)
	f.Who.Holder, f.Who.Server, out.Terminals = h, s.serverIn(holders, &rec), s.terminals(holders, &rec)
	f.Info, f.Record.Driven, f.Record.Cancelled = rec.Info, rec.Driven(), rec.CancelStands()
	if err := s.ask(f, &rec); err != nil {
		out.Later = s.later(lookAgain, "%v", err)
		return out
	}
	if _, ruled := rules.Ask(rules.Claim, f); ruled {
		return out
	}
	s.seeAccount(rec.Info)
	if s.unjudged(q, out); out.Made != nil || out.Later != nil {
		return out
	}
	if out.Live = attended; attended {
		s.ready(ctx, q.Beside, holders, out)
	} else {
		s.planned(handOff, out)
	}
	if _, ruled := rules.Ask(rules.Claim, f); !ruled && out.Later == nil && out.Err == nil && !s.d.dry() { // one that goes no further is left to those who can
		f.Who.Neighbor = !s.d.domain.take(filepath.Dir(s.ds.Path))
	}
	out.Gone, out.At = q.OpenBy != 0 && (h.PID != q.OpenBy || !allThere(rec.Shown, holders)), s.d.mono()
	return out
}

// lastHolders looks who has the session open, and whether the agent still has the role that it ran in. False: something
// speaks against an attempt.
func (s *session) lastHolders(ctx context.Context, q machine.AskAll, out *machine.AllSeen) ([]detect.Holder, bool) {
	holders, ok := s.who(ctx, out)
	roles, has := s.needsRole(out.Rec)
	h := machine.Strongest(holders)
	if !ok || !has || out.Rec.Decision.With != "" || q.OpenBy != 0 || !quiet(h) || out.Facts.Plan.HandOff != nil || out.Facts.Tail != (rules.Tail{}) {
		return holders, ok
	}
	late := s.seeRoles(ctx, roles, q.Turn, out)
	if out.Later != nil || out.Short != "" || out.Err != nil || !late {
		return holders, out.Later == nil && out.Short == "" && out.Err == nil
	}
	out.Facts.Tail = s.tailOf(ctx, out.Rec) // asking took a while
	return s.who(ctx, out)
}

// allThere tells whether each of these processes is among those that have the session open.
func allThere(pids []int, holders []detect.Holder) bool {
	return !slices.ContainsFunc(pids, func(pid int) bool {
		return !slices.ContainsFunc(holders, func(h detect.Holder) bool { return h.PID == pid })
	})
}

func quiet(h detect.Holder) bool {
	return h.Liveness != detect.Alive && h.Liveness != detect.HolderUnknown && !h.Foreign
}

// later puts an attempt off.
func (s *session) later(by time.Duration, format string, args ...any) *resume.Outcome {
	return &resume.Outcome{Verdict: resume.Postponed, Again: s.d.now().Add(by), Why: fmt.Sprintf(format, args...)}
}

// who looks now who has the session open.
func (s *session) who(ctx context.Context, out *machine.AllSeen) ([]detect.Holder, bool) {
	s.d.procs.atMost(machine.LookLasts)
	holders, err := s.a.Live(ctx, s.ds, out.Rec.Info)
	if err != nil {
		out.Later = s.later(lookAgain, "who holds the session cannot be seen: %v", err)
	}
	return holders, err == nil
}

// tailOf reads what is new in the session's files into the record.
func (s *session) tailOf(ctx context.Context, rec *state.Session) rules.Tail {
	f := s.readOn(ctx, rec)
	switch {
	case errors.Is(f.Err, fs.ErrNotExist):
		tail := rules.Tail{Gone: !deleted(rec) || rec.Decision.Strategy != resume.FreshSession}
		tail.Away, tail.AwayFor = s.away(rec.Decision)
		return tail
	case f.Err != nil:
		return rules.Tail{Err: f.Err}
	}
	switch who := moved(rec, f); who {
	case "":
		rec.Classifier, rec.Cursor = f.Fold, f.Cursor
		rec.Info.Merge(f.Info)
		return rules.Tail{}
	case rules.Rewritten:
		return rules.Tail{Rewritten: true}
	default:
		return rules.Tail{MovedOn: who}
	}
}

// unjudged finds an attempt for the stop that has its mark, and on which the store has no verdict: it was lost, and came back
// from a snapshot. How many attempts the episode had says nothing about that: they are counted on from the marks, too.
func (s *session) unjudged(q machine.AskAll, out *machine.AllSeen) {
	switch made, err := s.marked(out.Rec, out.Rec.Stop); {
	case err != nil:
		out.Later = s.later(lookAgain, "the marks of earlier attempts cannot be read: %v", err)
	case made != nil && made.N > q.Judged:
		out.Made = made
	}
}

// planned gives the plan of a process of ours.
func (s *session) planned(handOff []byte, out *machine.AllSeen) {
	if _, err := s.d.program(s.a); err != nil && out.Rec.Decision.With == "" { // it is being replaced, say
		out.Later = s.later(lookAgain, "%v", err)
		return
	}
	p, err := s.plan(out.Rec, handOff, out.Subs...)
	switch {
	case aboutMachine(err):
		out.Short = err.Error()
	case errors.Is(err, errNotYet):
		out.Later = s.later(lookAgain, "%v (%s)", err, out.Rec.Decision.With)
	case err != nil:
		s.d.planFacts(&out.Facts, out.Rec, err)
	}
	out.Plan = p
}

// moved tells whether the tail of the files is still the claimed stop; empty: it is.
func moved(rec *state.Session, f *machine.FilesSeen) string {
	c := f.Fold
	if f.Anew && !machine.Told(c, rec.Stop) {
		return rules.Rewritten
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
		return "you stopped it"
	case now.State == detect.Stopped && (now.Key == rec.Stop.Key || "cut:"+now.Key == rec.Stop.Key || now.Key == "cut:"+rec.Stop.Key):
		return ""
	case now.Key == rec.Stop.Key:
		return fmt.Sprintf("the session is %s now", now.State)
	}
	return "it was continued"
}

// LastLook is the look right before an attempt acts: before the shim becomes the agent, and before a prompt is typed, sent
// or submitted. Is the tail of the files still the claimed stop, and is nobody in the session but whom the plan reaches?
// held is the folder of the sessions that clawd exec has open. A text says why not.
func LastLook(ctx context.Context, a agent.Agent, c resume.Claim, held string) string {
	f := rules.Facts{Stop: c.Stop, Record: rules.Record{Session: c.Session}}
	var err error
	if f.Who.Exec, f.Who.ExecTold, err = callers(held, c.Session, c.Stop); err != nil {
		return err.Error()
	}
	f.Tail = lastTail(ctx, a, c)
	if found, ok := rules.Ask(rules.Shim, &f); ok {
		return found.Why
	}
	holders, err := a.Live(ctx, c.Session, c.Info)
	if err != nil {
		return "who holds the session cannot be seen: " + err.Error()
	}
	if c.Plan.Way.Live() {
		if !slices.ContainsFunc(holders, c.Plan.Reaches) {
			return "the process that had the session open is gone"
		}
		if !allThere(c.Plan.Shown, holders) {
			return "a terminal that may have shown the session is gone"
		}
		holders = slices.DeleteFunc(slices.Clone(holders), func(h detect.Holder) bool { return h.Kind != detect.Headless || !h.Sure || c.Plan.Reaches(h) })
	}
	f.Who.Holder = machine.Strongest(holders)
	found, _ := rules.Ask(rules.Shim, &f)
	return found.Why
}

// lastTail looks whether anything was written to the session's files since the claim.
func lastTail(ctx context.Context, a agent.Agent, c resume.Claim) (tail rules.Tail) {
	batch, err := a.Read(ctx, c.Session, agent.Cursor(c.Cursor), func(e detect.Event) {
		aside := c.Plan.Way.Live() && e.Kind == detect.KindAside // closing a dialog may leave one
		if e.Kind != detect.KindRetry && e.Kind != detect.KindHolder && !aside {
			tail.MovedOn = "it was continued"
		}
	})
	if errors.Is(err, fs.ErrNotExist) && c.Plan.Form == resume.FormFresh && c.Stop.NotResumable {
		err = nil // the agent itself deletes such a session
	}
	tail.Err, tail.Rewritten = err, batch.Anew && tail.MovedOn == ""
	return tail
}

// held lies in the user's own folder, as the marks do: clawd exec may run with another state folder.
func (d *Daemon) held() string { return filepath.Join(d.o.UserDir, "held") }

// callers tells whether a caller of clawd exec has a session open now, and whether its stop was told one: it was written while he had.
func callers(dir string, s detect.Session, stop detect.Stop) (now, told bool, err error) {
	now, until, err := held.Look(dir, s)
	if err != nil {
		return false, false, fmt.Errorf("whether clawd exec has the session open cannot be seen: %w", err)
	}
	return now, !until.IsZero() && !stop.At.After(until), nil
}
