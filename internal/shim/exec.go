package shim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/spawn"
	"github.com/clawd-project/clawd/resume"
)

// OutputCap is the size above which a run's output is cut.
const OutputCap = 64 << 20

// outputRoom is kept for a run's output before it starts: on a disk that fills up meanwhile the first lines, which say that the agent
// opened its session, are there all the same. An empty output proves that it did not.
const outputRoom = 64 << 10

// Exec fires exec plans. It implements resume.Trigger.
type Exec struct {
	Self    []string // how to start the shim: this program and "shim"
	Procs   agent.Procs
	Environ []string                            // the daemon's environment
	Config  func(agentName string) agent.Config // for the shim's last look
}

// ErrOwn says that clawd's own files or program failed a start, before anything of the agent.
var ErrOwn = errors.New("clawd could not begin")

func own(what string, err error) error { return fmt.Errorf("%w: %s: %w", ErrOwn, what, err) }

// Start starts the shim. It has its order and waits at the gate.
func (x *Exec) Start(_ context.Context, c resume.Claim) (resume.Run, error) {
	out, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, own("the run's output file", err)
	}
	defer out.Close()
	if err := reserve(out, outputRoom); err != nil {
		return nil, own("room for the run's output", errors.Join(err, os.Remove(c.Output)))
	}
	in, err := spawn.Stdin(c.Plan.Stdin, c.Output+".in")
	if err != nil {
		return nil, own("the run's input", err)
	}
	defer in.Close()
	gateR, gateW, err := os.Pipe()
	if err != nil {
		return nil, own("the gate", err)
	}
	defer gateR.Close()
	replyR, replyW, err := os.Pipe()
	if err != nil {
		gateW.Close()
		return nil, own("the gate", err)
	}
	defer replyW.Close()
	cmd := spawn.Command(x.Self, x.Environ, in, out, out)
	cmd.ExtraFiles = []*os.File{gateR, replyW}
	if err := cmd.Start(); err != nil {
		gateW.Close()
		replyR.Close()
		return nil, own("clawd's own program", err)
	}
	r := &run{gate: gateW, reply: replyR, output: c.Output, done: make(chan struct{})}
	r.group = spawn.NewGroup(x.Procs, cmd, c.Plan)
	r.reap = sync.OnceFunc(func() { go r.await(cmd) })
	r.reap() // its parent must
	c.PID, c.Start = r.group.PID, r.group.Start
	order, err := json.Marshal(Spec{Claim: c, Env: spawn.Environ(x.Environ, c.Plan, c.Token), Agent: x.Config(c.Session.Agent)})
	if err == nil {
		_, err = gateW.Write(append(order, '\n'))
	}
	if err != nil {
		r.Abort()
		return nil, fmt.Errorf("the shim did not take its order: %w", err)
	}
	return r, nil
}

// Adopt takes up a child that another daemon started.
func (x *Exec) Adopt(c resume.Claim) resume.Run {
	r := &run{output: c.Output, done: make(chan struct{})}
	r.group = spawn.Group{Procs: x.Procs, PID: c.PID, Start: c.Start, Argv: c.Plan.Argv}
	if c.Boot != x.Procs.Boot() || c.PID == 0 {
		r.group.Procs = nobody{x.Procs}
	}
	r.reap = sync.OnceFunc(func() { go r.await(nil) })
	return r
}

// nobody is the process table as seen by a child of another boot: its pid means nothing here.
type nobody struct{ agent.Procs }

func (nobody) Get(int) (agent.Proc, bool)  { return agent.Proc{}, false }
func (nobody) List() ([]agent.Proc, error) { return nil, nil }

// busyTicks of CPU time between two looks are work; less is an idle process's housekeeping.
const busyTicks = 10

type run struct {
	group       spawn.Group
	gate, reply *os.File
	output      string
	done        chan struct{}
	reap        func() // begins, once, to wait for the end

	mu       sync.Mutex // guards what follows
	stopping bool
	cpu      uint64
	worked   time.Time
}

func (r *run) PID() int      { return r.group.PID }
func (r *run) Start() uint64 { return r.group.Start }
func (r *run) Alive() bool   { return r.group.Alive() }

// Done is closed at the end of the group. An adopted child is waited for from the first call on: who only
// wants to know whether it lives leaves nothing behind.
func (r *run) Done() <-chan struct{} {
	r.reap()
	return r.done
}

// await waits for the end of the group. Only a parent is told at once; what is left then, or an
// adopted child, is looked at every second.
func (r *run) await(cmd *exec.Cmd) {
	if cmd != nil {
		_ = cmd.Wait() // its exit code proves nothing
	} else if p, ok := r.group.Procs.Get(r.group.PID); ok && p.Start == r.group.Start {
		if own, err := os.FindProcess(r.group.PID); err == nil {
			_, _ = own.Wait() // a clawd that has restarted itself is still its parent; for any other this fails at once
		}
	}
	r.group.Await()
	close(r.done)
}

// Open opens the gate.
func (r *run) Open(ctx context.Context) (resume.Gate, string, error) {
	defer r.reply.Close()
	defer r.gate.Close()
	stop := context.AfterFunc(ctx, func() { _ = r.reply.SetReadDeadline(time.Now()) })
	defer stop()
	if _, err := r.gate.Write([]byte{'.'}); err != nil {
		return "", "", err
	}
	return readReply(r.reply)
}

// Untouched has no proof: what a process of ours did is judged by its records.
func (r *run) Untouched(context.Context) string { return "" }

// Working is for terminals.
func (r *run) Working(context.Context) bool { return false }

// Abort closes the gate.
func (r *run) Abort() {
	r.gate.Close()
	r.reply.Close()
}

// Stop ends the group.
func (r *run) Stop(polite bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return
	}
	r.stopping = true
	go r.group.End(r.Done(), polite)
}

// Active is the last time that the run printed something or its processes used the CPU.
func (r *run) Active() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if fi, err := os.Stat(r.output); err == nil && fi.ModTime().After(r.worked) {
		r.worked = fi.ModTime()
	}
	switch cpu := r.group.ToolCPU(); {
	case cpu >= r.cpu+busyTicks:
		r.cpu, r.worked = cpu, time.Now()
	case cpu < r.cpu: // a tool ended
		r.cpu = cpu
	}
	return r.worked
}

// TrimOutput cuts the output when it is too large.
func (r *run) TrimOutput(before func() error) error {
	fi, err := os.Stat(r.output)
	if err != nil || fi.Size() <= OutputCap {
		return nil //nolint:nilerr // no file, nothing to cut
	}
	if err := before(); err != nil {
		return err
	}
	return os.Truncate(r.output, 0)
}
