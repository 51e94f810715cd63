package sim

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// unsure: Copilot CLI's hung process is not told from one at work when the clock was set back beside it, or another one began to
// write into its session within the same minute, clawd's own run, too (docs/reliability.md). Its user is told.
func (r *run) unsure(key string) bool {
	return strings.HasPrefix(key, "copilot/") && (r.alike[key] || !r.latest.IsZero()) && len(r.told[key]) > 0
}

// settle looks at what has become of everything after all was well for long.
func (r *run) settle() {
	hand := r.clawds[0].hand
	if hand == nil {
		r.fails("L0", "clawd is not there")
		return
	}
	seats := map[string]machine.Session{}
	for _, s := range hand.Sessions() {
		key := state.Key(s.Rec.Session)
		seats[key] = s
		switch p := s.Phase.(type) {
		case machine.Claimed, machine.Fired:
			r.fails("L1", "%s is still %s", key, s.Rec.Phase)
		case machine.Waiting:
			switch {
			case p.Begun && (!r.attended(s.Rec) || len(r.told[key]) == 0):
				r.fails("L1", "%s waits for %s", key, s.Rec.Decision.WakeAt)
			case !r.attended(s.Rec) && !p.Again.After(r.wall()) && !r.unsure(key):
				r.fails("L1", "%s waits and holds back for nothing: %s", key, s.Said.Back)
			case !p.Begun && len(r.told[key]) == 0 && r.reachable(s.Rec.Session):
				r.fails("L5", "%s waits beside an input box that is empty: %s", key, s.Said.Back)
			}
		case machine.Held, machine.GivenUp:
			if len(r.told[key]) == 0 {
				r.fails("I8", "%s is %s and nobody was told", key, s.Rec.Phase)
			}
			if c := s.Rec.Claim; c != nil && c.Plan.Form == resume.FormIdempotent && c.Plan.Way == resume.Exec &&
				strings.HasPrefix(hand.World().Books.Closed(s.Rec.Session, c.Stop.Key).Proof, "output: ") && !r.wants[key].cancelled && !r.tookBack(key, s.Rec) {
				r.fails("I16", "%s is %s after a run that asked nothing", key, s.Rec.Phase)
			}
		}
		if n := s.Rec.Notice; s.Rec.Phase == state.Waiting && r.wall().Sub(s.Rec.Decision.WakeAt) > 2*time.Hour && (n == nil || n.Key != s.Rec.Stop.Key || len(r.told[key]) == 0) {
			r.fails("I8", "%s is held back since %s and nobody was told: %s", key, s.Rec.Decision.WakeAt.Format(time.TimeOnly), s.HeldBack())
		}
		if s.Guard != nil {
			r.fails("L1", "%s has a run that never ends", key)
		}
	}
	r.books(hand)
	if n := hand.World().Turns.Running(); n != 0 {
		r.fails("L2", "%d turns are taken and nothing runs", n)
	}
	for _, a := range r.adapters() {
		found, err := a.Scan(context.Background(), "")
		must(err)
		for _, t := range found {
			r.forgotten(hand, a, t.Session, seats)
		}
	}
}

// tookBack tells whether its user had a session left, also by an order whose answer he did not get for clawd was killed.
func (r *run) tookBack(key string, rec state.Session) bool {
	return rec.TakenBack() && slices.Contains(r.told[key], string(machine.Cancel))
}

// rests tells whether nothing is to come any more: clawd has looked at everything since something happened last, no process
// has anything to do, and no session waits but one that somebody has open, and whose user was told: that it is looked at
// again and again changes nothing.
func (r *run) rests() bool {
	hand, soon := r.clawds[0].hand, time.Now().Add(time.Hour)
	if hand == nil || r.clawds[0].tick.Before(soon) || len(r.agenda) > 0 && r.agenda[0].at.Before(soon) ||
		slices.ContainsFunc(r.alive, func(b *body) bool { return !b.due.IsZero() }) {
		return false
	}
	return !slices.ContainsFunc(hand.Sessions(), func(s machine.Session) bool {
		switch p := s.Phase.(type) {
		case machine.Claimed, machine.Fired:
			return true
		case machine.Waiting:
			return p.Begun && p.Again.IsZero() || !r.attended(s.Rec) || len(r.told[state.Key(s.Rec.Session)]) == 0
		case machine.Held, machine.GivenUp:
			return s.Guard != nil || len(r.told[state.Key(s.Rec.Session)]) == 0
		}
		return s.Guard != nil
	})
}

