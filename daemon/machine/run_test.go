package machine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// fires plays a stop with an hour's wait for as long as a test wants; scene sets it up and may play along.
func fires(t *testing.T, d time.Duration, scene func(k *kit, p *place)) (*kit, *place) {
	t.Helper()
	k, p := plain(t)
	scene(k, p)
	p.limited("stop", time.Hour)
	k.pass(d)
	return k, p
}

// begun is what comes before every verdict.
var begun = []string{"0s write stop+scheduled", "1h0m0s write claimed", "1h0m0s start", "1h0m0s write fired", "1h0m0s open"}

func after(first []string, more ...string) []string { return append(slices.Clip(first), more...) }

func (k *kit) wantVerdict(p *place, want resume.Verdict) state.Closed {
	k.t.Helper()
	how := k.books.Closed(p.s.Rec.Session, "stop")
	if how.Verdict != want {
		k.t.Errorf("verdict %q, want %q:\n%s", how.Verdict, want, k)
	}
	return how
}

func TestRunWaitsClaimsAndFires(t *testing.T) {
	k, p := fires(t, 90*time.Minute, func(k *kit, p *place) {
		p.child.active = noon.Add(3 * time.Hour)
		k.in(time.Hour+3*time.Second, func() { p.see(answered) })
		k.in(time.Hour+time.Minute, func() {
			if usd := k.books.Spent(k.w.Now).CostUSD; usd != 0 {
				t.Errorf("the cost is counted with the verdict: %v", usd)
			}
			p.see(func(s *resume.Sight) { s.Output.CostUSD = 0.5 })
			p.die()
		})
	})
	k.want(after(begun, "1h0m3s write resumed", "1h1m0s write following")...)
	k.wantVerdict(p, resume.Resumed)
	if usd := k.books.Spent(k.w.Now).CostUSD; usd != 0.5 || k.books.Resumes() != 1 {
		t.Errorf("at the end the cost is %v, of %d resumes", usd, k.books.Resumes())
	}
	if c := p.s.Rec.Claim; !c.Noted || c.PID != 42 || c.Start != 7 || c.N != 1 || c.Mark != "/marks/s-stop-1" {
		t.Errorf("the claim: %+v", c)
	}
	if k.w.Turns.running != 0 || p.s.Guard != nil {
		t.Errorf("%d turns are taken", k.w.Turns.running)
	}
}

func TestRunFiresAtOnceWhenOverdue(t *testing.T) {
	k, p := plain(t)
	p.child.sight.Events = []detect.Event{ours(1), answer(2)}
	k.in(time.Second, p.die)
	p.limited("stop", -time.Hour)
	k.pass(time.Minute)
	k.want("0s write stop+scheduled", "0s write claimed", "0s start", "0s write fired", "0s open", "0s write resumed", "1s write following")
}

