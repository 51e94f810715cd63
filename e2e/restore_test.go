//go:build linux

package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// asked is what a request was made with.
type asked struct {
	model, effort string
	tools         []string // in the order of names
	system        string
}

// asks reads the n-th request of a turn.
func (w *world) asks(n int) asked {
	w.t.Helper()
	req := w.provider.Main()[n]
	var b struct {
		Output struct {
			Effort string `json:"effort"`
		} `json:"output_config"`
		Reasoning struct {
			Effort string `json:"effort"`
		} `json:"reasoning"`
		Tools []struct {
			Name      string `json:"name"`
			Type      string `json:"type"`
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		System json.RawMessage `json:"system"`
	}
	if err := json.Unmarshal(req.Body, &b); err != nil {
		w.t.Fatal(err)
	}
	a := asked{model: req.Model, effort: b.Output.Effort + b.Reasoning.Effort, system: string(b.System)}
	for _, tool := range b.Tools {
		if len(tool.Functions) == 0 {
			a.tools = append(a.tools, tool.Name+tool.Type)
		}
		for _, f := range tool.Functions {
			a.tools = append(a.tools, f.Name)
		}
	}
	slices.Sort(a.tools)
	return a
}

// same checks that two requests were made with the same model, effort and tools.
func (w *world) same(before, after int) {
	w.t.Helper()
	a, b := w.asks(before), w.asks(after)
	if slices.Contains(a.tools, "ToolSearch") {
		// Those that were to be loaded on demand may be offered at once: what they are stands in the request's text.
		b.tools = slices.DeleteFunc(b.tools, func(n string) bool {
			return !slices.Contains(a.tools, n) && n != "Bash" && n != "Write" && strings.Contains(string(w.provider.Main()[before].Body), `\n`+n+`\n`)
		})
	}
	if a.model != b.model || a.effort != b.effort || !slices.Equal(a.tools, b.tools) {
		w.t.Errorf("before: %s %s %q\nafter: %s %s %q", a.model, a.effort, a.tools, b.model, b.effort, b.tools)
	}
}

func TestRestoreClaude332(t *testing.T) {
	restoreClaude(t, claude332)
}
func TestRestoreClaude329(t *testing.T) { restoreClaude(t, claude329) }
func TestRestoreClaude197(t *testing.T) { restoreClaude(t, claude197) }

// restoreClaude: a headless run is resumed with what it was started with, in both forms.
func restoreClaude(t *testing.T, a agentCase) {
	t.Parallel()
	readme := provider.ToolCall("Read", map[string]any{"file_path": "README.md"})
	for _, c := range []struct {
		name   string
		args   []string
		system string // in the system prompt
		first  bool   // limited at the first request
	}{
		{"Tools", []string{"--disallowedTools", "Bash,Write", "--append-system-prompt", "ALWAYS WHISPER\nIN TWO LINES", "--max-turns", "7"}, "ALWAYS WHISPER", false},
		{"Few", []string{"--tools", "Read,Grep", "--permission-mode", "acceptEdits"}, "", false},
		{"Model", []string{"--model", "claude-haiku-4-5"}, "", true},
		{"Effort", []string{"--effort=low", "--model", "claude-opus-4-8"}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onlyInAll(t)
			w := newWorld(t, a)
			d := w.startClawd(settings{})
			n := 1
			if !c.first {
				w.provider.Queue(readme)
				n++
			}
			w.provider.Queue(w.rateLimit(), w.rateLimit()) // the second attempt has another form
			r := w.start(w.project, nil, append([]string{"-p", "say done", "--output-format", "stream-json", "--verbose"}, c.args...)...).wait()
			if r.code() != 1 {
				t.Fatalf("exit code %d\n%s", r.code(), r.output())
			}
			id := w.only()
			d.wait("resume_started", "session", id, "flags", "seen")
			w.waitMain(n + 2)
			for _, again := range []int{n, n + 1} {
				w.same(n-1, again)
				if !strings.Contains(w.asks(again).system, c.system) {
					t.Errorf("request %d has lost the system prompt", again)
				}
			}
		})
	}
}

func TestUnseenClaude329(t *testing.T) { unseenClaude(t, claude329) }
func TestUnseenClaude197(t *testing.T) { unseenClaude(t, claude197) }

