//go:build linux

package e2e

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// everyday cases run every day with the newest version of each agent; with CLAWD_E2E=all the others do, too.
var cases = []struct {
	name     string
	everyday bool
	run      func(*testing.T, agentCase)
}{
	{"01RateLimit", true, rateLimitCase},
	{"02UsageLimit", true, usageLimitCase},
	{"03Overloaded", false, overloadedCase},
	{"04StillLimited", false, stillLimitedCase},
	{"05RefusedThenFresh", false, refusedCase},
	{"06Left", true, leftCase},
	{"07KilledWhileWaiting", true, killedCase},
	{"08TermWhileWaiting", false, termCase},
	{"09ByHandBefore", false, byHandBeforeCase},
	{"09ByHandDuring", false, byHandDuringCase},
	{"10Twenty", false, twentyCase},
	{"11LoopBeside", false, loopCase},
	{"12LoginAndKey", false, loginAndKeyCase},
	{"13HistoryIsKept", false, keptCase},
	{"14FirstTurn", false, firstTurnCase},
	{"15Forgotten", false, forgottenCase},
}

func TestClaude332(t *testing.T) { runCases(t, claude332) }
func TestClaude330(t *testing.T) { runCases(t, claude330) }
func TestClaude329(t *testing.T) { runCases(t, claude329) }
func TestClaude197(t *testing.T) { runCases(t, claude197) }
func TestOpencode(t *testing.T)  { runCases(t, opencode) }
func TestOpencode3(t *testing.T) { runCases(t, opencode3) }
func TestCodex171(t *testing.T)  { runCases(t, codex171) }
func TestCodex169(t *testing.T)  { runCases(t, codex169) }
func TestCodex120(t *testing.T)  { runCases(t, codex120) }
func TestCopilot(t *testing.T)   { runCases(t, copilot) }
func TestCopilot65(t *testing.T) { runCases(t, copilot65) }
func TestGemini061(t *testing.T) { runCases(t, gemini061) }
func TestGemini028(t *testing.T) { runCases(t, gemini028) }
func TestPi160(t *testing.T)     { runCases(t, pi160) }
func TestPi152(t *testing.T)     { runCases(t, pi152) }
func TestPi80(t *testing.T)      { runCases(t, pi80) }
func TestPi73(t *testing.T)      { runCases(t, pi73) }
func TestQwen024(t *testing.T)   { runCases(t, qwen024) }
func TestQwen015(t *testing.T)   { runCases(t, qwen015) }

func runCases(t *testing.T, a agentCase) {
	t.Parallel()
	for _, c := range cases {
		if a.unfit(c.name) != "" || a.older() && !c.everyday {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if !c.everyday {
				onlyInAll(t)
			}
			t.Parallel()
			c.run(t, a)
		})
	}
}

// stops is how many requests a turn that fails has: opencode and Copilot ask five times more by themselves, pi three times (each of them thrice in 0.73),
// qwen-code six times, and a turn of Gemini's fails behind a tool, for the agent cannot resume a session without a turn: 0.28 asks twice more
// after some failures, of which failing says what it was.
func (w *world) stops() int {
	switch {
	case w.agent == opencode3:
		return 1
	case w.agent.isOpencode(), w.agent.isCopilot():
		return 6
	case w.agent.isGemini():
		return 2 + w.again
	case w.agent == pi73:
		return 12
	case w.agent.isPi():
		return 4
	case w.agent.isQwen():
		return 7
	}
	return 1
}

// failing makes the answers that end one turn with last; the agent's own retries come fast.
func (w *world) failing(last provider.Answer) []provider.Answer {
	if w.agent.isGemini() {
		answers := []provider.Answer{provider.ToolCall("read_file", map[string]any{"file_path": "README.md"})}
		w.again = 0
		if w.agent == gemini028 && (last.Message == provider.RateLimit().Message || last.Status >= 500) { // no setting bounds its tries
			w.again = 2
			answers = append(answers, last.After(1), last.After(1))
		}
		return append(answers, last)
	}
	if w.agent.isCopilot() {
		return copilotFailing(last)
	}
	if last.Status < 500 && last.Status != 429 || w.agent.isPi() && last.Type == zaiUsedUp {
		return []provider.Answer{last} // the others ask again only for these
	}
	var answers []provider.Answer
	again := last.AfterMS(50)
	if w.agent.isQwen() { // it reads seconds alone, and 0 is none
		again = last.After(1)
	}
	for range w.stops() - 1 {
		answers = append(answers, again)
	}
	return append(answers, last)
}

// retryAfter is what opencode records in these cases; the others record none.
const retryAfter = 8

func (w *world) rateLimit() provider.Answer { return w.rateLimitFor(retryAfter) }

