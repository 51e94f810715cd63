package machine

import (
	"errors"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// A claim that could not be written gives its turn back, and is not made again at once: what failed now would fail at
// once again. An order that could not be written is answered.
func TestRefusedWrite(t *testing.T) {
	now := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	w := &World{Now: now, Mono: time.Hour, Peers: NewPeers(), Turns: NewTurns(), Account: func(string, detect.Info) string { return "a" }}
	ds := detect.Session{Agent: "claude", ID: "92268ba5-0000-4000-8000-000000000000"}
	rec := state.Session{Session: ds, Phase: state.Waiting, Decision: resume.Decision{Strategy: resume.SameSession, WakeAt: now.Add(-time.Minute)}}
	rec.Stop = detect.Stop{State: detect.Stopped, Reason: detect.UsageLimit, Key: "k", At: now.Add(-time.Hour)}
	s := New(rec, true)
	s.Phase = Waiting{Begun: true, Due: Timer{At: rec.Decision.WakeAt}}
	for kind, want := range map[JobKind]func(Effect) bool{
		Claiming: func(e Effect) bool { m, ok := e.(TurnMove); return ok && m.Kind == TurnLeaves },
		Obeying:  func(e Effect) bool { r, ok := e.(Reply); return ok && r.ID == 7 && r.Err != nil },
	} {
		s.Job = Job{ID: 1, Kind: kind, Turn: Turning{Taken: kind == Claiming}, Order: Order{ID: 7}}
		_, effects := Step(w, s, Refused{Err: errors.New("the disk is full"), On: Answered{Job: 1}})
		found := false
		for _, e := range effects {
			found = found || want(e)
			if a, ok := e.(Ask); ok && kind == Claiming {
				t.Errorf("it asks %T at once", a.Question)
			}
		}
		if !found {
			t.Errorf("job %d: %v", kind, effects)
		}
	}
}

// A verdict that cannot be written down is looked for again after a while, not at once for as long as the disk is full.
func TestRefusedVerdict(t *testing.T) {
	for _, c := range []struct {
		name  string
		leave func(p *place)
	}{
		{"it stopped again", func(p *place) { p.see(sees(ours(1), limitAgain(2))) }},
		{"it died and left nothing", (*place).die},
		{"it answered", func(p *place) { p.see(answered) }},
		{"it answered and ended", func(p *place) { p.see(answered); p.die() }},
	} {
		full := false
		k, p := fires(t, time.Hour+time.Second, func(k *kit, p *place) {
			k.refuse = func(was, is state.Session) error {
				if full {
					return errDisk
				}
				return nil
			}
		})
		full = true
		c.leave(p)
		looks := p.child.looks
		k.pass(time.Hour)
		if n := p.child.looks - looks; n > 2*3*60+10 { // twice in 20 s
			t.Errorf("%s: looked at %d times within the hour that the disk is full", c.name, n)
		}
		if p.wantPhase(state.Fired); k.books.Closed(p.s.Rec.Session, "stop").Verdict != "" {
			t.Errorf("%s: it has a verdict", c.name)
		}
		full = false
		k.pass(time.Minute)
		if k.books.Closed(p.s.Rec.Session, "stop").Verdict == "" {
			t.Errorf("%s: no verdict is written when the disk has room again\n%s", c.name, k)
		}
	}
}
