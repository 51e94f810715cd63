package machine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// rescans has a session looked at again as the regular look does, for so long.
func (p *place) rescans(most time.Duration) {
	for d := 5 * time.Minute; d <= most; d += 5 * time.Minute {
		p.k.in(d, func() { p.k.post(p, Touched{}) })
	}
}

// toldAt gives when a user was told by an event, as the kit notes it.
func (k *kit) toldAt(event string) (at []string) {
	for _, l := range k.did("write") {
		if strings.Contains(l, "told:"+event) {
			at = append(at, strings.Fields(l)[0])
		}
	}
	return at
}

var headless = detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, PID: 55, Start: 3, Boot: "boot-1", Why: "an agent runs in its folder"}

// hindrances are all that can stand in the way of a session whose wait is over.
var hindrances = []struct {
	name string
	way  func(k *kit, p *place)
	why  string
}{
	{"the roles are not answered", func(k *kit, p *place) {
		p.all = func(s *AllSeen) {
			s.Lacks, s.Later = Unanswered, &resume.Outcome{Verdict: resume.Postponed, Why: "whether \"plan\" is still there can't be seen"}
		}
	}, "whether \"plan\" is still there can't be seen"},
	{"a headless run in its folder", func(k *kit, p *place) { p.holders = []detect.Holder{headless} }, "process 55 has the session open: an agent runs in its folder"},
	{"what cannot be seen now", func(k *kit, p *place) {
		p.all = func(s *AllSeen) {
			s.Later = &resume.Outcome{Verdict: resume.Postponed, Again: k.w.Now.Add(time.Minute), Why: "the marks cannot be read"}
		}
	}, "the marks cannot be read"},
	{"its files", func(k *kit, p *place) { p.all = func(s *AllSeen) { s.Facts.Tail.Err = errDisk } }, "its files cannot be read: disk full"},
	{"its folder is away", func(k *kit, p *place) {
		p.all = func(s *AllSeen) { s.Facts.Tail = rules.Tail{Gone: true, Away: "claude"} }
	}, "its disk may not be mounted"},
	{"every look fails", func(k *kit, p *place) {
		p.all = func(s *AllSeen) { s.Facts.Tail.Err = errDisk }
		p.files = func(s *FilesSeen) { s.Err = errDisk }
	}, "disk full"},
	{"every look at its holders fails", func(k *kit, p *place) {
		p.all = func(s *AllSeen) { s.Later = &resume.Outcome{Why: "who holds the session cannot be seen"} }
		p.held = func(s *HoldersSeen) { s.Err = errDisk }
	}, "disk full"},
	{"a look hangs", func(k *kit, p *place) { p.takes = 1000 * time.Hour }, "its files or the process table do not answer"},
	{"a busy session beside it", func(k *kit, p *place) {
		o := k.add("two")
		o.info.Dir, o.info.Created = p.info.Dir, k.w.Now.Add(time.Second)
		for n := range 24 * 12 {
			k.in(time.Duration(n)*5*time.Minute, func() { o.write(o.rec(fmt.Sprint("tool-", n), detect.KindPrompt)) })
		}
	}, "session two is busy in the same folder"},
	{"no agent", func(k *kit, p *place) { p.all = func(s *AllSeen) { s.Facts.Plan.Err = errors.New("no program") } }, "the agent cannot be started: no program"},
	{"the machine", func(k *kit, p *place) {
		p.onStart = func() Started { return Started{Why: "no processes", Short: true} }
	}, "no processes"},
	{"the shim", func(k *kit, p *place) {
		p.onOpen = func() Opened { return Opened{Gate: resume.GateTaken, Why: "the shim sees somebody"} }
	}, "the shim sees somebody"},
	{"the day's budget", func(k *kit, p *place) { k.w.Config.Budget.MaxResumesPerDay = 0 }, "budget"},
	{"work in the background", func(k *kit, p *place) {
		p.info.Interactive, p.holders = true, []detect.Holder{window(77)}
		p.all = func(s *AllSeen) {
			s.Later = &resume.Outcome{Verdict: resume.Postponed, Again: k.w.Now.Add(time.Minute), Why: "the agent still works on something in the background"}
		}
	}, "the agent still works on something in the background"},
}

