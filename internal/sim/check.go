package sim

import (
	"context"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/sim/actor"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// watch is what the checks remember.
type watch struct {
	alive  []*body
	told   map[string][]string
	last   map[string]actor.Kind // newest answer, by session
	person map[string]deed
	asked  int // prompts of the ledger that were looked at
	marks  map[string]int
}

// blown tells whether clawd is killed at a place of the shim's; it is not drawn yet.
func (r *run) blown(int) bool { return false }

// adapter is a fresh one.
func (r *run) adapter(name string) agent.Agent {
	for _, a := range r.adapters() {
		if a.Name() == name {
			return a
		}
	}
	return nil
}

// check looks at the world after a step.
func (r *run) check() {
	for ; r.asked < len(r.world.Ledger.Asks); r.asked++ {
		ask := r.world.Ledger.Asks[r.asked]
		if ask.By != actor.Clawd {
			continue
		}
		if t := r.of(ask.Agent, ask.Session); t != nil {
			r.moment(t.who, asks)
		}
		r.asks(ask)
	}
}

// asks looks at a prompt of clawd's that reached the provider.
func (r *run) asks(a *actor.Ask) {
	if n := r.world.Ledger.Prompts(a.Agent, a.Session, a.Stop, actor.Clawd); a.Stop != "" && n > 1 {
		r.fails("I1", "%s/%s: %d prompts of clawd's for the stop %s", a.Agent, a.Session, n, a.Stop)
	}
}

// marked looks at the world at the moment of a mark, right after the shim's last look.
func (r *run) marked(x *child) {
	c := x.claim
	for _, b := range r.alive {
		if _, ended := b.Exit(); ended || b.child == x || b.cast.Name() != c.Session.Agent || b.ID() != c.Session.ID || b.cast.Name() == "opencode" {
			continue
		}
		r.fails("I10", "%s/%s: attempt %d while process %d has it open", c.Session.Agent, c.Session.ID, c.N, b.PID())
	}
	for _, a := range r.world.Ledger.For(c.Session.Agent, c.Session.ID, c.Stop.Key) {
		if a.By != actor.Clawd && r.wall().Sub(a.At) > 10*time.Second {
			r.fails("I10", "%s/%s: attempt %d after a prompt of %s at %s", c.Session.Agent, c.Session.ID, c.N, a.By, a.At.Format(time.TimeOnly))
		}
	}
}

// stepped is told of each step of a session.
func (r *run) stepped(s daemon.Step) {
	t := r.of(s.Now.Rec.Agent, s.Now.Rec.ID)
	for _, e := range s.Effects {
		switch e := e.(type) {
		case machine.Ask:
			if _, last := e.Question.(machine.AskAll); last && t != nil {
				r.moment(t.who, claims)
			}
		case machine.Start:
			if t != nil {
				r.moment(t.who, takes)
			}
		case machine.Write:
			r.stirs()
		}
	}
}

func (r *run) logged([]byte) {}

func (r *run) answered(t *talk, o machine.Order, a machine.Reply) {
	r.trace("%s %s/%s: %s %v", o.Kind, t.Agent, t.id, a.Text, a.Err)
}

func (r *run) resumed() int {
	c := r.clawds[0]
	if c.hand == nil {
		return 0
	}
	st, err := c.hand.Store().Stats()
	must(err)
	return st.TotalResumes
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
			case p.Begun:
				r.fails("L1", "%s waits for %s", key, s.Rec.Decision.WakeAt)
			case len(r.told[key]) == 0 && !r.attended(s.Rec.Session):
				r.fails("L1", "%s waits, holds back, and nobody was told: %s", key, s.Said.Back)
			}
		case machine.Held, machine.GivenUp:
			if len(r.told[key]) == 0 {
				r.fails("I8", "%s is %s and nobody was told", key, s.Rec.Phase)
			}
		}
		if s.Guard != nil {
			r.fails("L1", "%s has a run that never ends", key)
		}
	}
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

// attended tells whether a person has a session open.
func (r *run) attended(ds detect.Session) bool {
	for _, b := range r.alive {
		if _, ended := b.Exit(); !ended && b.child == nil && b.cast.Name() == ds.Agent && b.ID() == ds.ID {
			return true
		}
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
	switch {
	case !known:
		r.fails("L3", "%s ended in %s (%s) and clawd does not know it", key, stop.Reason, stop.Key)
	case rec.Stop.Key != stop.Key && closed == (state.Closed{}) && s.Said.Old != stop.Key:
		r.fails("L3", "%s ended in %s (%s) and clawd has nothing to say about it; it has %q", key, stop.Reason, stop.Key, rec.Stop.Key)
	}
}
