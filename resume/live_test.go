package resume

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/detect"
)

func liveJob(way Way) (Job, Claim) {
	c := Claim{Stop: detect.Stop{Key: "stop"}, At: time.Now(), Plan: Plan{Way: way, Form: FormPrompt, Prompt: detect.HashText("continue")}}
	return Job{Claim: &c}, c
}

func typed(id string) detect.Event {
	return detect.Event{Kind: detect.KindPrompt, ID: id, Hash: detect.HashText("continue")}
}

// What became of keys or a request in a session that somebody has open.
func TestLiveVerdict(t *testing.T) {
	answer := detect.Event{Kind: detect.KindAnswer, ID: "a", Done: true}
	for _, c := range []struct {
		name  string
		way   Way
		see   []detect.Event
		proof string
		gone  bool
		want  Verdict
		after time.Duration // at least
		held  bool
	}{
		{name: "it answered", way: Tmux, see: []detect.Event{typed("p"), answer}, want: Resumed},
		{name: "limited again", way: PTY, see: []detect.Event{typed("p"), {Kind: detect.KindFailure, ID: "f", Failure: &detect.Failure{Reason: detect.RateLimit}}}, want: StoppedAgain},
		{name: "its user stopped our turn", way: Tmux, see: []detect.Event{typed("p"), {Kind: detect.KindInterrupt, ID: "i"}}, want: ByHand},
		{name: "somebody else typed", way: Tmux, see: []detect.Event{{Kind: detect.KindPrompt, ID: "p", Hash: "other"}}, want: ByHand},
		{name: "keys without a trace", way: Tmux, want: Unsure, after: 10 * time.Second, held: true},
		{name: "keys that never arrived", way: Tmux, proof: "Enter was never pressed", want: NoEffect, after: 10 * time.Second},
		{name: "a request without a trace", way: HTTP, want: Unsure, after: time.Minute, held: true},
		{name: "it lies in the queue", way: Queue, want: Unsure, after: 10 * time.Minute, held: true},
		{name: "the process ended over our prompt", way: Tmux, see: []detect.Event{typed("p")}, gone: true, want: Cut, after: 5 * time.Second, held: true},
		{name: "the process ended", way: Tmux, gone: true, want: Unsure, after: 5 * time.Second, held: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.proof, w.sight.Events = c.proof, c.see
				if c.gone {
					runOf{w}.die()
				}
				job, _ := liveJob(c.way)
				out, err := Same{}.Run(t.Context(), &job, w.ports())
				if err != nil || out.Verdict != c.want || out.Held != c.held {
					t.Fatalf("%+v, %v; want %s", out, err, c.want)
				}
				if took := time.Since(w.start); took < c.after || took > c.after+10*time.Second {
					t.Errorf("after %v, want %v", took, c.after)
				}
				if (out.Verdict == NoEffect) != (out.Proof != "") {
					t.Errorf("proof %q", out.Proof)
				}
				if calls := strings.Join(w.calls(), "\n"); strings.Contains(calls, "stop ") != (c.way == Queue) {
					t.Errorf("the command of ours that queues is ended, and no other process:\n%s", calls)
				}
			})
		})
	}
}

// An agent that is seen at work is waited for, also when it writes nothing down before its answer.
func TestLiveWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.busy = time.Now().Add(20 * time.Minute)
		job, _ := liveJob(Tmux)
		out, err := Same{}.Run(t.Context(), &job, w.ports())
		if took := time.Since(w.start); err != nil || out.Verdict != Unsure || took < 20*time.Minute || took > 21*time.Minute {
			t.Errorf("%+v, %v after %v", out, err, took)
		}
	})
}

// A prompt that the agent has taken is waited for as long as its turn takes.
func TestLiveLongTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.sight.Events = []detect.Event{typed("p")}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		job, _ := liveJob(Tmux)
		if out, err := (Same{}).Run(ctx, &job, w.ports()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

// The agent was to go on by itself: the grace is waited after that, awake.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		p := Policy{Grace: 2 * time.Minute, Reasons: DefaultReasons()}
		stop := detect.Stop{State: detect.Retrying, Reason: detect.UsageLimit, Key: "k", At: time.Now(), SelfResumeAt: time.Now().Add(time.Hour), ResetAt: time.Now().Add(time.Hour)}
		d := p.Select(stop, Tried{}).Decide(stop, Tried{}, time.Now())
		if d.Strategy != SameSession || !d.WakeAt.Equal(stop.SelfResumeAt) || d.Grace != p.Grace {
			t.Fatalf("%+v", d)
		}
		w.hooks["claim"] = func() error { return &Refusal{} }
		if _, err := (Same{p}).Run(t.Context(), &Job{Stop: stop, Decision: d}, w.ports()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(w.start); took != time.Hour+2*time.Minute {
			t.Errorf("claimed after %v", took)
		}
		stop.Reason = detect.Interrupted
		if d := p.Select(stop, Tried{}).Decide(stop, Tried{}, time.Now()); d.Strategy != Leave {
			t.Errorf("its user dropped it: %+v", d)
		}
	})
}

// cutLook is a run that clawd is stopped in the middle of a look at.
type cutLook struct {
	runOf
	stop func()
}

// Working: clawd is stopped while it asks tmux, which is killed with the context.
func (c cutLook) Working(context.Context) bool     { c.stop(); return false }
func (c cutLook) Untouched(context.Context) string { return "" } // its look fails, too

type cutTrigger struct {
	*world
	stop func()
}

func (c cutTrigger) Adopt(Claim) Run { return cutLook{runOf{c.world}, c.stop} }

// A stop of clawd in the middle of a look at the terminal is no verdict on the attempt.
func TestStopInALookIsNoVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		ctx, cancel := context.WithCancelCause(t.Context())
		end := errors.New("clawd is stopping")
		p := w.ports()
		p.Trigger = cutTrigger{w, func() { cancel(end) }}
		job, _ := liveJob(Tmux)
		out, err := Same{}.Run(ctx, &job, p)
		if !errors.Is(err, end) || w.out.Verdict != "" {
			t.Errorf("verdict %q (%+v) was written, err %v", w.out.Verdict, out, err)
		}
	})
}
