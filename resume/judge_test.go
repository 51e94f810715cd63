package resume

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

var said = detect.HashText("continue")

// rec is a record behind the cursor; the nth one of the run.
func rec(n int, k detect.Kind, change ...func(*detect.Event)) detect.Event {
	e := detect.Event{Kind: k, ID: fmt.Sprintf("e%d", n), At: noon.Add(time.Duration(n) * time.Second), Offset: int64(n)}
	for _, c := range change {
		c(&e)
	}
	return e
}

func ours(n int) detect.Event {
	return rec(n, detect.KindPrompt, func(e *detect.Event) { e.Hash = said })
}

func theirs(n int) detect.Event {
	return rec(n, detect.KindPrompt, func(e *detect.Event) { e.Hash = detect.HashText("do it differently") })
}

func meta(n int) detect.Event {
	return rec(n, detect.KindPrompt, func(e *detect.Event) { e.Meta = true })
}

func failure(n int, r detect.Reason) detect.Event {
	return rec(n, detect.KindFailure, func(e *detect.Event) { e.Failure = &detect.Failure{Reason: r} })
}

func below(e, parent detect.Event) detect.Event {
	e.Parent = parent.ID
	return e
}

func answer(n int) detect.Event { return rec(n, detect.KindAnswer) }

func claim(f Form) Claim {
	c := Claim{Session: detect.Session{Agent: "claude", ID: "s"}, Stop: stop(detect.UsageLimit), N: 1, Attempts: 1, Token: "t", At: noon,
		Plan: Plan{Form: f, Session: "s"}}
	if f != FormIdempotent {
		c.Plan.Prompt = said
	}
	return c
}

// sight of a run whose mark is there; began: it opened its session.
func sight(began bool, events ...detect.Event) Sight {
	return Sight{Events: events, SameBoot: true, Marked: true, Output: Output{Began: began}}
}

