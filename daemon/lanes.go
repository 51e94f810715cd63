package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// lanes says which sessions may start now: at most so many at a time, spaced out, and of those
// that wait for the same window of the same account one first.
type lanes struct {
	mu      sync.Mutex    // guards what follows
	changed chan struct{} // closed and replaced at every change
	running int
	last    time.Time        // of the last start, by the clock that nobody sets
	first   map[string]*lead // by account and window
}

// lead is the session that goes first into a window.
type lead struct {
	session string
	opened  bool      // it went through: the others may follow
	again   time.Time // it was limited again: the others wait until then, too; by the clock that nobody sets
}

func newLanes() *lanes { return &lanes{changed: make(chan struct{}), first: map[string]*lead{}} }

func (l *lanes) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// enter waits for the session's turn and takes a lane. window is empty for stops that share
// nothing. A *resume.Refusal says that the window is still closed.
func (l *lanes) enter(ctx context.Context, s *sleeper, session, window string, since time.Time, parallel int, stagger time.Duration) error {
	for {
		l.mu.Lock()
		changed := l.changed
		pause, refusal := l.turn(s.Now(), session, window, since, parallel, stagger)
		if pause == 0 && refusal == nil {
			l.running++
			l.last = time.Now()
		}
		l.mu.Unlock()
		switch {
		case refusal != nil:
			return refusal
		case pause == 0:
			return nil
		}
		timeout, cancel := context.WithTimeout(ctx, pause)
		select {
		case <-changed:
		case <-timeout.Done():
		}
		cancel()
		if ctx.Err() != nil {
			l.drop(session, window)
			return context.Cause(ctx)
		}
	}
}

// long is a pause that a change will end.
const long = time.Minute

// turn says how long to pause; 0: now.
func (l *lanes) turn(now time.Time, session, window string, since time.Time, parallel int, stagger time.Duration) (time.Duration, *resume.Refusal) {
	if window != "" {
		f := l.first[window]
		switch {
		case f == nil:
			l.first[window] = &lead{session: session}
		case f.opened:
		case f.session == session:
			f.again = time.Time{} // this is the next try, and how it goes is yet to be seen
		case time.Until(f.again) > 0 && now.Add(time.Until(f.again)).After(since):
			return 0, &resume.Refusal{Outcome: resume.Outcome{Verdict: resume.Postponed, Again: now.Add(time.Until(f.again)),
				Why: "another session of this account went first and is still limited"}}
		case !f.again.IsZero():
			l.first[window] = &lead{session: session}
		default:
			return long, nil
		}
	}
	if l.running >= parallel {
		return long, nil
	}
	if left := stagger - time.Since(l.last); left > 0 {
		return left, nil
	}
	return 0, nil
}

// drop gives up a place in front without having started.
func (l *lanes) drop(session, window string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.first[window]; f != nil && f.session == session && !f.opened {
		delete(l.first, window)
		l.change()
	}
}

// leave gives the lane back.
func (l *lanes) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.change()
}

// verdict tells the others in the window how it went for the first: it tries again in a while; 0: it does not.
func (l *lanes) verdict(session, window string, v resume.Verdict, again time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.first[window]
	if f == nil || f.session != session {
		return
	}
	switch {
	case v == resume.Resumed:
		f.opened = true
	case v == resume.StoppedAgain && again > 0:
		f.again = time.Now().Add(again)
	default: // it does not try again, or nothing can be learnt from it: another one goes first
		delete(l.first, window)
	}
	l.change()
}

// take counts a run that was started before a restart.
func (l *lanes) take() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running++
}

// closed notes a new limit in a window: what opened before counts no more.
func (l *lanes) closed(window string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.first[window]; f != nil && f.opened {
		delete(l.first, window)
		l.change()
	}
}
