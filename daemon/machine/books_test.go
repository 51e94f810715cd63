package machine

import (
	"fmt"
	"maps"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// memory keeps in memory what a Store keeps on the disk, for those who play through what becomes of sessions.
type memory struct {
	now      func() time.Time
	sessions map[string]state.Session
	closed   map[string]state.Closed
	days     map[string]state.Budget
	history  []state.Entry
	notices  []state.Notice
	stats    state.Stats
}

// newMemory knows nothing yet.
func newMemory(now func() time.Time) *memory {
	return &memory{now: now, sessions: map[string]state.Session{}, closed: map[string]state.Closed{}, days: map[string]state.Budget{}}
}

// Now is the time by its clock. With Closed, Spent and Record it makes Books.
func (m *memory) Now() time.Time { return m.now().UTC() }

// Closed tells how a stop ended.
func (m *memory) Closed(ds detect.Session, key string) state.Closed {
	return m.closed[closedKey(ds, key)]
}

// Spent gives the budget of a day.
func (m *memory) Spent(at time.Time) state.Budget {
	b := m.days[dayOf(at)]
	if b.Sessions = maps.Clone(b.Sessions); b.Sessions == nil {
		b.Sessions = map[string]int{}
	}
	return b
}

// Record gives a session's record; a new one if there is none.
func (m *memory) Record(ds detect.Session) state.Session {
	if s, ok := m.sessions[state.Key(ds)]; ok {
		return s
	}
	return state.Session{Session: ds, Phase: state.Following}
}

// History is what happened, oldest first.
func (m *memory) History() []state.Entry { return m.history }

// Notices are what users are to be told, oldest first.
func (m *memory) Notices() []state.Notice { return m.notices }

// Resumes is the number of all resumes.
func (m *memory) Resumes() int { return m.stats.TotalResumes }

// Commit stores changes, all of them or none.
func (m *memory) Commit(all ...*state.Change) error {
	revs := map[string]uint64{}
	for _, c := range all {
		for _, s := range append([]state.Session{c.Session}, c.Heirs...) {
			was, again := revs[state.Key(s.Session)]
			if !again {
				was = m.sessions[state.Key(s.Session)].Rev
			}
			if was != 0 && was+1 != s.Rev {
				return fmt.Errorf("%w: revision %d is to follow on %d", state.ErrMoved, s.Rev, was)
			}
			revs[state.Key(s.Session)] = s.Rev
		}
	}
	for _, c := range all {
		m.apply(c)
	}
	return nil
}

func (m *memory) apply(c *state.Change) {
	for _, s := range append([]state.Session{c.Session}, c.Heirs...) {
		m.sessions[state.Key(s.Session)] = s
	}
	for key, how := range c.Closed {
		m.closed[closedKey(c.Session.Session, key)] = how
	}
	m.history = append(m.history, c.History...)
	m.notices = append(m.notices, c.Notices...)
	for _, s := range c.Spent {
		b := m.Spent(s.At)
		b.Total += s.Fires
		b.CostUSD += s.USD
		if s.Fires != 0 {
			b.Sessions[s.Root] += s.Fires
		}
		m.days[dayOf(s.At)] = b
	}
	m.stats.TotalResumes += c.Counts.TotalResumes
}

func dayOf(at time.Time) string { return at.Local().Format(time.DateOnly) }

func closedKey(ds detect.Session, key string) string { return state.Key(ds) + "\x00" + key }
