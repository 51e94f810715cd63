package state

import (
	"encoding/binary"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Session gives a session's record; false: there is none.
func (s *Store) Session(ds detect.Session) (Session, bool, error) {
	return record[Session](s, bucketSessions, Key(ds))
}

// record reads one record; false: there is none, or it cannot be read.
func record[T any](s *Store, bucket []byte, key string) (v T, ok bool, err error) {
	err = s.view(func(t tx) error { v, ok = fetch[T](t, bucket, key); return nil })
	return v, ok, err
}

// records gives all records of a bucket that can be read, by their keys.
func records[T any](s *Store, bucket []byte) (map[string]T, error) {
	all := map[string]T{}
	err := s.view(func(t tx) error {
		return each(t, bucket, func(k []byte, v T) error { all[string(k)] = v; return nil })
	})
	return all, err
}

// Sessions calls f for every session.
func (s *Store) Sessions(f func(Session) error) error {
	return s.view(func(t tx) error {
		return each(t, bucketSessions, func(_ []byte, rec Session) error { return f(rec) })
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
	return record[Parting](s, bucketMeta, string(keyParting))
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
	at, _, err = record[time.Time](s, bucketMeta, string(keyAlive))
	return at, err
}

var keyUnwatched = []byte("unwatched")

// Unwatched gives the agents that the clawd before did not watch, and when their sessions were last looked after.
func (s *Store) Unwatched() (map[string]time.Time, error) {
	all, _, err := record[map[string]time.Time](s, bucketMeta, string(keyUnwatched))
	return all, err
}

// SetUnwatched stores them.
func (s *Store) SetUnwatched(all map[string]time.Time) error {
	return s.update("unwatched", func(t tx) error { return t.put(bucketMeta, string(keyUnwatched), all) })
}

// Seen gives stamp and cursor of every session that was found to be of no interest.
func (s *Store) Seen() (map[string]Seen, error) {
	return records[Seen](s, bucketSeen)
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

// Stats gives the counters.
func (s *Store) Stats() (st Stats, err error) {
	err = s.view(func(t tx) error { st = t.stats(); return nil })
	return st, err
}

// keyTotal is where the counters stand.
const keyTotal = "total"

func (t tx) stats() Stats {
	st, _ := fetch[Stats](t, bucketStats, keyTotal)
	if st.Stops == nil {
		st.Stops = map[detect.Reason]int{}
	}
	return st
}

// History calls f for every entry, oldest first.
func (s *Store) History(f func(Entry) error) error {
	return s.view(func(t tx) error {
		return each(t, bucketHistory, func(_ []byte, e Entry) error { return f(e) })
	})
}

// Outbox gives the notices that some channel or the log does not have yet, oldest first.
func (s *Store) Outbox() ([]Notice, error) {
	var all []Notice
	err := s.view(func(t tx) error {
		return each(t, bucketOutbox, func(k []byte, n Notice) error {
			n.Seq = bigEndian(string(k))
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

// Prune drops what is older than keep: history, budgets, and sessions that are gone from the
// agent's folders (gone tells) and wait for nothing.
func (s *Store) Prune(keep time.Duration, gone func(Session) bool) error {
	oldest := s.now().Add(-keep)
	if err := s.pruneGiven(oldest, gone); err != nil {
		return err
	}
	return s.update("prune", func(t tx) error {
		h := t.Bucket(bucketHistory).Cursor()
		for k, v := h.First(); k != nil; k, v = h.Next() {
			var e Entry
			if t.decode(bucketHistory, k, v, &e) && !e.At.Before(oldest) {
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
			if t.decode(bucketSessions, k, v, &rec) && rec.Phase == Following && rec.Updated.Before(oldest) && gone(rec) {
				if err := c.Delete(); err != nil {
					return err
				}
			}
		}
		return t.pruneLaunches(oldest)
	})
}
