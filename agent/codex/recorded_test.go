package codex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// truth is what became of the newest turn of a recorded case, by what the provider answered and
// what was done to the process; where the files cannot tell that, what they can.
type truth struct {
	reason detect.Reason
	window detect.Window
	status int
	reset  string // as the provider named it, to the second; minute: as the agent wrote it down
	minute bool
}

// A window of five hours that the provider gave as used up.
func fiveHour(reset string) truth {
	return truth{reason: detect.UsageLimit, window: detect.FiveHour, reset: reset}
}

func plain(r detect.Reason) truth              { return truth{reason: r} }
func http(r detect.Reason, status int) truth   { return truth{reason: r, status: status} }
func cutBy(holder truth, names ...string) list { return list{holder, names} }

type list struct {
	truth truth
	names []string
}

// want groups the cases by truth. The process was gone in all of them when the files were taken.
var want = []list{
	// The provider answered, at last.
	cutBy(plain(detect.Completed), "app-server-ok", "app-server-retrying", "exec-fork", "exec-json-0.120-failed-ratelimit-once", "exec-json-0.120-ok",
		"exec-json-0.120-tool-ok", "exec-json-0.80-failed-ratelimit-once", "exec-json-0.80-ok", "exec-json-0.80-tool-ok", "exec-json-429-small",
		"exec-json-500-once", "exec-json-broken-twice", "exec-json-chatgpt-failed-ratelimit-once", "exec-json-chatgpt-ok-limits",
		"exec-json-failed-ratelimit-ms", "exec-json-failed-ratelimit-once", "exec-json-ok", "exec-json-ok-limits", "exec-json-openai-429-small",
		"exec-json-openai-ok-limits", "exec-json-resume-id-after-usage-limit", "exec-json-tool-ok", "exec-plain-429-small",
		"exec-resume-after-kill-in-tool", "exec-resume-id-other-cwd", "exec-resume-last", "exec-resume-last-no-prompt", "exec-resume-last-other-cwd",
		"exec-resume-not-a-repo", "exec-resume-unknown-id", "hooks-notify-ok", "hooks-notify-tool-ok", "tui-daemon-socket",
		"tui-no-daemon-usage-limit", "tui-usage-limit-esc-continue-queue"),
	// Esc or SIGINT.
	cutBy(plain(detect.Interrupted), "exec-json-signal-INT", "exec-resume-while-open", "hooks-notify-slow-ok", "tui-retrying-429-large", "tui-waiting-approval"),
	// 429 usage_limit_reached with x-codex-* headers: a window at 100 %, an hour or more to go.
	cutBy(fiveHour("2026-11-21T01:35:20Z"), "app-server-limited"),
	cutBy(fiveHour("2026-11-21T01:26:32Z"), "exec-json-0.120-usage-limit"),
	cutBy(fiveHour("2026-11-21T01:26:58Z"), "exec-json-0.120-tool-usage-limit"),
	cutBy(fiveHour("2026-11-21T01:32:12Z"), "exec-json-chatgpt-usage-limit"),
	cutBy(fiveHour("2026-11-21T02:33:10Z"), "exec-json-chatgpt-usage-limit-business"),
	cutBy(fiveHour("2026-11-21T02:33:09Z"), "exec-json-chatgpt-usage-limit-enterprise"),
	cutBy(fiveHour("2026-11-21T02:33:05Z"), "exec-json-chatgpt-usage-limit-free"),
	cutBy(fiveHour("2026-11-21T02:33:12Z"), "exec-json-chatgpt-usage-limit-go"),
	cutBy(fiveHour("2026-11-21T02:02:59Z"), "exec-json-chatgpt-usage-limit-promo"),
	cutBy(fiveHour("2026-11-21T02:33:07Z"), "exec-json-chatgpt-usage-limit-team"),
	cutBy(fiveHour("2026-11-21T01:26:44Z"), "exec-json-openai-usage-limit"),
	cutBy(fiveHour("2026-11-21T01:23:40Z"), "exec-json-resume-still-limited"),
	cutBy(fiveHour("2026-11-21T01:13:42Z"), "exec-json-tool-usage-limit"),
	cutBy(fiveHour("2026-11-21T01:04:40Z"), "exec-json-usage-limit"),
	cutBy(fiveHour("2026-11-25T01:13:46Z"), "exec-json-usage-limit-pro-week"),
	cutBy(fiveHour("2026-11-21T01:40:57Z"), "exec-plain-usage-limit"),
	cutBy(fiveHour("2026-11-21T01:36:13Z"), "hooks-notify-usage-limit"),
	cutBy(fiveHour("2026-11-21T00:33:02Z"), "tui-usage-limit-then-continue"),
	cutBy(truth{reason: detect.UsageLimit, window: detect.Weekly, reset: "2026-11-24T01:10:56Z"}, "exec-json-usage-limit-weekly"),
	// usage_limit_reached inside the stream: only the text is left of it.
	cutBy(plain(detect.UsageLimit), "exec-json-failed-usage-limit"),
	// The same as an error event that the agent takes for a cut stream.
	cutBy(plain(detect.Network), "exec-json-usage-limit-stream"),
	// Money.
	cutBy(plain(detect.Billing), "exec-json-chatgpt-usage-limit-owner-credits", "exec-json-not-included", "exec-json-failed-not-included",
		"exec-json-quota", "exec-json-failed-quota"),
	cutBy(http(detect.Billing, 402), "exec-json-402"),
	// 429 without a limit of the plan.
	cutBy(http(detect.RateLimit, 429), "exec-json-429-html", "exec-json-429-ms", "exec-json-429-none", "exec-json-429-once",
		"exec-json-429-small-forever", "exec-json-chatgpt-429-none", "exec-json-openai-429-none", "hooks-notify-429-none"),
	cutBy(truth{reason: detect.RateLimit, reset: "2026-11-21T00:14:54Z"}, "exec-json-failed-ratelimit"), // "in 11.054s"
	cutBy(plain(detect.RateLimit), "exec-json-failed-slow-down"),
	cutBy(plain(detect.Overloaded), "exec-json-503-overloaded", "exec-json-failed-overloaded"),
	cutBy(plain(detect.ServerError), "exec-json-500", "exec-json-failed-server-error"),
	cutBy(http(detect.ServerError, 502), "exec-json-502-html"),
	cutBy(http(detect.Overloaded, 503), "exec-json-503"),
	cutBy(plain(detect.Network), "exec-json-broken", "exec-json-drop", "exec-json-chatgpt-401"), // the last: its refresh met no network
	cutBy(http(detect.Auth, 401), "exec-json-401", "exec-json-openai-401"),
	cutBy(http(detect.Auth, 403), "exec-json-403-cf"),
	cutBy(plain(detect.ContextFull), "exec-json-400-context", "exec-json-failed-context"),
	cutBy(plain(detect.InvalidRequest), "exec-json-400-bad", "exec-json-404-model", "exec-json-failed-invalid-prompt", "exec-json-incomplete"),
	// 429; this version does not write down why a turn failed.
	cutBy(plain(detect.Unknown), "exec-json-0.120-429-none"),
	// The error event of a terminal of that version is there, without the reset of the body.
	cutBy(fiveHour("2026-11-21T00:35:04Z"), "tui-0.120-usage-limit"),
	// The same of 0.80, which does not write that the turn ended: its last word are the limits.
	cutBy(fiveHour("2026-11-21T01:23:55Z"), "exec-json-0.80-tool-usage-limit"),
	cutBy(fiveHour("2026-11-21T01:23:22Z"), "exec-json-0.80-usage-limit"),
	// Killed, by SIGTERM at the end of the time given to some: the lock was left behind.
	cutBy(plain(detect.Crashed), "exec-json-429-large", "exec-json-503-slow-down", "exec-json-refused", "exec-json-tool-429",
		"exec-json-signal-HUP", "exec-json-signal-KILL", "exec-json-signal-TERM", "exec-json-tool-signal-TERM"),
	// 429 again: this version writes neither that nor how a turn ended.
	cutBy(plain(detect.Interrupted), "exec-json-0.80-429-none"),
}

