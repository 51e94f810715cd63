package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/clawd-project/clawd/internal/crash"
)

// snapshotEvery is how old the newest snapshot may become.
const snapshotEvery = 24 * time.Hour

func (s *Store) snapshots() string      { return filepath.Join(filepath.Dir(s.path), "snapshots") }
func (s *Store) snapshotPrefix() string { return filepath.Base(s.path) + "-" }

// newestSnapshot gives the newest sound snapshot of the store with an id that this clawd can read; empty: there is none.
func (s *Store) newestSnapshot(id string) string {
	for _, name := range slices.Backward(stamped(s.snapshotPrefix(), s.snapshots())) {
		path := filepath.Join(s.snapshots(), name)
		c, err := contents(path)
		meta := c.records[string(bucketMeta)]
		if version, _ := strconv.Atoi(string(meta["version"])); err != nil || version > schema {
			continue
		}
		if is := string(meta["id"]); is == id || id == "" {
			return path
		}
	}
	return ""
}

// Snapshot keeps what the store knows now, when the newest snapshot is a day old. Three are kept.
func (s *Store) Snapshot() error {
	if names := stamped(s.snapshotPrefix(), s.snapshots()); len(names) > 0 {
		stamp := names[len(names)-1][len(s.snapshotPrefix()):]
		at, err := time.Parse(stampForm, stamp[:min(len(stamp), len(stampForm))])
		if age := s.now().Sub(at).Abs(); err == nil && age < snapshotEvery {
			return nil
		}
	}
	c := empty()
	err := s.view(func(t tx) error {
		return t.ForEach(func(name []byte, b *bolt.Bucket) error {
			c.sequences[string(name)] = b.Sequence()
			return b.ForEach(func(k, v []byte) error {
				if readable(string(name), string(k), v) {
					c.put(string(name), k, v)
				}
				return nil
			})
		})
	})
	if err != nil || len(c.records[string(bucketSessions)]) == 0 { // nothing to come back to
		return err
	}
	return s.keep(c)
}

func (s *Store) keep(c content) error {
	if err := os.MkdirAll(s.snapshots(), 0o700); err != nil {
		return fmt.Errorf("a snapshot of the store cannot be made: %w", err)
	}
	path := filepath.Join(s.snapshots(), s.snapshotPrefix()+s.now().UTC().Format(stampForm)+".db")
	tmp := filepath.Join(s.snapshots(), filepath.Base(s.path)+".new") // one name: what a kill leaves is written over
	err := write(tmp, c)
	crash.At("snapshot.written")
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err == nil {
		err = syncDir(s.snapshots())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("a snapshot of the store cannot be made: %w", err), os.Remove(tmp))
	}
	s.thin(s.snapshotPrefix(), s.snapshots())
	return nil
}
