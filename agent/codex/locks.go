package codex

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// errNoLocks is given where this system does not list file locks.
var errNoLocks = errors.New("file locks cannot be listed on this system")

// locksMax bounds what is read of the table of locks.
const locksMax = 4 << 20

// procLocks reads /proc/locks. A lock is never tried, not even a shared one: for that moment the
// agent itself would be refused its session.
func procLocks() ([]byte, error) {
	f, err := os.Open("/proc/locks")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoLocks
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, locksMax))
}

// fileLock is one line of /proc/locks that is held; one that is waited for has "->" before FLOCK:
//
//	1: FLOCK  ADVISORY  WRITE 12804 fe:00:9996462 0 EOF
type fileLock struct {
	pid          int // as this pid namespace sees it
	major, minor uint32
	inode        uint64
}

func parseLocks(table []byte) []fileLock {
	var all []fileLock
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) < 6 || f[3] != "WRITE" {
			continue
		}
		file := strings.Split(f[5], ":")
		pid, err := strconv.Atoi(f[4])
		if err != nil || len(file) != 3 {
			continue
		}
		major, err1 := strconv.ParseUint(file[0], 16, 32)
		minor, err2 := strconv.ParseUint(file[1], 16, 32)
		inode, err3 := strconv.ParseUint(file[2], 10, 64)
		if err := errors.Join(err1, err2, err3); err != nil {
			continue
		}
		all = append(all, fileLock{pid, uint32(major), uint32(minor), inode})
	}
	return all
}

// lockState is what a session's lock file tells.
type lockState struct {
	exists bool
	pids   []int // who holds it
}

// lock looks at the lock file of a session. On some file systems (btrfs, overlays) the table has
// another device number than stat gives; then a process counts that has the file open.
func (c *Codex) lock(s detect.Session) (lockState, error) {
	path := filepath.Join(c.lockDir(), s.ID+".lock")
	fi, err := c.own(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lockState{}, nil
	}
	if err != nil {
		return lockState{}, err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return lockState{exists: true}, errNoLocks
	}
	table, err := c.locks()
	if err != nil {
		return lockState{exists: true}, err
	}
	l := lockState{exists: true}
	for _, x := range parseLocks(table) {
		if x.inode != st.Ino {
			continue
		}
		dev := uint64(st.Dev) //nolint:unconvert // 32 bits on macOS
		if x.major == unix.Major(dev) && x.minor == unix.Minor(dev) || c.opens(x.pid, path) {
			l.pids = append(l.pids, x.pid)
		}
	}
	return l, nil
}

// opens tells whether a process has a file open, also where its folder was reached by a link.
func (c *Codex) opens(pid int, path string) bool {
	if c.env.Procs == nil || pid <= 0 {
		return false
	}
	real := path
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		real = filepath.Join(dir, filepath.Base(path))
	}
	for _, p := range c.env.Procs.Opens(pid) {
		if p == path || p == real {
			return true
		}
	}
	return false
}

// opensAnother tells whether a process has the rollout of another session open.
func (c *Codex) opensAnother(pid int, path string) bool {
	return slices.ContainsFunc(c.env.Procs.Opens(pid), func(p string) bool {
		base := filepath.Base(p)
		return strings.HasPrefix(base, "rollout-") && strings.HasSuffix(base, ".jsonl") && base != filepath.Base(path)
	})
}

func describeLock(pid int) string {
	return fmt.Sprintf("process %d holds the session's writer lock", pid)
}

// boot is the boot id; empty: not known.
func (c *Codex) boot() string {
	if c.env.Procs == nil {
		return ""
	}
	return c.env.Procs.Boot()
}

func (c *Codex) list() ([]agent.Proc, error) {
	if c.env.Procs == nil {
		return nil, agent.ErrNoProcs
	}
	return c.env.Procs.List()
}
