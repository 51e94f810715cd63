package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

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
func (t tx) unknown(agent, version string, stop detect.Stop) error {
	if stop.Reason != detect.Unknown || stop.Text == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(agent + "\x00" + stop.Text))
	key := hex.EncodeToString(sum[:16])
	u, _ := fetch[Unknown](t, bucketUnknown, key)
	if u.Count == 0 {
		u.First = stop.At
		if err := t.makeRoom(); err != nil {
			return err
		}
	}
	u.Agent, u.Version, u.Status, u.Text = agent, version, stop.Status, stop.Text
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
		if !t.decode(bucketUnknown, k, v, &u) || oldest == nil || u.Last.Before(last) {
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
	all = []Unknown{}
	err = s.view(func(t tx) error {
		return each(t, bucketUnknown, func(_ []byte, u Unknown) error { all = append(all, u); return nil })
	})
	return latest(all), err
}

// ReadUnknown is Unknown of a store that no daemon has open, as far as it can be read. A store that is not
// there has none.
func ReadUnknown(path string) ([]Unknown, error) {
	c, err := contents(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		err = fmt.Errorf("the store %s is damaged: %w", path, err)
		if errors.Is(err, ErrLocked) {
			return nil, err
		}
	}
	all := []Unknown{}
	for key, raw := range c.records[string(bucketUnknown)] {
		var u Unknown
		if unpack(bucketUnknown, []byte(key), raw, &u) == nil {
			all = append(all, u)
		}
	}
	return latest(all), err
}

func latest(all []Unknown) []Unknown {
	slices.SortFunc(all, func(a, b Unknown) int { return b.Last.Compare(a.Last) })
	return all
}
