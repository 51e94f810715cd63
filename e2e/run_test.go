//go:build linux

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// run is a started program. Its output goes to files, as clawd does it.
type run struct {
	w      *world
	cmd    *exec.Cmd
	out    string // path of stdout
	errs   string // path of stderr
	done   chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
}

// start starts the agent in a folder, in a process group of its own, with an empty stdin.
func (w *world) start(dir string, env []string, args ...string) *run {
	w.t.Helper()
	return w.begin(agentTime, dir, env, w.program, args...)
}

// startProgram starts a program that is not the agent, in the project.
func (w *world) startProgram(path string, args ...string) *run {
	w.t.Helper()
	return w.begin(5*time.Minute, w.project, nil, path, args...)
}

func (w *world) begin(limit time.Duration, dir string, env []string, program string, args ...string) *run {
	w.t.Helper()
	return w.beginWith(nil, limit, dir, env, program, args...)
}

// beginWith is begin for a program that reads from input; nil: an empty stdin.
func (w *world) beginWith(input *os.File, limit time.Duration, dir string, env []string, program string, args ...string) *run {
	w.t.Helper()
	w.outputs++
	name := filepath.Join(w.root, "run"+strconv.Itoa(w.outputs))
	r := &run{w: w, out: name + ".out", errs: name + ".err", done: make(chan struct{})}
	r.ctx, r.cancel = context.WithTimeout(context.Background(), limit)
	r.cmd = exec.CommandContext(r.ctx, program, args...)
	r.cmd.Dir, r.cmd.Env = dir, append(w.environ(), env...)
	if input != nil {
		r.cmd.Stdin = input
	}
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.cmd.Cancel = func() error { return syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) }
	out, err1 := os.OpenFile(r.out, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	errs, err2 := os.OpenFile(r.errs, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err := errors.Join(err1, err2); err != nil {
		w.t.Fatal(err)
	}
	r.cmd.Stdout, r.cmd.Stderr = out, errs
	if err := r.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(r.done)
		defer r.cancel()
		_ = r.cmd.Wait() // ProcessState tells
		_ = errors.Join(out.Close(), errs.Close())
	}()
	return r
}

// mustRun ends the test when the program has ended.
func (r *run) mustRun() {
	r.w.t.Helper()
	select {
	case <-r.done:
		r.w.t.Fatalf("exit code %d\n%s", r.code(), r.output())
	default:
	}
}

// ports counts those that servers of agents were given.
var ports atomic.Int32

// freePort is one that nothing else listens at: the kernel gives none that low to those that ask for any, nor to clients, which may take
// one that was free a moment ago.
func (w *world) freePort() string { return strconv.Itoa(20000 + int(ports.Add(1))) }

// wait blocks until the program has ended; a run that had to be cut short fails the test.
func (r *run) wait() *run {
	r.w.t.Helper()
	<-r.done
	if errors.Is(r.ctx.Err(), context.DeadlineExceeded) {
		r.w.t.Fatalf("%v ran too long\n%s", r.cmd.Args, r.output())
	}
	return r
}

func (r *run) code() int { return r.cmd.ProcessState.ExitCode() }

// signal sends a signal to the whole group and waits for the end.
func (r *run) signal(s syscall.Signal) {
	if err := syscall.Kill(-r.cmd.Process.Pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		r.w.t.Fatal(err)
	}
	<-r.done
}

func (r *run) stdout() string { return readAll(r.out) }
func (r *run) output() string { return readAll(r.out) + readAll(r.errs) }

