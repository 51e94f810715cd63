package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/internal/shim"
	"github.com/clawd-project/clawd/resume"
)

// shortage is the machine's own state when it cannot give what a start needs: processes, memory, files, room
// on the disk, or clawd's own folders. It says nothing about a session, so no session pays for it: all wait,
// one of them tries again after a while, and the first start that goes through ends it.
type shortage struct {
	mu    sync.Mutex // guards what follows
	why   string     // empty: there is none
	tries int
	until time.Time // by the clock that nobody sets
}

const (
	shortFirst = 5 * time.Second
	shortMost  = 5 * time.Minute
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

// short notes a failure of the machine, says so once, and gives the refusal for whoever met it.
func (d *Daemon) short(why string) error {
	s := &d.shortage
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Until(s.until) <= 0 {
		s.step()
	}
	if s.why == "" {
		d.log.Warn().Str("event", "machine_short").Str("why", why).
			Msg("nothing can be started now; clawd tries again by itself, less often the longer it lasts, and no attempt counts")
	}
	s.why = why
	return s.refusal(d.sleeper.Now())
}

// refusal puts a session off until the next try. now is by the wall clock.
func (s *shortage) refusal(now time.Time) error {
	return &resume.Refusal{Outcome: resume.Outcome{Verdict: resume.Postponed, Again: now.Add(time.Until(s.until)), Why: s.why}}
}

// step puts the next try off.
func (s *shortage) step() {
	s.until = time.Now().Add(min(shortFirst<<min(s.tries, 10), shortMost))
	s.tries++
}

// rests refuses as long as the machine is to be left alone.
func (s *shortage) rests(now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == "" || time.Until(s.until) <= 0 {
		return nil
	}
	return s.refusal(now)
}

// turn lets one through, which nothing else keeps from starting, and puts the others off.
func (s *shortage) turn(now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.why == "":
	case time.Until(s.until) > 0:
		return s.refusal(now)
	default:
		s.step()
	}
	return nil
}

// is tells whether why is what the machine lacks: that was said for all.
func (s *shortage) is(why string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why != "" && s.why == why
}

// passed ends the shortage after a start.
func (d *Daemon) passed() {
	s := &d.shortage
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why != "" {
		d.log.Info().Str("event", "machine_recovered").Str("why", s.why).Int("tries", s.tries).Msg("starts go through again")
	}
	s.why, s.tries, s.until = "", 0, time.Time{}
}

// careful is the trigger with an eye on the machine.
type careful struct {
	Trigger
	d *Daemon
}

// Start says of what the machine lacks that it is not the session's fault.
func (s careful) Start(ctx context.Context, c resume.Claim) (resume.Run, error) {
	run, err := s.Trigger.Start(ctx, c)
	if err != nil && aboutMachine(err) {
		return nil, s.d.short("the agent could not be started: " + err.Error())
	}
	if err != nil {
		return nil, err
	}
	return gated{run, s.d}, nil
}

type gated struct {
	resume.Run
	d *Daemon
}

// Open takes in how the gate answered: a shim that could not make its mark started nothing.
func (g gated) Open(ctx context.Context) (resume.Gate, string, error) {
	gate, why, err := g.Run.Open(ctx)
	switch {
	case err != nil:
	case gate == resume.GateShort:
		why = "the attempt could not be marked: " + why
		_ = g.d.short(why) // the run is told by its gate
	case gate == resume.GateExec:
		g.d.passed()
	}
	return gate, why, err
}

// folders makes sure that clawd's own folders are there: somebody may have removed them.
func (d *Daemon) folders() error {
	d.making.Lock()
	defer d.making.Unlock()
	for _, dir := range []string{d.o.UserDir, d.o.StateDir, d.marks(), d.runs(), d.backups()} {
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

// keepUp makes again what somebody removed of clawd's own while it runs.
func (d *Daemon) keepUp(c *control) error {
	return errors.Join(d.folders(), d.relock(), c.renew())
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
