package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// A span ends when it is over by the wall clock or by elapsed time, whichever comes first; a reset
// time by the wall clock alone.
func TestSpanAndClockSteps(t *testing.T) {
	const hour = 60 * time.Minute
	for name, c := range map[string]struct {
		by         []time.Duration // a jump a minute
		span, wall time.Duration   // how long a wait of 10 minutes lasts
	}{
		"awake":                {nil, 10 * time.Minute, 10 * time.Minute},
		"set back":             {[]time.Duration{-6 * hour}, 10 * time.Minute, 6*hour + 10*time.Minute},
		"set back twice":       {[]time.Duration{-6 * hour, -hour}, 10 * time.Minute, 7*hour + 10*time.Minute},
		"set back and right":   {[]time.Duration{-6 * hour, 6 * hour}, 10 * time.Minute, 10 * time.Minute},
		"asleep":               {[]time.Duration{hour}, time.Minute, time.Minute},
		"set back, and asleep": {[]time.Duration{-hour, 2 * hour}, 2 * time.Minute, 2 * time.Minute},
		"asleep, and set back": {[]time.Duration{5 * time.Minute, -hour}, 10 * time.Minute, hour + 5*time.Minute},
	} {
		for _, anew := range []bool{false, true} { // it is waited for anew, after the jumps
			t.Run(name, func(t *testing.T) {
				k := newKit(t)
				k.w.Config.Resume.Stagger = 0
				k.w.Policy.Backoff = resume.Backoff{Kind: resume.Constant, Base: 10 * time.Minute}
				span, wall := k.add("span"), k.add("wall")
				span.rate()
				wall.limited(wall.key, 10*time.Minute)
				for _, by := range c.by {
					k.pass(time.Minute)
					k.jump(by)
				}
				if anew {
					for _, p := range k.places {
						p.post(Renewed{})
					}
				}
				k.pass(12 * hour)
				got := map[string]time.Duration{}
				for _, at := range k.at() {
					var who, when string
					_, _ = fmt.Sscan(at, &who, &when)
					got[who], _ = time.ParseDuration(when)
				}
				if got["span"] != c.span || got["wall"] != c.wall {
					t.Errorf("anew %v: span %v, want %v; by the wall clock %v, want %v\n%s", anew, got["span"], c.span, got["wall"], c.wall, k)
				}
			})
		}
	}
}

// What is put off is put off for its time, also when the clock was set back before.
func TestClockSetBackAndPutOff(t *testing.T) {
	k, p := plain(t)
	p.rated("stop")
	k.jump(-6 * time.Hour)
	p.all = func(s *AllSeen) {
		s.Later = &resume.Outcome{Verdict: resume.Postponed, Again: k.w.Now.Add(time.Minute), Why: "its program is being replaced"}
	}
	k.pass(35 * time.Second)
	k.wantLog("resume_postponed", 1)
	p.all = nil
	k.pass(50 * time.Second)
	if k.starts(p) != 0 {
		t.Errorf("too early:\n%s", k)
	}
	k.pass(20 * time.Second)
	if k.starts(p) != 1 {
		t.Errorf("too late:\n%s", k)
	}
}

// A clock that is set does not keep others from starting, nor does it let two start at once.
func TestClockSetBetweenStarts(t *testing.T) {
	for _, by := range []time.Duration{-6 * time.Hour, 6 * time.Hour} {
		k := newKit(t)
		k.w.Config.Resume.Stagger = config.Duration(10 * time.Second)
		a, b := k.add("a").rate(), k.add("b").rate()
		k.pass(31 * time.Second)
		k.jump(by)
		k.pass(8 * time.Second)
		if k.starts(a) != 1 || k.starts(b) != 0 {
			t.Errorf("%v: %q", by, k.at())
		}
		k.pass(2 * time.Second)
		if k.starts(b) != 1 {
			t.Errorf("%v: %q", by, k.at())
		}
	}
}

// A refusal until a time of the wall clock is waited for by it, and not in a circle: pass fails where it does not rest.
func TestClockSetBackIsNoBusyLoop(t *testing.T) {
	k, p := plain(t)
	k.w.Config.Budget.MaxResumesPerDay = 0
	p.rated("stop")
	k.pass(10 * time.Hour)
	k.jump(-6 * time.Hour)
	before := len(k.did("ask"))
	k.pass(4 * time.Hour)
	if n := len(k.did("ask")) - before; n > 20 || k.starts(p) != 0 {
		t.Errorf("%d looks", n)
	}
	k.w.Config.Budget.MaxResumesPerDay = 1
	k.pass(22 * time.Hour)
	if k.starts(p) != 1 {
		t.Errorf("not resumed on the next day:\n%s", k)
	}
}

// The machine slept over the end of a wait: it is over, and late by nothing but the sleep.
func TestWakesAfterSuspend(t *testing.T) {
	k, p := plain(t)
	p.limited("stop", 3*time.Hour)
	k.pass(time.Minute)
	k.jump(4 * time.Hour)
	k.want("0s write stop+scheduled", "1m0s write claimed", "1m0s start", "1m0s write fired", "1m0s open")
}

