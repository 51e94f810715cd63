package holders

import (
	"errors"
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
)

// ErrNoLocks is given where this system does not list file locks.
var ErrNoLocks = errors.New("file locks cannot be listed on this system")

// Locks gives the kernel's table of file locks, in the form of /proc/locks.
type Locks func() ([]byte, error)

// locksMax bounds what is read of the table of locks.
const locksMax = 4 << 20

// KernelLocks reads /proc/locks. Where that has all locks none is ever tried, not even a shared one: for that moment the
// agent itself would be refused its session.
func KernelLocks() ([]byte, error) {
	f, err := os.Open("/proc/locks")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoLocks
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, locksMax))
}

// Held gives who has a file locked; fi is what a stat tells of it. A pid is as this pid namespace sees it: 0 is a process that it
// does not. On some file systems (btrfs, overlays) the table has another device number than stat gives; then a
// process counts that has the file open. In a container, or on a network file system, the table lacks the locks of the host's
// processes, or of other machines': there a lock that nobody has is tried.
func (l Locks) Held(procs agent.Procs, path string, fi fs.FileInfo) (pids []int, err error) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, ErrNoLocks
	}
	table, err := l()
	if err != nil {
		return nil, err
	}
	for _, x := range parseLocks(table) {
		if x.inode != st.Ino {
			continue
		}
		dev := uint64(st.Dev) //nolint:unconvert // 32 bits on macOS
		if x.major == unix.Major(dev) && x.minor == unix.Minor(dev) || Opens(procs, x.pid, path) {
			pids = append(pids, x.pid)
		}
	}
	if space := procs.PIDNamespace(); len(pids) == 0 && (space != "" && space != firstSpace || agent.NetworkFS(path) != "") {
		held, err := tried(path)
		if held {
			pids = []int{0}
		}
		return pids, err
	}
	return pids, nil
}

// firstSpace is the pid namespace that has all processes, on every Linux.
const firstSpace = "pid:[4026531836]"

// tried tells whether somebody has a file locked, by a shared lock that lasts for microseconds. An agent that would lock it right then
// is refused; one that is not seen would have a second process beside it.
func tried(path string) (held bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false, agent.SkipAbsent(err)
	}
	defer f.Close()
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return true, nil
	case err != nil: // a file system without locks
		return false, nil
	}
	return false, unix.Flock(int(f.Fd()), unix.LOCK_UN)
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

// Opens tells whether a process has a file open, also where its folder was reached by a link or is written in other letters.
func Opens(procs agent.Procs, pid int, path string) bool {
	if pid <= 0 {
		return false
	}
	dir, name := filepath.Split(path)
	return slices.ContainsFunc(procs.Opens(pid), func(other string) bool {
		its, base := filepath.Split(other)
		return base == name && agent.WorksIn(filepath.Clean(its), filepath.Clean(dir))
	})
}