// unseenClaude: the run ended before clawd was started.
func unseenClaude(t *testing.T, a agentCase) {
	t.Parallel()
	readme := provider.ToolCall("Read", map[string]any{"file_path": "README.md"})
	for _, c := range []struct {
		name string
		args []string
		left bool
	}{
		{"AcceptEdits", []string{"--permission-mode", "acceptEdits", "--disallowedTools", "Bash,Write", "--effort", "low"}, a == claude197},
		{"Default", []string{"--tools", "Read,Grep"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onlyInAll(t)
			w := newWorld(t, a)
			w.provider.Queue(readme, w.rateLimit())
			w.start(w.project, nil, append([]string{"-p", "say done", "--output-format", "stream-json", "--verbose"}, c.args...)...).wait()
			id := w.only()
			d := w.startClawd(settings{})
			if c.left {
				if why := d.wait("session_left", "session", id).text("why"); !strings.Contains(why, "nobody saw with which options") {
					t.Errorf("why = %q", why)
				}
				w.wantMain(2)
				return
			}
			flags := map[bool]string{true: "unknown", false: "recorded"}[a == claude197]
			d.wait("resume_started", "session", id, "flags", flags)
			d.resumedOnce(id)
			if a == claude197 {
				if tools := w.asks(2).tools; !slices.Equal(tools, []string{"Read"}) {
					t.Errorf("tools %q, want the one that it has used", tools)
				}
				return
			}
			// Tools that were to be loaded on demand are offered at once.
			before, after := w.asks(1), w.asks(2)
			if before.model != after.model || before.effort != after.effort {
				t.Errorf("%s %s, before %s %s", after.model, after.effort, before.model, before.effort)
			}
			for _, tool := range []string{"Bash", "Write"} {
				if slices.Contains(after.tools, tool) {
					t.Errorf("%s came back: %q", tool, after.tools)
				}
			}
			if !slices.Contains(after.tools, "Read") {
				t.Errorf("Read is gone: %q", after.tools)
			}
		})
	}
}

// Model and effort stand in the rollout, features on the command line alone.
func TestRestoreCodex171(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, codex171)
	c := w.startClawd(settings{})
	w.provider.Queue(w.rateLimit(), w.rateLimit())
	r := w.start(w.project, nil, "exec", "--json", "--disable", "shell_tool", "-c", `web_search="disabled"`, "-m", "demo-2", "-c", `model_reasoning_effort="low"`, "say done").wait()
	if r.code() != 1 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	id := w.only()
	c.wait("resume_started", "session", id, "flags", "seen")
	w.waitMain(3)
	w.same(0, 1)
	w.same(0, 2)
	if a := w.asks(2); a.model != "demo-2" || a.effort != "low" {
		t.Errorf("model %s, effort %s", a.model, a.effort)
	}
}

// Gemini's model stands in the chat file, its approval mode on the command line alone.
func TestRestoreGemini061(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, gemini061)
	c := w.startClawd(settings{})
	w.provider.Queue(w.failing(w.rateLimit())...)
	w.start(w.project, nil, "-p", "say done", "--output-format", "stream-json", "-m", "gemini-2.5-flash-lite", "--approval-mode", "auto_edit").wait()
	c.resumedOnce(w.only())
	c.wait("resume_started", "flags", "seen")
	w.same(0, w.main()-1) // the tools that may write among them
	if a := w.asks(w.main() - 1); a.model != "gemini-2.5-flash-lite" {
		t.Errorf("model %s", a.model)
	}
}

// A script chooses its model and effort by variables of its shell, of which clawd, a service, has none or others.
func TestModelByVariable(t *testing.T) {
	t.Parallel()
	const haiku, low = "ANTHROPIC_MODEL=claude-haiku-4-5-20251001", "CLAUDE_CODE_EFFORT_LEVEL=low"
	for _, c := range []struct {
		name     string
		agent    agentCase
		ran, own []string
		answered bool // in a turn before
	}{
		{"Both", claude332, []string{haiku, low}, nil, false},
		{"Both197", claude197, []string{haiku, low}, nil, false},
		{"Effort", claude332, []string{low}, nil, false},
		{"Answered", claude332, []string{haiku}, nil, true},
		{"AnsweredAndAnotherHere", claude332, []string{haiku}, []string{"ANTHROPIC_MODEL=claude-opus-5-5"}, true},
		{"OthersHere", claude332, nil, []string{"ANTHROPIC_MODEL=claude-fable-5", "CLAUDE_CODE_EFFORT_LEVEL=max"}, false},
		{"Gemini", gemini061, []string{"GEMINI_MODEL=gemini-2.5-flash-lite"}, nil, false},
		{"GeminiAnotherHere", gemini061, nil, []string{"GEMINI_MODEL=gemini-2.5-flash-lite"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onlyInAll(t)
			w := newWorld(t, c.agent)
			d := w.startClawd(settings{env: c.own})
			w.env = append(w.env, c.ran...)
			id := ""
			if c.answered {
				w.provider.Queue(provider.Text("one"))
				w.prompt("say one")
				id = w.only()
				w.provider.Queue(w.failing(w.rateLimit())...)
				w.resume(id, "say two").wait()
			} else {
				id = w.stopped(w.rateLimit())
			}
			before := w.main() - 1
			d.waitFor(2*agentTime, "resume_started", "session", id, "flags", "seen")
			d.resumedOnce(id)
			w.same(before, w.main()-1)
		})
	}
}

// A session on a login stays on it, though clawd's environment turns on a cloud and has a key.
func TestPayerClaude329(t *testing.T) { payerClaude(t, claude329) }
func TestPayerClaude197(t *testing.T) { payerClaude(t, claude197) }

