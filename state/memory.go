package state

import (
	"fmt"
	"maps"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Memory keeps in memory what a Store keeps on the disk, for those who play through what becomes of sessions.
type Memory struct {
	now      func() time.Time
	sessions map[string]Session
	closed   map[string]Closed
	days     map[string]Budget
	history  []Entry
	notices  []Notice
	stats    Stats
}

// NewMemory knows nothing yet.
func NewMemory(now func() time.Time) *Memory {
	return &Memory{now: now, sessions: map[string]Session{}, closed: map[string]Closed{}, days: map[string]Budget{}}
}

// Now is the time by its clock. With Closed, Spent and Record it makes Books.
func (m *Memory) Now() time.Time { return m.now().UTC() }

// Closed tells how a stop ended.
func (m *Memory) Closed(ds detect.Session, key string) Closed { return m.closed[closedKey(ds, key)] }

// Spent gives the budget of a day.
func (m *Memory) Spent(at time.Time) Budget {
	b := m.days[dayOf(at)]
	if b.Sessions = maps.Clone(b.Sessions); b.Sessions == nil {
		b.Sessions = map[string]int{}
	}
	return b
}

// Record gives a session's record; a new one if there is none.
func (m *Memory) Record(ds detect.Session) Session {
	if s, ok := m.sessions[Key(ds)]; ok {
		return s
	}
	return Session{Session: ds, Phase: Following}
}

// History is what happened, oldest first.
func (m *Memory) History() []Entry { return m.history }

// Notices are what users are to be told, oldest first.
func (m *Memory) Notices() []Notice { return m.notices }

// Resumes is the number of all resumes.
func (m *Memory) Resumes() int { return m.stats.TotalResumes }

// Commit stores changes, all of them or none.
func (m *Memory) Commit(all ...*Change) error {
	revs := map[string]uint64{}
	for _, c := range all {
		for _, s := range append([]Session{c.Session}, c.heirs...) {
			was, again := revs[Key(s.Session)]
			if !again {
				was = m.sessions[Key(s.Session)].Rev
			}
			if was != 0 && was+1 != s.Rev {
				return fmt.Errorf("%w: revision %d is to follow on %d", ErrMoved, s.Rev, was)
			}
			revs[Key(s.Session)] = s.Rev
		}
	}
	for _, c := range all {
		m.apply(c)
	}
	return nil
}

func (m *Memory) apply(c *Change) {
	for _, s := range append([]Session{c.Session}, c.heirs...) {
		m.sessions[Key(s.Session)] = s
	}
	for key, how := range c.closed {
		m.closed[closedKey(c.Session.Session, key)] = how
	}
	m.history = append(m.history, c.history...)
	m.notices = append(m.notices, c.notices...)
	for _, s := range c.spent {
		b := m.Spent(s.at)
		b.Total += s.fires
		b.CostUSD += s.usd
		if s.fires != 0 {
			b.Sessions[s.root] += s.fires
		}
		m.days[dayOf(s.at)] = b
	}
	m.stats.TotalResumes += c.counts.TotalResumes
}