// wantMain checks the number of requests of turns.
func (w *world) wantMain(want int) {
	w.t.Helper()
	if got := w.settledMain(); got != want {
		w.t.Errorf("the provider saw %d requests of turns, want %d", got, want)
	}
}

func rateLimitCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c := w.startClawd(settings{})
	id := w.stopped(w.rateLimit())
	stop := c.wait("session_stopped", "session", id, "reason", "rate_limit")
	plan := c.wait("resume_scheduled", "session", id, "strategy", "same_session")
	c.wait("resume_started", "session", id, "message", "Resuming session after rate limit")
	c.resumedOnce(id)

	fired := w.provider.Main()[w.stops()].At
	waited := fired.Sub(stop.time("at"))
	want, most := 2*time.Second, agentTime // base, and the start of the agent on a busy machine
	if !a.isOpencode() {
		if !strings.Contains(plan.text("why"), "Retry-After") {
			t.Errorf("why = %q, want it to say that the agent records no Retry-After", plan.text("why"))
		}
	} else {
		want = retryAfter * time.Second
		if s := plan.time("wake_at").Sub(stop.time("at")); s != want {
			t.Errorf("the wait is over %s after the stop, want %s exactly", s, want)
		}
	}
	if waited < want || waited > want+most {
		t.Errorf("the request came %s after the stop, want %s and the agent's start", waited, want)
	}
	c.quiet(4 * time.Second)
	w.wantMain(w.stops() + 1)
	if got := w.only(); got != id {
		t.Errorf("session %s, want %s", got, id)
	}
}

// planLimit puts a world on a plan with a window that is used up from the first request on, for the
// time given. The provider answers well from the reset on. A version that writes only the minute
// gets a reset early in its minute if early is set. The function returned tells the reset.
func (w *world) planLimit(in time.Duration, early bool) (reset func() time.Time) {
	if w.agent.isClaude() {
		w.useLogin()
	}
	w.anthro = w.agent.isOpencode()
	asked := 0
	var at atomic.Pointer[time.Time]
	w.provider.SetRule(func(r provider.Request) *provider.Answer {
		if asked == 0 {
			t := r.At.Add(in).Truncate(time.Second)
			if late := t.Second(); early && w.agent.byText() && late > 25 {
				t = t.Add(time.Duration(65-late) * time.Second)
			}
			at.Store(&t)
		}
		if !r.At.Before(*at.Load()) {
			return nil
		}
		a := provider.UsageLimitUntil(provider.FiveHour, *at.Load())
		if asked++; asked%w.stops() != 0 {
			a = a.AfterMS(50)
		}
		return &a
	})
	return func() time.Time {
		w.waitMain(1)
		return *at.Load()
	}
}

func usageLimitCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	if a.isGemini() {
		w.dailyLimit()
		return
	}
	ahead := w.planLimit(15*time.Second+time.Duration(w.stops())*time.Second, false) // its own tries all come before the reset
	c := w.startClawd(settings{})
	if r := w.prompt("say done"); r.code() != 1 {
		t.Fatalf("exit code %d, want 1\n%s", r.code(), r.output())
	}
	reset := ahead()
	id := w.only()
	stop := c.wait("session_stopped", "session", id, "reason", "usage_limit", "window", "five_hour")
	want, wake := reset, reset.Add(time.Second)
	if a.byText() {
		want = reset.Truncate(time.Minute)
		wake = want.Add(time.Minute)
	}
	if got := stop.time("reset_at"); !got.Equal(want) {
		t.Errorf("reset_at = %s, want %s", got, want)
	}
	plan := c.wait("resume_scheduled", "session", id)
	if got := plan.time("wake_at"); got.Before(wake) || got.After(wake.Add(2*time.Second)) {
		t.Errorf("wake_at = %s, want %s", got, wake)
	}
	c.resumedOnce(id)
	c.quiet(4 * time.Second)
	w.wantMain(w.stops() + 1)
}

// dailyLimit: Gemini drops the reset of its daily quota, so clawd tries from time to time.
func (w *world) dailyLimit() {
	c := w.startClawd(settings{probe: "1m"})
	id := w.stopped(provider.UsageLimit(provider.SevenDay, time.Hour))
	c.wait("session_stopped", "session", id, "reason", "usage_limit", "window", "daily")
	c.wait("resume_scheduled", "session", id, "strategy", "same_session")
	c.resumedOnce(id)
	c.quiet(4 * time.Second)
	w.wantMain(w.stops() + 1)
}

func overloadedCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c := w.startClawd(settings{})
	id := w.stopped(provider.Overloaded())
	c.wait("session_stopped", "session", id, "reason", "overloaded")
	c.resumedOnce(id)
	c.quiet(4 * time.Second)
	w.wantMain(w.stops() + 1)
}

func stillLimitedCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c := w.startClawd(settings{})
	again := w.failing(w.rateLimit())
	if a.isGemini() {
		again = again[1:] // a tool call would be an answer, and end the episode
	}
	id := w.stoppedAfter(w.rateLimit(), func() { w.provider.Queue(again...) })
	c.wait("resume_failed", "session", id, "outcome", "stopped_again")
	c.wait("resume_scheduled", "session", id, "attempt", 2)
	c.wait("resume_started", "session", id, "attempt", 2)
	c.resumedOnce(id)
	c.quiet(4 * time.Second)
	w.wantMain(w.stops() + len(again) + 1)
	if got := w.only(); got != id {
		t.Errorf("session %s, want %s", got, id)
	}
}

func killedCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	s := settings{base: "15s"}
	c := w.startClawd(s)
	id := w.stopped(w.rateLimitFor(15))
	c.wait("resume_scheduled", "session", id)
	c.kill9()
	w.wantMain(w.stops())
	c = w.startClawd(s)
	c.resumedOnce(id)
	c.quiet(10 * time.Second)
	w.wantMain(w.stops() + 1)
}

func termCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	s := settings{base: "15s"}
	c := w.startClawd(s)
	id := w.stopped(w.rateLimitFor(15))
	c.wait("resume_scheduled", "session", id)
	c.sigterm()
	w.never(19*time.Second, "a request after the shutdown", func() bool { return w.main() != w.stops() })
	if n := len(c.entries("resume_started")); n != 0 {
		t.Errorf("%d resumes started", n)
	}
	c = w.startClawd(s)
	c.resumedOnce(id)
	c.quiet(4 * time.Second)
	w.wantMain(w.stops() + 1)
}

// leftCase has the stops that are no business of clawd's.
func leftCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c := w.startClawd(settings{})
	reasons := map[string]string{
		w.stopped(provider.Unauthorized()): "auth",
		w.stopped(provider.NoCredit()):     "billing",
	}
	reasons[w.finished()] = "completed"
	reasons[w.interrupted()] = "interrupted"
	for id, reason := range reasons {
		c.wait("", "session", id, "reason", reason)
		if reason == "auth" || reason == "billing" {
			if e := c.wait("session_left", "session", id, "reason", reason); e.text("why") == "" {
				t.Errorf("%s: the log does not say why", reason)
			}
		}
	}
	c.quiet(6 * time.Second)
	for _, event := range []string{"resume_scheduled", "resume_started"} {
		if n := len(c.entries(event)); n != 0 {
			t.Errorf("%d entries %s", n, event)
		}
	}
}

func (w *world) finished() string {
	w.t.Helper()
	w.provider.Queue(provider.Text("All done."))
	before := strings.Join(w.sessions(), " ")
	if r := w.prompt("say done"); r.code() != 0 {
		w.t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	return w.newest(before)
}

// newest is the one session that is not among before.
func (w *world) newest(before string) (id string) {
	w.t.Helper()
	w.eventually(agentTime, "a new session", func() bool {
		for _, id = range w.sessions() {
			if !strings.Contains(before, id) {
				return true
			}
		}
		return false
	})
	return id
}

func byHandBeforeCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c := w.startClawd(settings{base: "30s"})
	id := w.stopped(w.rateLimitFor(30))
	c.wait("resume_scheduled", "session", id)
	if r := w.resume(id, "go on").wait(); r.code() != 0 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	c.wait("resume_cancelled", "session", id)
	c.quiet(35 * time.Second)
	w.wantMain(w.stops() + 1)
	if n := len(c.entries("resume_started")); n != 0 {
		t.Errorf("%d resumes started", n)
	}
}

func (w *world) rateLimitFor(seconds int) provider.Answer {
	switch {
	case w.agent == opencode3: // what it stops at
		return provider.PlanUsedUp().After(seconds)
	case w.agent.isOpencode():
		return provider.RateLimit().After(seconds)
	}
	return provider.RateLimit()
}

func byHandDuringCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c := w.startClawd(settings{})
	held, release := provider.Hold(provider.Text("late"))
	defer release()
	id := w.stoppedAfter(w.rateLimit(), func() { w.provider.Queue(held, provider.Text("for the user")) })
	w.waitMain(w.stops() + 1) // our child has asked and waits
	if r := w.resume(id, "I go on myself").wait(); r.code() != 0 {
		t.Errorf("the user's run: exit code %d\n%s", r.code(), r.output())
	}
	c.wait("resume_yielded", "session", id)
	w.eventually(agentTime, "the end of our child", func() bool { return len(w.agents()) == 0 })
	c.quiet(15 * time.Second)
	w.wantMain(w.stops() + 2)
	if n := len(c.entries("resume_succeeded")); n != 0 {
		t.Errorf("the user's work was counted as ours")
	}
}
