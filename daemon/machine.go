package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/turn"
)

// ErrRunning says that a clawd of this user runs already.
var ErrRunning = errors.New("a clawd of this user is running already")

const lockName = "clawd.lock"

// lockPatience is how long a lock that is held is tried again.
const lockPatience = time.Second

// acquire takes the user's lock: two daemons with two configs must meet here, for both would see
// the same sessions.
func (d *Daemon) acquire() error {
	if d.dry() {
		return nil
	}
	path := filepath.Join(d.o.UserDir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	// A process that a killed clawd was just starting keeps the lock until it becomes its program.
	for end := time.Now().Add(lockPatience); ; time.Sleep(lockPatience / 20) {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		pid, _ := os.ReadFile(path)
		f.Close()
		return fmt.Errorf("%w (pid %s); \"clawd status\" shows what it does", ErrRunning, pid)
	}
	if err := f.Truncate(0); err == nil {
		fmt.Fprint(f, os.Getpid())
	}
	d.lock = f
	return nil
}

func (d *Daemon) release() {
	if d.lock != nil {
		d.lock.Close()
		d.lock = nil
	}
}

// goingDown asks the service manager whether the machine is being shut down. Where there is none to
// ask the answer is no.
func goingDown() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "systemctl", "is-system-running").Output() // its exit status is 1 then
	return strings.TrimSpace(string(out)) == "stopping"
}

// program is an agent's program as last looked at.
type program struct {
	asking sync.Mutex // held by the one who looks; a version may take its time

	mu    sync.Mutex // guards what follows
	found agent.Program
	stamp string // of the file that found describes
	err   error
}

// findPrograms says which agents are here.
func (d *Daemon) findPrograms(ctx context.Context) {
	for _, a := range d.agents {
		err := d.refresh(ctx, a)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			d.log.Info().Str("event", "agent_missing").Str("agent", a.Name()).Str("why", err.Error()).Msg("agent not found; its sessions are watched and not resumed")
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

var errNotYet = errors.New("not looked for yet")

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

func (p *program) get() (agent.Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found, p.err
}

// refresh looks the agent's program up, and asks it for its version when its file is not the one
// that was asked last: agents update themselves while clawd runs.
func (d *Daemon) refresh(ctx context.Context, a agent.Agent) error {
	p := d.slot(a)
	p.asking.Lock()
	defer p.asking.Unlock()
	path, stamp, err := lookUp(a.Command())
	if err != nil {
		p.set(agent.Program{}, "", err)
		return err
	}
	if stamp == p.stamp && p.err == nil {
		return nil
	}
	version, err := turn.Version(ctx, path)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		d.log.Warn().Str("event", "agent_version_unknown").Str("agent", a.Name()).Err(err).Msg("the agent does not tell its version; its plain form of resuming is used")
	}
	p.set(agent.Program{Path: path, Version: version}, stamp, nil)
	return nil
}

// set is called by the one who asks, who alone may therefore read without the lock.
func (p *program) set(found agent.Program, stamp string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found, p.stamp, p.err = found, stamp, err
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
	if fi.Mode().Perm()&0o022 != 0 {
		return "", "", fmt.Errorf("%s is writable for others", path)
	}
	return path, fmt.Sprintf("%s %d %d %d", path, st.Ino, fi.Size(), fi.ModTime().UnixNano()), nil
}

// warnings tells at start what may go wrong later.
func (d *Daemon) warnings() {
	d.tellStore()
	for _, a := range d.agents {
		for _, f := range a.Folders() {
			if name := networkName(f.Path); name != "" {
				d.log.Warn().Str("event", "slow_files").Str("agent", a.Name()).Str("path", f.Path).Str("file_system", name).
					Msg("a network file system: events may be missing, and clawd waits 90 s before it believes that nothing was written")
			}
		}
	}
}

func onNetwork(path string) bool { return networkName(path) != "" }
