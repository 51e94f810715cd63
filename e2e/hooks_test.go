//go:build linux

package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/internal/scripttest"
)

// TestHooks: hooks and extensions of its user's add to clawd's prompt, or have its run go on behind an answer. The run is still clawd's own, and works to its end.
func TestHooks(t *testing.T) {
	t.Parallel()
	const note, todo = "NOTE: always whisper.", "Run the tests, too."
	adds := func(event string) func(*world) {
		return func(w *world) {
			w.hook(event, map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": event, "additionalContext": note}}, false)
		}
	}
	goesOn := func(event, decision string) func(*world) {
		return func(w *world) { w.hook(event, map[string]any{"decision": decision, "reason": todo}, true) }
	}
	extension := func(text string) func(*world) {
		return func(w *world) { w.write(".pi/agent/extensions/demo.js", []byte(text)) }
	}
	for name, c := range map[string]struct {
		agent agentCase
		set   func(*world)
		more  int // requests behind the answer to clawd's prompt
	}{
		"ClaudeAdds":    {claude332, adds("UserPromptSubmit"), 0},
		"ClaudeGoesOn":  {claude332, goesOn("Stop", "block"), 1},
		"GeminiAdds":    {gemini061, adds("BeforeAgent"), 0},
		"GeminiStarts":  {gemini061, adds("SessionStart"), 0},
		"GeminiGoesOn":  {gemini061, goesOn("AfterAgent", "deny"), 1},
		"QwenAdds":      {qwen024, adds("UserPromptSubmit"), 0},
		"QwenGoesOn":    {qwen024, goesOn("Stop", "block"), 1},
		"CopilotGoesOn": {copilot, goesOn("agentStop", "block"), 1},
		"PiAdds":        {pi160, extension(piAdds), 0},
		"PiGoesOn":      {pi160, extension(piGoesOn), 1},
	} {
		t.Run(name, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, c.agent)
			c.set(w)
			d := w.startClawd(settings{})
			id := w.stopped(w.rateLimit())
			d.resumedOnce(id)
			d.wait("run_ended", "session", id)
			if got := d.entries("resume_yielded"); len(got) > 0 {
				t.Errorf("gave way: %v", got[0])
			}
			w.wantMain(w.stops() + 1 + c.more)
		})
	}
}

// Extensions of pi.
const (
	piAdds   = `export default function (pi) { pi.on("input", async (e) => ({ action: "transform", text: e.text + "\n\nNOTE: always whisper." })) }`
	piGoesOn = `export default function (pi) {
	let went = false
	pi.on("agent_end", async (e) => {
		const last = e.messages[e.messages.length - 1]
		if (went || !last || last.stopReason !== "stop") return
		went = true
		pi.sendUserMessage("Run the tests, too.", { deliverAs: "followUp" })
	})
}`
)

// hook has the agent run a hook that answers so, at each event or at the first alone.
func (w *world) hook(event string, answer any, once bool) {
	w.t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		w.t.Fatal(err)
	}
	script, done := filepath.Join(w.root, "hook.sh"), ""
	if once {
		done = "mkdir " + quoted(filepath.Join(w.root, "hooked")) + " 2>/dev/null || exit 0\n"
	}
	scripttest.Write(w.t, script, "#!/bin/sh\ncat >/dev/null\n"+done+"echo "+quoted(string(text))+"\n")
	hooks := map[string]any{event: []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": script}}}}}
	switch {
	case w.agent.isClaude():
		w.writeJSON(".claude/settings.json", map[string]any{"hooks": hooks})
	case w.agent.isCopilot():
		w.writeJSON(".copilot/hooks/demo.json", map[string]any{"version": 1, "hooks": map[string]any{event: []any{map[string]any{"type": "command", "bash": script}}}})
	default:
		w.set("hooks", hooks)
	}
}