// Whatever it is that holds a session back whose wait is over: after an hour its user is told what it is, once, and no
// sooner.
func TestLateIsTold(t *testing.T) {
	for _, h := range hindrances {
		t.Run(h.name, func(t *testing.T) {
			k, p := plain(t)
			p.limited("stop", time.Hour)
			h.way(k, p)
			p.rescans(5 * time.Hour)
			k.pass(2*time.Hour - time.Second)
			if n := k.books.Notices(); len(n) != 0 {
				t.Fatalf("told too early: %+v", n)
			}
			p.wantPhase(state.Waiting)
			k.pass(2 * time.Second)
			n := k.books.Notices()
			if len(n) != 1 || n[0].Event != PutOff || n[0].Key != "stop" || !strings.Contains(n[0].Why, h.why) || n[0].Command != "clawd why s" {
				t.Fatalf("told %+v\n%s", n, k)
			}
			if s, told := p.s.Rec.Standing(k.w.Now); s != state.NeedsYou || told.Why != n[0].Why {
				t.Errorf("it is %s: %+v", s, told)
			}
			k.pass(3 * time.Hour)
			if n := k.books.Notices(); len(n) != 1 {
				t.Errorf("told more than once: %+v\n%s", n, k)
			}
			p.wantPhase(state.Waiting)
		})
	}
}

// What has its own bounds is not told, however long it lasts.
func TestWhatIsNotLate(t *testing.T) {
	unanswered := func(k *kit, p *place) { hindrances[0].way(k, p) }
	for _, c := range []struct {
		name string
		play func(t *testing.T) (*kit, *place)
	}{
		{"it waits for its turn", func(t *testing.T) (*kit, *place) {
			k, all := several(t, 1, 0, "a", "b")
			for _, p := range all {
				p.rate()
				p.child.active = noon.Add(24 * time.Hour)
			}
			return k, all[1]
		}},
		{"it waits for its turn, and then a little", func(t *testing.T) (*kit, *place) {
			k, all := several(t, 1, 0, "a", "b")
			for _, p := range all {
				p.rate()
				p.child.active = noon.Add(24 * time.Hour)
				p.rescans(5 * time.Hour)
			}
			k.in(4*time.Hour+10*time.Minute, func() {
				unanswered(k, all[1])
				all[0].child.sight.Events = []detect.Event{ours(1), answer(2)}
				all[0].die()
			})
			return k, all[1]
		}},
		{"one of its account goes first", func(t *testing.T) (*kit, *place) {
			k, all := several(t, 9, time.Second, "a", "b")
			for _, p := range all {
				p.limited(p.key, time.Hour)
				p.rescans(5 * time.Hour)
			}
			k.in(61*time.Minute, func() {
				all[0].ends(ours(1), record("e2", detect.KindFailure, failed(detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: noon.Add(9 * time.Hour)})))
			})
			return k, all[1]
		}},
		{"clawd exec has it", func(t *testing.T) (*kit, *place) {
			k, p := plain(t)
			p.limited("stop", time.Hour)
			p.held = func(s *HoldersSeen) { s.Exec = true }
			p.all = func(s *AllSeen) { s.Facts.Who.Exec = true }
			p.fit = func(s *FitSeen) { s.Facts.Who.Exec = true }
			p.rescans(5 * time.Hour)
			return k, p
		}},
		{"clawd's own run in it goes on", func(t *testing.T) (*kit, *place) {
			k, p := plain(t)
			p.limited("stop", time.Hour)
			p.child.active = noon.Add(24 * time.Hour)
			k.in(time.Hour+3*time.Second, func() {
				p.child.sight.Events = []detect.Event{ours(1), answer(2)}
				p.events = append(p.events, ours(1), answer(2))
				p.touch()
			})
			k.pass(61 * time.Minute)
			p.limited("next", time.Minute)
			p.rescans(4 * time.Hour)
			return k, p
		}},
		{"the agent is given its time", func(t *testing.T) (*kit, *place) {
			k, p := plain(t)
			k.w.Policy.Grace = 4 * time.Hour
			p.info.Interactive, p.holders = true, []detect.Holder{window(77)}
			p.limited("stop", time.Hour)
			p.write(p.rec("armed", detect.KindSelfResume, func(e *detect.Event) { e.Next = noon.Add(time.Hour) }))
			p.rescans(5 * time.Hour)
			return k, p
		}},
		{"it was told what to do in its window", func(t *testing.T) (*kit, *place) {
			k, p := plain(t)
			p.info.Interactive, p.holders = true, []detect.Holder{window(77)}
			p.fit = func(s *FitSeen) { s.Way = &NoWay{Event: Unreachable, Why: "a plain terminal"} }
			p.all = func(s *AllSeen) {
				s.Way = &NoWay{Event: Unreachable, Why: "a plain terminal"}
			}
			p.limited("stop", time.Hour)
			p.rescans(5 * time.Hour)
			return k, p
		}},
		{"it passes in time", func(t *testing.T) (*kit, *place) {
			k, p := plain(t)
			p.limited("stop", time.Hour)
			hindrances[2].way(k, p)
			p.child.active = noon.Add(24 * time.Hour)
			k.in(time.Hour+50*time.Minute, func() { p.all = nil })
			p.rescans(5 * time.Hour)
			return k, p
		}},
		{"the machine sleeps", func(t *testing.T) (*kit, *place) {
			k, p := plain(t)
			p.limited("stop", time.Hour)
			unanswered(k, p)
			p.rescans(30 * time.Minute)
			k.in(10*time.Minute, func() { k.jump(14 * time.Hour) }) // the wait ends in that
			k.in(20*time.Minute, func() { k.jump(14 * time.Hour) })
			k.in(time.Hour, func() { p.all = nil })
			p.child.active = noon.Add(50 * time.Hour)
			return k, p
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, p := c.play(t)
			k.pass(5 * time.Hour)
			if got := k.toldAt(PutOff); len(got) != 0 {
				t.Errorf("%s told at %v\n%s", p.key, got, k)
			}
		})
	}
}

