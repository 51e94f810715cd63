//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clawd-project/clawd/internal/provider"
)

// The proofs of no effect for Codex, Gemini, pi and qwen-code, without clawd.

func TestCodex171NoEffect(t *testing.T) {
	runProofs(t, codex171, map[string]func(*testing.T, agentCase){
		"KilledEarly":        killedEarly,
		"UnknownSession":     codexUnknownSession,
		"SecondWriter":       codexSecondWriter,
		"DashInPrompt":       dashInPrompt,
		"QueueWithoutServer": codexQueueWithoutServer,
		"QueueWithServer":    codexQueueWithServer,
	})
}

// Versions before 0.150 have neither a lock nor a queue.
func TestCodex120NoEffect(t *testing.T) {
	runProofs(t, codex120, map[string]func(*testing.T, agentCase){
		"KilledEarly":    killedEarly,
		"UnknownSession": codexUnknownSession,
		"DashInPrompt":   dashInPrompt,
	})
}

func TestGemini061NoEffect(t *testing.T) { runProofs(t, gemini061, geminiProofs) }
func TestGemini028NoEffect(t *testing.T) { runProofs(t, gemini028, geminiProofs) }

var geminiProofs = map[string]func(*testing.T, agentCase){
	"KilledEarly":    killedEarly,
	"UnknownSession": geminiUnknownSession,
	"Subfolder":      geminiSubfolder,
	"DashInPrompt":   dashInPrompt,
}

func TestCopilotNoEffect(t *testing.T)   { runProofs(t, copilot, copilotProofs) }
func TestCopilot65NoEffect(t *testing.T) { runProofs(t, copilot65, copilotProofs) }

var copilotProofs = map[string]func(*testing.T, agentCase){
	"Killed":         copilotKilled,
	"UnknownSession": copilotUnknownSession,
}

func TestPi160NoEffect(t *testing.T) { runProofs(t, pi160, piProofs) }
func TestPi152NoEffect(t *testing.T) { runProofs(t, pi152, piProofs) }
func TestPi80NoEffect(t *testing.T)  { runProofs(t, pi80, piProofs) }
func TestPi73NoEffect(t *testing.T)  { runProofs(t, pi73, piProofs) }

var piProofs = map[string]func(*testing.T, agentCase){
	"KilledEarly":    killedEarly,
	"UnknownSession": piUnknownSession,
}

func TestQwen024NoEffect(t *testing.T) { runProofs(t, qwen024, qwenProofs) }
func TestQwen015NoEffect(t *testing.T) { runProofs(t, qwen015, qwenProofs) }

var qwenProofs = map[string]func(*testing.T, agentCase){
	"KilledEarly":    killedEarly,
	"UnknownSession": qwenUnknownSession,
}

// runProofs runs what depends on the agent's version alone: every day Claude Code's are enough.
func runProofs(t *testing.T, a agentCase, proofs map[string]func(*testing.T, agentCase)) {
	onlyInAll(t)
	t.Parallel()
	for name, proof := range proofs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proof(t, a)
		})
	}
}

// stoppedOnce makes a world with one session that a rate limit stopped.
func stoppedOnce(t *testing.T, a agentCase) (w *world, id string) {
	t.Helper()
	w = newWorld(t, a)
	return w, w.stopped(provider.RateLimit())
}

// begun counts the turns of a session that its file shows: Codex's beginnings of turns, the others' prompts.
func (w *world) begun(id string) int {
	w.t.Helper()
	pattern, mark := ".codex/sessions/*/*/*/rollout-*"+id+".jsonl", `"task_started"`
	if w.agent.isGemini() {
		pattern, mark = ".gemini/tmp/*/chats/session-*-"+id[:8]+".json*", `"continue"`
	}
	if w.agent.isPi() {
		pattern, mark = ".pi/agent/sessions/*/*_"+id+".jsonl", `"role":"user"`
	}
	if w.agent.isQwen() {
		pattern, mark = ".qwen/projects/*/chats/"+id+".jsonl", `"type":"user"`
	}
	files, err := filepath.Glob(filepath.Join(w.home(), pattern))
	if err != nil {
		w.t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		n += strings.Count(readAll(f), mark)
	}
	return n
}

// opened: what clawd takes for the sign that a run has opened its session.
func opened(r *run) bool {
	return strings.Contains(r.stdout(), `"type":"turn.started"`) || strings.Contains(r.stdout(), `"type":"init"`) ||
		strings.Contains(r.stdout(), `"type":"agent_start"`) || strings.Contains(r.stdout(), `"subtype":"init"`)
}

// A run killed before its record stood in the file, or before it printed that it opened the session,
// has asked nothing. Of qwen-code only the latter tells.
func killedEarly(t *testing.T, a agentCase) {
	w, id := stoppedOnce(t, a)
	w.killsAround(id, func() int { return w.begun(id) }, func(k kill) bool { return !k.wrote && !a.isQwen() || !opened(k.run) }) // it writes its records a moment late
}

