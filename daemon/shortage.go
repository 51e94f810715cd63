package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/clawd-project/clawd/internal/shim"
)

// aboutMachine tells whether a failure says nothing about the session that it came up with.
func aboutMachine(err error) bool {
	for _, errno := range []syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC,
		syscall.EDQUOT, syscall.EFBIG, syscall.EINTR} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return errors.Is(err, shim.ErrOwn)
}

// passes tells whether what keeps an agent from being started says nothing about that agent.
func passes(err error) bool { return errors.Is(err, errNotYet) || aboutMachine(err) }

// folders makes sure that clawd's own folders are there: somebody may have removed them.
func (d *Daemon) folders() error {
	d.making.Lock()
	defer d.making.Unlock()
	for _, dir := range []string{d.o.UserDir, d.o.StateDir, d.marks(), d.outputs(), d.backups()} {
		if _, err := os.Lstat(dir); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := ownDir(dir); err != nil {
			return err
		}
		d.log.Warn().Str("event", "folder_made_again").Str("path", dir).Msg("one of clawd's folders was gone; it is there again, empty")
	}
	return nil
}

// relock takes the user's lock again where its file is gone or is another one: another clawd could take that, too.
func (d *Daemon) relock() error {
	if d.lock == nil {
		return nil
	}
	mine, err := d.lock.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(filepath.Join(d.o.UserDir, LockName))
	if err == nil && os.SameFile(mine, there) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := d.lock
	if err := d.acquire(); err != nil {
		d.lock = old
		d.fatal(&fatalError{fmt.Errorf("clawd's lock was removed or replaced, and %w", err)})
		return err
	}
	return old.Close()
}
