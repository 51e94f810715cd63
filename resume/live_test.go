package resume

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

func typed(id string) detect.Event {
	return detect.Event{Kind: detect.KindPrompt, ID: id, Hash: detect.HashText("continue")}
}

func liveClaim(way Way) Claim {
	return Claim{Stop: detect.Stop{Key: "stop"}, At: noon, Plan: Plan{Way: way, Form: FormPrompt, Prompt: detect.HashText("continue")}}
}

// What became of keys or a request in a session that somebody has open, as soon as that can be told.
func TestJudgeLive(t *testing.T) {
	const alive, gone, settled = "alive", "gone", "settled"
	answer := detect.Event{Kind: detect.KindAnswer, ID: "a", Done: true}
	limited := detect.Event{Kind: detect.KindFailure, ID: "f", Failure: &detect.Failure{Reason: detect.RateLimit}}
	full := detect.Event{Kind: detect.KindFailure, ID: "f", Failure: &detect.Failure{Reason: detect.ContextFull}}
	for _, c := range []struct {
		name     string
		holder   string
		see      []detect.Event
		execFail string
		unmarked bool
		want     Verdict // empty: too early to say
	}{
		{name: "it answered", holder: alive, see: []detect.Event{typed("p"), answer}, want: Resumed},
		{name: "it answered, and ended", holder: gone, see: []detect.Event{typed("p"), answer}, want: Resumed},
		{name: "limited again", holder: alive, see: []detect.Event{typed("p"), limited}, want: StoppedAgain},
		{name: "too long: its window is the session's own", holder: alive, see: []detect.Event{typed("p"), full}, want: StoppedAgain},
		{name: "its user stopped our turn", holder: alive, see: []detect.Event{typed("p"), {Kind: detect.KindInterrupt, ID: "i"}}, want: ByHand},
		{name: "somebody else typed", holder: alive, see: []detect.Event{{Kind: detect.KindPrompt, ID: "p", Hash: "other"}}, want: ByHand},
		{name: "somebody else had an answer", holder: alive, see: []detect.Event{answer}, want: ByHand},
		{name: "the program that hands it over cannot be started", holder: alive, execFail: "ENOENT", want: NoEffect},
		{name: "nothing yet", holder: alive},
		{name: "our prompt stands", holder: alive, see: []detect.Event{typed("p")}},
		{name: "the process has just ended", holder: gone},
		{name: "it has just ended over our prompt", holder: gone, see: []detect.Event{typed("p")}},
		{name: "the process ended over our prompt", holder: settled, see: []detect.Event{typed("p")}, want: Cut},
		{name: "the process ended", holder: settled, want: Unsure},
		{name: "the process ended before anything was typed", holder: settled, unmarked: true, want: NoEffect},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Sight{Events: c.see, SameBoot: true, Marked: !c.unmarked, ExecFail: c.execFail}
			out, done := JudgeLive(liveClaim(Tmux), s, c.holder == alive, c.holder == settled)
			if done != (c.want != "") || out.Verdict != c.want {
				t.Fatalf("%+v, %v; want %q", out, done, c.want)
			}
			if (out.Verdict == NoEffect) != (out.Proof != "") || done && out.Why == "" {
				t.Errorf("proof %q, why %q", out.Proof, out.Why)
			}
			if (c.want == Cut || c.want == StoppedAgain) && (out.Stop == nil || out.Stop.Key == "stop") {
				t.Errorf("the new stop is %+v", out.Stop)
			}
		})
	}
}

// A prompt that lies in an agent's queue runs after whatever somebody else does meanwhile: that is no verdict on it.
func TestJudgeQueued(t *testing.T) {
	other := detect.Event{Kind: detect.KindPrompt, ID: "o", Hash: "other"}
	answer := detect.Event{Kind: detect.KindAnswer, ID: "a", Done: true}
	limited := detect.Event{Kind: detect.KindFailure, ID: "f", Failure: &detect.Failure{Reason: detect.RateLimit}}
	for _, see := range [][]detect.Event{nil, {other}, {other, answer}, {other, limited}, {answer}, {limited}} {
		s := Sight{Events: see, SameBoot: true, Marked: true}
		if out, done := JudgeLive(liveClaim(Queue), s, true, false); done {
			t.Errorf("%v: %+v", see, out)
		}
		if out, done := JudgeLive(liveClaim(Queue), s, false, true); !done || out.Verdict != Unsure {
			t.Errorf("%v, and its owner has ended: %+v, %t", see, out, done)
		}
		s.Events = append(slices.Clone(see), typed("p"), answer)
		if out, done := JudgeLive(liveClaim(Queue), s, true, false); !done || out.Verdict == Unsure {
			t.Errorf("%v, and then it ran: %+v, %t", see, out, done)
		}
	}
}

