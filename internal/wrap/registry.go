package wrap

import (
	"encoding/json"
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
	"time"

	"github.com/clawd-project/clawd/agent"
)

// Process names a process for good, together with the boot id.
type Process struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // agent.Proc.Start; 0 where the system does not tell
}

// Info is one wrapped program: the file DIR/CHILDPID.json.
type Info struct {
	Wrapper Process `json:"wrapper"`
	Child   Process `json:"child"` // the program itself; what holds a session may be a child of it
	Boot    string  `json:"boot"`
	Argv0   string  `json:"argv0"`
	TTY     string  `json:"tty"` // the terminal in which a person sees it
	Socket  string  `json:"socket"`
	// End is how the program ended. A wrapper that is gone and has left none was killed: nobody
	// knows how its program ended.
	End *End `json:"end,omitempty"`
}

// End is how a wrapped program ended.
type End struct {
	Cause  Cause     `json:"cause"`
	Code   int       `json:"code"`             // exit code; 128 + the signal's number
	Signal string    `json:"signal,omitempty"` // that killed it, e.g. "SIGKILL"
	At     time.Time `json:"at"`
}

// Cause says who ended a wrapped program.
type Cause string

// A program that exits by itself quit, whatever its exit code.
const (
	Quit   Cause = "quit"   // by itself, or its user's Ctrl-C or Ctrl-\ killed it
	Hangup Cause = "hangup" // its terminal went away, or the wrapper was told to end, as at a logout
	Crash  Cause = "crash"  // a signal that no key sent killed it
)

// maxInfo bounds a file that is read.
const maxInfo = 64 << 10

func (i Info) path(dir string) string {
	return filepath.Join(dir, strconv.Itoa(i.Child.PID)+".json")
}

// write puts the file in its place at once.
func (i Info) write(dir string) error {
	b, err := json.Marshal(i)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), i.path(dir))
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// openDir makes the folder, for this user alone.
func openDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := agent.CheckDir(filepath.Clean(dir)); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// List gives the wrapped programs, also those that ended and were not pruned. A folder that is
// absent has none. A file that cannot be read is skipped and joined to the error.
func List(dir string) ([]Info, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Info
	for _, e := range entries {
		pid, isPID := strings.CutSuffix(e.Name(), ".json")
		if n, bad := strconv.Atoi(pid); !isPID || bad != nil || n <= 0 {
			continue
		}
		i, bad := load(filepath.Join(dir, e.Name()))
		switch {
		case errors.Is(bad, fs.ErrNotExist): // pruned meanwhile
		case bad != nil:
			err = errors.Join(err, bad)
		default:
			all = append(all, i)
		}
	}
	return all, err
}

func load(path string) (Info, error) {
	var i Info
	if _, err := agent.Own(path); err != nil {
		return i, err
	}
	f, err := agent.OpenRegular(path)
	if err != nil {
		return i, err
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, maxInfo)).Decode(&i); err != nil {
		return i, fmt.Errorf("%s: %w", path, err)
	}
	if base := filepath.Base(path); base != strconv.Itoa(i.Child.PID)+".json" {
		return i, fmt.Errorf("%s is the file of process %d", path, i.Child.PID)
	}
	return i, nil
}

// Find gives the wrapped program with that pid and start; false: there is none.
func Find(dir string, childPID int, childStart uint64) (Info, bool) {
	i, err := load(Info{Child: Process{PID: childPID}}.path(dir))
	return i, err == nil && i.Child.Start == childStart
}

// Prune removes what dead wrappers left in the registry, and in the folder of sockets, and nobody touched
// since before.
func Prune(dir, sockets string, procs agent.Procs, before time.Time) error {
	all, err := List(dir)
	boot := procs.Boot()
	all = slices.DeleteFunc(all, func(i Info) bool { return i.Boot == boot && alive(procs, i.Wrapper) })
	for _, i := range all {
		fi, gone := os.Lstat(i.path(dir))
		if gone != nil || !fi.ModTime().Before(before) {
			continue
		}
		os.Remove(socket(sockets, i.Child.PID)) // a killed wrapper left it; never the path that the file names
		err = errors.Join(err, os.Remove(i.path(dir)))
	}
	return err
}

// Sockets is the folder of the wrappers' sockets beside the daemon's.
func Sockets(control string) string { return filepath.Join(filepath.Dir(control), "wraps") }

func socket(dir string, pid int) string { return filepath.Join(dir, strconv.Itoa(pid)+".sock") }

// alive also works where the process table is closed to us.
func alive(procs agent.Procs, p Process) bool {
	if errors.Is(syscall.Kill(p.PID, 0), syscall.ESRCH) {
		return false
	}
	got, ok := procs.Get(p.PID)
	return !ok || got.Start == p.Start
}
