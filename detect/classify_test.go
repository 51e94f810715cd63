package detect

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var (
	began = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	later = began.Add(time.Hour)
)

// ev is the nth record of a session: an id, a place and a time of its own.
func ev(n int, k Kind, change ...func(*Event)) Event {
	e := Event{Kind: k, ID: fmt.Sprintf("r%d", n), At: began.Add(time.Duration(n) * time.Second), Offset: int64(n * 100)}
	for _, c := range change {
		c(&e)
	}
	return e
}

func done(e *Event)  { e.Done = true }
func tool(e *Event)  { e.ToolCall = true }
func armed(e *Event) { e.Next = later }

func failed(r Reason) func(*Event) {
	return func(e *Event) { e.Failure = &Failure{Reason: r, Status: 429, Source: "transcript", Field: "error"} }
}

func holder(l Liveness, status string) Event {
	return Event{Kind: KindHolder, Holder: &Holder{Liveness: l, Status: Activity(status), Sure: true, Why: "seen"}}
}

func TestClassifier(t *testing.T) {
	unsure := holder(Alive, "idle")
	unsure.Holder.Sure = false
	p, a := ev(1, KindPrompt), ev(2, KindAnswer, tool)
	type verdict struct {
		State   State
		CouldBe []State
		Reason  Reason
		Key     string
		Self    time.Time
	}
	all := []State{Running, Retrying, Asking, Stopped}
	limit := ev(3, KindFailure, failed(UsageLimit))
	resets := func(at time.Time) Event {
		return ev(3, KindFailure, failed(UsageLimit), func(e *Event) { e.Failure.ResetAt = at })
	}
	for _, c := range []struct {
		name   string
		events []Event
		want   verdict
	}{
		{"nothing", nil, verdict{State: Running}},
		{"a holder alone", []Event{holder(LeftBehind, "")}, verdict{State: Running}},
		{"a prompt", []Event{p}, verdict{Running, all, "", "r1", time.Time{}}},
		{"an answer that goes on", []Event{p, a}, verdict{Running, all, "", "r2", time.Time{}}},
		{"a tool result", []Event{p, a, ev(3, KindToolResult)}, verdict{Running, all, "", "r3", time.Time{}}},
		{"an open request", []Event{p, ev(2, KindOpen)}, verdict{Running, all, "", "r2", time.Time{}}},
		{"a good end", []Event{p, ev(2, KindAnswer, done)}, verdict{State: Stopped, Reason: Completed, Key: "r2"}},
		{"a good end and a crash", []Event{p, ev(2, KindAnswer, done), holder(LeftBehind, "")}, verdict{State: Stopped, Reason: Completed, Key: "r2"}},
		{"interrupted", []Event{p, ev(2, KindInterrupt)}, verdict{State: Stopped, Reason: Interrupted, Key: "r2"}},
		{"denied", []Event{p, ev(2, KindDenied)}, verdict{State: Stopped, Reason: Completed, Key: "r2"}},
		{"failed", []Event{p, limit}, verdict{State: Stopped, Reason: UsageLimit, Key: "r3"}},
		{"failed, holder alive", []Event{p, limit, holder(Alive, "idle")}, verdict{State: Stopped, Reason: UsageLimit, Key: "r3"}},
		{"failed without saying which", []Event{p, ev(2, KindFailure)}, verdict{State: Stopped, Reason: Unknown, Key: "r2"}},
		{"went on after a failure", []Event{p, limit, ev(4, KindPrompt)}, verdict{Running, all, "", "r4", time.Time{}}},
		{"a line for the next prompt", []Event{p, limit, ev(4, KindAside)}, verdict{State: Stopped, Reason: UsageLimit, Key: "r3"}},
		{"busy", []Event{p, holder(Alive, "busy")}, verdict{Running, []State{Running, Retrying}, "", "r1", time.Time{}}},
		{"busy in a tool call", []Event{p, a, holder(Alive, "busy")}, verdict{State: Running, Key: "r2"}},
		{"asks", []Event{p, a, holder(Alive, "asking")}, verdict{State: Asking, Key: "r2"}},
		{"retries", []Event{p, ev(2, KindRetry, armed), holder(Alive, "busy")}, verdict{State: Retrying, Key: "r1", Self: later}},
		{"asks while it retries", []Event{p, ev(2, KindRetry, armed), holder(Alive, "asking")}, verdict{State: Asking, Key: "r1"}},
		{"retried, then answered", []Event{p, ev(2, KindRetry), ev(3, KindAnswer), holder(Alive, "busy")}, verdict{Running, []State{Running, Retrying}, "", "r3", time.Time{}}},
		{"retries, holder not known", []Event{p, ev(2, KindRetry)}, verdict{Running, all, "", "r1", time.Time{}}},
		{"retried, and died", []Event{p, ev(2, KindRetry), holder(LeftBehind, "")}, verdict{State: Stopped, Reason: Crashed, Key: "cut:r1"}},
		{"idle in mid turn", []Event{p, holder(Alive, "idle")}, verdict{State: Stopped, Reason: Interrupted, Key: "r1"}},
		{"idle, perhaps another session", []Event{p, unsure}, verdict{State: Running, Key: "r1"}},
		{"alive in a tool call", []Event{p, a, holder(Alive, "")}, verdict{Running, []State{Running, Asking}, "", "r2", time.Time{}}},
		{"alive", []Event{p, holder(Alive, "")}, verdict{Running, []State{Running, Retrying}, "", "r1", time.Time{}}},
		{"crashed", []Event{p, a, holder(LeftBehind, "")}, verdict{State: Stopped, Reason: Crashed, Key: "cut:r2"}},
		{"gone in mid turn", []Event{p, holder(Gone, "")}, verdict{State: Stopped, Reason: Interrupted, Key: "cut:r1"}},
		{"not to be seen", []Event{p, holder(HolderUnknown, "")}, verdict{Running, all, "", "r1", time.Time{}}},
		{"holder came back", []Event{p, holder(LeftBehind, ""), holder(Alive, "busy")}, verdict{Running, []State{Running, Retrying}, "", "r1", time.Time{}}},
		{"nobody knows what stands behind it", []Event{p, limit, ev(4, KindStrange)}, verdict{State: Stopped, Reason: Unknown, Key: "r3"}},
		{"nor behind its own continue", []Event{p, limit, ev(4, KindStrange), ev(5, KindSelfResume, armed), holder(Alive, "")}, verdict{State: Stopped, Reason: Unknown, Key: "r3"}},
		{"nobody knows what stands before it", []Event{p, ev(2, KindStrange), limit}, verdict{State: Stopped, Reason: UsageLimit, Key: "r3"}},
		{"it was read again", []Event{p, limit, ev(2, KindStrange)}, verdict{State: Stopped, Reason: UsageLimit, Key: "r3"}},
		{"nobody knows what stands behind the end", []Event{p, ev(3, KindAnswer, done), ev(4, KindStrange)}, verdict{State: Stopped, Reason: Completed, Key: "r3"}},
		{"armed its own continue", []Event{p, limit, ev(4, KindSelfResume, armed), holder(Alive, "")}, verdict{Retrying, nil, UsageLimit, "r3", later}},
		{"armed, for the minute of its reset", []Event{p, resets(later.Add(59 * time.Second)), ev(4, KindSelfResume, armed)}, verdict{Retrying, nil, UsageLimit, "r3", later.Add(59 * time.Second)}},
		{"armed, and its reset is another", []Event{p, resets(later.Add(time.Minute)), ev(4, KindSelfResume, armed)}, verdict{Retrying, nil, UsageLimit, "r3", later}},
		{"armed, holder not known", []Event{p, limit, ev(4, KindSelfResume, armed)}, verdict{Retrying, nil, UsageLimit, "r3", later}},
		{"armed, holder gone", []Event{p, limit, ev(4, KindSelfResume, armed), holder(Gone, "")}, verdict{State: Stopped, Reason: UsageLimit, Key: "r3"}},
		{"armed, holder crashed", []Event{p, limit, ev(4, KindSelfResume, armed), holder(LeftBehind, "")}, verdict{State: Stopped, Reason: UsageLimit, Key: "r3"}},
		{"the user dropped it", []Event{p, limit, ev(4, KindSelfResume, armed), ev(5, KindSelfResume, done)}, verdict{State: Stopped, Reason: Interrupted, Key: "r3"}},
		{"the agent dropped it", []Event{p, limit, ev(4, KindSelfResume, armed), ev(5, KindSelfResume)}, verdict{State: Stopped, Reason: UsageLimit, Key: "r3"}},
		{"armed for an earlier failure", []Event{p, limit, ev(4, KindSelfResume, armed), ev(5, KindFailure, failed(RateLimit))}, verdict{State: Stopped, Reason: RateLimit, Key: "r5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var cl Classifier
			for _, e := range c.events {
				cl.Feed(e)
			}
			s := cl.Stop()
			got := verdict{s.State, s.CouldBe, s.Reason, s.Key, s.SelfResumeAt}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClassifierTakesOverTheFailure(t *testing.T) {
	wait := 7 * time.Second
	f := &Failure{Reason: UsageLimit, Window: Weekly, Status: 429, RetryAfter: &wait, ResetAt: later, ResetMinute: true,
		Source: "database", Field: "data.error", Notes: []string{"clamped"}, Text: "kept"}
	e := ev(3, KindFailure, func(e *Event) { e.Failure = f })
	var cl Classifier
	cl.Feed(e)
	want := Stop{State: Stopped, Reason: UsageLimit, Window: Weekly, Key: "r3", At: e.At, Status: 429, RetryAfter: &wait, ResetAt: later,
		ResetMinute: true, Evidence: Evidence{Source: "database", Offset: 300, Field: "data.error"}, Notes: []string{"clamped"}, Text: "kept"}
	if diff := cmp.Diff(want, cl.Stop()); diff != "" {
		t.Error(diff)
	}
	if !cl.Stop().IsStop() || (Stop{State: Stopped, Reason: Completed}).IsStop() || (Stop{State: Retrying, Reason: UsageLimit}).IsStop() {
		t.Error("IsStop is wrong")
	}
}

func TestClassifierRemembersTimes(t *testing.T) {
	var cl Classifier
	for _, e := range []Event{ev(1, KindPrompt), ev(2, KindAnswer), ev(3, KindAnswer, done), ev(4, KindPrompt), ev(5, KindFailure, failed(RateLimit))} {
		cl.Feed(e)
	}
	if !cl.Answered.Equal(began.Add(3*time.Second)) || !cl.Ended.Equal(began.Add(3*time.Second)) || cl.LastPrompt.ID != "r4" {
		t.Errorf("answered %s, ended %s, last prompt %s", cl.Answered, cl.Ended, cl.LastPrompt.ID)
	}
}

// A crash between reading and storing makes records come again: the tail, or one of them twice.
func TestClassifierReadAgain(t *testing.T) {
	kinds := []Kind{KindPrompt, KindAnswer, KindToolResult, KindOpen, KindFailure, KindInterrupt, KindDenied,
		KindAside, KindRetry, KindRetry, KindRetry, KindSelfResume, KindSelfResume, KindSelfResume, KindStrange, KindStrange} // what a later record ends
	rapid.Check(t, func(t *rapid.T) {
		placed := rapid.Bool().Draw(t, "placed") // a database tells no place for some records
		var events []Event
		for n := range rapid.IntRange(1, 12).Draw(t, "events") {
			e := ev(n+1, rapid.SampledFrom(kinds).Draw(t, "kind"))
			e.Done, e.ToolCall = rapid.Bool().Draw(t, "done"), rapid.Bool().Draw(t, "tool")
			if e.Kind == KindFailure {
				failed(rapid.SampledFrom(Reasons).Draw(t, "reason"))(&e)
			}
			if rapid.Bool().Draw(t, "armed") {
				e.Next = later
			}
			if !placed {
				e.Offset = 0
			}
			events = append(events, e)
		}
		h := holder(rapid.SampledFrom([]Liveness{Alive, Gone, LeftBehind, HolderUnknown}).Draw(t, "holder"),
			rapid.SampledFrom([]string{"", "busy", "idle", "asking"}).Draw(t, "status"))
		var once, again Classifier
		for i, e := range events {
			once.Feed(e)
			again.Feed(e)
			if i == len(events)-1 || rapid.Bool().Draw(t, "twice") {
				again.Feed(e)
			}
		}
		for _, e := range events[len(events)-rapid.IntRange(1, len(events)).Draw(t, "last"):] {
			again.Feed(e)
		}
		once.Feed(h)
		again.Feed(h)
		if diff := cmp.Diff(once, again); diff != "" {
			t.Fatalf("read again:\n%s", diff)
		}
		if diff := cmp.Diff(once.Stop(), again.Stop()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestInfoMerge(t *testing.T) {
	i := Info{Dir: "/a", FirstPrompt: "1", Created: began, Interactive: true, Archived: true, Tokens: 5}
	i.Merge(Info{Version: "2", FirstPrompt: "2", Created: later, Model: "m", Mode: "plan", Parent: "p", Provider: "x"})
	want := Info{Dir: "/a", Version: "2", Model: "m", Mode: "plan", Parent: "p", Provider: "x", FirstPrompt: "1", Created: began, Archived: true, Tokens: 5}
	if diff := cmp.Diff(want, i); diff != "" {
		t.Error(diff)
	}
	i.Merge(Info{Interactive: true}) // told by an agent that records no version
	if !i.Interactive {
		t.Error("a terminal was told of, and lost")
	}
	i.Merge(Info{}) // no message line among them: nothing was told
	if !i.Interactive {
		t.Error("headless without a message line")
	}
}

func TestHashText(t *testing.T) {
	if HashText("continue") != HashText(" \"continue\"\n") || HashText("a b") == HashText("a c") || len(HashText("x")) != 16 {
		t.Error("blanks and quotes count, or words do not")
	}
}

// An agent is still called idle for a moment after it was asked, and a headless one may be for all
// of its life.
func TestIdleInMidTurn(t *testing.T) {
	at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		name string
		kind HolderKind
		seen time.Time
		want State
	}{
		{"at once", Interactive, at.Add(time.Second), Running},
		{"later", Interactive, at.Add(time.Minute), Stopped},
		{"headless", Headless, at.Add(time.Minute), Running},
	} {
		var c Classifier
		c.Feed(Event{Kind: KindPrompt, ID: "1", At: at})
		c.Feed(Event{Kind: KindHolder, At: x.seen, Holder: &Holder{Liveness: Alive, Kind: x.kind, Status: "idle", Sure: true}})
		if got := c.Stop(); got.State != x.want {
			t.Errorf("%s: %s, want %s", x.name, got.State, x.want)
		}
	}
}
