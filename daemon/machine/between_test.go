package machine

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// An order to end the run that comes between the decision about its next stop and the storing of it counts
// for that stop, too.
func TestCancelBesideAStop(t *testing.T) {
	k, p := fires(t, time.Hour+time.Minute, func(k *kit, p *place) {
		answered(&p.child.sight)
		p.onOpen = func() Opened {
			p.events = append(p.events, ours(1), answer(2))
			return Opened{Gate: resume.GateExec}
		}
	})
	k.wantVerdict(p, resume.Resumed)
	p.stop = func(*StopSeen) { k.post(p, Ordered{Order{ID: 1, Kind: Cancel, Run: true}}) }
	p.rated("next")
	k.pass(26 * time.Hour)
	p.post(Touched{})
	k.pass(26 * time.Hour)
	if p.wantPhase(state.Following); k.starts(p) != 1 || p.s.Rec.Cancelled.IsZero() {
		t.Errorf("%d starts, the order is of %v\n%s", k.starts(p), p.s.Rec.Cancelled, k)
	}
	if p.s.Rec.Stop.Key != "next" || len(k.books.Notices()) != 0 {
		t.Errorf("its user is told what he did: %+v, of %s", k.books.Notices(), p.s.Rec.Stop.Key)
	}
}

// What a cancelled run wrote is read after its verdict, where its files could not be read before.
func TestCancelledRunIsReadLate(t *testing.T) {
	k, p := fires(t, time.Hour+time.Minute, func(k *kit, p *place) {
		p.onLook = func(s *Sighted) { s.Err = errDisk }
		k.in(time.Hour+time.Second, func() { k.post(p, Ordered{Order{ID: 1, Kind: Cancel}}) })
		k.in(time.Hour+30*time.Second, func() {
			p.die()
			p.write(p.rec("late", detect.KindFailure, failed(detect.Failure{Reason: detect.RateLimit})))
		})
	})
	k.pass(30 * time.Minute)
	k.wantVerdict(p, resume.Unsure)
	p.touch()
	k.pass(26 * time.Hour)
	if k.starts(p) != 1 || len(k.books.Notices()) != 0 {
		t.Errorf("%d starts, told %v\n%s", k.starts(p), k.books.Notices(), k)
	}
}

// A run that was cancelled and of which nothing can be read has begun a fresh session, as its output says: the order holds for that
// one, too, and its attempts count on.
func TestCancelledRunLeavesAnHeirUnread(t *testing.T) {
	fresh := detect.Session{Agent: "claude", ID: "fresh"}
	k, p := fires(t, time.Hour+time.Minute, func(k *kit, p *place) {
		p.plan.Form, p.plan.Session = resume.FormFresh, ""
		p.onLook = func(s *Sighted) { s.Err, s.Sight.Session = errDisk, fresh }
		k.in(time.Hour+time.Second, func() { k.post(p, Ordered{Order{ID: 1, Kind: Cancel}}) })
		k.in(time.Hour+30*time.Second, p.die)
	})
	k.pass(30 * time.Minute)
	k.wantVerdict(p, resume.Unsure)
	if heir := k.books.Record(fresh); heir.Cancelled.IsZero() || heir.Episode.Attempts != 1 {
		t.Errorf("canceled %s, %d attempts:\n%s", heir.Cancelled, heir.Episode.Attempts, k)
	}
}

// Nothing is claimed against its user's order, whatever was decided and seen before it.
func TestCancelledIsNotClaimed(t *testing.T) {
	for name, c := range map[string]struct {
		set   func(k *kit, p *place)
		phase state.Phase
		said  string
	}{
		"in the last look": {func(k *kit, p *place) {
			p.all = func(*AllSeen) { k.post(p, Ordered{Order{ID: 1, Kind: Cancel}}) }
		}, state.Held, ""},
		"ignored in the last look": {func(k *kit, p *place) {
			p.all = func(*AllSeen) { k.post(p, Ordered{Order{ID: 1, Kind: Ignore}}) }
		}, state.Following, ""},
		"by the record": {func(_ *kit, p *place) {
			p.all = func(s *AllSeen) { s.Rec.Cancelled = noon.Add(time.Minute) }
		}, state.Following, "you canceled it, and it was not continued since"},
	} {
		k, p := fires(t, 26*time.Hour, c.set)
		if p.wantPhase(c.phase); k.starts(p) != 0 || len(k.books.Notices()) != 0 || !strings.Contains(k.String(), c.said) {
			t.Errorf("%s: %d starts, told %v\n%s", name, k.starts(p), k.books.Notices(), k)
		}
	}
}

// What keeps clawd from a window is looked at each minute at first, and ever less often the longer it is the same.
func TestLooksLessOften(t *testing.T) {
	k, p := plain(t)
	p.info.Interactive, p.holders = true, []detect.Holder{window(77)}
	why := "text in its input box"
	p.all = func(s *AllSeen) { s.Way = &NoWay{Event: Blocked, Why: why} }
	p.limited("stop", time.Hour)
	k.pass(time.Hour + time.Minute)
	looks := func(d time.Duration) int {
		before := k.asks("All")
		k.pass(d)
		return k.asks("All") - before
	}
	first, later := looks(10*time.Minute), 0
	looks(3 * time.Hour)
	later = looks(time.Hour)
	why = "a dialog is open"
	looks(lookMost)
	if anew := looks(8 * time.Minute); first < 9 || first > 11 || later != 6 || anew < 6 {
		t.Errorf("%d looks in the first 10 minutes, %d in a later hour, %d in 8 minutes after something changed\n%s", first, later, anew, k)
	}
}