func TestJudge(t *testing.T) {
	const alive, gone, settled = "alive", "gone", "settled"
	printed := func(s Sight, ids ...string) Sight { s.Output.Messages = ids; return s }
	with := func(s Sight, f func(*Sight)) Sight { f(&s); return s }
	failed := func(s Sight) Sight { s.Output.Failed = true; return s }
	cutOutput := claim(FormPrompt)
	cutOutput.OutputCut = true
	plain, idem, fresh := claim(FormPrompt), claim(FormIdempotent), claim(FormFresh)
	unnamed := fresh
	unnamed.Plan.Session = ""
	msg := rec(1, detect.KindAnswer, func(e *detect.Event) { e.Msg = "msg_1" })
	for _, c := range []struct {
		name  string
		claim Claim
		sight Sight
		run   string
		want  Verdict // empty: too early to say
		proof string  // begins so
	}{
		{"resumed: an answer below our prompt", plain, sight(true, ours(1), answer(2)), alive, Resumed, ""},
		{"resumed: by its end too", plain, sight(true, ours(1), answer(2)), gone, Resumed, ""},
		{"resumed: then it failed again", plain, sight(true, ours(1), answer(2), failure(3, detect.RateLimit)), gone, Resumed, ""},
		{"resumed: printed record", plain, printed(sight(true, answer(1)), "e1"), alive, Resumed, ""},
		{"resumed: printed message", plain, printed(sight(true, msg), "msg_1"), alive, Resumed, ""},
		{"resumed: printed, beside a prompt of theirs", plain, printed(sight(true, theirs(1), answer(2)), "e2"), alive, Resumed, ""},
		{"resumed: over the agent's own bridge", plain, sight(true, meta(1), ours(2), answer(3)), alive, Resumed, ""},
		{"resumed: and was denied", plain, sight(true, ours(1), rec(2, detect.KindDenied)), alive, Resumed, ""},
		{"resumed: idempotent, with its meta prompt", idem, sight(true, meta(1), answer(2)), alive, Resumed, ""},
		{"resumed: idempotent, below the old prompt", idem, sight(true, answer(1)), alive, Resumed, ""},
		{"resumed: idempotent, below the old prompt, at its end", idem, sight(true, answer(1)), gone, Resumed, ""},
		{"resumed: idempotent, over a summary that the agent wrote", idem, sight(true, meta(1), meta(2), answer(3)), alive, Resumed, ""},
		{"unknown: what it printed is gone", plain, with(sight(true), func(s *Sight) { s.NoOutput = true }), settled, Unsure, ""},
		{"resumed: fresh", fresh, sight(true, ours(1), answer(2)), alive, Resumed, ""},

		{"resumed: a hook changed our prompt, which it printed", plain, printed(sight(true, theirs(1), answer(2)), "e1"), gone, Resumed, ""},
		{"resumed: a plugin changed our prompt, below which it printed", plain, printed(sight(true, theirs(1), below(answer(2), theirs(1))), "e2"), gone, Resumed, ""},
		{"resumed: a hook had it go on", plain, printed(sight(true, ours(1), theirs(2), answer(3)), "e1", "e2"), gone, Resumed, ""},
		{"stopped again: a hook changed our prompt, which it printed", plain, printed(sight(true, theirs(1), failure(2, detect.UsageLimit)), "e1"), gone, StoppedAgain, ""},
		{"stopped again: a plugin changed our prompt", plain, failed(sight(true, theirs(1), below(failure(2, detect.UsageLimit), theirs(1)))), gone, StoppedAgain, ""},
		{"by hand: our run failed, and their prompt did, beside another", plain,
			failed(sight(true, theirs(1), theirs(2), below(failure(3, detect.UsageLimit), theirs(2)))), gone, ByHand, ""},

		{"by hand: an answer and no prompt of ours", plain, sight(true, answer(1)), gone, ByHand, ""},
		{"by hand: their prompt", plain, sight(true, theirs(1)), gone, ByHand, ""},
		{"by hand: their prompt, which has no id", plain, sight(true, rec(1, detect.KindPrompt, func(e *detect.Event) { e.ID, e.Hash = "", detect.HashText("x") }), answer(2)), gone, ByHand, ""},
		{"by hand: their prompt and answer", plain, sight(true, theirs(1), answer(2)), gone, ByHand, ""},
		{"by hand: ours and theirs, whose answer cannot be told", plain, sight(true, ours(1), theirs(2), answer(3)), gone, ByHand, ""},
		{"by hand: idempotent, theirs", idem, sight(true, theirs(1), answer(2)), gone, ByHand, ""},
		{"by hand: our words twice", plain, sight(true, ours(1), ours(2), answer(3)), gone, ByHand, ""},
		{"theirs while ours lives", plain, sight(true, theirs(1), answer(2)), alive, "", ""},
		{"a failure of theirs while ours comes up", plain, sight(false, theirs(1), failure(2, detect.UsageLimit)), alive, "", ""},
		{"by hand: their failure", plain, sight(false, theirs(1), failure(2, detect.UsageLimit)), gone, ByHand, ""},

		{"stopped again", plain, sight(true, ours(1), failure(2, detect.UsageLimit)), alive, StoppedAgain, ""},
		{"a failure of what went before, told with our prompt", plain, sight(true, failure(1, detect.UsageLimit), ours(2)), alive, "", ""},
		{"cut: that failure is not ours", plain, sight(true, failure(1, detect.UsageLimit), ours(2)), settled, Cut, ""},
		{"stopped again: below our prompt, though the clock was set back", plain, sight(true, below(failure(1, detect.UsageLimit), ours(2)), ours(2)), gone, StoppedAgain, ""},
		{"stopped again: no prompt was written", plain, sight(true, failure(2, detect.UsageLimit)), gone, StoppedAgain, ""},
		{"stopped again: idempotent, below the old prompt", idem, sight(true, failure(1, detect.UsageLimit)), gone, StoppedAgain, ""},
		{"resumed: an answer that was written before our prompt", plain, sight(true, below(answer(1), ours(2)), ours(2)), alive, Resumed, ""},
		{"a failure below a prompt of theirs, beside ours", plain, sight(true, ours(1), theirs(2), below(failure(3, detect.UsageLimit), theirs(2))), alive, "", ""},
		{"the same stop is no new one", plain, sight(true, rec(1, detect.KindFailure, func(e *detect.Event) { e.ID = "k" })), alive, "", ""},
		{"prompt too long after our own fire", plain, sight(true, ours(1), failure(2, detect.ContextFull)), gone, NoEffect, "record e2"},
		{"prompt too long in a fresh session", fresh, sight(true, ours(1), failure(2, detect.ContextFull)), gone, StoppedAgain, ""},

		{"our prompt, alive", plain, sight(true, ours(1)), alive, "", ""},
		{"our prompt, gone", plain, sight(true, ours(1)), gone, "", ""},
		{"cut", plain, sight(true, ours(1)), settled, Cut, ""},
		{"cut: an answer had begun", plain, sight(true, ours(1), rec(2, detect.KindOpen)), settled, Cut, ""},
		{"cut: other boot", plain, with(sight(true, ours(1)), func(s *Sight) { s.SameBoot = false }), settled, Cut, ""},
		{"cut: idempotent", idem, sight(true, meta(1)), settled, Cut, ""},

		{"nothing, alive", plain, sight(false), alive, "", ""},
		{"nothing, gone", plain, sight(false), gone, "", ""},
		{"no effect: exec failed", plain, with(sight(false), func(s *Sight) { s.ExecFail = "ENOENT" }), settled, NoEffect, "mark: exec-failed"},
		{"no effect: exec failed, other boot", plain, with(sight(false), func(s *Sight) { s.ExecFail, s.SameBoot = "ENOENT", false }), settled, NoEffect, "mark: exec-failed"},
		{"no effect: no mark", plain, with(sight(false), func(s *Sight) { s.Marked = false }), settled, NoEffect, "no mark"},
		{"the mark was removed, for the run opened its session", plain, with(sight(true), func(s *Sight) { s.Marked = false }), settled, Unsure, ""},
		{"the mark was removed, for the run was met or printed much", cutOutput, with(sight(false), func(s *Sight) { s.Marked = false }), settled, Unsure, ""},
		{"no effect: no mark, other boot", plain, with(sight(false), func(s *Sight) { s.Marked, s.SameBoot = false, false }), settled, NoEffect, "no mark"},
		{"no effect: refused", plain, with(sight(false), func(s *Sight) { s.Output.Refused = true }), settled, NoEffect, "output: session refused"},
		{"no effect: never opened", plain, sight(false), settled, NoEffect, "output: the session was never opened"},
		{"unknown: an agent that may ask before it prints", plain, with(sight(false), func(s *Sight) { s.Output.Mute = true }), settled, Unsure, ""},
		{"no effect: idempotent, never opened", idem, sight(false), settled, NoEffect, "output: the session was never opened"},
		{"no effect: idempotent, opened and nothing to do", idem, with(sight(false), func(s *Sight) { s.Grew = true }), settled, NoEffect, "output: no request was begun"},
		{"no effect: idempotent, held for plan mode", idem, with(sight(false), func(s *Sight) { s.Output.Idle = "plan" }), settled, NoEffect, "output: no request was begun"},
		{"unknown: idempotent, it began and grew", idem, with(sight(true), func(s *Sight) { s.Grew = true }), settled, Unsure, ""},
		{"unknown: idempotent, grew, its output is gone", idem, with(sight(false), func(s *Sight) { s.Grew, s.NoOutput = true, true }), settled, Unsure, ""},
		{"unknown: idempotent, grew, other boot", idem, with(sight(false), func(s *Sight) { s.Grew, s.SameBoot = true, false }), settled, Unsure, ""},
		{"no effect: fresh, never opened", fresh, sight(false), settled, NoEffect, "output: no session was opened"},
		{"unknown: fresh, never opened, the clock was set back", unnamed, with(sight(false), func(s *Sight) { s.SetBack = true }), settled, Unsure, ""},
		{"no effect: fresh, its id is clawd's, the clock was set back", fresh, with(sight(false), func(s *Sight) { s.SetBack = true }), settled, NoEffect, "output: no session was opened"},
		{"no effect: never opened, the clock was set back", plain, with(sight(false), func(s *Sight) { s.SetBack = true }), settled, NoEffect, "output: the session was never opened"},
		{"unknown: other boot", plain, with(sight(false), func(s *Sight) { s.SameBoot = false }), settled, Unsure, ""},
		{"unknown: it began", plain, sight(true), settled, Unsure, ""},
		{"unknown: idempotent, it began", idem, sight(true), settled, Unsure, ""},
		{"unknown: output cut", cutOutput, sight(false), settled, Unsure, ""},
		{"unknown: output cut, refused before", cutOutput, with(sight(false), func(s *Sight) { s.Output.Refused = true }), settled, Unsure, ""},
		{"unknown: a request began", plain, sight(false, rec(1, detect.KindOpen)), settled, Unsure, ""},
		{"unknown: interrupted", idem, sight(false, rec(1, detect.KindInterrupt)), settled, Unsure, ""},
		{"unknown: a record that nobody knows", plain, sight(false, rec(1, detect.KindStrange)), settled, Unsure, ""},
		{"unknown: such a one, and no request", idem, with(sight(false, rec(1, detect.KindStrange)), func(s *Sight) { s.Grew = true }), settled, Unsure, ""},
		{"no effect: only the claimed row again", plain, sight(false, rec(1, detect.KindOpen, func(e *detect.Event) { e.ID = "k" })), settled, NoEffect, "output"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, done := Judge(c.claim, c.sight, c.run == alive, c.run == settled)
			if done != (c.want != "") || o.Verdict != c.want {
				t.Fatalf("got %+v", o)
			}
			if !strings.HasPrefix(o.Proof, c.proof) || (o.Proof != "") != (c.want == NoEffect) {
				t.Errorf("proof %q", o.Proof)
			}
			if o.Refused != strings.Contains(c.proof, "refused") {
				t.Errorf("got %+v", o)
			}
			if done && o.Why == "" {
				t.Error("it does not say why")
			}
		})
	}
}