// Time in which the session waits for its turn alone does not count, and the time before and after it does.
func TestLateCountsWithoutTurns(t *testing.T) {
	k, all := several(t, 1, 0, "a", "b")
	a, b := all[0], all[1]
	a.rate()
	a.child.active = noon.Add(24 * time.Hour)
	k.pass(10 * time.Second)
	b.rate() // over at 40 s
	hindrances[0].way(k, b)
	b.rescans(8 * time.Hour)
	k.in(30*time.Minute, func() { b.all = nil }) // asked again at 32 minutes: then it is its turn that it waits for
	k.in(3*time.Hour+30*time.Second, func() {
		hindrances[0].way(k, b)
		a.child.sight.Events = []detect.Event{ours(1), answer(2)}
		a.die()
	})
	k.pass(8 * time.Hour)
	if got := k.toldAt(PutOff); len(got) != 1 || got[0] < "3h2" || got[0] > "3h4" {
		t.Errorf("told at %v\n%s", got, k)
	}
}

// again gives the session as the clawd after this one has it, a while after this one ended.
func (p *place) again(t *testing.T, down time.Duration) *kit {
	t.Helper()
	old := p.k
	k := newKit(t)
	k.w.Here.Parted = old.w.Now
	k.w.Now = old.w.Now.Add(down)
	k.w.Here.Started = k.w.Now
	k.books, k.w.Books = old.books, old.books
	n := k.seat(New(p.s.Rec, true))
	n.events, n.info, n.plan, n.stamp, n.all = p.events, p.info, p.plan, p.stamp, p.all
	n.rescans(4 * time.Hour)
	n.post(Restored{})
	return k
}

