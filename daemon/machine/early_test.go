package machine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// A stop is stored before anything is asked that its place in the store does not hang on: a process table takes its time, and a
// folder may hang.
func TestStopIsStoredFirst(t *testing.T) {
	k, p := plain(t)
	p.limited("stop", time.Hour)
	stored, asked := -1, -1
	for i, l := range k.log {
		switch {
		case strings.Contains(l, "write stop") && stored < 0:
			stored = i
		case (strings.Contains(l, "ask Holders") || strings.Contains(l, "ask Fit")) && asked < 0:
			asked = i
		}
	}
	if stored < 0 || asked < stored {
		t.Errorf("it is stored too late:\n%s", k)
	}
}

// How a window went shows only right then, also where a script works beside it: its shell may be closed before that ends.
func TestQuitBesideAScript(t *testing.T) {
	script := detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, PID: 88, Start: 9, Boot: "boot-1", Why: "it runs in the folder"}
	k, p := plain(t)
	h := window(77)
	h.Leader, h.LeaderStart = 70, 7
	p.info.Interactive, p.holders = true, []detect.Holder{h, script}
	shell := true
	p.held = func(s *HoldersSeen) { s.Past = Past{Over: len(p.holders) < 2, LeaderLives: shell} }
	p.limited("stop", time.Hour)
	p.holders = []detect.Holder{script} // he quits
	p.touch()
	k.pass(time.Minute)
	p.holders, shell = nil, false
	p.touch()
	k.pass(2 * time.Hour)
	if p.s.Rec.HolderEnd != state.HolderQuit || k.starts(p) != 0 {
		t.Errorf("he is taken to have gone by %q, %d starts:\n%s", p.s.Rec.HolderEnd, k.starts(p), k)
	}
}

// An agent that is quit lets go of its lock before it removes that and ends, and a look in that moment takes it for one that was
// killed. It is a quit all the same, and what lies there once the process has ended was left by a crash.
func TestLookWhileItEnds(t *testing.T) {
	for _, c := range []struct {
		name    string
		crashes bool
		end     state.HolderEnd
		starts  int
	}{{"quit", false, state.HolderQuit, 0}, {"crash", true, state.HolderCrash, 1}} {
		t.Run(c.name, func(t *testing.T) {
			k, p := plain(t)
			h := window(77)
			h.Leader, h.LeaderStart = 70, 7
			left := detect.Holder{Liveness: detect.LeftBehind, PID: 77, Boot: h.Boot, Sure: true, Why: "its lock is left behind"}
			lives := true
			p.info.Interactive, p.holders = true, []detect.Holder{h}
			p.held = func(s *HoldersSeen) { s.Past = Past{Lived: lives, Over: !lives, LeaderLives: true} }
			p.limited("stop", time.Hour)
			p.holders = []detect.Holder{left}
			p.touch()
			k.pass(time.Minute)
			if p.s.Rec.HolderEnd != "" {
				t.Errorf("it is taken to have gone by %q while it is still there", p.s.Rec.HolderEnd)
			}
			if lives = false; !c.crashes {
				p.holders = nil
			}
			p.touch()
			k.pass(2 * time.Hour)
			if p.s.Rec.HolderEnd != c.end || k.starts(p) != c.starts {
				t.Errorf("its user is taken to have gone by %q, %d starts:\n%s", p.s.Rec.HolderEnd, k.starts(p), k)
			}
		})
	}
}

// Who quits while clawd is away, and opens another terminal in the folder that may show anything, has quit, however that one
// goes. One that surely shows the session takes the first one's place.
func TestQuitBeforeAnotherTerminal(t *testing.T) {
	for _, c := range []struct {
		name   string
		sure   bool // the other terminal surely shows it
		end    state.HolderEnd
		starts int
	}{{"may show it", false, state.HolderQuit, 0}, {"shows it", true, state.HolderHangup, 1}} {
		t.Run(c.name, func(t *testing.T) {
			k, p := plain(t)
			first, second := window(77), window(78)
			first.Sure, first.Leader, first.LeaderStart = false, 70, 7
			second.Sure, second.Leader, second.LeaderStart = c.sure, 71, 8
			p.info.Interactive, p.holders = true, []detect.Holder{first}
			shells := map[int]bool{70: true, 71: true}
			p.held = func(s *HoldersSeen) {
				was := p.s.Rec.Holder
				over := !slices.ContainsFunc(p.holders, func(h detect.Holder) bool { return h.PID == was.PID })
				s.Past = Past{Over: over, LeaderLives: shells[was.Leader]}
			}
			p.limited("stop", time.Hour)
			p.s.Holder.Attended = false // as after a start
			p.holders = []detect.Holder{second}
			p.touch()
			k.pass(time.Minute)
			p.holders, shells = nil, nil // it is closed
			p.touch()
			k.pass(2 * time.Hour)
			if p.s.Rec.HolderEnd != c.end || k.starts(p) != c.starts {
				t.Errorf("its user is taken to have gone by %q, %d starts:\n%s", p.s.Rec.HolderEnd, k.starts(p), k)
			}
		})
	}
}

// Who opens a headless session in its wait and quits before anybody looks again was seen by the last look before an attempt:
// that he quit counts, and nothing is started.
func TestLastLookRemembersWhoHasItOpen(t *testing.T) {
	k, p := plain(t)
	p.limited("stop", time.Hour)
	p.all = func(out *AllSeen) {
		out.Facts.Who.Holder, out.Live, out.Way = window(77), true, &NoWay{Event: Unreachable, Why: "a plain terminal"}
		p.all = nil
	}
	k.pass(time.Hour)
	p.touch() // a rescan
	k.pass(time.Hour)
	if p.all != nil || k.starts(p) != 0 {
		t.Errorf("%d starts:\n%s", k.starts(p), k)
	}
	if p.s.Rec.HolderEnd != state.HolderQuit {
		t.Errorf("how it went: %q\n%s", p.s.Rec.HolderEnd, k)
	}
}