// TestJudgeNamesTheOutput: where clawd does not know why a run did nothing, its user is told where the run's words are.
func TestJudgeNamesTheOutput(t *testing.T) {
	handed := claim(FormFresh)
	handed.Plan.Agent = "other"
	network := &detect.Stop{State: detect.Stopped, Reason: detect.Network}
	for _, c := range []struct {
		name   string
		claim  Claim
		out    Output
		events []detect.Event
		unsaid bool
		named  bool
	}{
		{"it ended at once", claim(FormPrompt), Output{Any: true}, nil, true, true},
		{"it printed nothing", claim(FormPrompt), Output{}, nil, true, false},
		{"it says why", claim(FormPrompt), Output{Any: true, Why: network}, nil, false, false},
		{"it had no prompt in time", claim(FormPrompt), Output{Any: true, NoInput: true}, nil, false, false},
		{"it refuses the session", claim(FormPrompt), Output{Any: true, Refused: true}, nil, false, false},
		{"it had nothing to do", claim(FormIdempotent), Output{Any: true, Idle: "the turn had ended"}, nil, false, false},
		{"another agent ended at once", handed, Output{Any: true}, nil, false, false},
		{"it opened the session", claim(FormPrompt), Output{Any: true, Began: true}, nil, false, true},
		{"it gave its prompt", claim(FormPrompt), Output{Any: true, Began: true}, []detect.Event{ours(1)}, false, true},
	} {
		s := sight(false)
		s.Output, s.Events, c.claim.Output = c.out, c.events, "/runs/1.out"
		o, _ := Judge(c.claim, s, false, true)
		if o.Unsaid != c.unsaid || strings.HasSuffix(o.Why, "; what it printed is in /runs/1.out") != c.named {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

// TestJudgeHearsWhyNothingWasAsked: a run that says why it asked nothing is tried again where time heals that.
func TestJudgeHearsWhyNothingWasAsked(t *testing.T) {
	handed := claim(FormFresh)
	handed.Plan.Agent = "other"
	for _, c := range []struct {
		name   string
		claim  Claim
		reason detect.Reason
		with   func(*Sight)
		want   Verdict
		stop   bool // the session has that stop now
		told   bool
	}{
		{"not logged in", claim(FormPrompt), detect.Auth, func(*Sight) {}, NoEffect, true, true},
		{"no credit", claim(FormFresh), detect.Billing, func(*Sight) {}, NoEffect, true, true},
		{"no such model", claim(FormIdempotent), detect.InvalidRequest, func(*Sight) {}, NoEffect, true, true},
		{"no network", claim(FormPrompt), detect.Network, func(*Sight) {}, NoEffect, false, true},
		{"another agent is not logged in", handed, detect.Auth, func(*Sight) {}, NoEffect, false, true},
		{"the session is refused", claim(FormPrompt), detect.Auth, func(s *Sight) { s.Output.Refused = true }, NoEffect, false, false},
		{"it had begun", claim(FormPrompt), detect.Auth, func(s *Sight) { s.Output.Began = true }, Unsure, false, false},
		{"its output is gone", claim(FormPrompt), detect.Auth, func(s *Sight) { s.NoOutput = true }, Unsure, false, false},
	} {
		s := sight(false)
		s.Output.Why = &detect.Stop{State: detect.Stopped, Reason: c.reason, At: noon.Add(time.Hour)}
		c.with(&s)
		o, done := Judge(c.claim, s, false, true)
		if !done || o.Verdict != c.want || (o.Stop != nil) != c.stop || strings.HasSuffix(o.Why, ": "+string(c.reason)) != c.told {
			t.Errorf("%s: %+v", c.name, o)
		}
		if o.Stop != nil && (o.Stop.Key != c.claim.Stop.Key || o.Stop.Reason != c.reason) {
			t.Errorf("%s: %+v", c.name, o.Stop)
		}
	}
}

func TestJudgeNamesTheNewStop(t *testing.T) {
	again, _ := Judge(claim(FormPrompt), sight(true, ours(1), failure(2, detect.RateLimit), failure(3, detect.Overloaded)), false, false)
	if s := again.Stop; s == nil || s.Key != "e3" || s.Reason != detect.Overloaded || !s.At.Equal(noon.Add(3*time.Second)) {
		t.Errorf("stopped again: %+v", again.Stop)
	}
	cut, _ := Judge(claim(FormPrompt), sight(true, ours(1)), false, true)
	if s := cut.Stop; s == nil || s.Key != "cut:e1" || s.Reason != detect.Crashed || s.State != detect.Stopped {
		t.Errorf("cut: %+v", cut.Stop)
	}
	// The window was too small for the run, not for the session: the old reason goes on, under the
	// key at which the files stand now, and without the wait that is over.
	c := claim(FormPrompt)
	retryAfter(time.Minute)(&c.Stop)
	reset(time.Hour, true)(&c.Stop)
	long, _ := Judge(c, sight(true, ours(1), failure(2, detect.ContextFull)), false, false)
	if s := long.Stop; s == nil || s.Key != "e2" || s.Reason != detect.UsageLimit || s.RetryAfter != nil || !s.ResetAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("too long: %+v", long.Stop)
	}
	c.Stop.Reason = detect.ContextFull
	if o, _ := Judge(c, sight(true, ours(1), failure(2, detect.ContextFull)), false, false); o.Verdict != StoppedAgain {
		t.Errorf("full before and after: %+v", o)
	}
}

// What a hook made of our prompt is the attempt's own in the next look, too.
func TestJudgeNamesAChangedPrompt(t *testing.T) {
	s := sight(true, theirs(1), answer(2))
	s.Output.Messages = []string{"e1"}
	if o, _ := Judge(claim(FormPrompt), s, true, false); o.Prompt != theirs(1).Hash {
		t.Errorf("%+v", o)
	}
	if o, _ := Judge(claim(FormPrompt), sight(true, ours(1), answer(2)), true, false); o.Prompt != "" {
		t.Errorf("as it was given: %+v", o)
	}
}

func TestForeign(t *testing.T) {
	held := sight(true, ours(1))
	held.Holder = "process 7"
	changed, goesOn := sight(true, theirs(1)), sight(true, ours(1), answer(2), theirs(3))
	changed.Output.Messages, goesOn.Output.Messages = []string{"e1"}, []string{"e1", "e2", "e3"}
	for _, c := range []struct {
		sight Sight
		want  string
	}{
		{sight(true, ours(1), answer(2)), ""},
		{sight(true, meta(1)), ""},
		{sight(true, ours(1), theirs(2)), "a prompt that is not clawd's"},
		{sight(true, theirs(1)), "a prompt that is not clawd's"},
		{sight(false, theirs(1)), ""}, // it may be ours, changed by a hook, until the run says that it began
		{changed, ""},
		{goesOn, ""},
		{held, "process 7"},
	} {
		if got := Foreign(claim(FormPrompt), c.sight); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	typed := claim(FormPrompt)
	typed.Plan.Way = Tmux
	if got := Foreign(typed, sight(false, theirs(1))); got == "" { // there is no run that could say that it began
		t.Error("a prompt in the window that clawd is about to type into is nobody's")
	}
}