func payerClaude(t *testing.T, a agentCase) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, a)
	w.useLogin()
	c := w.startClawd(settings{env: []string{"CLAUDE_CODE_USE_BEDROCK=1", "AWS_REGION=nowhere", "ANTHROPIC_API_KEY=" + dummyKey}})
	id := w.stopped(w.rateLimit())
	if e := c.wait("resume_started", "session", id); e.text("auth") != "login" {
		t.Errorf("auth = %q, want login", e.text("auth"))
	}
	c.resumedOnce(id)
	if last := w.provider.Main()[1]; last.Bearer != dummyLogin || last.Key != "" {
		t.Errorf("paid by %q and %q, want the login", last.Bearer, last.Key)
	}
}

// Who waited for the login's plan does not go on at the price of a key that the settings name meanwhile.
func TestKeyAfterThePlan(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, claude329)
	w.planLimit(time.Duration(20+w.stops())*time.Second, false)
	c := w.startClawd(settings{})
	if r := w.prompt("say done"); r.code() != 1 {
		t.Fatalf("exit code %d, want 1\n%s", r.code(), r.output())
	}
	id := w.only()
	c.wait("session_stopped", "session", id, "reason", "usage_limit")
	w.writeJSON(".claude/settings.json", map[string]any{"apiKeyHelper": "echo " + dummyKey})
	if e := c.waitFor(2*time.Minute, "session_left", "session", id); !strings.Contains(e.text("why"), "claude.ai plan") || e.text("command") == "" {
		t.Errorf("why = %q, type %q", e.text("why"), e.text("command"))
	}
	w.wantMain(w.stops())
}

// The same login lies beside a session that runs on another provider's key at that one's server, whose plan is used up. The login is not for that server.
func TestPayerOfAnotherProvider(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	const token = "zai-dummy-token"
	w := newWorld(t, claude332)
	w.useLogin()
	w.env = append(w.env, "ANTHROPIC_AUTH_TOKEN="+token)
	c := w.startClawd(settings{})
	reset := time.Now().Add(20 * time.Second).In(time.FixedZone("", 8*60*60)).Format(time.DateTime)
	id := w.stopped(provider.Answer{Status: http.StatusTooManyRequests, Type: zaiUsedUp, Message: "Usage limit reached for 5 hour. Your limit will reset at " + reset})
	c.wait("session_stopped", "session", id, "reason", "usage_limit")
	if e := c.waitFor(2*time.Minute, "resume_started", "session", id); e.text("auth") != "key" {
		t.Errorf("auth = %q, want key", e.text("auth"))
	}
	c.resumedOnce(id)
	for n, r := range w.provider.Main() {
		if r.Bearer != token || r.Key != "" {
			t.Errorf("request %d was paid by %q and %q, want the provider's own key", n, r.Bearer, r.Key)
		}
	}
}

// A mode that asks nothing is not restored, also where the user's settings choose it.
func TestRestoreQwenYolo(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, qwen024)
	w.set("tools", map[string]any{"approvalMode": "yolo"})
	w.write(".qwen/settings.json", append([]byte("// what I like\n"), readAll(filepath.Join(w.home(), ".qwen/settings.json"))...))
	c := w.startClawd(settings{})
	id := w.stopped(w.rateLimit())
	w.provider.Queue(provider.ToolCall("write_file", map[string]any{"file_path": filepath.Join(w.project, "x.txt"), "content": "hello"}))
	c.resumedOnce(id)
	c.wait("run_ended", "session", id)
	if _, err := os.Stat(filepath.Join(w.project, "x.txt")); err == nil {
		t.Error("it has written without being asked")
	}
}

// A permission profile of the user's denies what no sandbox's mode does, and is put out of force by one.
func TestRestoreCodexProfile(t *testing.T) {
	t.Parallel()
	onlyInAll(t)
	w := newWorld(t, codex171)
	deny := filepath.Join(w.home(), ".ssh")
	config := strings.Replace(string(w.codexConfig()), `sandbox_mode = "danger-full-access"`, `default_permissions = "careful"`, 1)
	w.write(".codex/config.toml", []byte(config+"[permissions.careful]\nextends = \":workspace\"\n[permissions.careful.filesystem]\n"+strconv.Quote(deny)+" = \"deny\"\n"))
	c := w.startClawd(settings{})
	id := w.stopped(w.rateLimit())
	c.resumedOnce(id)
	turns := 0
	for line := range strings.Lines(w.rollout(id)) {
		if !strings.Contains(line, `"type":"turn_context"`) {
			continue
		}
		if turns++; !strings.Contains(line, `{"type":"path","path":`+strconv.Quote(deny)+`},"access":"deny"`) {
			t.Errorf("turn %d may read what is denied: %s", turns, line)
		}
	}
	if turns != 2 {
		t.Errorf("%d turns", turns)
	}
}

// rollout reads the file of a session of Codex.
func (w *world) rollout(id string) string {
	w.t.Helper()
	files := w.matching(filepath.Join(w.home(), ".codex", "sessions", "*", "*", "*", "rollout-*-"+id+".jsonl"))
	if len(files) != 1 {
		w.t.Fatal(files)
	}
	return readAll(files[0])
}
