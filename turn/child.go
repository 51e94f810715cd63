package turn

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/spawn"
	"github.com/clawd-project/clawd/resume"
)

// child is a run of an agent that ends with this process: what it prints comes through pipes. (The
// daemon's runs outlive it: shim.Exec.)
type child struct {
	cmd   *exec.Cmd
	group spawn.Group
	out   *io.PipeReader // all lines of both streams, whole
	done  chan struct{}  // closed when no agent process of the group is left
	ended atomic.Bool    // done is closed
}

// startChild starts what the plan says, with its prompt on stdin.
func startChild(procs agent.Procs, plan resume.Plan, environ []string) (*child, error) {
	dir, err := os.MkdirTemp("", "clawd-turn-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, err := spawn.Stdin(plan.Stdin, filepath.Join(dir, "prompt"))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outW.Close()
	errR, errW, err := os.Pipe()
	if err != nil {
		outR.Close()
		return nil, err
	}
	defer errW.Close()
	leash := newLeash()
	cmd := spawn.Command(plan.Argv, spawn.Environ(environ, plan, ""), in, outW, errW)
	cmd.Dir = plan.Dir
	if err := start(cmd); err != nil {
		leash.release()
		outR.Close()
		errR.Close()
		return nil, err
	}
	leash.hold(cmd.Process.Pid)
	c := &child{cmd: cmd, done: make(chan struct{}), group: spawn.NewGroup(procs, cmd, plan)}
	r, w := io.Pipe()
	c.out = r
	go func() {
		_ = cmd.Wait() // ProcessState tells
		c.group.Await()
		leash.release()
		c.ended.Store(true)
		close(c.done)
		now := time.Now()
		_ = errors.Join(outR.SetReadDeadline(now), errR.SetReadDeadline(now)) // who waits looks at what is left
	}()
	go c.join(w, outR, errR)
	return c, nil
}

// stopAfter ends the child with everything below it when ctx ends, and returns when it has ended.
func (c *child) stopAfter(ctx context.Context) {
	select {
	case <-c.done:
		return
	case <-ctx.Done():
	}
	seen := c.group.Tree()
	c.group.End(c.done, false)
	// Tools that have a group of their own, and those that came meanwhile.
	c.group.Kill(append(seen, c.group.Tree()...))
	<-c.done
}

const (
	// pipeMax is the most that a pipe can hold.
	pipeMax = 1 << 20
	// stderrMax is what is kept of stderr while a line of stdout is on its way.
	stderrMax = 1 << 20
)

// joined passes on the lines of two streams, none in the middle of another.
type joined struct {
	mu  sync.Mutex
	w   *io.PipeWriter
	cut bool // the stream of stdout ended within a line
}

func (c *child) join(w *io.PipeWriter, out, errs *os.File) {
	j := &joined{w: w}
	var wg sync.WaitGroup
	wg.Go(func() { j.stdout(&tailed{f: out, c: c}) })
	wg.Go(func() { j.stderr(&tailed{f: errs, c: c}) })
	wg.Wait()
	_ = errors.Join(out.Close(), errs.Close(), w.Close())
}

// tailed reads a pipe to its end: EOF or, once the agent is gone, what is in it. What an agent wrote before its end is there
// already, and tools that it left running may keep the pipe open for ever.
type tailed struct {
	f    *os.File
	c    *child
	over int
}

func (t *tailed) Read(b []byte) (int, error) {
	if !t.c.ended.Load() {
		n, err := t.f.Read(b)
		switch {
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return n, eof(err)
		case n > 0:
			return n, nil
		}
	}
	n, err := unread(t.f, b)
	if t.over += n; t.over > pipeMax {
		return 0, io.EOF
	}
	return n, err
}

// unread reads what is in a pipe now; io.EOF: nothing. It heeds no deadline, which may pass while this process is stopped.
func unread(f *os.File, b []byte) (n int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, io.EOF
	}
	cerr := raw.Control(func(fd uintptr) {
		for {
			if n, err = syscall.Read(int(fd), b); !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	})
	if cerr != nil || err != nil || n <= 0 {
		return 0, io.EOF
	}
	return n, nil
}

func eof(err error) error {
	if err != nil {
		return io.EOF
	}
	return nil
}

// stdout holds the lock while a line is on its way, however long it is.
func (j *joined) stdout(r io.Reader) {
	br := bufio.NewReaderSize(r, 64<<10)
	within := false
	for {
		part, err := br.ReadSlice('\n')
		if len(part) > 0 && !within {
			j.mu.Lock()
			within = true
		}
		if len(part) > 0 {
			if _, err := j.w.Write(part); err != nil { // nobody reads any more; the agent must not block
				_, _ = io.Copy(io.Discard, r)
			}
			if part[len(part)-1] == '\n' {
				j.mu.Unlock()
				within = false
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if within {
				j.cut = true
				j.mu.Unlock()
			}
			return
		}
	}
}

// stderr never waits for a line of stdout: the agent might wait for us. What does not fit is lost.
func (j *joined) stderr(r io.Reader) {
	br := bufio.NewReaderSize(r, 64<<10)
	var kept []byte
	flush := func() {
		if j.cut {
			_, _ = j.w.Write([]byte{'\n'})
			j.cut = false
		}
		_, _ = j.w.Write(kept) // nobody may read any more
		kept = kept[:0]
		j.mu.Unlock()
	}
	for {
		part, err := br.ReadSlice('\n')
		if kept = append(kept, part...); len(kept) > stderrMax {
			kept = append(kept[:0], kept[len(kept)-stderrMax/2:]...)
		}
		switch {
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			j.mu.Lock()
			flush()
			return
		case err == nil && j.mu.TryLock():
			flush()
		}
	}
}
