package machine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// asks counts the last looks before an attempt.
func (k *kit) asks(kind string) (n int) {
	for _, l := range k.did("ask") {
		if strings.HasSuffix(l, " ask "+kind) {
			n++
		}
	}
	return n
}

// Who meets a shortage is put off, and it is tried ever less often; the first start that goes through ends it.
func TestShortage(t *testing.T) {
	k := newKit(t)
	k.w.Config.Resume.Stagger = 0
	short := true
	all := []*place{k.add("a"), k.add("b"), k.add("c")}
	for _, p := range all {
		p.onStart = func() Started {
			if short {
				return Started{Why: "no processes", Short: true}
			}
			return Started{PID: 42}
		}
		p.rate()
	}
	k.pass(30*time.Second + 20*time.Minute)
	var tries []time.Duration
	for _, at := range k.at() {
		d, _ := time.ParseDuration(strings.Fields(at)[1])
		tries = append(tries, d-30*time.Second)
	}
	// One tries: after 5 s, then after twice as long, up to 5 minutes.
	tries = slices.Compact(tries)
	for i := 2; i < len(tries); i++ {
		if gap, before := tries[i]-tries[i-1], tries[i-1]-tries[i-2]; gap < min(before, shortMost-time.Second) || gap > shortMost+time.Second {
			t.Fatalf("tried at %v", tries)
		}
	}
	if len(tries) < 8 || len(tries) > 12 || len(k.at()) > len(tries)+2 {
		t.Errorf("tried at %v, %d starts", tries, len(k.at()))
	}
	for _, p := range all {
		if p.wantPhase(state.Waiting); p.s.Rec.Episode.Attempts != 0 || p.s.Rec.Starts != 0 {
			t.Errorf("%s pays for it: %+v, %d starts", p.key, p.s.Rec.Episode, p.s.Rec.Starts)
		}
	}
	if n := k.books.Spent(k.w.Now).Total; n != 0 || k.w.Turns.running != 0 {
		t.Errorf("%d attempts count, %d turns are taken", n, k.w.Turns.running)
	}
	short = false
	k.pass(6 * time.Minute)
	for _, p := range all {
		p.wantPhase(state.Fired)
	}
	if k.w.Short != (Shortage{}) {
		t.Errorf("%+v", k.w.Short)
	}
	if got := k.did("short"); len(got) != 2 {
		t.Errorf("%q", got)
	}
	k.wantLog("resume_postponed", 0) // the shortage is told once for all
}

// Whoever meets it next is put off anew, whatever the try was for.
func TestMachineIsStillShort(t *testing.T) {
	w := &World{Now: noon, Mono: time.Hour}
	w.Short.Move(ShortMove{Why: "no processes"}, w.Mono)
	w.Now, w.Mono = w.Now.Add(shortFirst), w.Mono+shortFirst
	if w.rests() != nil {
		t.Error("nobody tries again")
	}
	if out := w.shortOf("still none"); out.Verdict != resume.Postponed || !out.Again.After(w.Now) {
		t.Errorf("%+v: it is tried again without a pause", out)
	}
	began, _ := w.Short.Move(ShortMove{Why: "still none"}, w.Mono)
	if out := w.rests(); began || out == nil || out.Why != "still none" || !out.Again.Equal(w.Now.Add(2*shortFirst)) {
		t.Errorf("began anew %v, %+v", began, out)
	}
	// While one tries the others wait for how it goes.
	w.Now, w.Mono = w.Now.Add(2*shortFirst), w.Mono+2*shortFirst
	w.Short.Move(ShortMove{}, w.Mono)
	if out := w.rests(); out == nil || !out.Again.Equal(w.Now.Add(4*shortFirst)) {
		t.Errorf("two try: %+v", out)
	}
	if _, ended := w.Short.Move(ShortMove{Passed: true}, w.Mono); !ended || w.rests() != nil {
		t.Error("it does not end")
	}
	if _, ended := w.Short.Move(ShortMove{Passed: true}, w.Mono); ended {
		t.Error("it ends twice")
	}
	w.Short.Move(ShortMove{}, w.Mono)
	if w.Short != (Shortage{}) {
		t.Errorf("a shortage of nothing: %+v", w.Short)
	}
}

// A shim that cannot make its mark, and the last look, tell of a shortage, too.
func TestShortageElsewhere(t *testing.T) {
	for name, set := range map[string]func(p *place){
		"the mark": func(p *place) {
			p.onOpen = func() Opened { return Opened{Gate: resume.GateShort, Why: "no room", Short: true} }
		},
		"the look": func(p *place) { p.all = func(s *AllSeen) { s.Short = "no room" } },
	} {
		k, p := fires(t, time.Hour+4*time.Second, func(_ *kit, p *place) { set(p) })
		p.wantPhase(state.Waiting)
		if k.w.Short.Why != "no room" || p.s.Rec.Episode.Attempts != 0 || k.w.Turns.running != 0 {
			t.Errorf("%s: %+v, %d attempts, %d turns", name, k.w.Short, p.s.Rec.Episode.Attempts, k.w.Turns.running)
		}
		p.onOpen, p.all = nil, nil
		k.pass(2 * time.Second)
		p.post(Touched{}) // by the rescan
		p.wantPhase(state.Fired)
	}
}

