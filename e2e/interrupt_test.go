//go:build linux

package e2e

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"github.com/clawd-project/clawd/internal/provider"
)

// interrupted is a session whose user stopped it while a tool ran: in other moments Claude Code
// leaves no mark of it in a headless run.
func (w *world) interrupted() string {
	w.t.Helper()
	before := strings.Join(w.sessions(), " ")
	tool, key := "bash", "command"
	args := []string{"run", "--format", "json", "run it"}
	switch {
	case w.agent.isClaude():
		tool = "Bash"
		args = []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash(./wait.sh:*)"}
	case w.agent.isCodex():
		tool, key = "exec_command", "cmd"
		args = []string{"exec", "--json", "run it"}
	case w.agent.isCopilot():
		args = []string{"-p", "run it", "--output-format", "json", "--allow-all-tools"}
	case w.agent.isGemini():
		tool = "run_shell_command"
		args = []string{"-p", "run it", "--output-format", "stream-json", "--approval-mode", "yolo"}
	case w.agent.isPi():
		args = []string{"--mode", "json", "-p", "run it"}
	case w.agent.isQwen():
		tool = "run_shell_command"
		args = []string{"--output-format", "stream-json", "-p", "run it", "--approval-mode", "yolo"}
	}
	w.slowTool()
	call := provider.ToolCall(tool, map[string]any{key: "./wait.sh", "description": "wait"})
	if w.agent.isGemini() {
		call.Text = "" // with one, Gemini writes an answer that looks like the last of its turn until the tool has ended
	}
	w.provider.Queue(call)
	if w.agent.isClaude() {
		return w.interruptedClaude(before, args)
	}
	r := w.start(w.project, nil, args...)
	w.eventually(agentTime, "the tool's process", func() bool { return w.running("sleep") })
	r.signal(syscall.SIGINT)
	return w.newest(before)
}

// interruptedClaude interrupts as a program that drives Claude Code does. It lives on, and so
// writes its mark: behind a SIGINT it may end before, on a busy machine more often than not.
func (w *world) interruptedClaude(before string, args []string) (id string) {
	w.t.Helper()
	input, keyboard, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = errors.Join(input.Close(), keyboard.Close()) }() // keyboard is closed already when all went well
	r := w.beginWith(input, agentTime, w.project, nil, w.program, args...)
	say := func(line string) {
		if _, err := keyboard.WriteString(line + "\n"); err != nil {
			w.t.Fatal(err)
		}
	}
	say(`{"type":"user","message":{"role":"user","content":"run it"}}`)
	w.eventually(agentTime, "the tool's process", func() bool { return w.running("sleep") })
	say(`{"type":"control_request","request_id":"1","request":{"subtype":"interrupt"}}`)
	id = w.newest(before)
	w.eventually(agentTime, "the mark of the interrupt", func() bool {
		return strings.Contains(w.transcript(id), "[Request interrupted by user")
	})
	if err := keyboard.Close(); err != nil {
		w.t.Fatal(err)
	}
	r.wait()
	return id
}
