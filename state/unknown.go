package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/clawd-project/clawd/detect"
)

// maxUnknown is how many texts are kept; the one that was seen longest ago makes room.
const maxUnknown = 200

// Unknown is a failure that no rule explains, in the agent's own words, redacted.
type Unknown struct {
	Agent   string    `json:"agent"`
	Version string    `json:"version,omitempty"` // of the agent that wrote it last
	Status  int       `json:"status,omitempty"`  // HTTP status; 0: none recorded
	Source  string    `json:"source,omitempty"`
	Field   string    `json:"field,omitempty"`
	Text    string    `json:"text"`
	Count   int       `json:"count"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
}

// unknown keeps the text of a stop that no rule explains.
func (t tx) unknown(r Read, stop detect.Stop) error {
	if stop.Reason != detect.Unknown || stop.Text == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(r.Session.Agent + "\x00" + stop.Text))
	key := hex.EncodeToString(sum[:16])
	var u Unknown
	if _, err := t.get(bucketUnknown, key, &u); err != nil && !errors.Is(err, errChecksum) {
		return err
	}
	if u.Count == 0 {
		u.First = stop.At
		if err := t.makeRoom(); err != nil {
			return err
		}
	}
	u.Agent, u.Version, u.Status, u.Text = r.Session.Agent, r.Info.Version, stop.Status, stop.Text
	u.Source, u.Field, u.Last = stop.Evidence.Source, stop.Evidence.Field, stop.At
	u.Count++
	return t.put(bucketUnknown, key, u)
}

func (t tx) makeRoom() error {
	b := t.Bucket(bucketUnknown)
	var oldest []byte
	var last time.Time
	n := 0
	err := b.ForEach(func(k, v []byte) error {
		n++
		var u Unknown
		if unpack(v, &u) != nil || oldest == nil || u.Last.Before(last) {
			oldest, last = k, u.Last
		}
		return nil
	})
	if err != nil || n < maxUnknown {
		return err
	}
	return b.Delete(oldest)
}

// Unknown gives the failures that no rule explains, the latest first.
func (s *Store) Unknown() (all []Unknown, err error) {
	err = s.db.View(func(b *bolt.Tx) error { all, err = unknowns(b); return err })
	return all, err
}

// ReadUnknown is Unknown of a store that no daemon has open. A store that is not there has none.
func ReadUnknown(path string) (all []Unknown, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := whole(path); err != nil {
		return nil, fmt.Errorf("the store %s is damaged: %w", path, err)
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("%w: %s", ErrLocked, path)
	}
	if err != nil {
		return nil, fmt.Errorf("the store %s: %w", path, err)
	}
	defer db.Close()
	err = db.View(func(b *bolt.Tx) error { all, err = unknowns(b); return err })
	return all, err
}

func unknowns(b *bolt.Tx) ([]Unknown, error) {
	all := []Unknown{}
	bucket := b.Bucket(bucketUnknown)
	if bucket == nil { // an older clawd made the store
		return all, nil
	}
	err := bucket.ForEach(func(_, v []byte) error {
		var u Unknown
		if unpack(v, &u) == nil { // one that cannot be read tells nothing
			all = append(all, u)
		}
		return nil
	})
	slices.SortFunc(all, func(a, b Unknown) int { return b.Last.Compare(a.Last) })
	return all, err
}