// books: what is counted is what happened.
func (r *run) books(hand *daemon.Hand) {
	resumed, stops := 0, map[string]int{}
	must(hand.Store().History(func(e state.Entry) error {
		switch e.Kind {
		case string(resume.Resumed):
			resumed++
		case "stop":
			if !r.torn[e.Session] && !r.shared[e.Session] { // a clawd that loses its store judges another's attempts, too
				stops[e.Session+" "+e.Key]++
			}
		}
		return nil
	}))
	if n := r.resumed(); n != resumed {
		r.fails("I15", "%d resumes are counted, and %d are in the history", n, resumed)
	}
	for _, key := range slices.Sorted(maps.Keys(stops)) {
		if stops[key] > 1 {
			r.fails("I14", "%s was taken in %d times", key, stops[key])
		}
	}
}

// attended tells whether a person has a session open, or something that cannot be told from that.
func (r *run) attended(rec state.Session) bool {
	if rec.Agent == "opencode" && r.server != nil && r.server.Up() { // which may have any session open
		return true
	}
	hung := 0 // clawd ends one that waits for ever, and of two it cannot tell
	for _, b := range r.alive {
		if b.ID() == rec.ID && b.hung() {
			hung++
			continue
		}
		if _, ended := b.Exit(); ended || b.child != nil || b.cast.Name() != rec.Agent {
			continue
		}
		if rec.Agent == "qwen" && b.tty == "" && b.talk != nil && b.talk.dir == rec.Info.Dir && !slices.Contains(r.world.Procs.Argv(b.PID()), "--resume") {
			return true // nothing names the session that it has begun
		}
		if b.ID() == rec.ID || b.nameless() && b.talk != nil && b.talk.dir == rec.Info.Dir {
			return true
		}
	}
	return hung > 1
}

// nameless tells whether nothing on the disk says which session a process has open. Claude Code's says it, unless its folder was away
// when it was started.
func (b *body) nameless() bool {
	switch b.cast.Name() {
	case "opencode", "gemini", "pi":
		return true
	case "claude":
		_, err := os.Stat(filepath.Join(b.cast.Root(), "sessions", strconv.Itoa(b.PID())+".json"))
		return err != nil
	}
	return false
}

// forgotten looks whether a stop that could be resumed was dealt with.
func (r *run) forgotten(hand *daemon.Hand, a agent.Agent, ds detect.Session, seats map[string]machine.Session) {
	key := state.Key(ds)
	stop, _, err := agent.Look(context.Background(), a, ds, true)
	if err != nil {
		r.trace("%s cannot be read: %v", key, err)
		return
	}
	cfg := r.config()
	if stop.State != detect.Stopped || cfg.Policy().Select(stop, resume.Tried{}).Kind() == resume.Leave {
		return
	}
	s, known := seats[key]
	rec := s.Rec
	if !known {
		var err error
		rec, known, err = hand.Store().Session(ds)
		must(err)
	}
	closed := hand.World().Books.Closed(ds, stop.Key)
	// Where clawd put the file back as it was before its own runs, it ends in a stop from before the one that is told.
	over := rec.Phase == state.Held && stop.At.Before(rec.Stop.At)
	switch {
	case !known:
		r.fails("L3", "%s ended in %s (%s) and clawd does not know it", key, stop.Reason, stop.Key)
	case !rec.EndsIn(stop) && !over && closed == (state.Closed{}) && !r.old[key] && !r.torn[key]:
		r.fails("L3", "%s ended in %s (%s) and clawd has nothing to say about it; it has %q", key, stop.Reason, stop.Key, rec.Stop.Key)
	}
}

// reachable tells whether a session stands in the one terminal that has it open, and that would take a prompt.
func (r *run) reachable(ds detect.Session) bool {
	if ds.Agent != "claude" && ds.Agent != "codex" && ds.Agent != "qwen" && ds.Agent != "copilot" { // the others do not tell which session a terminal shows
		return false
	}
	open, ready := 0, false
	for _, b := range r.alive {
		if _, ended := b.Exit(); ended || b.child != nil || b.cast.Name() != ds.Agent || b.ID() != ds.ID {
			continue
		}
		open++
		ready = b.window != nil && b.window.sees().Ready
	}
	return open == 1 && ready
}
