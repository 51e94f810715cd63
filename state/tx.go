package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/crash"
)

// tx is one transaction with the records of this package in it.
type tx struct {
	*bolt.Tx
	s   *Store
	now time.Time
}

// update runs one writing transaction, and makes sure first that it would last.
func (s *Store) update(name string, f func(tx) error) error {
	if err := s.intact(); err != nil {
		return err
	}
	if fault := s.fault.Load(); fault != nil {
		return *fault
	}
	crash.At(name + ".before")
	commits := false
	err := guard(func() error {
		return s.db.Update(func(b *bolt.Tx) error {
			err := f(tx{b, s, s.now().UTC().Round(0)})
			commits = err == nil
			return err
		})
	})
	damaged := (*damage)(nil)
	switch {
	case err == nil:
		crash.At(name + ".after")
	case errors.As(err, &damaged):
		err = s.suspect(damaged)
	case commits:
		err = s.broke(err)
	}
	return err
}

// view runs one reading transaction.
func (s *Store) view(f func(tx) error) error {
	if fault := s.fault.Load(); fault != nil && errors.Is(*fault, ErrDamaged) {
		return *fault
	}
	err := guard(func() error { return s.db.View(func(b *bolt.Tx) error { return f(tx{Tx: b, s: s}) }) })
	if damaged := (*damage)(nil); errors.As(err, &damaged) {
		err = s.suspect(damaged)
	}
	return err
}

// suspect ends the use of a file that bbolt died over. The note has the next Open keep what is left of it,
// also when it is found sound: else clawd would die of it again and again.
func (s *Store) suspect(d *damage) error {
	err := fmt.Errorf("%w: %w", ErrDamaged, d)
	if !s.fault.CompareAndSwap(nil, &err) {
		return *s.fault.Load()
	}
	if e := os.WriteFile(s.suspectPath(), []byte(d.Error()), 0o600); e != nil {
		err = errors.Join(err, e)
	}
	if s.Broken != nil {
		s.Broken(err)
	}
	return err
}

// fetch reads a record; false: there is none, or it cannot be read, and the value is the zero value.
func fetch[T any](t tx, bucket []byte, key string) (v T, ok bool) {
	b := t.Bucket(bucket).Get([]byte(key))
	if b == nil || !t.decode(bucket, []byte(key), b, &v) {
		return *new(T), false
	}
	return v, true
}

// each calls f for all records of a bucket that can be read, in the order of their keys.
func each[T any](t tx, bucket []byte, f func(key []byte, v T) error) error {
	return t.Bucket(bucket).ForEach(func(k, raw []byte) error {
		var v T
		if !t.decode(bucket, k, raw, &v) {
			return nil
		}
		return f(k, v)
	})
}

// decode is the one way to read a record. One that cannot be read counts as absent, costs only itself and is
// told once.
func (t tx) decode(bucket, key, raw []byte, v any) bool {
	err := unpack(bucket, key, raw, v)
	if rec, ok := v.(*Session); ok && err == nil && bytes.Equal(bucket, bucketSessions) && Key(rec.Session) != string(key) {
		err = errChecksum // schema 1 does not say where a record belongs
	}
	if err == nil {
		return true
	}
	t.s.unreadable(fmt.Errorf("the record %q of %s: %w", key, bucket, err))
	return false
}

func (s *Store) unreadable(err error) {
	s.mu.Lock()
	known := s.bad[err.Error()]
	s.bad[err.Error()] = true
	s.mu.Unlock()
	if !known && s.o.Unreadable != nil {
		s.o.Unreadable(err)
	}
}

func (t tx) put(bucket []byte, key string, v any) error {
	b, err := pack(bucket, []byte(key), v)
	if err != nil {
		return err
	}
	return t.Bucket(bucket).Put([]byte(key), b)
}

func (t tx) append(bucket []byte, v any) error {
	log := t.Bucket(bucket)
	log.FillPercent = 0.95 // nothing is ever put in between
	n, err := log.NextSequence()
	if err != nil {
		return err
	}
	return t.put(bucket, string(binary.BigEndian.AppendUint64(nil, n)), v)
}

// session gives a session's record; a new one if there is none, or if it cannot be read: then its
// marks still keep it from being fired for twice.
func (t tx) session(ds detect.Session) Session {
	if s, ok := fetch[Session](t, bucketSessions, Key(ds)); ok {
		return s
	}
	return Session{Session: ds, Phase: Following}
}

// save writes a record. It was made from the one that is stored, else there would be two who write; one that was pruned
// comes back.
func (t tx) save(s *Session) error {
	was, ok := fetch[struct { // no more is read of it, where it fits
		Rev uint64 `json:"rev"`
	}](t, bucketSessions, Key(s.Session))
	if !ok || was.Rev+1 != s.Rev {
		if was := t.session(s.Session); was.Rev != 0 && was.Rev+1 != s.Rev {
			return fmt.Errorf("%w: revision %d is to follow on %d", ErrMoved, s.Rev, was.Rev)
		}
	}
	if err := t.Bucket(bucketSeen).Delete([]byte(Key(s.Session))); err != nil {
		return err
	}
	return t.put(bucketSessions, Key(s.Session), s)
}

// closed tells how a stop ended; the zero value: it was never fired for.
func (t tx) closed(ds detect.Session, key string) Closed {
	c, _ := fetch[Closed](t, bucketClosed, closedKey(ds, key))
	return c
}

// spent gives the budget of a day. A day that the store knows nothing of is counted by its marks: nothing was fired yet,
// or the store has lost it.
func (t tx) spent(at time.Time) Budget {
	day := dayOf(at)
	b, ok := fetch[Budget](t, bucketBudget, day)
	if !ok {
		b = t.marked(day)
	}
	if b.Sessions == nil {
		b.Sessions = map[string]int{}
	}
	return b
}

// marked counts the fires of a day by their marks.
func (t tx) marked(day string) Budget {
	b := Budget{Sessions: map[string]int{}}
	midnight, err := time.ParseInLocation(time.DateOnly, day, time.Local)
	if err != nil || t.s.o.Fired == nil {
		return b
	}
	for _, c := range t.s.o.Fired(midnight) {
		if dayOf(c.At) == day {
			b.Total++
			b.Sessions[t.session(c.Session).root()]++
		}
	}
	return b
}

// dayOf is the day on which a fire at a time counts.
func dayOf(at time.Time) string { return at.Local().Format(time.DateOnly) }

func closedKey(s detect.Session, key string) string { return Key(s) + "\x00" + key }

// root names the line of sessions that share budgets.
func (s Session) root() string {
	if s.Root != "" {
		return s.Root
	}
	return Key(s.Session)
}
