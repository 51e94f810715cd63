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
		"OpencodeAdds":  {opencode, func(w *world) { w.plugin(opencodeAdds) }, 0},
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

// Extensions of pi, and a plugin of opencode.
const (
	opencodeAdds = `export const Demo = async () => ({
	"chat.message": async (_, output) => {
		for (const p of output.parts) if (p.type === "text") p.text += "\n\nNOTE: always whisper."
	},
})`
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

// plugin has opencode load a plugin. What plugins are made with is there already, for nothing can be downloaded here.
func (w *world) plugin(text string) {
	w.t.Helper()
	const config, kit = ".config/opencode", "@opencode-ai/plugin"
	w.write("plugins/demo.js", []byte(text))
	var all map[string]any
	if err := json.Unmarshal([]byte(readAll(filepath.Join(w.home(), config, "opencode.json"))), &all); err != nil {
		w.t.Fatal(err)
	}
	all["plugin"] = []string{"file://" + filepath.Join(w.home(), "plugins", "demo.js")}
	w.writeJSON(config+"/opencode.json", all)
	w.writeJSON(config+"/package.json", map[string]any{"dependencies": map[string]any{kit: w.agent.version}})
	w.writeJSON(config+"/node_modules/"+kit+"/package.json", map[string]any{"name": kit, "version": w.agent.version})
	w.writeJSON(config+"/package-lock.json", map[string]any{"lockfileVersion": 3, "packages": map[string]any{
		"": map[string]any{"dependencies": map[string]any{kit: w.agent.version}}, "node_modules/" + kit: map[string]any{"version": w.agent.version}}})
}