func TestRunBeforeTheGate(t *testing.T) {
	for _, c := range []struct {
		name  string
		scene func(k *kit, p *place)
		want  []string // until a minute after the claim
		phase state.Phase
	}{
		{"cancelled in the wait", func(k *kit, _ *place) { k.in(time.Minute, k.stop) }, begun[:1], state.Waiting},
		{"the stop cannot be written", func(k *kit, _ *place) { k.refuses(state.Following, state.Waiting) },
			[]string{"0s refused disk full"}, state.Following},
		{"the claim cannot be written", func(k *kit, _ *place) { k.refuses(state.Waiting, state.Claimed) },
			after(begun[:1], "1h0m0s refused disk full"), state.Waiting},
		{"the claim is refused", func(_ *kit, p *place) {
			p.all = func(s *AllSeen) { s.Facts.Tail.MovedOn = "moved" }
		}, begun[:1], state.Waiting},
		{"the shim does not start", func(_ *kit, p *place) { p.onStart = func() Started { return Started{Why: "no shim"} } },
			after(begun[:3], "1h0m0s write unclaimed"), state.Waiting},
		{"cancelled at the claim", func(k *kit, p *place) {
			p.onStart = func() Started { k.post(p, Stopping{}); return Started{PID: 42, Start: 7} } // the child comes too late
		}, after(begun[:3], "1h0m0s write unclaimed", "1h0m0s abort", "1h0m0s abort"), state.Waiting},
		{"T3 fails", func(k *kit, _ *place) { k.refuses(state.Claimed, state.Fired) },
			after(begun[:3], "1h0m0s refused disk full", "1h0m0s abort"), state.Claimed},
		{"T3 fails, and what follows", func(k *kit, _ *place) {
			k.refuse = func(was, _ state.Session) error {
				if was.Phase == state.Claimed {
					return errDisk
				}
				return nil
			}
		}, after(begun[:3], "1h0m0s refused disk full", "1h0m0s abort"), state.Claimed},
		{"the shim looked once more", func(_ *kit, p *place) {
			p.onOpen = func() Opened { return Opened{Gate: resume.GateTaken, Why: "somebody went on"} }
		}, after(begun, "1h0m0s write unclaimed"), state.Waiting},
		{"the mark cannot be made", func(_ *kit, p *place) {
			p.onOpen = func() Opened { return Opened{Gate: resume.GateShort, Why: "no room", Short: true} }
		}, after(begun, "1h0m0s write unclaimed"), state.Waiting},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, p := fires(t, time.Hour+4*time.Second, c.scene)
			k.want(c.want...)
			p.wantPhase(c.phase)
			if k.w.Turns.running != 0 && c.phase == state.Waiting {
				t.Errorf("%d turns are taken", k.w.Turns.running)
			}
			if c.phase == state.Claimed { // what could not be written down is written down later
				k.refuse = nil
				k.pass(12 * time.Second)
				p.wantPhase(state.Waiting)
			}
			if n := k.books.Spent(k.w.Now).Total; n != 0 {
				t.Errorf("%d attempts count for the day", n)
			}
			if p.s.Rec.Episode.Attempts != 0 || k.books.Closed(p.s.Rec.Session, "stop").Verdict != "" {
				t.Errorf("the attempt counts: %+v", p.s.Rec.Episode)
			}
		})
	}
}

// What failed now would fail at once again: it is tried again when the session is looked at with the next rescan.
func TestRefusedIsTriedAgainWithTheRescan(t *testing.T) {
	for name, c := range map[string]struct{ was, is state.Phase }{
		"the stop": {state.Following, state.Waiting}, "the claim": {state.Waiting, state.Claimed}, "the start": {state.Claimed, state.Fired},
	} {
		t.Run(name, func(t *testing.T) {
			k, p := fires(t, time.Hour+29*time.Second, func(k *kit, _ *place) { k.refuses(c.was, c.is) })
			if n := len(k.did("refused")); n != 1 {
				t.Errorf("tried %d times in half a minute:\n%s", n, k)
			}
			if !p.s.Hangs(&k.w) {
				t.Error("the rescan passes it by")
			}
			k.refuse = nil
			p.child.sight.Events = []detect.Event{ours(1), answer(2)}
			p.post(Touched{}) // by the rescan
			k.pass(time.Minute)
			k.wantVerdict(p, resume.Resumed)
		})
	}
}

// A start that fails is tried again half a minute later, whatever comes in between, and the third one that fails is the last.
func TestStartsThatFail(t *testing.T) {
	k, p := fires(t, time.Hour, func(_ *kit, p *place) { p.onStart = func() Started { return Started{Why: "no shim"} } })
	for n := range 3 {
		if got := k.starts(p); got != n+1 {
			t.Fatalf("%d starts, want %d:\n%s", got, n+1, k)
		}
		p.post(Touched{})
		k.pass(30 * time.Second)
	}
	p.wantPhase(state.Held)
	k.pass(26 * time.Hour)
	p.post(Touched{})
	if n := k.starts(p); n != 3 {
		t.Errorf("%d starts", n)
	}
}

