// Package held keeps the sessions that a caller of ours has open by itself: clawd exec, a program that
// uses package turn. Each is a file AGENT-SESSION in one folder, locked while its caller works or waits.
// The lock ends with its process, however that ends; the time of the file then says until when it was
// held, for a stop from before that is its caller's to deal with.
package held

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// ErrHeld says that another caller has the session open.
var ErrHeld = errors.New("another clawd exec has the session open")

// Dir is the folder of this user: ~/.local/state/clawd/held, whatever XDG_STATE_HOME says. The daemon, a
// service, and the caller of clawd exec may have two values of it, and must meet.
func Dir(getenv func(string) string) string {
	if runtime.GOOS == "darwin" {
		return filepath.Join(getenv("HOME"), "Library", "Application Support", "clawd", "held")
	}
	return filepath.Join(getenv("HOME"), ".local", "state", "clawd", "held")
}

// idForm is what session ids of all agents are made of.
var idForm = lazyregexp.New(`^[A-Za-z0-9_-]{1,128}$`)

func path(dir, agent, id string) (string, error) {
	if !idForm.MatchString(agent) || !idForm.MatchString(id) {
		return "", fmt.Errorf("%q is not the id of a session", id)
	}
	return filepath.Join(dir, agent+"-"+id), nil
}

// Lock is a session that is held.
type Lock struct{ f *os.File }

// patience: a daemon that looks has the lock for a moment.
const (
	patience = 500 * time.Millisecond
	step     = 5 * time.Millisecond
)

// keep is how long it is known that a session was held: longer than the daemon resumes a stop.
const keep = 90 * 24 * time.Hour

// Take holds a session. The error is ErrHeld when somebody else does.
func Take(dir, agent, id string) (*Lock, error) {
	name, err := path(dir, agent, id)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for end := time.Now().Add(patience); ; time.Sleep(step) {
		l, err := take(name)
		if l != nil && err == nil { // without a daemon nobody else does; what cannot be removed stays
			_ = Prune(dir, time.Now().Add(-keep))
		}
		if l != nil || err != nil && !errors.Is(err, ErrHeld) || time.Now().After(end) {
			return l, err
		}
	}
}

// take tries once. A file that was removed before it was locked is ErrHeld, too.
func take(name string) (*Lock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrHeld
		}
		return nil, err
	}
	mine, err1 := f.Stat()
	there, err2 := os.Lstat(name)
	if err1 != nil || err2 != nil || !os.SameFile(mine, there) {
		_ = release(f)
		return nil, ErrHeld
	}
	l := &Lock{f}
	return l, l.touch()
}

func (l *Lock) touch() error { return unix.Futimes(int(l.f.Fd()), now()) }

func now() []unix.Timeval {
	t := unix.NsecToTimeval(time.Now().UnixNano())
	return []unix.Timeval{t, t}
}

// Close ends the hold and notes when.
func (l *Lock) Close() error { return errors.Join(l.touch(), release(l.f)) }

// release unlocks a file and closes it. Closing alone is not enough: a child of this process has the open file, too, and the lock with it,
// from its fork until it runs its program.
func release(f *os.File) error { return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close()) }

// Look tells whether a session is held now, and until when it was held last; the zero time: never.
func Look(dir string, s detect.Session) (now bool, until time.Time, err error) {
	name, err := path(dir, s.Agent, s.ID)
	if err != nil {
		return false, time.Time{}, nil //nolint:nilerr // no such session can be held
	}
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, time.Time{}, nil
	}
	if err != nil {
		return false, time.Time{}, err
	}
	defer func() { _ = release(f) }()
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return true, time.Time{}, nil
	case err != nil:
		return false, time.Time{}, err
	}
	fi, err := f.Stat()
	if err != nil {
		return false, time.Time{}, err
	}
	return false, fi.ModTime(), nil
}

// Prune removes files of sessions that were not held since before.
func Prune(dir string, before time.Time) error {
	all, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var errs []error
	for _, e := range all {
		if fi, err := e.Info(); err != nil || !fi.ModTime().Before(before) {
			continue
		}
		errs = append(errs, prune(filepath.Join(dir, e.Name()), before))
	}
	return errors.Join(errs...)
}

func prune(name string, before time.Time) error {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer func() { _ = release(f) }()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil // held
	}
	mine, err := f.Stat()
	if err != nil || !mine.ModTime().Before(before) {
		return err
	}
	// Who removes a file has its lock, so this one stays what it is. Another one of its name may be held.
	if there, err := os.Lstat(name); err != nil || !os.SameFile(mine, there) {
		return nil //nolint:nilerr // it was removed meanwhile
	}
	return os.Remove(name)
}
