package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// several are sessions whose runs go on until a test ends them.
func several(t *testing.T, parallel int, stagger time.Duration, names ...string) (*kit, []*place) {
	t.Helper()
	k := newKit(t)
	k.w.Config.Resume.MaxParallel, k.w.Config.Resume.Stagger = parallel, config.Duration(stagger)
	k.w.Config.Resume.Stall = 0
	var all []*place
	for _, name := range names {
		all = append(all, k.add(name))
	}
	return k, all
}

// ends has a run resume its session, or not, and end.
func (p *place) ends(events ...detect.Event) {
	p.child.sight.Events = events
	p.child.sight.Output.Began = true
	p.events = append(p.events, events...)
	p.die()
	p.touch()
	p.k.settle()
}

// rate has a session limited, with a stop of its own: else one would be a copy of the other.
func (p *place) rate() *place { return p.rated(p.key) }

// at gives when sessions were started, in order.
func (k *kit) at() (who []string) {
	for _, l := range k.did("start") {
		f := strings.Fields(l)
		who = append(who, f[1]+" "+f[0])
	}
	return who
}

func TestTurnsParallelAndStagger(t *testing.T) {
	k, all := several(t, 3, 5*time.Second, "0", "1", "2", "3", "4", "5", "6", "7", "8")
	for _, p := range all {
		p.rate()
	}
	k.pass(30*time.Second + 10*time.Minute)
	if got := k.at(); !slices.Equal(got, []string{"0 30s", "1 35s", "2 40s"}) {
		t.Fatalf("%q", got)
	}
	for n := range 6 { // those that wait come in the order in which they came
		all[n].ends(ours(1), answer(2))
		k.pass(time.Second)
		if got := k.at(); len(got) != n+4 || !strings.HasPrefix(got[n+3], fmt.Sprint(n+3, " ")) {
			t.Fatalf("%q", got)
		}
		k.pass(4 * time.Second)
	}
	if k.w.Turns.running != 3 {
		t.Errorf("%d are running", k.w.Turns.running)
	}
}

// All ends at once: the next ones keep their distance.
func TestTurnsKeepTheirDistance(t *testing.T) {
	k, all := several(t, 3, 5*time.Second, "0", "1", "2", "3", "4", "5")
	for _, p := range all {
		p.rate()
	}
	k.pass(time.Hour)
	for _, p := range all[:3] {
		p.ends(ours(1), answer(2))
	}
	k.pass(time.Minute)
	if got := k.at()[3:]; !slices.Equal(got, []string{"3 1h0m0s", "4 1h0m5s", "5 1h0m10s"}) {
		t.Errorf("%q", got)
	}
}

func TestTurnsOneGoesFirst(t *testing.T) {
	broke := record("e2", detect.KindFailure, failed(detect.Failure{Reason: detect.Auth}))
	limited := record("e2", detect.KindFailure, failed(detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: noon.Add(3 * time.Hour)}))
	for _, c := range []struct {
		name   string
		events []detect.Event
		want   []string // who started then
	}{
		{"it went through", []detect.Event{ours(1), answer(2)}, []string{"b 2h0m0s", "c 2h0m1s"}},
		{"limited again", []detect.Event{ours(1), limited}, nil},
		{"nothing known", nil, []string{"b 2h0m5s"}},
		{"stopped for good", []detect.Event{ours(1), broke}, []string{"b 2h0m0s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, all := several(t, 9, time.Second, "a", "b", "c")
			for _, p := range all {
				p.limited(p.key, time.Hour)
			}
			k.pass(2 * time.Hour)
			if got := k.at(); !slices.Equal(got, []string{"a 1h0m0s"}) {
				t.Fatalf("somebody followed before the first one's verdict: %q", got)
			}
			all[0].ends(c.events...)
			k.pass(50 * time.Minute)
			if got := k.at()[1:]; !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q\n%s", got, c.want, k)
			}
			if c.name == "limited again" {
				for _, p := range all[1:] {
					if w, ok := p.s.Phase.(Waiting); !ok || !w.Again.Equal(noon.Add(3*time.Hour)) {
						t.Errorf("%s waits until %v", p.key, w.Again)
					}
				}
				k.pass(time.Hour)
				if got := k.at(); len(got) != 2 {
					t.Errorf("not one goes first again: %q", got)
				}
			}
		})
	}
}

