package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// given is what a user ordered about a session last. It stands in a file of its own beside the store, so that
// an order outlives the store.
type given struct {
	Session   detect.Session `json:"session"`
	Dir       string         `json:"dir"`
	At        time.Time      `json:"at"`
	Ignored   bool           `json:"ignored,omitempty"`
	Cancelled time.Time      `json:"cancelled,omitzero"`
	Held      *detect.Stop   `json:"held,omitempty"` // the stop that is to be left
}

func (s *Store) givenPath(ds detect.Session) string {
	sum := sha256.Sum256([]byte(ds.Agent + "\x00" + ds.ID))
	return filepath.Join(s.o.Orders, hex.EncodeToString(sum[:16]))
}

// keepGiven writes down what its user ordered about a session.
func (s *Store) keepGiven(g given) error {
	if s.o.Orders == "" {
		return nil
	}
	b, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return replace(s.givenPath(g.Session), b)
}

// replace puts a file in the place of another one, whole and on the disk, and makes its folder where it is gone.
func replace(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncDir(filepath.Dir(path))
}

// obey brings the orders that the store does not know into it: it was lost, or came back from a snapshot.
func (s *Store) obey() error {
	return s.eachGiven(func(_ string, g given) error {
		rec, known, err := s.Session(g.Session)
		if err != nil || known && !g.At.After(rec.Updated) {
			return err
		}
		_, err = s.transition(g.Session, func(rec Session, b Books) (*Change, error) { return rec.obeys(b, g), nil })
		return err
	})
}

// obeys takes in an order that the store has lost.
func (s Session) obeys(b Books, g given) *Change {
	c := s.change(b, "order")
	c.Ignored, c.Cancelled = g.Ignored, g.Cancelled
	if c.Info.Dir == "" {
		c.Info.Dir = g.Dir
	}
	switch {
	case g.Held == nil:
	case s.open(): // the stop came of the attempt that is to be judged: none follows on its verdict
		c.Cancelled = g.At
	default:
		c.Stop, c.Prompt, c.Episode.Key = *g.Held, "", g.Held.Key
		c.keep(byUser)
	}
	return c
}

// eachGiven calls f for all orders that can be read.
func (s *Store) eachGiven(f func(path string, g given) error) error {
	found, err := os.ReadDir(s.o.Orders)
	if errors.Is(err, fs.ErrNotExist) || s.o.Orders == "" {
		return nil
	}
	errs := []error{err}
	for _, e := range found {
		if filepath.Ext(e.Name()) != "" {
			continue
		}
		path := filepath.Join(s.o.Orders, e.Name())
		var g given
		b, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(b, &g)
		}
		if err == nil && path != s.givenPath(g.Session) {
			err = errors.New("it is another session's")
		}
		if err != nil {
			s.unreadable(fmt.Errorf("the order %s: %w", path, err))
			continue
		}
		errs = append(errs, f(path, g))
	}
	return errors.Join(errs...)
}

// pruneGiven removes orders of long ago for sessions that are gone.
func (s *Store) pruneGiven(oldest time.Time, gone func(Session) bool) error {
	return s.eachGiven(func(path string, g given) error {
		if g.At.Before(oldest) && gone(Session{Session: g.Session}) {
			return os.Remove(path)
		}
		return nil
	})
}