// "Nothing" is a verdict only with a proof, or after a restart that came before the mark.
func TestSilent(t *testing.T) {
	for _, c := range []struct {
		name      string
		way       Way
		untouched string
		restarted bool
		unmarked  bool
		otherBoot bool
		want      Verdict
		proof     string
		why       string
	}{
		{name: "keys without a trace", way: Tmux, want: Unsure, why: "clawd typed its prompt"},
		{name: "keys without a trace, in a wrapped terminal", way: PTY, want: Unsure, why: "clawd typed its prompt"},
		{name: "keys that never arrived", way: Tmux, untouched: "Enter was never pressed", want: NoEffect, proof: "Enter was never pressed", why: "did not reach"},
		{name: "a request without a trace", way: HTTP, want: Unsure, why: "clawd sent its prompt"},
		{name: "it lies in the queue", way: Queue, want: Unsure, why: "may still lie in the agent's queue"},
		{name: "restarted before the mark", way: Tmux, restarted: true, unmarked: true, want: NoEffect, proof: "no mark", why: "nothing was typed"},
		{name: "restarted after the mark", way: Tmux, restarted: true, want: Unsure, why: "look into the input box"},
		{name: "restarted after the mark, by a request", way: HTTP, restarted: true, want: Unsure, why: "clawd ended while it sent"},
		{name: "restarted on another boot: the mark may be lost", way: Tmux, restarted: true, unmarked: true, otherBoot: true, want: Unsure, why: "input box"},
		{name: "no mark, and no restart", way: Tmux, unmarked: true, want: Unsure, why: "clawd typed"},
	} {
		out := Silent(liveClaim(c.way), Sight{SameBoot: !c.otherBoot, Marked: !c.unmarked}, c.untouched, c.restarted)
		if out.Verdict != c.want || out.Proof != c.proof || !strings.Contains(out.Why, c.why) {
			t.Errorf("%s: %+v; want %s, proof %q, because %q", c.name, out, c.want, c.proof, c.why)
		}
	}
}

// A record that nobody knows may be the prompt, however empty the input box is.
func TestSilentBesideAStrangeRecord(t *testing.T) {
	s := Sight{SameBoot: true, Marked: true, Events: []detect.Event{rec(1, detect.KindStrange)}}
	if out := Silent(liveClaim(Tmux), s, "its input box is empty", false); out.Verdict != Unsure {
		t.Errorf("%+v", out)
	}
}

func TestProof(t *testing.T) {
	for way, want := range map[Way]time.Duration{Tmux: 10 * time.Second, PTY: 10 * time.Second, HTTP: time.Minute, Queue: 10 * time.Minute} {
		if got := way.Proof(); got != want || !way.Live() {
			t.Errorf("%s: %v, want %v", way, got, want)
		}
	}
	if Exec.Live() {
		t.Error("a process of ours is no live way")
	}
}

func TestPrompted(t *testing.T) {
	c := liveClaim(Tmux)
	for name, k := range map[string]struct {
		see  []detect.Event
		want bool
	}{
		"nothing":          {nil, false},
		"ours":             {[]detect.Event{typed("p")}, true},
		"theirs":           {[]detect.Event{{Kind: detect.KindPrompt, ID: "p", Hash: "other"}}, false},
		"theirs, and ours": {[]detect.Event{{Kind: detect.KindPrompt, ID: "p", Hash: "other"}, typed("q")}, true},
		"an answer alone":  {[]detect.Event{{Kind: detect.KindAnswer, ID: "a"}}, false},
	} {
		if got := Prompted(c, Sight{Events: k.see}); got != k.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The agent was to go on by itself: the grace is waited after that.
func TestGrace(t *testing.T) {
	p := Policy{Grace: 2 * time.Minute, Reasons: DefaultReasons()}
	s := detect.Stop{State: detect.Retrying, Reason: detect.UsageLimit, Key: "k", At: noon, SelfResumeAt: noon.Add(time.Hour), ResetAt: noon.Add(time.Hour)}
	if d := decide(p, s, Tried{}, noon); d.Strategy != SameSession || !d.WakeAt.Equal(s.SelfResumeAt) || d.Grace != p.Grace {
		t.Errorf("%+v", d)
	}
	s.Reason = detect.Interrupted
	if d := decide(p, s, Tried{}, noon); d.Strategy != Leave {
		t.Errorf("its user dropped it: %+v", d)
	}
}

func TestKinds(t *testing.T) {
	if (Same{}).Kind() != SameSession || (Fresh{}).Kind() != FreshSession || (Left{}).Kind() != Leave {
		t.Error("kinds are mixed up")
	}
}