// One goes first also at the next try, whoever of them comes first then.
func TestTurnsFirstAgain(t *testing.T) {
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		k, _ := several(t, 3, 0)
		w := &k.w
		w.Turns.Move(TurnMove{Kind: TurnLeads, Session: "a", Window: "acct"}, w.Mono)
		w.Turns.Move(TurnMove{Kind: TurnJudges, Session: "a", Window: "acct", Verdict: resume.StoppedAgain, Again: 30 * time.Minute}, w.Mono)
		for _, who := range []string{"a", "b"} {
			if _, refusal, _ := w.may(who, "acct", noon); (refusal == nil) != (who == "a") {
				t.Errorf("%s within the limit: %+v", who, refusal)
			}
		}
		w.Now, w.Mono = w.Now.Add(30*time.Minute), w.Mono+30*time.Minute
		pause, refusal, leads := w.may(order[0], "acct", noon)
		if pause != 0 || refusal != nil || !leads {
			t.Errorf("%s goes first: %v %+v %v", order[0], pause, refusal, leads)
		}
		w.Turns.Move(TurnMove{Kind: TurnLeads, Session: order[0], Window: "acct"}, w.Mono)
		if pause, refusal, leads := w.may(order[1], "acct", noon); pause != long || refusal != nil || leads {
			t.Errorf("%s follows before the verdict: %v %+v %v", order[1], pause, refusal, leads)
		}
		w.Turns.Move(TurnMove{Kind: TurnJudges, Session: order[0], Window: "acct", Verdict: resume.Resumed}, w.Mono)
		if pause, refusal, leads := w.may(order[1], "acct", noon); pause != 0 || refusal != nil || leads {
			t.Errorf("%s does not follow: %v %+v %v", order[1], pause, refusal, leads)
		}
		// A new limit in the window closes it again.
		if w.Turns.Move(TurnMove{Kind: TurnCloses, Session: "c", Window: "acct"}, w.Mono); len(w.Turns.leads) != 0 {
			t.Error("what opened before counts still")
		}
	}
}

// Its user may log in elsewhere while a session is on trial: how that went says nothing of either account, and nobody waits for it
// when he is back.
func TestTurnsOfAChangedAccount(t *testing.T) {
	for what, move := range map[string]TurnMove{
		"goes first elsewhere": {Kind: TurnLeads, Session: "a", Window: "other"},
		"is judged elsewhere":  {Kind: TurnJudges, Session: "a", Window: "other", Verdict: resume.Resumed},
		"gives it up":          {Kind: TurnDrops, Session: "a", Window: "other"},
		"shares nothing now":   {Kind: TurnJudges, Session: "a", Verdict: resume.Resumed},
	} {
		k, _ := several(t, 3, 0)
		w := &k.w
		w.Turns.Move(TurnMove{Kind: TurnLeads, Session: "a", Window: "acct"}, w.Mono)
		w.Turns.Move(move, w.Mono)
		if pause, refusal, leads := w.may("b", "acct", noon); pause != 0 || refusal != nil || !leads {
			t.Errorf("%s: %v %+v %v", what, pause, refusal, leads)
		}
	}
}

// The stop came after the window was to be open: what held back those of before says nothing of it.
func TestTurnsOfALaterStop(t *testing.T) {
	k, _ := several(t, 3, 0)
	w := &k.w
	w.Turns.Move(TurnMove{Kind: TurnLeads, Session: "a", Window: "acct"}, w.Mono)
	w.Turns.Move(TurnMove{Kind: TurnJudges, Session: "a", Window: "acct", Verdict: resume.StoppedAgain, Again: time.Minute}, w.Mono)
	if _, refusal, leads := w.may("b", "acct", noon.Add(2*time.Minute)); refusal != nil || !leads {
		t.Errorf("%+v %v", refusal, leads)
	}
}

