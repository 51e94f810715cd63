package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/peer"
)

// ErrRunning says that a clawd of this user runs already.
var ErrRunning = errors.New("a clawd of this user is running already")

// LockName is the file of the user's lock, in UserDir.
const LockName = "clawd.lock"

// lockPatience is how long a lock that is held is tried again.
const lockPatience = time.Second

// acquire takes the user's lock: two daemons with two configs must meet here, for both would see
// the same sessions.
func (d *Daemon) acquire() error {
	if d.dry() {
		return nil
	}
	path := filepath.Join(d.o.UserDir, LockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	// A process that a killed clawd was just starting keeps the lock until it becomes its program.
	for end := time.Now().Add(lockPatience); ; time.Sleep(lockPatience / 20) {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(end) {
			break
		}
	}
	switch {
	case err != nil && !errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return fmt.Errorf("can't lock %s, and without that lock two clawds could run: %w", path, err)
	case err != nil:
		f.Close()
		other, _ := peer.Running(path)
		return fmt.Errorf("%w (pid %d); \"clawd status\" shows what it does", ErrRunning, other.PID)
	}
	_ = peer.Daemon{PID: os.Getpid(), Socket: d.o.Socket}.Hold(f) // on a full disk only clawd wrap does not find us
	d.lock = f
	return nil
}

func (d *Daemon) release() {
	d.domain.leave()
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

// warnings tells at start what may go wrong later.
func (d *Daemon) warnings() {
	d.tellStore()
	d.tellConfig()
	for _, a := range d.agents {
		for _, f := range a.Folders() {
			if name := agent.NetworkFS(f.Path); name != "" {
				d.log.Warn().Str("event", "slow_files").Str("agent", a.Name()).Str("path", f.Path).Str("file_system", name).
					Msg("a network file system: events may be missing, and clawd waits 90 s before it believes that nothing was written")
			}
		}
	}
}