const noSession = "01a1fb6b-0000-7000-8000-000000000000"

// refusedRun wants a run that ends with a code and words, and asks nothing.
func (w *world) refusedRun(r *run, code int, words string) {
	w.t.Helper()
	before := w.main()
	if r.wait(); r.code() != code || !strings.Contains(r.output(), words) || opened(r) {
		w.t.Errorf("exit code %d, want %d and %q\n%s", r.code(), code, words, r.output())
	}
	if n := w.settledMain(); n != before {
		w.t.Errorf("%d further requests", n-before)
	}
}

func codexUnknownSession(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	w.refusedRun(w.resume(noSession, "continue"), 1, "no rollout found for thread id "+noSession)
}

func copilotUnknownSession(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	w.refusedRun(w.resume(noSession, "continue"), 1, "Error: No session, task, or name matched '"+noSession+"'")
}

func piUnknownSession(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	w.refusedRun(w.resume(noSession, "continue"), 1, "No session found matching '"+noSession+"'")
}

func qwenUnknownSession(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	w.refusedRun(w.resume(noSession, "continue"), 1, `No saved session found with title "`+noSession+`"`)
}

// codexSecondWriter: Codex lets nobody into a session that is open.
func codexSecondWriter(t *testing.T, a agentCase) {
	w, id := stoppedOnce(t, a)
	held, release := provider.Hold(provider.Text("late"))
	defer release()
	w.provider.Queue(held)
	before, turns := w.main(), w.begun(id)
	first := w.resume(id, "continue")
	w.waitMain(before + 1)
	w.refusedRun(w.resume(id, "me, too"), 1, "already has an active writer")
	release()
	if first.wait().code() != 0 || w.begun(id) != turns+1 {
		t.Errorf("the first one: exit code %d, %d turns\n%s", first.code(), w.begun(id)-turns, first.output())
	}
}

// codexQueueWithoutServer: that the queue took a prompt proves nothing.
func codexQueueWithoutServer(t *testing.T, a agentCase) {
	w, id := stoppedOnce(t, a)
	turns := w.begun(id)
	r := w.start(w.project, nil, "queue", "--thread", id, "--message=--yolo", "--resume").wait()
	if r.code() != 0 || !strings.Contains(r.output(), "Queued message") || w.begun(id) != turns {
		t.Errorf("exit code %d, %d turns\n%s", r.code(), w.begun(id)-turns, r.output())
	}
	w.wantMain(w.stops())
}

// codexQueueWithServer: the background server takes the prompt at once, once, and in the same session.
func codexQueueWithServer(t *testing.T, a agentCase) {
	w, id := stoppedOnce(t, a)
	before, turns := w.main(), w.begun(id)
	server := w.start(w.project, nil, "app-server", "--listen", "unix://")
	defer server.signal(syscall.SIGKILL)
	socket := filepath.Join(w.home(), ".codex", "app-server-control", "app-server-control.sock")
	w.eventually(agentTime, "the server's socket", func() bool { _, err := os.Stat(socket); return err == nil })
	if r := w.start(w.project, nil, "queue", "--thread", id, "--message=go on", "--resume").wait(); r.code() != 0 || strings.Contains(r.output(), "Warning") {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	w.waitMain(before + 1)
	w.wantMain(before + 1)
	if main := w.provider.Main(); main[before].LastUser != "go on" || main[before].Session != id || w.begun(id) != turns+1 || w.only() != id {
		t.Errorf("%+v, %d turns", main[before], w.begun(id)-turns)
	}
}

func geminiUnknownSession(t *testing.T, a agentCase) {
	w, _ := stoppedOnce(t, a)
	w.refusedRun(w.resume(noSession, "continue"), 42, "Error resuming session: Invalid session identifier")
}

func geminiSubfolder(t *testing.T, a agentCase) {
	w, id := stoppedOnce(t, a)
	w.folder("demo/sub")
	r := w.start(filepath.Join(w.project, "sub"), nil, "--resume", id, "-p", "continue", "--output-format", "stream-json")
	w.refusedRun(r, 42, "Error resuming session: No previous sessions found for this project.")
}

// dashInPrompt: a prompt that looks like an option is a prompt, in the forms that clawd uses.
func dashInPrompt(t *testing.T, a agentCase) {
	const prompt = "--yolo -c x"
	w, id := stoppedOnce(t, a)
	args := []string{"exec", "--json", "-C", w.project, "--skip-git-repo-check", "resume", id, "--", prompt}
	if a.isGemini() {
		args = []string{"--output-format", "stream-json", "--resume", id, "--prompt=" + prompt}
	}
	if r := w.start(w.project, nil, args...).wait(); r.code() != 0 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	main := w.provider.Main()
	if got := main[len(main)-1].LastUser; got != prompt {
		t.Errorf("the provider got %q, want %q", got, prompt)
	}
}