// Where the agent can't have its session's copy the stop is left, and its user is told.
func TestNoCopyNoStart(t *testing.T) {
	k, p := fires(t, 2*time.Hour, func(_ *kit, p *place) {
		p.onStart = func() Started { return Started{Why: "the session cannot be copied", Left: true} }
	})
	k.want(after(begun[:3], "1h0m0s write unclaimed+left+told:session_left")...)
	p.wantPhase(state.Following)
}

func TestRunUnclaimFails(t *testing.T) {
	k, p := fires(t, time.Hour, func(k *kit, p *place) {
		p.onStart = func() Started { return Started{Why: "no shim"} }
		k.refuses(state.Claimed, state.Waiting)
	})
	k.want(after(begun[:3], "1h0m0s refused disk full", "1h0m0s abort")...)
	p.wantPhase(state.Claimed) // the claim is still open
	k.pass(10 * time.Minute)
	p.wantPhase(state.Claimed)
	if n := len(k.did("refused")); n < 30 || n > 50 {
		t.Errorf("tried %d times in 10 minutes", n)
	}
	k.refuse, p.onStart = nil, nil
	answered(&p.child.sight)
	k.pass(30 * time.Second)
	p.post(Touched{}) // by the rescan
	k.pass(time.Minute)
	k.wantVerdict(p, resume.Resumed)
	if k.w.Turns.running != 1 || k.starts(p) != 2 {
		t.Errorf("%d turns are taken by %d starts", k.w.Turns.running, k.starts(p))
	}
}

// The same holds for what another clawd had claimed.
func TestRestoredUnclaimFails(t *testing.T) {
	k, p := restarted(t, resume.Exec, func(rec *state.Session) { rec.Phase = state.Claimed })
	k.refuses(state.Claimed, state.Waiting)
	p.post(Restored{})
	k.pass(time.Minute)
	p.wantPhase(state.Claimed)
	k.refuse = nil
	answered(&p.child.sight)
	k.pass(30 * time.Second)
	p.post(Touched{}) // by the rescan
	k.pass(time.Minute)
	k.wantVerdict(p, resume.Resumed)
}

// A shim whose answer is lost, whose mark was there already, or whose exec failed: only evidence
// can tell, and nothing is given back.
func TestRunGateAnswers(t *testing.T) {
	for name, set := range map[string]func(*place){
		"lost":   func(p *place) { p.onOpen = func() Opened { return Opened{Err: errDisk} } },
		"marked": func(p *place) { p.onOpen = func() Opened { return Opened{Gate: resume.GateMarked} } },
		"failed": func(p *place) {
			p.onOpen, p.child.sight.ExecFail = func() Opened { return Opened{Gate: resume.GateFailed} }, "ENOENT"
		},
	} {
		t.Run(name, func(t *testing.T) {
			k, p := fires(t, time.Hour+20*time.Second, func(_ *kit, p *place) {
				set(p)
				p.child.sight.Output.Began = true
				p.onLook = func(s *Sighted) { s.Alive = false }
			})
			want := resume.Unsure
			if name == "failed" {
				want = resume.NoEffect
			}
			k.wantVerdict(p, want)
			if strings.Contains(k.String(), "unclaimed") {
				t.Errorf("it is given back:\n%s", k)
			}
			if cut := p.s.Rec.Claim != nil && p.s.Rec.Claim.OutputCut; cut != (name == "marked") { // its output is another run's
				t.Errorf("the stored claim says that the output was cut: %v", cut)
			}
		})
	}
}