func TestRecordings(t *testing.T) {
	left := slices.DeleteFunc(cases(t), func(name string) bool { return strings.HasPrefix(name, "sub-") }) // see TestSubStops
	for _, w := range want {
		for _, name := range w.names {
			if !slices.Contains(left, name) {
				t.Errorf("%s is not recorded, or is in the table twice", name)
				continue
			}
			left = slices.DeleteFunc(left, func(n string) bool { return n == name })
			t.Run(name, func(t *testing.T) { checkCase(t, name, w.truth) })
		}
	}
	if len(left) > 0 {
		t.Errorf("nothing is said about %q", left)
	}
}

func checkCase(t *testing.T, name string, w truth) {
	c, s := recorded(t, name)
	stop, b := verdict(t, c, s, false)
	got := truth{reason: stop.Reason, window: stop.Window, status: stop.Status, minute: stop.ResetMinute}
	if !stop.ResetAt.IsZero() {
		got.reset = stop.ResetAt.Truncate(time.Second).Format(time.RFC3339)
	}
	if d := cmp.Diff(w, got, cmp.AllowUnexported(truth{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if stop.State != detect.Stopped || stop.RetryAfter != nil || b.Skipped != 0 {
		t.Errorf("state %s, Retry-After %v, skipped %d: %s", stop.State, stop.RetryAfter, b.Skipped, b.Problem)
	}
	if wantKey := keyOf(t, s.Path); stop.Key != wantKey && !strings.HasPrefix(stop.Key, "cut:"+wantKey+"/") && !strings.Contains(name, "0.80") {
		t.Errorf("key %q, want the turn's id %q", stop.Key, wantKey)
	}
	maybe, _, err := c.Tail(t.Context(), s)
	if wantMaybe := w.reason != detect.Completed || strings.Contains(name, "0.80"); err != nil || maybe != wantMaybe {
		t.Errorf("Tail = %v, want %v, err %v", maybe, wantMaybe, err)
	}
}

// keyOf finds the id of the newest turn without the code under test.
func keyOf(t *testing.T, path string) string {
	t.Helper()
	id := ""
	for _, line := range linesOf(t, path) {
		var r struct {
			Payload map[string]any `json:"payload"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Payload["type"] == "task_started" {
			id, _ = r.Payload["turn_id"].(string)
		}
	}
	return id
}

// TestUnheard: without a word on who holds it, an unfinished turn may be anything.
func TestUnheard(t *testing.T) {
	all := []detect.State{detect.Running, detect.Retrying, detect.Asking, detect.Stopped}
	for _, name := range []string{"exec-json-429-large", "exec-json-0.80-429-none", "exec-json-tool-signal-TERM"} {
		c, s := recorded(t, name)
		if stop, _ := verdict(t, c, s, true); stop.State != detect.Running || stop.Reason != "" || !slices.Equal(stop.CouldBe, all) {
			t.Errorf("%s: state %s, reason %q, could be %v", name, stop.State, stop.Reason, stop.CouldBe)
		}
	}
}

func TestInfo(t *testing.T) {
	const turbo = "gpt-5.1-codex"
	for name, w := range map[string]detect.Info{
		"exec-json-ok": {Dir: "/home/dev/work/demo", Version: "0.169.0", Model: turbo, Mode: "danger-full-access/never", Provider: "fake",
			Tokens: 1234, Created: time.Date(2026, 11, 21, 0, 3, 23, 474e6, time.UTC)},
		"exec-json-0.80-usage-limit": {Dir: "/home/dev/work/demo", Version: "0.80.0", Model: turbo, Mode: "danger-full-access/never", Provider: "fake",
			Created: time.Date(2026, 11, 21, 0, 23, 24, 509e6, time.UTC)},
		"tui-waiting-approval": {Dir: "/home/dev/work/demo", Version: "0.169.0", Model: turbo, Mode: "workspace-write/on-request", Provider: "fake",
			Interactive: true, Tokens: 1234, Created: time.Date(2026, 11, 21, 0, 37, 2, 396e6, time.UTC)},
	} {
		c, s := recorded(t, name)
		_, b := verdict(t, c, s, true)
		w.FirstPrompt, w.Setup = detect.HashText("say hi"), detect.Setup{Model: turbo}
		w.Roots = []string{} // none, which is more than not told
		if name == "exec-json-ok" {
			w.Created = b.Info.Created // see the others
		}
		if d := cmp.Diff(w, b.Info); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	// Resumed from another folder: the last one counts.
	c, s := recorded(t, "exec-resume-id-other-cwd")
	if _, b := verdict(t, c, s, true); b.Info.Dir == "/home/dev/work/demo" || !filepath.IsAbs(b.Info.Dir) {
		t.Errorf("the session moved, but its folder is %q", b.Info.Dir)
	}
	// A terminal on the background server says "vscode".
	c, s = recorded(t, "tui-daemon-socket")
	if _, b := verdict(t, c, s, true); !b.Info.Interactive {
		t.Error("a terminal on the server was taken for headless")
	}
}

// TestConformance runs the suite of all agents over recordings of several kinds.
func TestConformance(t *testing.T) {
	for name, w := range map[string]detect.Stop{
		"exec-json-usage-limit":       {Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: time.Unix(1795223080, 0).UTC(), Evidence: detect.Evidence{Source: "transcript", Field: "codex_error_info"}},
		"exec-json-0.120-usage-limit": {Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: time.Unix(1795224392, 0).UTC(), Evidence: detect.Evidence{Source: "transcript", Field: "rate_limits"}},
		"tui-0.120-usage-limit":       {Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: time.Unix(1795221304, 0).UTC(), Evidence: detect.Evidence{Source: "transcript", Field: "codex_error_info"}},
		"exec-json-0.80-usage-limit":  {Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: time.Unix(1795224202, 0).UTC(), Evidence: detect.Evidence{Source: "transcript", Field: "rate_limits"}},
		"exec-json-0.80-tool-ok":      {Reason: detect.Completed, Evidence: detect.Evidence{Field: "answer"}},
		"exec-json-tool-ok":           {Reason: detect.Completed, Evidence: detect.Evidence{Field: "answer"}},
		"tui-waiting-approval":        {Reason: detect.Interrupted, Evidence: detect.Evidence{Field: "interrupt"}},
	} {
		t.Run(name, func(t *testing.T) {
			source := rollouts(t, name)[0]
			all := linesOf(t, source)
			w.State = detect.Stopped
			w.At, w.Evidence.Offset = lastLine(t, all)
			if w.Key = keyOf(t, source); w.Key == "" {
				w.Key = "line:" + detect.HashText(all[len(all)-1])
			}
			agenttest.Run(t, func(t *testing.T) (agent.Agent, agenttest.Fixture) { return fixture(t, source, all, w) })
		})
	}
}

// lastLine gives the time and the place of the last line.
func lastLine(t *testing.T, all []string) (time.Time, int64) {
	t.Helper()
	r, err := parse([]byte(strings.TrimSpace(all[len(all)-1])))
	if err != nil {
		t.Fatal(err)
	}
	return r.at, int64(len(strings.Join(all[:len(all)-1], "")))
}

func fixture(t *testing.T, source string, all []string, w detect.Stop) (agent.Agent, agenttest.Fixture) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	s := sessionAt(t, filepath.Join(root, day, filepath.Base(source)))
	f := agenttest.Fixture{Session: s, Changed: s.Path, Want: w, Position: position}
	for _, line := range all {
		f.Steps = append(f.Steps, func(t *testing.T) { put(t, s.Path, line) })
	}
	f.Unknown = func(t *testing.T) {
		put(t, s.Path, `{"timestamp":"2026-11-21T00:00:00Z","type":"event_msg","payload":{"type":"tea_break","minutes":5}}`+"\n")
	}
	f.Broken = func(t *testing.T) { put(t, s.Path, "{\"type\":\"event_msg\",\"payload\":\x00\x00\n") }
	f.Replace = func(t *testing.T) {
		put(t, s.Path+".new", strings.Join(all, ""))
		if err := os.Rename(s.Path+".new", s.Path); err != nil {
			t.Fatal(err)
		}
	}
	return c, f
}

func position(c agent.Cursor) int64 {
	f := strings.Split(string(c), ":")
	var n int64
	for _, b := range []byte(strings.TrimSuffix(f[min(1, len(f)-1)], "s")) {
		n = n*10 + int64(b-'0')
	}
	return n
}
