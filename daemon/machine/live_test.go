package machine

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

func typed(id string) detect.Event {
	return record(id, detect.KindPrompt, func(e *detect.Event) { e.Hash = detect.HashText("continue") })
}

// reached plays an attempt on a session that process 77 has open, from the claim on; it comes after an hour.
func reached(t *testing.T, way resume.Way, d time.Duration, scene func(k *kit, p *place)) (*kit, *place) {
	t.Helper()
	return fires(t, time.Hour+d, func(k *kit, p *place) {
		p.holders, p.info.Interactive = []detect.Holder{window(77)}, true
		p.plan.Way, p.plan.Holder = way, window(77)
		scene(k, p)
	})
}

// verdictAt says when the attempt had its verdict, counted from its start.
func (k *kit) verdictAt(p *place) time.Duration {
	return k.books.Closed(p.s.Rec.Session, "stop").At.Sub(noon.Add(time.Hour))
}

// What became of keys or a request in a session that somebody has open.
func TestLiveVerdict(t *testing.T) {
	done := record("a", detect.KindAnswer, func(e *detect.Event) { e.Done = true })
	for _, c := range []struct {
		name  string
		way   resume.Way
		see   []detect.Event
		proof string
		gone  bool
		want  resume.Verdict
		after time.Duration // at least
		held  bool
	}{
		{name: "it answered", way: resume.Tmux, see: []detect.Event{typed("p"), done}, want: resume.Resumed},
		{name: "limited again", way: resume.PTY, see: []detect.Event{typed("p"), limitAgain(1)}, want: resume.StoppedAgain},
		{name: "its user stopped our turn", way: resume.Tmux, see: []detect.Event{typed("p"), record("i", detect.KindInterrupt)}, want: resume.ByHand},
		{name: "somebody else typed", way: resume.Tmux, see: []detect.Event{theirs(1)}, want: resume.ByHand},
		{name: "keys without a trace", way: resume.Tmux, want: resume.Unsure, after: 10 * time.Second, held: true},
		{name: "keys that never arrived", way: resume.Tmux, proof: "Enter was never pressed", want: resume.NoEffect, after: 10 * time.Second},
		{name: "a request without a trace", way: resume.HTTP, want: resume.Unsure, after: time.Minute, held: true},
		{name: "it lies in the queue", way: resume.Queue, want: resume.Unsure, after: 10 * time.Minute, held: true},
		{name: "the process ended over our prompt", way: resume.Tmux, see: []detect.Event{typed("p")}, gone: true, want: resume.Cut, after: 5 * time.Second, held: true},
		{name: "the process ended", way: resume.Tmux, gone: true, want: resume.Unsure, after: 5 * time.Second, held: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, p := reached(t, c.way, 0, func(k *kit, p *place) {
				p.child.proof, p.child.sight.Events = c.proof, c.see
				p.onLook = func(s *Sighted) { s.Alive = !c.gone }
				p.onOpen = func() Opened {
					p.events = append(p.events, c.see...)
					return Opened{Gate: resume.GateExec}
				}
			})
			if k.starts(p) != 1 || len(k.did("open")) != 1 {
				t.Fatalf("it is not reached:\n%s", k)
			}
			k.pass(c.after + 10*time.Second)
			how := k.wantVerdict(p, c.want)
			if took := k.verdictAt(p); took < c.after || took > c.after+2*time.Second {
				t.Errorf("after %v, want %v", took, c.after)
			}
			if looks := len(k.did("look")); looks > 75 { // each second at first, and each 15 s then
				t.Errorf("looked at %d times", looks)
			}
			if (c.want == resume.NoEffect) != (how.Proof != "") {
				t.Errorf("proof %q", how.Proof)
			}
			if held := p.s.Rec.Phase == state.Held; held != c.held {
				t.Errorf("held %v, want %v:\n%s", held, c.held, k)
			}
			if ended := len(k.did("halt")) > 0; ended != (c.way == resume.Queue) {
				t.Errorf("the command of ours that queues is ended, and no other process: %q", k.did("halt"))
			}
			if p.s.Guard != nil || k.w.Turns.running != 0 {
				t.Errorf("a run that is not ours is guarded, or keeps its turn: %d", k.w.Turns.running)
			}
		})
	}
}