// How long a look may take to the store is learned from how long it takes, in both directions.
func TestLag(t *testing.T) {
	var l Lag
	for n, step := range []struct {
		age  time.Duration
		late bool
	}{{900 * time.Millisecond, false}, {5 * time.Second, true}, {6 * time.Second, false}, {10 * time.Second, false}, {time.Minute, true}, {2 * time.Minute, false},
		{0, false}, {0, false}, {0, false}, {0, false}, {0, false}, {0, false}, {0, false}, {0, false}, {1100 * time.Millisecond, true}} {
		late := step.age > l.most()
		if l.Move(LagMove{step.age}); late != step.late {
			t.Errorf("%d: %s is late: %v", n, step.age, late)
		}
	}
}

// Where it takes longer than a look lasts from a look to the store, for whatever reason, the attempt is made all the same.
func TestSlowStore(t *testing.T) {
	for _, ages := range []time.Duration{900 * time.Millisecond, 5 * time.Second, 20 * time.Second, 2 * time.Minute} {
		k := newKit(t)
		a, b := k.add("a"), k.add("b")
		a.ages, b.ages = ages, ages
		a.rate()
		k.pass(30*time.Second + 10*ages)
		if k.starts(a) != 1 {
			t.Fatalf("%v: not started:\n%s", ages, k)
		}
		looks := k.asks("All")
		b.rate()
		k.pass(30*time.Second + 10*ages)
		if k.starts(b) != 1 || k.asks("All") != looks+1 {
			t.Errorf("%v: %d looks more for the second one:\n%s", ages, k.asks("All")-looks, k)
		}
	}
}

// A look that became old, or at something that was written since, does not count: it is taken once more.
func TestOldLookDoesNotCount(t *testing.T) {
	for name, c := range map[string]struct {
		during func(k *kit, p *place) // between the look and its answer
		ages   time.Duration
		looks  int
	}{
		"nothing happens":       {func(*kit, *place) {}, time.Second, 1},
		"it is old":             {func(*kit, *place) {}, time.Second + time.Millisecond, 2},
		"its files are written": {func(_ *kit, p *place) { p.touch() }, 0, 2},
		"its record is written": {func(_ *kit, p *place) {
			p.k.post(p, Ordered{Order{ID: 1, Kind: Ignore, Off: true}})
		}, 0, 2},
		"its record is written by the loop": {func(k *kit, p *place) { // as with how far it was read, or what it inherits
			p.s.Files.Unsaved = true
			c := p.s.Unsaved(&k.w)
			if err := k.books.Commit(c); err != nil {
				k.t.Fatalf("%v", err)
			}
			p.s.Saved(c)
		}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			k, p := fires(t, time.Hour+10*time.Second, func(k *kit, p *place) {
				n := 0
				p.all = func(*AllSeen) {
					if n++; n == 1 {
						c.during(k, p)
					}
				}
				p.ages = c.ages
			})
			if n := k.asks("All"); n != c.looks || k.starts(p) != 1 {
				t.Errorf("%d looks, want %d, %d starts\n%s", n, c.looks, k.starts(p), k)
			}
		})
	}
}

// Where something is written to the session during each look, it is put off, and not looked at in a circle.
func TestLooksAreBounded(t *testing.T) {
	k, p := fires(t, time.Hour, func(_ *kit, p *place) {
		n := 0
		p.takes = 10 * time.Millisecond
		p.all = func(*AllSeen) {
			if n++; n <= 7 {
				p.touch()
			}
		}
	})
	k.pass(time.Minute)
	if n := k.asks("All"); n < 8 || n > 10 || k.starts(p) != 1 {
		t.Errorf("%d looks, %d starts\n%s", n, k.starts(p), k)
	}
	k.wantLog("resume_postponed", 1)
}

// TestCostOfARunThatGaveWay: a run that gave way, or that clawd ended, has cost what it has cost: [budget] max_cost_usd, and the premium requests of Copilot.
func TestCostOfARunThatGaveWay(t *testing.T) {
	spent := resume.Outcome{Verdict: resume.Cut, CostUSD: 4.2, Prompts: 3}
	if out := corrected(spent, "its user", ""); out.CostUSD != 4.2 || out.Prompts != 3 {
		t.Errorf("gave way: %+v", out)
	}
	spent.Verdict = resume.NoEffect
	if out := corrected(spent, "", "timeout"); out.CostUSD != 4.2 || out.Prompts != 3 {
		t.Errorf("ended: %+v", out)
	}
}