// looks has the run dead from its start on, and counts the looks at it until the verdict.
func looks(t *testing.T, settle, d time.Duration, each func(n int, s *Sighted), sets ...func(*place)) (*kit, *place, int) {
	t.Helper()
	n := 0
	k, p := fires(t, time.Hour+d, func(k *kit, p *place) {
		p.child.settle = settle
		for _, set := range sets {
			set(p)
		}
		p.onLook = func(s *Sighted) {
			if k.books.Closed(p.s.Rec.Session, "stop").Verdict == "" {
				n++
			}
			s.Alive = false
			each(n, s)
		}
	})
	return k, p, n
}

func TestRunNothingCountsOnlyAfterTwoLooks(t *testing.T) {
	k, p, n := looks(t, 5*time.Second, 20*time.Second, func(n int, s *Sighted) {
		if n == 2 { // torn: a failed look is neither news nor nothing
			s.Err = errDisk
		}
	})
	// Looks at 0, 5 (torn), 10 (the same as at 0: settled).
	if n != 3 {
		t.Errorf("%d looks", n)
	}
	k.wantVerdict(p, resume.NoEffect)
	if got := k.did("write"); got[len(got)-1] != "1h0m10s write no_effect+scheduled" {
		t.Error(got)
	}

	var q *place
	k, p, n = looks(t, 90*time.Second, 4*time.Minute, func(n int, s *Sighted) {
		if n == 2 { // the prompt comes late
			q.events = append(q.events, ours(1))
		}
		s.Sight.Events = slices.Clone(q.events[2:])
	}, func(p *place) { q = p })
	if n != 3 {
		t.Errorf("%d looks", n)
	}
	k.wantVerdict(p, resume.Cut)
	k.want(after(begun, "1h3m0s write cut+held+told:session_held")...)
}

// What cannot be read for long is held and told, never "nothing".
func TestRunLookErrorIsNotNothing(t *testing.T) {
	k, p, _ := looks(t, 5*time.Second, time.Hour, func(_ int, s *Sighted) { s.Err = errDisk })
	k.wantVerdict(p, resume.Unsure)
	p.wantPhase(state.Held)
	k.want(after(begun, "1h10m5s write unknown+held+told:session_held")...)
}

func TestRunGivesWay(t *testing.T) {
	for name, c := range map[string]struct {
		see func(*resume.Sight)
		who string
	}{
		"holder": {func(s *resume.Sight) { s.Holder = "process 9" }, "process 9"},
		"prompt": {sees(theirs(1)), "a prompt that is not clawd's"},
	} {
		t.Run("before an answer: "+name, func(t *testing.T) {
			k, p := fires(t, time.Hour+2*time.Minute, func(k *kit, p *place) {
				p.child.sight.Output.Began = true
				k.in(time.Hour+time.Minute, func() { p.see(c.see) })
			})
			k.wantVerdict(p, resume.ByHand)
			if got := k.did(acts...)[5:]; got[0] != "1h1m0s halt polite=true" || !strings.Contains(got[1], "write by_hand") || len(got) != 2 {
				t.Error(got)
			}
			if got := k.did("log"); !slices.Contains(got, "1h1m0s log resume_yielded: "+c.who) {
				t.Error(got)
			}
			p.wantPhase(state.Following)
		})
	}
	t.Run("after an answer", func(t *testing.T) {
		k, p := fires(t, time.Hour+2*time.Minute, func(k *kit, p *place) {
			k.in(time.Hour+time.Second, func() { p.see(answered) })
			k.in(time.Hour+time.Minute, func() { p.see(func(s *resume.Sight) { s.Holder = "process 9" }) })
		})
		k.wantVerdict(p, resume.Resumed)
		k.want(after(begun, "1h0m1s write resumed", "1h1m0s halt polite=true", "1h1m0s write following")...)
		k.wantLog("resume_yielded", 1)
	})
}