// An agent that is seen at work is waited for, also when it writes nothing down before its answer.
func TestLiveWorks(t *testing.T) {
	closely := 0
	k, p := reached(t, resume.Tmux, 25*time.Minute, func(k *kit, p *place) {
		k.lax, p.child.working = true, k.began+time.Hour+20*time.Minute
		p.onLook = func(s *Sighted) {
			if s.Asked {
				closely++
			}
		}
	})
	k.wantVerdict(p, resume.Unsure)
	if closely > 150 {
		t.Errorf("its terminal is looked at %d times", closely)
	}
	if took := k.verdictAt(p); took < 20*time.Minute || took > 21*time.Minute {
		t.Errorf("after %v", took)
	}
}

// A prompt that the agent has taken is waited for while its turn shows any sign of work. One that shows none keeps others
// from their turns only for so long; its process is not clawd's to end.
func TestLiveLongTurn(t *testing.T) {
	k, p := reached(t, resume.Tmux, 0, func(k *kit, p *place) {
		k.lax, p.child.sight.Events = true, []detect.Event{typed("p")}
	})
	for range 6 { // it asks again and again
		k.pass(25 * time.Minute)
		p.child.sight.Events = append(p.child.sight.Events, record("r", detect.KindRetry, func(e *detect.Event) { e.At = k.w.Now }))
	}
	p.wantPhase(state.Fired)
	p.child.sight.Events = append(p.child.sight.Events, record("n", detect.KindRetry, func(e *detect.Event) { e.At, e.Next = k.w.Now, k.w.Now.Add(time.Hour) }))
	k.pass(time.Hour) // it said so
	p.wantPhase(state.Fired)
	k.pass(29 * time.Minute)
	p.wantPhase(state.Fired)
	k.pass(2 * time.Minute)
	if how := k.wantVerdict(p, resume.Unsure); p.s.Rec.Phase != state.Held || how.Proof != "" {
		t.Errorf("%s, proof %q", p.s.Rec.Phase, how.Proof)
	}
	if n := len(k.did("halt")); n != 0 || k.w.Turns.Running() != 0 {
		t.Errorf("its process is ended %d times, %d turns are taken", n, k.w.Turns.Running())
	}
}

// A failing look is neither news nor nothing, also here; when the process is gone it is waited for the longest.
func TestLiveLookFails(t *testing.T) {
	for _, gone := range []bool{false, true} {
		k, p := reached(t, resume.Tmux, 12*time.Minute, func(k *kit, p *place) {
			k.lax = true
			p.onLook = func(s *Sighted) { s.Alive, s.Err = !gone, errDisk }
		})
		if want := map[bool]state.Phase{false: state.Fired, true: state.Held}[gone]; p.s.Rec.Phase != want {
			t.Errorf("gone %v: %s, want %s", gone, p.s.Rec.Phase, want)
		}
		if took := k.verdictAt(p); gone && (took < 10*time.Minute || took > 10*time.Minute+2*time.Second) {
			t.Errorf("held after %v", took)
		}
	}
}

// A file in whose place another one came tells nothing of what was typed, however long its process lives.
func TestLiveFileIsReplaced(t *testing.T) {
	k, p := reached(t, resume.Tmux, 12*time.Minute, func(k *kit, p *place) {
		k.lax = true
		p.onLook = func(s *Sighted) { s.Alive, s.Err = true, fmt.Errorf("session x: %w", resume.ErrRewritten) }
	})
	if p.s.Rec.Phase != state.Held || k.w.Turns.Running() != 0 {
		t.Errorf("%s, %d turns are taken", p.s.Rec.Phase, k.w.Turns.Running())
	}
}

