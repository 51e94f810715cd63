package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/spawn"
)

// program is an agent's program as last looked at.
type program struct {
	asking sync.Mutex    // held by the one who looks; a version may take its time
	asked  time.Duration // by him: when it told its version, by the clock that nobody sets

	mu    sync.Mutex // guards what follows
	found agent.Program
	stamp string // of the file that found describes
	err   error
	// While the version is not known: when it is asked for again, and how often it was.
	again time.Time
	tries int
}

// findPrograms says which agents are here.
func (d *Daemon) findPrograms(ctx context.Context) {
	for _, a := range d.agents {
		err := d.refresh(ctx, a)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			what := "agent not found"
			if !errors.Is(err, exec.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) { // it is there
				what = "the agent's program is not taken"
			}
			d.log.Info().Str("event", "agent_missing").Str("agent", a.Name()).Str("why", err.Error()).Msg(what + "; its sessions can't be resumed")
			continue
		}
		p, _ := d.program(a)
		d.log.Info().Str("event", "agent_found").Str("agent", a.Name()).Str("path", p.Path).Str("version", p.Version).Msg("agent found")
	}
}

func (d *Daemon) slot(a agent.Agent) *program {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.programs[a.Name()]
	if p == nil {
		p = &program{err: errNotYet}
		d.programs[a.Name()] = p
	}
	return p
}

var errNotYet = errors.New("clawd has just started, and still looks for the agent's program")

// program gives what refresh found last. Only the first time it waits for who is just looking.
func (d *Daemon) program(a agent.Agent) (agent.Program, error) {
	p := d.slot(a)
	found, err := p.get()
	if errors.Is(err, errNotYet) {
		p.asking.Lock()
		defer p.asking.Unlock()
		return p.get()
	}
	return found, err
}

// lookedFor waits a little until the agent's program was looked for a first time. An order must not wait for that
// inside its transaction, which keeps all sessions from being stored.
func (d *Daemon) lookedFor(a agent.Agent) bool {
	done := make(chan struct{})
	go func() { // it ends with the question
		defer close(done)
		_, _ = d.program(a) // the order asks again
	}()
	late := time.NewTimer(orderPatience)
	defer late.Stop()
	select {
	case <-done:
		return true
	case <-late.C:
		return false
	}
}

func (p *program) get() (agent.Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found, p.err
}

// versionHolds is how long the answer holds of a program that may start a newer agent at any time.
const versionHolds = 10 * time.Minute

// refresh looks the agent's program up, and asks it for its version when its file is not the one
// that was asked last: agents update themselves while clawd runs. What a version manager has in PATH stays the same
// file then, so it is asked by each attempt; what it said before holds where it says nothing now.
func (d *Daemon) refresh(ctx context.Context, a agent.Agent) error {
	p := d.slot(a)
	p.asking.Lock()
	defer p.asking.Unlock()
	path, stamp, err := lookUp(a.Command())
	if err != nil {
		p.set(agent.Program{}, "", err)
		return err
	}
	before := p.found.Version
	same := stamp == p.stamp && p.err == nil
	if same && (before == "" || d.mono()-p.asked < versionHolds || !indirect(path)) {
		return nil
	}
	version, err := spawn.Version(ctx, d.o.Environ, path)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p.asked = d.mono()
	if same && (err != nil || version == before) {
		return nil
	}
	if same {
		d.log.Info().Str("event", "agent_found").Str("agent", a.Name()).Str("path", path).Str("version", version).Msg("the agent is another version now")
	}
	if err != nil {
		d.log.Warn().Str("event", "agent_version_unknown").Str("agent", a.Name()).Err(err).Msg("version unknown; basic resume until the agent says it")
	}
	p.set(agent.Program{Path: path, Version: version}, stamp, nil)
	p.patience(d.now())
	return nil
}

// A program that did not tell its version may do so later: the machine was busy, or it was being
// replaced. It is asked again beside everything else, never by who needs the answer.
const (
	askFirst = time.Minute
	askLast  = time.Hour
)

// patience puts off the next question, ever longer.
func (p *program) patience(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again = now.Add(min(askFirst<<min(p.tries, 10), askLast))
	p.tries++
}

// due tells whether a version that is not known is to be asked for.
func (p *program) due(now time.Time) (found agent.Program, stamp string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found, p.stamp, p.err == nil && p.found.Version == "" && !now.Before(p.again)
}

// askAgain asks the programs whose version is not known.
func (d *Daemon) askAgain(ctx context.Context) {
	for _, a := range d.agents {
		p := d.slot(a)
		found, stamp, ok := p.due(d.now())
		if !ok {
			continue
		}
		p.patience(d.now().Add(spawn.AskTimeout)) // one question at a time
		d.wg.Go(func() {
			version, err := spawn.Version(ctx, d.o.Environ, found.Path)
			if err != nil {
				return // it was said, and what it said now is no news
			}
			p.asking.Lock()
			defer p.asking.Unlock()
			if p.stamp != stamp || p.err != nil || p.found.Version != "" {
				return // it is another file by now
			}
			found.Version, p.asked = version, d.mono()
			p.set(found, stamp, nil)
			d.log.Info().Str("event", "agent_found").Str("agent", a.Name()).Str("path", found.Path).Str("version", version).Msg("the agent's version is known now")
		})
	}
}

// set is called by the one who asks, who alone may therefore read without the lock.
func (p *program) set(found agent.Program, stamp string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found, p.stamp, p.err, p.tries = found, stamp, err, 0
}

// indirect tells whether a program may start another file than itself: a shell's script, such as asdf's, or a link to a program of
// another name, such as mise's.
func indirect(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	f, err := os.Open(real)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 128)
	n, _ := f.Read(head)
	first, _, _ := strings.Cut(string(head[:n]), "\n")
	if runs, ok := strings.CutPrefix(first, "#!"); ok {
		return slices.ContainsFunc(strings.Fields(runs), func(word string) bool { return slices.Contains(shells, filepath.Base(word)) })
	}
	return filepath.Base(real) != filepath.Base(path)
}

// lookUp finds a program in PATH and refuses one that somebody else may replace.
func lookUp(command string) (path, stamp string, err error) {
	path, err = exec.LookPath(command)
	if err == nil && !filepath.IsAbs(path) {
		err = fmt.Errorf("%q is not an absolute path", path)
	}
	if err != nil {
		return "", "", err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if ok && st.Uid != 0 && int(st.Uid) != os.Getuid() {
		return "", "", fmt.Errorf("%s belongs to another user", path)
	}
	if agent.OthersMayWrite(fi) {
		return "", "", fmt.Errorf("%s is writable for others; type: chmod go-w %s", path, agent.Quote(path))
	}
	return path, fmt.Sprintf("%s %d %d %d", path, st.Ino, fi.Size(), fi.ModTime().UnixNano()), nil
}