func TestRunEndsASilentOrLongRun(t *testing.T) {
	stall := func(c *config.Config) { c.Resume.Stall = config.Duration(30 * time.Minute) }
	long := func(c *config.Config) {
		c.Resume.Stall, c.Resume.Timeout = 0, config.Duration(30*time.Minute)
	}
	for _, c := range []struct {
		name string
		set  func(*config.Config)
		see  func(*resume.Sight)
		want resume.Verdict
	}{
		{"silent, nothing seen", stall, func(*resume.Sight) {}, resume.Unsure},
		{"silent, its prompt stands", stall, sees(ours(1)), resume.Cut},
		{"too long, nothing seen", long, func(*resume.Sight) {}, resume.Unsure},
		{"too long, resumed", long, answered, resume.Resumed},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, p := fires(t, 2*time.Hour, func(k *kit, p *place) {
				c.set(&k.w.Config)
				p.child.active = noon.Add(time.Hour) // it works from its start on
				c.see(&p.child.sight)
			})
			k.wantVerdict(p, c.want)
			if got := k.did("halt"); !slices.Equal(got, []string{"1h30m15s halt polite=false"}) {
				t.Errorf("not ended in time: %q", got)
			}
		})
	}
}

// A run that hangs after a turn that ended well frees its place, and nothing went wrong.
func TestRunEndsOneThatHangsAfterItsTurn(t *testing.T) {
	for rest, want := range map[time.Duration]string{5 * time.Minute: "1h5m15s halt polite=false", 0: "2h0m15s halt polite=false"} {
		k, p := fires(t, 3*time.Hour, func(k *kit, p *place) {
			k.w.Config.Resume.Stall, p.plan.Rest = config.Duration(time.Hour), rest
			p.child.active = noon.Add(time.Hour)
			end := answer(2)
			end.Done = true
			sees(ours(1), end)(&p.child.sight)
		})
		k.wantVerdict(p, resume.Resumed)
		if got := k.did("halt"); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: its place is not free: %q", rest, got)
		}
		if blamed := strings.Contains(k.String(), "clawd ended its run"); blamed != (rest == 0) {
			t.Errorf("%s: what is said of it: %s", rest, k)
		}
	}
}

// The store must know that the output proves nothing any more before it is cut.
func TestRunTrimsTheOutputStoreFirst(t *testing.T) {
	scene := func(k *kit, p *place) {
		p.child.long = true
		k.in(time.Hour+time.Minute, func() { p.see(answered) })
		k.in(time.Hour+2*time.Minute, p.die)
	}
	k, p := fires(t, 2*time.Hour, scene)
	k.want(after(begun, "1h0m0s write fired", "1h0m0s trim", "1h1m0s write resumed", "1h2m0s write following")...)
	if !p.s.Rec.Claim.OutputCut {
		t.Error("the store does not know it")
	}
	k, _ = fires(t, time.Hour+30*time.Second, func(k *kit, p *place) {
		scene(k, p)
		k.refuses(state.Fired, state.Fired)
	})
	if strings.Contains(k.String(), "trim") || len(k.did("refused")) == 0 {
		t.Errorf("cut without the store:\n%s", k)
	}
}

// A fresh session whose agent names it is found by its time. When the clock was set back meanwhile, none that is found proves nothing.
func TestClockIsSetBackBesideAFreshRun(t *testing.T) {
	for _, c := range []struct {
		name string
		by   time.Duration
		want resume.Verdict
	}{
		{"not at all", 0, resume.NoEffect}, {"slowed", -500 * time.Millisecond, resume.NoEffect}, {"set forward", time.Hour, resume.NoEffect},
		{"set back", -3 * time.Second, resume.Unsure}, {"set back by an hour", -time.Hour, resume.Unsure},
	} {
		k, p := fires(t, time.Hour+time.Second, func(k *kit, p *place) { p.plan.Form, p.plan.Session = resume.FormFresh, "" })
		k.jump(c.by)
		p.die()
		k.pass(20 * time.Second)
		if got := k.books.Closed(p.s.Rec.Session, "stop").Verdict; got != c.want {
			t.Errorf("%s: %q, want %q\n%s", c.name, got, c.want, k)
		}
	}
}