// The file of a session may be away for a while, as with its disk. One that was removed does not come back: its user is told.
func TestLiveFileIsGone(t *testing.T) {
	for after, want := range map[time.Duration]state.Phase{20 * time.Minute: state.Fired, 45 * time.Minute: state.Held} {
		k, p := reached(t, resume.Tmux, after, func(k *kit, p *place) {
			k.lax = true
			p.onLook = func(s *Sighted) { s.Alive, s.Err = true, fs.ErrNotExist }
		})
		if p.s.Rec.Phase != want || k.w.Turns.Running() != 0 && want == state.Held {
			t.Errorf("after %s: %s, %d turns are taken", after, p.s.Rec.Phase, k.w.Turns.Running())
		}
	}
}

// The agent was to go on by itself: the grace is waited after that, in time that the machine is awake for.
func TestGrace(t *testing.T) {
	for name, c := range map[string]struct {
		jump time.Duration // in the middle of the grace
		want time.Duration
	}{
		"awake":                       {0, time.Hour + 2*time.Minute},
		"asleep":                      {time.Hour, time.Hour + 3*time.Minute},
		"set back":                    {-time.Minute, time.Hour + 3*time.Minute},
		"set back to before it began": {-5 * time.Minute, time.Hour + 7*time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			k, p := plain(t)
			p.holders, p.info.Interactive = []detect.Holder{window(77)}, true
			p.plan.Way, p.plan.Holder = resume.Tmux, window(77)
			p.write(p.rec("p", detect.KindPrompt), p.rec("stop", detect.KindFailure, failed(detect.Failure{Reason: detect.UsageLimit, ResetAt: noon.Add(time.Hour)})),
				p.rec("armed", detect.KindSelfResume, func(e *detect.Event) { e.Next = noon.Add(time.Hour) }))
			k.settle()
			if d := p.s.Rec.Decision; d.Grace != 2*time.Minute || !d.WakeAt.Equal(noon.Add(time.Hour)) {
				t.Fatalf("%+v\n%s", d, k)
			}
			k.wantLog("standing_down", 1)
			k.pass(time.Hour + time.Minute)
			if c.jump != 0 {
				k.jump(c.jump)
			}
			if k.starts(p) != 0 {
				t.Fatal("within the grace")
			}
			k.pass(10 * time.Minute)
			if got := k.did("start"); !slices.Equal(got, []string{c.want.String() + " start"}) {
				t.Errorf("%q, want %v\n%s", got, c.want, k)
			}
		})
	}
}

// The machine sleeps right when the grace is over: the agent wakes up with it, and is given its time once more.
func TestGraceThroughASleepAtItsEnd(t *testing.T) {
	end := time.Hour + 2*time.Minute
	begin := func(t *testing.T) (*kit, *place) {
		k, p := plain(t)
		p.holders, p.info.Interactive = []detect.Holder{window(77)}, true
		p.plan.Way, p.plan.Holder = resume.Tmux, window(77)
		p.write(p.rec("p", detect.KindPrompt), p.rec("stop", detect.KindFailure, failed(detect.Failure{Reason: detect.UsageLimit, ResetAt: noon.Add(time.Hour)})),
			p.rec("armed", detect.KindSelfResume, func(e *detect.Event) { e.Next = noon.Add(time.Hour) }))
		k.pass(end - time.Second)
		return k, p
	}
	t.Run("while clawd looks for the last time", func(t *testing.T) {
		k, p := begin(t)
		p.takes = 10 * time.Second
		k.pass(5 * time.Second)
		k.jump(time.Hour)
		p.takes = 0
		k.pass(2*time.Minute - time.Second)
		if k.starts(p) != 0 {
			t.Fatalf("within the grace:\n%s", k)
		}
		k.pass(time.Minute)
		if k.starts(p) != 1 {
			t.Errorf("%d starts\n%s", k.starts(p), k)
		}
	})
	t.Run("before its gate is open", func(t *testing.T) {
		k, p := begin(t)
		p.mute = true
		k.pass(5 * time.Second)
		k.jump(time.Hour)
		if got := k.did("abort"); len(got) != 1 {
			t.Errorf("%q\n%s", got, k)
		}
	})
}

// A stop of clawd in the middle of a look at the terminal is no verdict on the attempt: the look is called off, and what
// would have come of it never comes.
func TestStopInALookIsNoVerdict(t *testing.T) {
	k, p := reached(t, resume.Tmux, time.Minute, func(k *kit, p *place) {
		p.onLook = func(s *Sighted) {
			if s.Asked {
				k.mail = nil
				k.stop()
			}
		}
	})
	p.wantPhase(state.Fired)
	k.want(slices.Insert(slices.Clone(begun), 1, "0s write waiting")...) // who has it open
}

