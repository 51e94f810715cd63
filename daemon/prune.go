package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/held"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

const (
	pruneEvery = 24 * time.Hour
	keepFor    = 90 * 24 * time.Hour // what is known of the past
	keepRuns   = 7 * 24 * time.Hour  // what runs printed
)

// prune drops what is known of long ago. What was fired for stays closed: the store keeps those rows for
// good, and the marks stay as long as the agent keeps the session.
func (d *Daemon) prune() error {
	oldest := d.now().Add(-keepFor)
	if !d.dry() {
		if err := d.store.Snapshot(); err != nil {
			d.broken(err)
			d.log.Warn().Str("event", "snapshot_failed").Err(err).Msg("the store has no new snapshot; the next try is in a day")
		}
	}
	gone := func(s detect.Session) bool { return missing(s) && !d.unmounted(s) }
	if err := d.store.Prune(keepFor, func(s state.Session) bool { return gone(s.Session) }); err != nil {
		return err
	}
	if err := marks.Prune(d.marks(), oldest, gone); err != nil {
		return err
	}
	if err := wrap.Prune(d.o.Wraps, wrap.Sockets(d.o.Socket), d.o.Env.Procs, oldest); err != nil {
		d.log.Warn().Str("event", "wraps_unread").Err(err).Msg("a terminal of clawd wrap is not known")
	}
	if err := held.Prune(d.held(), oldest); err != nil {
		d.log.Warn().Str("event", "held_unread").Err(err).Msg("sessions that clawd exec once had open are still noted")
	}
	return nil
}

// cleanUp prunes. What a full disk keeps from being removed may stay until the next time.
func (d *Daemon) cleanUp() {
	if err := d.prune(); err != nil {
		d.broken(err)
		d.warned.warn("state_error", "old records stay for now; clawd cleans up once a day", err)
	}
}

func missing(s detect.Session) bool {
	_, err := os.Lstat(s.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// away names the agent whose whole folder may only be away, and for how long the session has been due meanwhile; empty:
// it is there.
func (s *session) away(d resume.Decision) (whose string, late time.Duration) {
	if !missing(s.ds) || !s.d.unmounted(s.ds) {
		return "", 0
	}
	due := d.WakeAt
	if s.d.started.After(due) {
		due = s.d.started
	}
	return s.ds.Agent, s.d.now().Sub(due)
}

// unmounted tells whether there is nothing at all where a session's agent keeps its sessions: a disk that is not
// mounted looks so. That one file is not there says nothing then.
func (d *Daemon) unmounted(ds detect.Session) bool {
	a, inside := d.agent(ds.Agent), false
	if a == nil {
		return false
	}
	for _, f := range a.Folders() {
		if !strings.HasPrefix(ds.Path, f.Path+string(filepath.Separator)) {
			continue
		}
		dir, err := os.Open(f.Path)
		if err == nil {
			_, err = dir.Readdirnames(1)
			dir.Close()
		}
		if err == nil {
			return false
		}
		inside = true
	}
	return inside
}

// pruneRuns removes old outputs of runs. One that a run may still be judged by stays, however long the
// run has printed nothing.
func (d *Daemon) pruneRuns() {
	needed := d.those((*machine.Session).Works)
	all, _ := os.ReadDir(d.outputs()) // what cannot be listed stays
	for _, e := range all {
		fi, err := e.Info()
		if err != nil || e.IsDir() || d.now().Sub(fi.ModTime()) <= keepRuns {
			continue
		}
		if !slices.ContainsFunc(needed, func(s *session) bool { return strings.HasPrefix(e.Name(), s.outputName()) }) {
			os.Remove(filepath.Join(d.outputs(), e.Name()))
		}
	}
}

// pruneDaily prunes again once a day: clawd may run for months. A clock that was set counts as a day.
func (v *watching) pruneDaily(ctx context.Context) {
	now := v.d.now()
	if now.Sub(v.pruned).Abs() < pruneEvery {
		return
	}
	v.pruned = now
	v.d.warned.forget()
	v.d.cleanUp()
	v.d.pruneRuns()
	v.d.keepYoung(ctx)
}

// outputName is what the names of its runs' outputs begin with.
func (s *session) outputName() string { return s.ds.Agent + "-" + s.ds.ID + "-" }