// Who goes first and then does not start, for whatever reason, makes way.
func TestTurnsOfALeaderThatGoesAway(t *testing.T) {
	for name, goes := range map[string]func(k *kit, p *place){
		"cancelled": func(_ *kit, p *place) { p.post(Ordered{Order{ID: 1, Kind: Cancel}}) },
		"ignored":   func(_ *kit, p *place) { p.post(Ordered{Order{ID: 1, Kind: Ignore}}) },
		"moved on":  func(_ *kit, p *place) { p.write(theirs(5)); p.k.settle() },
		"opened": func(_ *kit, p *place) {
			p.holders = []detect.Holder{{Liveness: detect.Alive, Kind: detect.Headless, PID: 9}}
			p.info.Interactive = true
			p.touch()
			p.k.settle()
		},
		"its store refuses": func(k *kit, p *place) {
			k.refuse = func(was, is state.Session) error {
				if is.ID == p.s.Rec.ID && is.Phase == state.Claimed {
					return errDisk
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			k, all := several(t, 1, 0, "other", "a", "b")
			all[0].rate()
			for _, p := range all[1:] {
				p.limited(p.key, time.Minute)
			}
			k.pass(10 * time.Minute) // the other one is running, and a waits in front of b
			if got := k.at(); !slices.Equal(got, []string{"other 30s"}) {
				t.Fatalf("%q", got)
			}
			goes(k, all[1])
			k.pass(time.Minute)
			all[0].ends(ours(1), answer(2))
			k.pass(time.Minute)
			if got := k.at(); !slices.Equal(got, []string{"other 30s", "b 11m0s"}) {
				t.Errorf("%q\n%s", got, k)
			}
			if k.w.Turns.running != 1 {
				t.Errorf("%d turns are taken, want 1", k.w.Turns.running)
			}
		})
	}
}

// What is new in a session while it waits in front does not cost it its turn.
func TestTurnsOfALeaderThatIsLookedAt(t *testing.T) {
	k, all := several(t, 1, 0, "other", "a", "b")
	all[0].rate()
	for _, p := range all[1:] {
		p.limited(p.key, time.Minute)
	}
	for range 20 {
		k.pass(30 * time.Second)
		all[1].post(Touched{})
	}
	all[0].ends(ours(1), answer(2))
	k.pass(time.Minute)
	if got := k.at(); len(got) != 2 {
		t.Errorf("%q\n%s", got, k)
	}
	if n := len(k.w.Turns.leads); n != 1 || k.w.Turns.running != 1 {
		t.Errorf("%d lead, %d turns are taken", n, k.w.Turns.running)
	}
}

// A turn that was taken comes back, whatever comes of the last look.
func TestTurnsComeBack(t *testing.T) {
	for name, set := range map[string]func(k *kit, p *place){
		"the store refuses":    func(k *kit, _ *place) { k.refuses(state.Waiting, state.Claimed) },
		"somebody has it open": func(_ *kit, p *place) { p.all = func(s *AllSeen) { s.Facts.Who.Exec = true } },
		"it cannot be looked at": func(_ *kit, p *place) {
			p.all = func(s *AllSeen) { s.Err = errDisk }
		},
		"it is put off":        func(_ *kit, p *place) { p.all = func(s *AllSeen) { s.Later = &resume.Outcome{Why: "later"} } },
		"the machine is short": func(_ *kit, p *place) { p.all = func(s *AllSeen) { s.Short = "no room" } },
		"an order comes": func(_ *kit, p *place) {
			p.all = func(*AllSeen) { p.k.post(p, Ordered{Order{ID: 1, Kind: Cancel}}) }
		},
		"it cannot be prepared": func(_ *kit, p *place) { p.onStart = func() Started { return Started{Why: "no shim"} } },
	} {
		t.Run(name, func(t *testing.T) {
			k, all := several(t, 3, 10*time.Second, "first", "s")
			all[0].rate()
			all[1].rate()
			all[1].takes = time.Millisecond
			k.pass(35 * time.Second)
			if !all[1].s.Queued() {
				t.Fatalf("it does not wait for its turn:\n%s", k)
			}
			set(k, all[1])
			k.pass(10 * time.Second)
			if k.w.Turns.running != 1 || k.starts(all[1]) > 1 {
				t.Errorf("%d turns are taken, want 1:\n%s", k.w.Turns.running, k)
			}
			if n := k.asks("All"); n > 8 {
				t.Errorf("it is looked at in a circle: %d times", n)
			}
		})
	}
}

// While one takes long for its last look others may start, and it starts when it has looked.
func TestTurnLapses(t *testing.T) {
	k, all := several(t, 2, time.Second, "a", "slow", "c")
	all[0].rate()
	all[1].rate()
	all[2].rate()
	k.pass(30*time.Second + time.Millisecond)
	all[1].takes = time.Minute
	k.pass(20 * time.Second)
	if got := k.at(); !slices.Equal(got, []string{"a 30s", "c 33s"}) {
		t.Errorf("%q\n%s", got, k)
	}
	if k.w.Turns.running != 2 {
		t.Errorf("%d turns are taken", k.w.Turns.running)
	}
	all[1].takes = 0
	k.pass(time.Minute)
	all[0].ends(ours(1), answer(2))
	k.pass(2 * time.Second)
	if k.starts(all[1]) != 1 || k.w.Turns.running != 2 {
		t.Errorf("the slow one is lost: %q, %d turns\n%s", k.at(), k.w.Turns.running, k)
	}
}

// Who waits for how it goes for another one is not looked at until that is known: nothing is polled.
func TestTurnsAreNotPolled(t *testing.T) {
	k, all := several(t, 9, time.Second, "a", "b")
	for _, p := range all {
		p.limited(p.key, time.Hour)
	}
	k.pass(time.Hour)
	if next := k.w.NextTurn(); !all[1].s.Queued() || next.Mono != k.w.Mono+time.Second {
		t.Errorf("right after the first start: %+v", next)
	}
	k.pass(time.Minute)
	if next := k.w.NextTurn(); !all[1].s.Queued() || next.Set() {
		t.Errorf("it waits for the verdict on another one, and is looked at all the time: %+v", next)
	}
}

// Runs from before a restart have their turns, too.
func TestTurnsOfAdoptedRuns(t *testing.T) {
	k, p := restarted(t, resume.Exec)
	k.w.Config.Resume.MaxParallel, k.w.Config.Resume.Stall, p.child.alive = 1, 0, true
	p.post(Restored{})
	k.log = nil
	other := k.add("other").rate()
	k.pass(time.Hour)
	if k.starts(other) != 0 {
		t.Error("one more than may run is started")
	}
	p.ends(ours(1), answer(2))
	k.pass(time.Minute)
	if k.starts(other) != 1 || k.w.Turns.running != 1 {
		t.Errorf("%d starts, %d turns", k.starts(other), k.w.Turns.running)
	}
}

// What was seen before a session had to wait for its turn counts no more when the turn comes, and to have waited does
// not make a slow disk of it.
func TestTurnLooksOnceMore(t *testing.T) {
	k, all := several(t, 1, 0, "first", "s")
	all[0].rate()
	all[1].rate()
	k.pass(10 * time.Minute)
	asked := len(slices.DeleteFunc(k.did("ask"), func(l string) bool { return !strings.HasSuffix(l, " s ask All") }))
	all[1].all = func(s *AllSeen) { s.Facts.Who.Exec = true }
	all[0].ends(ours(1), answer(2))
	k.pass(time.Second)
	if n := len(slices.DeleteFunc(k.did("ask"), func(l string) bool { return !strings.HasSuffix(l, " s ask All") })); n != asked+1 || k.starts(all[1]) != 0 {
		t.Errorf("%d more looks, %d starts\n%s", n-asked, k.starts(all[1]), k)
	}
	if k.w.Lag.most() != lookEnds {
		t.Errorf("a look may be %s old now", k.w.Lag.most())
	}
}