// After a restart it is waited for the proof anew, and said what may stand in the input box.
func TestLiveRestarted(t *testing.T) {
	for _, c := range []struct {
		name   string
		marked bool
		want   resume.Verdict
	}{{"before the mark", false, resume.NoEffect}, {"after the mark", true, resume.Unsure}} {
		k, p := restarted(t, resume.Tmux)
		p.child.alive, p.child.sight.Marked = true, c.marked
		p.post(Restored{})
		k.pass(9 * time.Second)
		p.wantPhase(state.Fired)
		k.pass(3 * time.Second)
		k.wantVerdict(p, c.want)
		if n := k.starts(p); n != 0 && c.want == resume.Unsure {
			t.Errorf("%s: %d starts", c.name, n)
		}
	}
}

// A prompt of clawd's that the agent still works on after it was held is nobody else's: it stays held, and its attempts count on.
func TestHeldWhileItWorks(t *testing.T) {
	k, p := reached(t, resume.Tmux, time.Second, func(k *kit, p *place) {
		k.lax, p.child.sight.Events = true, []detect.Event{typed("p")}
	})
	p.holders[0].Status = detect.Busy
	p.write(typed("p"))
	k.pass(31 * time.Minute)
	p.wantPhase(state.Held)
	p.write(p.rec("r", detect.KindRetry))
	k.pass(time.Minute)
	p.wantPhase(state.Held)
	p.write(p.rec("next", detect.KindFailure, failed(detect.Failure{Reason: detect.RateLimit})))
	k.settle()
	if p.wantPhase(state.Waiting); p.s.Rec.Decision.Attempt != 2 {
		t.Errorf("attempt %d follows, want 2:\n%s", p.s.Rec.Decision.Attempt, k)
	}
}

// A prompt that lies in the agent's queue runs after the turn of who goes on: until then the session stays held.
func TestHeldWhileItIsQueued(t *testing.T) {
	k, p := reached(t, resume.Queue, time.Second, func(k *kit, _ *place) { k.lax = true })
	other := p.rec("other", detect.KindPrompt, func(e *detect.Event) { e.Hash = "other" })
	p.child.sight.Events = []detect.Event{other}
	p.write(other)
	k.pass(12 * time.Minute)
	p.wantPhase(state.Held)
	p.write(p.rec("r", detect.KindRetry))
	k.pass(time.Minute)
	p.wantPhase(state.Held)
	p.write(p.rec("a", detect.KindAnswer, func(e *detect.Event) { e.Done = true }))
	k.settle()
	p.wantPhase(state.Following)
}

// What stops in front of a prompt that may still lie in the agent's queue is its user's: a second prompt may be one too many.
func TestStopInFrontOfAQueuedPrompt(t *testing.T) {
	for _, c := range []struct {
		name   string
		ended  bool // a turn ends well before, so that the prompt in the queue ran
		starts int
	}{{"a turn stops", false, 1}, {"a turn ends well, and the next one stops", true, 2}} {
		k, p := reached(t, resume.Queue, time.Second, func(k *kit, _ *place) { k.lax = true })
		other := p.rec("other", detect.KindPrompt, func(e *detect.Event) { e.Hash = "other" })
		p.child.sight.Events = []detect.Event{other}
		p.write(other)
		k.pass(12 * time.Minute)
		p.wantPhase(state.Held)
		if c.ended {
			p.write(p.rec("a", detect.KindAnswer, func(e *detect.Event) { e.Done = true }))
			k.pass(time.Minute)
		}
		p.rated("next")
		k.pass(time.Minute)
		if n := k.starts(p); n != c.starts {
			t.Errorf("%s: %d starts, want %d\n%s", c.name, n, c.starts, k)
		}
		if left := k.toldAt("session_left"); (len(left) == 1) == c.ended {
			t.Errorf("%s: told at %v", c.name, left)
		}
	}
}
