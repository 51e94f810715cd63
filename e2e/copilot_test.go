//go:build linux

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	kind "github.com/clawd-project/clawd/agent/copilot"
	"github.com/clawd-project/clawd/internal/provider"
)

// copilotKilled: the request may leave before the run has printed or written anything. What clawd makes of the output of
// a run that was killed then must be no proof that it did not.
func copilotKilled(t *testing.T, a agentCase) {
	w, id := stoppedOnce(t, a)
	reads := kind.New(agent.Env{Home: w.home()}, agent.Config{})
	for _, k := range w.kills(id, func() int { return 0 }, func(k kill) bool { return !k.asked }) {
		out, err := reads.Output(strings.NewReader(k.run.output()), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !out.Began && !out.Mute || out.Refused {
			t.Errorf("killed %s: asked %v, and its output proves that it did not: %+v\n%s", k.when, k.asked, out, k.run.output())
		}
	}
}

// copilotFailing: Copilot asks again after a refused login, and after most of what may pass.
func copilotFailing(last provider.Answer) []provider.Answer {
	switch {
	case last.Status == http.StatusUnauthorized:
		return slices.Repeat([]provider.Answer{last}, 3)
	case last.Status == http.StatusTooManyRequests:
		return slices.Repeat([]provider.Answer{last.After(1)}, 6) // else it waits for a minute in all
	case last.Status >= http.StatusInternalServerError:
		return slices.Repeat([]provider.Answer{last}, 6)
	}
	return []provider.Answer{last}
}

// gitHub answers as GitHub's servers do, as far as a login asks them, and gives how many requests of a model there were.
// Those are limited until clawd may go on.
func (w *world) gitHub(limited *atomic.Bool) (asked *atomic.Int32) {
	w.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	base := fmt.Sprintf("http://127.0.0.1:%d", listener.Addr().(*net.TCPAddr).Port)
	asked = new(atomic.Int32)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /copilot_internal/user", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(rw, `{"login":"dev","copilot_plan":"individual_pro","chat_enabled":true,"endpoints":{"api":%q},"organization_list":[],"quota_snapshots":{}}`, base)
	})
	mux.HandleFunc("GET /models", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, `{"object":"list","data":[{"id":"claude-sonnet-4.6","name":"Sonnet","object":"model","vendor":"x","version":"1","model_picker_enabled":true,"is_chat_default":true,`+
			`"policy":{"state":"enabled"},"billing":{"is_premium":true,"multiplier":1},"supported_endpoints":["/chat/completions"],"capabilities":{"family":"sonnet","type":"chat",`+
			`"object":"model_capabilities","tokenizer":"o200k_base","limits":{"max_context_window_tokens":200000,"max_output_tokens":16000,"max_prompt_tokens":128000},`+
			`"supports":{"streaming":true,"tool_calls":true}}}]}`)
	})
	mux.HandleFunc("POST /chat/completions", func(rw http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if limited.Load() {
			rw.Header().Set("Retry-After", "183600")
			rw.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(rw, `{"error":{"message":"Sorry, you've exceeded your weekly rate limit.","code":"user_weekly_rate_limited"}}`)
			return
		}
		rw.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(rw, `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"claude-sonnet-4.6","choices":[{"index":0,"delta":{"role":"assistant","content":"done"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":1200,"completion_tokens":12,"total_tokens":1212}}`+"\n\ndata: [DONE]\n\n")
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // ends with Close
	w.t.Cleanup(func() { _ = server.Close() })
	w.login = true
	w.env = append(w.env, "COPILOT_GITHUB_TOKEN=gho_"+strings.Repeat("dummy", 8), "COPILOT_DEBUG_GITHUB_API_URL="+base, "COPILOT_API_URL="+base)
	return asked
}

// TestCopilotHangs: a headless run that meets a weekly limit never ends. Its session goes on all the same, once, and the
// process is ended before, in a way that tells its caller of no success.
func TestCopilotHangs(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, copilot)
	var limited atomic.Bool
	limited.Store(true)
	asked := w.gitHub(&limited)
	c := w.startClawd(settings{})
	r := w.startPrompt(w.project, "say done")
	stop := c.wait("session_stopped", "reason", "usage_limit")
	id := stop.text("session")
	if stop.text("window") != "weekly" || stop.time("reset_at").Sub(stop.time("at")) < 50*time.Hour {
		t.Errorf("%v", stop)
	}
	limited.Store(false)
	if out := w.startProgram(os.Getenv(envInside), "resume", "--now", id).wait(); out.code() != 0 { // it waits until the process surely hangs
		t.Fatalf("exit code %d\n%s", out.code(), out.output())
	}
	c.wait("resume_started", "session", id)
	c.wait("resume_succeeded", "session", id)
	if r.wait(); r.code() == 0 || strings.Contains(r.stdout(), `"type":"abort"`) || strings.Contains(r.stdout(), `"type":"result"`) {
		t.Errorf("exit code %d\n%s", r.code(), r.output())
	}
	c.quiet(4 * time.Second)
	if n := asked.Load(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	if got := w.only(); got != id {
		t.Errorf("session %s, want %s", got, id)
	}
}

// TestExecCopilotHangs: clawd exec says what the run met, and does not wait for its end.
func TestExecCopilotHangs(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, copilot)
	var limited atomic.Bool
	limited.Store(true)
	w.gitHub(&limited)
	r := w.startExec("say done").wait()
	if out := r.stdout(); r.code() == 0 || !strings.Contains(out, `"usage_limit"`) || !strings.Contains(out, `"weekly"`) {
		t.Errorf("exit code %d\n%s", r.code(), r.output())
	}
	if left := w.agents(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestLiveCopilotAsks: a limit that GitHub sets makes the agent ask in its window whether to go on with another model. Nothing is chosen there: the
// question is closed, and the prompt is typed, also in a terminal that tells its colors, where the agent draws another box.
func TestLiveCopilotAsks(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]look{"Large": large, "Dark": dark, "Small": small} {
		t.Run(name, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, copilot)
			w.look = look
			var limited atomic.Bool
			limited.Store(true)
			w.gitHub(&limited)
			c := w.startClawd(settings{})
			p := w.openTerminal(false)
			p.ready()
			p.types("say done")
			p.presses("Enter", "its question", p.showing("3. No (Esc)"))
			id := c.wait("session_stopped", "reason", "usage_limit").text("session")
			limited.Store(false)
			if out := w.startProgram(os.Getenv(envInside), "resume", "--now", id).wait(); out.code() != 0 {
				t.Fatalf("exit code %d\n%s", out.code(), out.output())
			}
			c.wait("resume_started", "session", id, "plan", "tmux")
			c.wait("resume_succeeded", "session", id)
			p.shows("● done")
			c.quiet(4 * time.Second)
			if n := strings.Count(p.screen(), "❯ continue"); n != 1 {
				t.Errorf("%d prompts of clawd's", n)
			}
		})
	}
}

// TestCopilotAutopilot: a session in autopilot goes on in it. Each prompt that it gives itself there is a request that its user pays for, and counts for the budget.
func TestCopilotAutopilot(t *testing.T)   { copilotAutopilot(t, copilot) }
func TestCopilot65Autopilot(t *testing.T) { copilotAutopilot(t, copilot65) }

func copilotAutopilot(t *testing.T, a agentCase) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, a)
	c := w.startClawd(settings{perDay: 3})
	w.provider.Queue(w.failing(w.rateLimit())...)
	w.start(w.project, nil, "-p", "do it", "--output-format", "json", "--allow-all-tools", "--autopilot", "--max-autopilot-continues", "2").wait()
	id := w.only()
	c.resumedOnce(id)
	c.wait("run_ended", "session", id)
	w.wantMain(w.stops() + 3)
	w.provider.Queue(w.failing(w.rateLimit())...)
	w.resume(id, "once more").wait()
	if e := c.wait("resume_postponed", "session", id); !strings.Contains(e.text("why"), "max_resumes_per_day") {
		t.Errorf("why = %q", e.text("why"))
	}
	w.wantMain(2*w.stops() + 3)
}
