package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// tx is one transaction with the records of this package in it.
type tx struct {
	*bolt.Tx
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
	crash(name + ".before")
	commits := false
	err := s.db.Update(func(b *bolt.Tx) error {
		err := f(tx{b, s.now().UTC().Round(0)})
		commits = err == nil
		return err
	})
	switch {
	case err == nil:
		crash(name + ".after")
	case commits:
		err = s.broke(err)
	}
	return err
}

func (t tx) get(bucket []byte, key string, v any) (bool, error) {
	b := t.Bucket(bucket).Get([]byte(key))
	if b == nil {
		return false, nil
	}
	if err := unpack(b, v); err != nil {
		return false, fmt.Errorf("record %s of %s: %w", key, bucket, err)
	}
	return true, nil
}

func (t tx) put(bucket []byte, key string, v any) error {
	b, err := pack(v)
	if err != nil {
		return err
	}
	return t.Bucket(bucket).Put([]byte(key), b)
}

func (t tx) append(bucket []byte, v any) error {
	b, err := pack(v)
	if err != nil {
		return err
	}
	log := t.Bucket(bucket)
	log.FillPercent = 0.95 // nothing is ever put in between
	n, err := log.NextSequence()
	if err != nil {
		return err
	}
	return log.Put(binary.BigEndian.AppendUint64(nil, n), b)
}

// session gives a session's record; a new one if there is none, or if it cannot be read: then its
// marks still keep it from being fired for twice.
func (t tx) session(ds detect.Session) (Session, error) {
	var s Session
	ok, err := t.get(bucketSessions, Key(ds), &s)
	if errors.Is(err, errChecksum) {
		ok, err = false, nil
	}
	if !ok {
		s = Session{Session: ds, Phase: Following}
	}
	return s, err
}

func (t tx) save(s Session) error {
	s.Updated = t.now
	if err := t.Bucket(bucketSeen).Delete([]byte(Key(s.Session))); err != nil {
		return err
	}
	return t.put(bucketSessions, Key(s.Session), s)
}

func (t tx) history(s Session, kind, key string, n int, why, proof string) error {
	return t.append(bucketHistory, Entry{At: t.now, Kind: kind, Session: Key(s.Session), Key: key, N: n, Why: why, Proof: proof})
}

func (t tx) tell(s Session, event, why string) error {
	return t.append(bucketOutbox, Notice{At: t.now, Event: event, Session: Key(s.Session), Reason: s.Stop.Reason, Why: why})
}

func (t tx) stats(f func(*Stats)) error {
	var st Stats
	if _, err := t.get(bucketStats, "total", &st); err != nil && !errors.Is(err, errChecksum) {
		return err
	}
	if st.Stops == nil {
		st.Stops = map[detect.Reason]int{}
	}
	f(&st)
	return t.put(bucketStats, "total", st)
}

func (t tx) budget(f func(*Budget)) (Budget, error) { return t.budgetOf(t.now, f) }

// giveBack takes a fire out of the budget of the day on which it was claimed.
func (t tx) giveBack(rec Session, claimed time.Time) error {
	_, err := t.budgetOf(claimed, func(b *Budget) { b.Total--; b.Sessions[rec.root()]-- })
	return err
}

func (t tx) budgetOf(at time.Time, f func(*Budget)) (Budget, error) {
	var b Budget
	day := at.Local().Format(time.DateOnly)
	if _, err := t.get(bucketBudget, day, &b); err != nil {
		return b, err
	}
	if b.Sessions == nil {
		b.Sessions = map[string]int{}
	}
	if f == nil {
		return b, nil
	}
	f(&b)
	return b, t.put(bucketBudget, day, b)
}

func closedKey(s detect.Session, key string) string { return Key(s) + "\x00" + key }

// closed tells how a stop ended; false: it was never fired for, nothing came of it, or its user's
// order to resume it all the same stands.
func (t tx) closed(rec Session, key string) (Closed, bool, error) {
	var c Closed
	ok, err := t.get(bucketClosed, closedKey(rec.Session, key), &c)
	ordered := rec.Phase == Waiting && rec.Decision.Asked && !c.Reopened.IsZero()
	return c, ok && c.Verdict != resume.NoEffect && !ordered, err
}

func limitKey(account string, w detect.Window) string { return account + "\x00" + string(w) }

// root names the line of sessions that share budgets.
func (s Session) root() string {
	if s.Root != "" {
		return s.Root
	}
	return Key(s.Session)
}
