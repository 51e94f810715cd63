package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/clawd-project/clawd/detect"
)

// Session gives a session's record; false: there is none.
func (s *Store) Session(ds detect.Session) (Session, bool, error) {
	var rec Session
	var ok bool
	err := s.db.View(func(b *bolt.Tx) (err error) {
		ok, err = tx{Tx: b}.get(bucketSessions, Key(ds), &rec)
		return err
	})
	if errors.Is(err, errChecksum) {
		return Session{}, false, nil
	}
	return rec, ok, err
}

// Sessions calls f for every session. Records that cannot be read are named in the error, after
// all others were given.
func (s *Store) Sessions(f func(Session) error) error {
	return s.db.View(func(b *bolt.Tx) error {
		var bad []error
		err := b.Bucket(bucketSessions).ForEach(func(k, v []byte) error {
			var rec Session
			if err := unpack(v, &rec); err != nil {
				bad = append(bad, fmt.Errorf("record %s: %w", k, err))
				return nil
			}
			return f(rec)
		})
		return errors.Join(append(bad, err)...)
	})
}

// Parting is what a clawd that ended cleanly noted last.
type Parting struct {
	At          time.Time `json:"at"`
	MachineDown bool      `json:"machine_down"` // the machine was going down with it
}

var keyParting = []byte("parting")

// Part notes the clean end of this clawd.
func (s *Store) Part(p Parting) error {
	return s.update("part", func(t tx) error { return t.put(bucketMeta, string(keyParting), p) })
}

// Parting gives the note of the clawd before; false: it did not end cleanly, or there was none.
func (s *Store) Parting() (p Parting, ok bool, err error) {
	err = s.db.View(func(b *bolt.Tx) error {
		ok, err = tx{Tx: b}.get(bucketMeta, string(keyParting), &p)
		return err
	})
	if errors.Is(err, errChecksum) {
		return Parting{}, false, nil
	}
	return p, ok, err
}

// ForgetParting takes the note away: from now on an end without one is no clean end.
func (s *Store) ForgetParting() error {
	return s.update("forget_parting", func(t tx) error { return t.Bucket(bucketMeta).Delete(keyParting) })
}

var keyAlive = []byte("alive")

// alive puts the sign of life into a transaction that writes anyway.
func (t tx) alive() error { return t.put(bucketMeta, string(keyAlive), t.now) }

// SignAlive notes that this clawd is there, for the one after it: a crash leaves no Parting.
func (s *Store) SignAlive() error { return s.update("alive", tx.alive) }

// Alive gives the last sign of life; zero: there is none.
func (s *Store) Alive() (at time.Time, err error) {
	err = s.db.View(func(b *bolt.Tx) error {
		_, err := tx{Tx: b}.get(bucketMeta, string(keyAlive), &at)
		return err
	})
	if errors.Is(err, errChecksum) {
		return time.Time{}, nil
	}
	return at, err
}

// Seen gives stamp and cursor of every session that was found to be of no interest.
func (s *Store) Seen() (map[string]Seen, error) {
	all := map[string]Seen{}
	err := s.db.View(func(b *bolt.Tx) error {
		return b.Bucket(bucketSeen).ForEach(func(k, v []byte) error {
			var seen Seen
			if unpack(v, &seen) == nil { // a bad record is only read again
				all[string(k)] = seen
			}
			return nil
		})
	})
	return all, err
}

// SetSeen stores sessions of no interest, all in one transaction, with a sign of life.
func (s *Store) SetSeen(seen map[string]Seen) error {
	return s.update("T1", func(t tx) error {
		for key, v := range seen {
			if t.Bucket(bucketSessions).Get([]byte(key)) != nil {
				continue
			}
			if err := t.put(bucketSeen, key, v); err != nil {
				return err
			}
		}
		return t.alive()
	})
}

// Limit gives what is known of a quota window.
func (s *Store) Limit(account string, w detect.Window) (Limit, error) {
	var l Limit
	err := s.db.View(func(b *bolt.Tx) error {
		_, err := tx{Tx: b}.get(bucketLimits, limitKey(account, w), &l)
		return err
	})
	return l, err
}

// Stats gives the counters.
func (s *Store) Stats() (Stats, error) {
	st := Stats{Stops: map[detect.Reason]int{}}
	err := s.db.View(func(b *bolt.Tx) error {
		_, err := tx{Tx: b}.get(bucketStats, "total", &st)
		return err
	})
	return st, err
}

// History calls f for every entry, oldest first.
func (s *Store) History(f func(Entry) error) error {
	return s.db.View(func(b *bolt.Tx) error {
		return b.Bucket(bucketHistory).ForEach(func(_, v []byte) error {
			var e Entry
			if err := unpack(v, &e); err != nil {
				return nil //nolint:nilerr // one bad line of the history must not hide the others
			}
			return f(e)
		})
	})
}

// Outbox gives the notices that some channel or the log does not have yet, oldest first.
func (s *Store) Outbox() ([]Notice, error) {
	var all []Notice
	err := s.db.View(func(b *bolt.Tx) error {
		return b.Bucket(bucketOutbox).ForEach(func(k, v []byte) error {
			var n Notice
			if err := unpack(v, &n); err != nil {
				n = Notice{Event: "session_left", Why: "a notice could not be read"}
			}
			n.Seq = binary.BigEndian.Uint64(k)
			all = append(all, n)
			return nil
		})
	})
	return all, err
}

// Told notes how far notices have got: they stand in the log, and those that no channel is left for go
// out of the outbox.
func (s *Store) Told(notices []Notice) error {
	return s.update("outbox", func(t tx) error {
		for _, n := range notices {
			seq := binary.BigEndian.AppendUint64(nil, n.Seq)
			n.Logged = true
			if len(n.Left) > 0 {
				if err := t.put(bucketOutbox, string(seq), n); err != nil {
					return err
				}
				continue
			}
			if err := t.Bucket(bucketOutbox).Delete(seq); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetHolder remembers who holds an interactive session, or how that holder went.
func (s *Store) SetHolder(ds detect.Session, h detect.Holder, end HolderEnd) error {
	return s.update("holder", func(t tx) error {
		rec, err := t.session(ds)
		if err != nil {
			return err
		}
		rec.Holder, rec.HolderEnd, rec.HolderGone = h, end, time.Time{}
		if end != "" {
			rec.HolderGone = t.now
		}
		return t.save(rec)
	})
}

// Prune drops what is older than keep: history, budgets, and sessions that are gone from the
// agent's folders (gone tells) and wait for nothing.
func (s *Store) Prune(keep time.Duration, gone func(Session) bool) error {
	oldest := s.now().Add(-keep)
	return s.update("prune", func(t tx) error {
		h := t.Bucket(bucketHistory).Cursor()
		for k, v := h.First(); k != nil; k, v = h.Next() {
			var e Entry
			if unpack(v, &e) == nil && !e.At.Before(oldest) {
				break
			}
			if err := h.Delete(); err != nil {
				return err
			}
		}
		b := t.Bucket(bucketBudget).Cursor()
		for k, _ := b.First(); k != nil && string(k) < oldest.Local().Format(time.DateOnly); k, _ = b.Next() {
			if err := b.Delete(); err != nil {
				return err
			}
		}
		c := t.Bucket(bucketSessions).Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			var rec Session
			if unpack(v, &rec) == nil && rec.Phase == Following && rec.Updated.Before(oldest) && gone(rec) {
				if err := c.Delete(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