func readAll(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// prompt runs a new headless session to its end.
func (w *world) prompt(text string) *run {
	w.t.Helper()
	return w.startPrompt(w.project, text).wait()
}

// stopped runs a new session into the answer and returns its id.
func (w *world) stopped(a provider.Answer) string {
	w.t.Helper()
	return w.stoppedAfter(a, func() {})
}

// stoppedAfter is stopped with the last answer held until something was done beside the run.
func (w *world) stoppedAfter(a provider.Answer, beside func()) string {
	w.t.Helper()
	before := w.sessions()
	answers := w.failing(a)
	held, release := provider.Hold(answers[len(answers)-1])
	defer release()
	w.provider.Queue(append(answers[:len(answers)-1], held)...)
	r := w.startPrompt(w.project, "say done")
	beside()
	release()
	r.wait()
	told := !w.agent.isPi() && w.agent != qwen015 && w.agent != opencode3            // the others say nothing by it
	if code := r.code(); told && code != 1 && (!w.agent.isGemini() || code <= 128) { // the low bits of the HTTP status
		w.t.Fatalf("exit code %d, want 1\n%s", code, r.output())
	}
	after := w.sessions()
	if len(after) != len(before)+1 {
		w.t.Fatalf("sessions %v, before %v\n%s", after, before, r.output())
	}
	for _, id := range after {
		if !strings.Contains(strings.Join(before, " "), id) {
			return id
		}
	}
	panic("unreachable")
}

func (w *world) startPrompt(dir, text string) *run {
	w.t.Helper()
	switch {
	case w.agent.isClaude():
		return w.start(dir, nil, "-p", text, "--output-format", "stream-json", "--verbose")
	case w.agent.isCodex():
		return w.start(dir, nil, "exec", "--json", text)
	case w.agent.isCopilot():
		return w.start(dir, nil, "-p", text, "--output-format", "json")
	case w.agent.isGemini():
		return w.start(dir, nil, "-p", text, "--output-format", "stream-json")
	case w.agent.isPi():
		return w.start(dir, nil, "--mode", "json", "-p", text)
	case w.agent.isQwen():
		return w.start(dir, nil, "--output-format", "stream-json", "-p", text)
	}
	args := []string{"run", "--format", "json"}
	if w.anthro {
		args = append(args, "-m", "fakeclaude/demo-claude")
	}
	return w.start(dir, nil, append(args, text)...)
}

// resume starts the agent's plain resume of a session, as a person would.
func (w *world) resume(id, text string) *run {
	w.t.Helper()
	switch {
	case w.agent.isClaude():
		return w.start(w.project, nil, "-p", "--resume", id, text, "--output-format", "stream-json", "--verbose")
	case w.agent.isCodex():
		return w.start(w.project, nil, "exec", "--json", "resume", id, text)
	case w.agent.isCopilot():
		return w.start(w.project, nil, "--resume="+id, "-p", text, "--output-format", "json")
	case w.agent.isGemini():
		return w.start(w.project, nil, "--resume", id, "-p", text, "--output-format", "stream-json")
	case w.agent.isPi():
		return w.start(w.project, nil, "--mode", "json", "--session", id, "-p", text)
	case w.agent.isQwen():
		return w.start(w.project, nil, "--output-format", "stream-json", "--resume", id, "-p", text)
	}
	return w.start(w.project, nil, "run", "--format", "json", "--session", id, text)
}

// idempotent starts Claude Code's resume without a prompt.
func (w *world) idempotent(id string) *run {
	w.t.Helper()
	return w.start(w.project, []string{"CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1"},
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--resume", id)
}

// main returns how many requests of turns the provider has seen.
func (w *world) main() int { return len(w.provider.Main()) }

// waitMain blocks until the provider has seen n of them.
func (w *world) waitMain(n int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), agentTime)
	defer cancel()
	err := w.provider.Wait(ctx, func(main []provider.Request) bool { return len(main) >= n })
	if err != nil {
		w.t.Fatalf("the provider saw %d requests of turns, want %d: %v\n%s", w.main(), n, err, w.scene())
	}
}

// scene tells what there is to see of a world in which nothing happens any more: its processes, what was printed last, and all
// requests, side ones, too.
func (w *world) scene() string {
	var b strings.Builder
	for _, pid := range w.processes() {
		proc := filepath.Join("/proc", strconv.Itoa(pid))
		state, _, _ := strings.Cut(readAll(filepath.Join(proc, "status")), "\nPPid")
		args := strings.ReplaceAll(readAll(filepath.Join(proc, "cmdline")), "\x00", " ")
		fmt.Fprintf(&b, "process %d: %.300s\n%s, in %s\n", pid, args, state, readAll(filepath.Join(proc, "wchan")))
	}
	last := filepath.Join(w.root, "run"+strconv.Itoa(w.outputs))
	for _, path := range []string{last + ".out", last + ".err"} {
		text := readAll(path)
		fmt.Fprintf(&b, "%s ends: %s\n", filepath.Base(path), text[max(0, len(text)-2000):])
	}
	for _, r := range w.provider.Requests() {
		fmt.Fprintf(&b, "%s %s %s, of a turn: %v, answered with %d\n", r.At.Format(time.TimeOnly), r.Method, r.Path, r.Main, r.Status)
	}
	return b.String()
}

// eventually polls until ok says yes.
func (w *world) eventually(limit time.Duration, what string, ok func() bool) {
	w.t.Helper()
	if !within(limit, ok) {
		w.t.Fatalf("not within %s: %s", limit, what)
	}
}

// within waits until ok, for so long. False: it did not become so.
func within(limit time.Duration, ok func() bool) bool {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for deadline := time.Now().Add(limit); !ok(); <-ticker.C {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// hangsAtStart is after how long opencode 1.18.33 counts as hung at its start. Twice in some hundred starts on a busy machine, once with no
// clawd beside it, it drew nothing, or answered nothing, for three minutes. It is started once more, as its user would.
const hangsAtStart = 90 * time.Second

// never watches for a time that bad does not become true.
func (w *world) never(limit time.Duration, what string, bad func() bool) {
	w.t.Helper()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); <-ticker.C {
		if bad() {
			w.t.Fatal(what)
		}
	}
}

// settledMain counts the requests of turns after everything that was sent has been read: a
// request of our own goes last, and has its own connection, so it waits for those accepted before.
func (w *world) settledMain() int {
	w.t.Helper()
	n := w.main()
	for same := 0; same < 3; same++ {
		resp, err := http.Head(fmt.Sprintf("http://127.0.0.1:%d/settle", w.port))
		if err != nil {
			w.t.Fatal(err)
		}
		_ = resp.Body.Close() // a HEAD has none
		if m := w.main(); m != n {
			n, same = m, 0
		}
	}
	return n
}