// What counts only while the machine is awake starts anew after each jump: the grace of an agent's own continue, how long
// a holder has been gone, and how long a dead run has written nothing.
func TestAwakeStartsAnew(t *testing.T) {
	for _, by := range []time.Duration{30 * time.Minute, -time.Hour, 0} {
		want := func(d time.Duration) time.Duration {
			if by != 0 {
				d += 3 * time.Second
			}
			return d
		}
		jump := func(k *kit) {
			if by != 0 {
				k.jump(by)
			}
		}
		t.Run("a dead run", func(t *testing.T) {
			k, p := fires(t, time.Hour, func(_ *kit, p *place) { p.onLook = func(s *Sighted) { s.Alive = false } })
			k.pass(3 * time.Second)
			jump(k)
			k.pass(7 * time.Second)
			k.wantVerdict(p, resume.NoEffect)
			if got := k.did("write"); got[3] != (time.Hour+want(5*time.Second)).String()+" write no_effect+scheduled" {
				t.Errorf("by %v: %q", by, got)
			}
		})
		t.Run("a holder that is gone", func(t *testing.T) {
			k, p := plain(t)
			p.info.Interactive = true
			p.holders = []detect.Holder{window(77)}
			p.write(p.rec("p", detect.KindPrompt))
			k.settle()
			p.holders = []detect.Holder{{Liveness: detect.Gone}}
			p.post(Touched{})
			k.pass(3 * time.Second)
			jump(k)
			k.pass(7 * time.Second)
			if s := p.s.Rec.Stop; s.Key != "cut:p" {
				t.Fatalf("%+v\n%s", s, k)
			}
			if got := k.did("write"); !strings.HasPrefix(got[len(got)-1], want(5*time.Second).String()+" write stop+left") {
				t.Errorf("by %v: %q", by, got)
			}
		})
	}
}

// Nothing that waits is moved by a jump of less than it was to wait, and a jump alone starts nothing.
func TestJumpAlone(t *testing.T) {
	k, p := plain(t)
	p.limited("stop", 3*time.Hour)
	for range 5 {
		k.jump(30 * time.Minute)
		k.jump(-30 * time.Minute)
	}
	if got := k.did("ask"); len(got) != 4 || k.starts(p) != 0 {
		t.Errorf("%q", got)
	}
}

func TestTimer(t *testing.T) {
	w := &World{Now: noon, Mono: time.Hour}
	for name, c := range map[string]struct {
		timer     Timer
		set, over bool
		wall      time.Time
	}{
		"none":                 {Timer{}, false, false, time.Time{}},
		"by the wall":          {Timer{At: noon.Add(time.Minute)}, true, false, noon.Add(time.Minute)},
		"over by the wall":     {Timer{At: noon}, true, true, noon},
		"elapsed":              {Timer{Mono: time.Hour + time.Minute}, true, false, noon.Add(time.Minute)},
		"over by elapsed time": {Timer{Mono: time.Hour}, true, true, noon},
		"both, wall first":     {Timer{At: noon.Add(time.Second), Mono: 2 * time.Hour}, true, false, noon.Add(time.Second)},
		"both, elapsed first":  {Timer{At: noon.Add(time.Hour), Mono: time.Hour + time.Second}, true, false, noon.Add(time.Second)},
		"both, one is over":    {Timer{At: noon.Add(time.Hour), Mono: time.Minute}, true, true, noon.Add(time.Minute - time.Hour)},
	} {
		if got := c.timer.Wall(w); c.timer.Set() != c.set || c.timer.Over(w) != c.over || !got.Equal(c.wall) {
			t.Errorf("%s: set %v, over %v, at %v", name, c.timer.Set(), c.timer.Over(w), got)
		}
	}
	if a := w.awake(0); !a.Set() || a.Over(w) || a.Awake == 0 {
		t.Errorf("no time at all: %+v", a)
	}
}

// Nothing is tried while the machine sleeps, and a clock that is set says nothing of how long it was tried: the time of give_up_after
// goes on where it stood.
func TestSleepIsNotTried(t *testing.T) {
	for _, by := range []time.Duration{0, 62 * time.Hour} {
		k, p := plain(t)
		k.w.Config.Budget.MaxResumesPerDay = 100
		p.onLook = func(s *Sighted) { s.Alive = false }
		p.rated("stop")
		k.pass(5 * time.Minute)
		k.jump(by)
		k.pass(30 * time.Hour)
		tried := k.did("start")
		last, _ := time.ParseDuration(strings.Fields(tried[len(tried)-1])[0])
		if p.s.Rec.Phase != state.GivenUp || last < 23*time.Hour || last > 25*time.Hour {
			t.Errorf("by %s: %s after %d attempts in %s: %s", by, p.s.Rec.Phase, len(tried), last, p.s.Rec.Decision.Why)
		}
	}
}

// So it is while an attempt is under way.
func TestSleepInAnAttemptIsNotTried(t *testing.T) {
	k, p := fires(t, 90*time.Minute, func(*kit, *place) {})
	k.jump(62 * time.Hour)
	p.see(sees(ours(1), limitAgain(2)))
	k.settle()
	k.wantVerdict(p, resume.StoppedAgain)
	if p.s.Rec.Phase != state.Waiting {
		t.Errorf("%s: %s", p.s.Rec.Phase, p.s.Rec.Decision.Why)
	}
}