// A restart has nothing told twice, nor forgotten; what the clawd before saw counts, too.
func TestLateOverARestart(t *testing.T) {
	for _, c := range []struct {
		name         string
		before, down time.Duration // after the stop, whose wait is an hour
		told         string        // after the restart; empty: not any more
	}{
		{"before its end", 30 * time.Minute, time.Minute, "1h29m0s"},
		{"soon after its end", 90 * time.Minute, time.Minute, "30m0s"},
		{"right before it is told", 119 * time.Minute, 4 * time.Hour, "10m0s"},
		{"when it was told", 121 * time.Minute, time.Minute, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, p := plain(t)
			p.limited("stop", time.Hour)
			hindrances[0].way(k, p)
			p.rescans(3 * time.Hour)
			k.pass(c.before)
			k.stop()
			k = p.again(t, c.down)
			k.pass(4 * time.Hour)
			if got := strings.Join(k.toldAt(PutOff), " "); got != c.told {
				t.Errorf("told at %q, want %q\n%s", got, c.told, k)
			}
			if n := k.books.Notices(); len(n) != 1 {
				t.Errorf("told %+v", n)
			}
		})
	}
}

// When what was told is over the session is resumed, and its next stop is told of anew.
func TestLateIsOver(t *testing.T) {
	k, p := plain(t)
	p.limited("stop", time.Hour)
	hindrances[0].way(k, p)
	p.rescans(12 * time.Hour)
	k.pass(3 * time.Hour)
	p.all = nil
	k.pass(10 * time.Minute)
	if s, _ := p.s.Rec.Standing(k.w.Now); k.starts(p) == 0 || s == state.NeedsYou {
		t.Fatalf("it is %s\n%s", s, k)
	}
	p.ends(ours(1), answer(2))
	k.pass(time.Minute)
	p.limited("next", time.Hour)
	hindrances[0].way(k, p)
	k.pass(3 * time.Hour)
	if n := k.books.Notices(); len(n) != 2 || n[1].Key != "next" || n[1].Event != PutOff {
		t.Errorf("told %+v\n%s", n, k)
	}
}

// Its user's order is a new beginning: what holds it back is told again.
func TestLateAfterAnOrder(t *testing.T) {
	k, p := plain(t)
	p.limited("stop", time.Hour)
	hindrances[0].way(k, p)
	p.rescans(12 * time.Hour)
	k.pass(3 * time.Hour)
	p.post(Ordered{Order{ID: 1, Kind: Resume, Order: resume.Order{Now: true}}})
	if s, _ := p.s.Rec.Standing(k.w.Now); s != state.Waits {
		t.Errorf("it is %s right after the order", s)
	}
	k.pass(3 * time.Hour)
	if got := k.toldAt(PutOff); len(got) != 2 || got[1] != "4h0m0s" {
		t.Errorf("told at %v\n%s", got, k)
	}
}

// A store that takes nothing does not lose the word, and does not have it said in circles.
func TestLateInARefusingStore(t *testing.T) {
	k, p := plain(t)
	p.limited("stop", time.Hour)
	hindrances[0].way(k, p)
	p.rescans(12 * time.Hour)
	k.pass(90 * time.Minute)
	k.refuse = func(was, is state.Session) error { return errDisk }
	k.pass(2 * time.Hour)
	if n := len(k.did("refused")); n == 0 || n > 40 {
		t.Errorf("%d times refused", n)
	}
	k.refuse = nil
	k.pass(10 * time.Minute)
	if got := k.toldAt(PutOff); len(got) != 1 {
		t.Errorf("told at %v\n%s", got, k)
	}
}

// A folder that hangs, so that nothing more comes of the session, does not keep its user from hearing of it.
func TestLateInAHangingFolder(t *testing.T) {
	k, p := plain(t)
	p.limited("stop", time.Hour)
	k.in(30*time.Minute, func() {
		p.takes = 1000 * time.Hour
		k.post(p, Touched{})
	})
	k.pass(12 * time.Hour)
	if got := k.toldAt(PutOff); len(got) != 1 || got[0] != "2h0m0s" {
		t.Errorf("told at %v\n%s", got, k)
	}
}
