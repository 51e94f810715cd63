package agent

import (
	"errors"
	"time"
)

// ErrNoProcs is given where this system does not tell about processes: liveness is unknown, and
// clawd stands down.
var ErrNoProcs = errors.New("processes cannot be listed on this system")

// Proc is one process of this user.
type Proc struct {
	PID, PPID, Group, Leader int       // Leader: pid of the session leader
	Start                    uint64    // clock ticks since boot; macOS: microseconds since 1970
	CPU                      uint64    // clock ticks of CPU time used; macOS: in a list alone
	Comm                     string    // at most 15 bytes
	Started                  time.Time // by the wall clock as it is set now; zero: not known
	Foreground               int       // process group in the foreground of its terminal; 0 or -1: none
	TTY                      string    // controlling terminal, e.g. /dev/pts/3; empty: none, or of another kind
	Zombie                   bool      // it has ended, or is ending
	Starting                 bool      // a child that has no program of its own yet: it shows its parent's arguments
}

// Lives tells whether a process of a list, which may be a moment old, is still there.
func Lives(procs Procs, p Proc) bool {
	now, ok := procs.Get(p.PID)
	return ok && now.Start == p.Start && !now.Zombie
}

// Judge gives what look tells of a process of a list, which may be a moment old; false: nothing, or the process is
// gone. At its end a process shows neither arguments nor folder nor files, one after the other; in exec it has no
// arguments, and before that its parent's. Such a one is looked at again until it runs a program of its own. One
// that stays so hides what it is, but for a child without a program whose parent lives: on a starved machine it may wait
// for its turn that long, and what it shows is its parent's, which is looked at for itself.
func Judge[T any](procs Procs, p Proc, look func(Proc) (T, bool)) (T, bool) {
	var none T
	for pause := time.Millisecond; ; pause *= 2 {
		between := p.Starting || len(procs.Argv(p.PID)) == 0
		v, ok := look(p)
		if !ok {
			return none, false
		}
		now, there := procs.Get(p.PID)
		switch {
		case !there || now.Start != p.Start || now.Zombie:
			return none, false
		case !between:
			return v, true
		case pause > longestPause:
			parent, lives := procs.Get(now.PPID)
			return v, !now.Starting || !lives || parent.Zombie
		}
		time.Sleep(pause)
		p = now
	}
}

// longestPause between two looks at a process that starts a program. An exec takes a part of a millisecond, and
// more on a busy machine.
const longestPause = 32 * time.Millisecond

// MacPIDs is the pid namespace of a Mac, under the name that Claude Code writes down for it. It has one alone: what an agent wrote in a
// container on it, which is a Linux, is of another.
const MacPIDs = "darwin"

// Procs is the process table. NewProcs gives the machine's; tests give their own.
type Procs interface {
	// Boot is the boot id; empty: not known.
	Boot() string
	// Machine is the id of the machine, which a reboot does not change; empty: not known. The first pid namespace is called
	// the same on all.
	Machine() string
	// PIDNamespace is this process's own, e.g. "pid:[4026531836]"; MacPIDs on a Mac; empty: not known.
	PIDNamespace() string
	// InnerPID is the pid that the process has in its own pid namespace, which may lie below this
	// process's; 0: not known.
	InnerPID(pid int) int
	// Get gives one process, of any user; false: there is none.
	Get(pid int) (Proc, bool)
	// List gives the processes of this user. The error is ErrNoProcs where there is no table.
	List() ([]Proc, error)
	// Argv, Cwd and Opens read more of one process; a process that is gone or closed to us gives
	// nothing and no error. Cwd, Opens and Listens are dear on a Mac: a program is started for them.
	Argv(pid int) []string
	Cwd(pid int) string
	Environ(pid int) []string
	// Listens gives the TCP ports on which the process listens, on loopback or any address.
	Listens(pid int) []int
	// Opens gives the paths of the regular files that the process has open.
	Opens(pid int) []string
}