// A holder that has just ended is not called out of reach: how it ended decides.
func TestJustEndedIsNotUnreachable(t *testing.T) {
	k, p := plain(t)
	p.info.Interactive, p.holders = true, []detect.Holder{window(77)}
	p.fit = func(s *FitSeen) { s.Gone = true }
	p.limited("stop", time.Hour)
	k.pass(time.Minute)
	if n := k.books.Notices(); len(n) != 0 || len(p.s.Rec.Told) != 0 {
		t.Errorf("its user is told %+v", n)
	}
	if w, ok := p.s.Phase.(Waiting); !ok || w.Begun {
		t.Errorf("the wait goes on: %+v", w)
	}
	p.fit = func(s *FitSeen) { s.Way = &NoWay{Event: Unreachable, Why: "neither tmux nor clawd wrap"} }
	p.post(Touched{})
	p.post(Touched{})
	if n := k.books.Notices(); len(n) != 1 || n[0].Event != Unreachable {
		t.Errorf("its user is to be told once: %+v", n)
	}
}

// Who has a session open that cannot go on is not told to type there.
func TestFullSessionIsToBeClosed(t *testing.T) {
	k, p := plain(t)
	p.info.Interactive, p.holders = true, []detect.Holder{window(77)}
	p.fit = func(s *FitSeen) {
		s.Way = &NoWay{Event: Unreachable, Why: "a fresh one is not started beside an open one"}
	}
	p.write(p.rec("stop", detect.KindFailure, func(e *detect.Event) { e.Failure = &detect.Failure{Reason: detect.ContextFull} }))
	k.pass(time.Minute)
	if n := k.books.Notices(); len(n) != 1 || n[0].Command != "close it, and clawd starts a fresh session" {
		t.Errorf("its user is told %+v", n)
	}
}

// What an editor or a server has open may be shown in no terminal.
func TestServersSessionIsPromptedInItsProgram(t *testing.T) {
	k, p := plain(t)
	server := window(77)
	server.Kind = detect.Server
	p.info.Interactive, p.holders = true, []detect.Holder{server}
	p.fit = func(s *FitSeen) { s.Way = &NoWay{Event: Unreachable, Why: "a server has it open"} }
	p.limited("stop", time.Hour)
	k.pass(time.Minute)
	if n := k.books.Notices(); len(n) != 1 || n[0].Command != `say "continue" in the program that shows it` {
		t.Errorf("its user is told %+v", n)
	}
}

// What runs in the background is in no window until its user looks at it.
func TestBackgroundSessionIsPromptedWhereItIsShown(t *testing.T) {
	k, p := plain(t)
	h := window(77)
	h.Attach = "claude attach 0840e06f"
	p.info.Interactive, p.holders = true, []detect.Holder{h}
	p.fit = func(s *FitSeen) { s.Way = &NoWay{Event: Unreachable, Why: "process 77 runs it in the background"} }
	p.limited("stop", time.Hour)
	k.pass(time.Minute)
	if n := k.books.Notices(); len(n) != 1 || n[0].Command != `claude attach 0840e06f, and type "continue" there` {
		t.Errorf("its user is told %+v", n)
	}
}

// Nothing begins after the end, whatever still comes.
func TestNothingBeginsAfterTheEnd(t *testing.T) {
	for _, ph := range phases {
		for _, h := range happenings {
			k, p := plain(t)
			k.lax = true
			ph.into(k, p)
			k.stop()
			from := len(k.log)
			h.do(k, p)
			k.pass(26 * time.Hour)
			for _, l := range k.log[from:] {
				if f := strings.Fields(l); f[1] == "start" || f[1] == "open" {
					t.Errorf("%s, %s: %s", ph.name, h.name, l)
				}
			}
		}
	}
}

// A limit that stands on a terminal's screen alone stops a session that somebody has open: what follows happens there.
func TestLimitOnTheScreenIsOpen(t *testing.T) {
	k, p := plain(t)
	p.info.Interactive, p.holders = true, []detect.Holder{window(77)}
	p.drawn = func(s *ScreenSeen) {
		s.Failure = &detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: noon.Add(time.Hour), Source: "screen"}
	}
	p.fit = func(s *FitSeen) {
		if !s.Facts.Who.Holder.Sure {
			t.Errorf("it is asked for a run beside %+v", s.Facts.Who.Holder)
		}
	}
	p.write(p.rec("p", detect.KindPrompt))
	k.pass(2 * time.Minute)
	p.touch()
	k.pass(time.Second)
	if w, waits := p.s.Phase.(Waiting); !waits || !w.Begun || w.OpenBy != 77 {
		t.Errorf("%+v:\n%s", p.s.Phase, k)
	}
}
