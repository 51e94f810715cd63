package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/detect"
)

// lockState is what a session's lock file tells.
type lockState struct {
	exists bool
	pids   []int // who holds it
}

// lock looks at the lock file of a session.
func (c *Codex) lock(s detect.Session) (lockState, error) {
	path := filepath.Join(c.lockDir(), s.ID+".lock")
	fi, err := c.own(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lockState{}, nil
	}
	if err != nil {
		return lockState{}, err
	}
	pids, err := c.locks.Held(c.env.Procs, path, fi)
	return lockState{true, pids}, err
}

// opens tells whether a process has a file open.
func (c *Codex) opens(pid int, path string) bool { return holders.Opens(c.env.Procs, pid, path) }

// opensAnother tells whether a process has the rollout of another session open.
func (c *Codex) opensAnother(pid int, path string) bool {
	own, _, _ := idOf(filepath.Base(path))
	return slices.ContainsFunc(c.env.Procs.Opens(pid), func(p string) bool {
		id, packed, ok := idOf(filepath.Base(p))
		return ok && !packed && id != own
	})
}

func describeLock(pid int) string {
	return fmt.Sprintf("process %d holds the session's writer lock", pid)
}
