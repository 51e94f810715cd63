package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// content is all records of a store, as they are packed.
type content struct {
	records   map[string]map[string][]byte
	sequences map[string]uint64
}

// buckets are all that this clawd knows.
var buckets = [][]byte{bucketMeta, bucketSessions, bucketSeen, bucketClosed, bucketBudget, bucketStats, bucketHistory,
	bucketOutbox, bucketUnknown, bucketLaunches}

// contents reads what a file holds. Records that cannot be read are left out. The error is the first damage.
func contents(path string) (content, error) {
	c := empty()
	f, err := openPlain(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return c, err
	}
	all := metas(f)
	if len(all) == 0 {
		return c, errors.New("it does not begin as a store does")
	}
	if err = c.read(f, fi.Size(), all[len(all)-1]); err == nil {
		return c, nil
	}
	left := empty()
	if len(all) == 2 {
		// The state before the newest stands in the file, too: bbolt does not write over it at once. It gives
		// what the damage took of the newest.
		_ = left.read(f, fi.Size(), all[0]) // it may be damaged as well
	}
	left.strays(f, fi.Size(), all[len(all)-1])
	return left.over(c), err
}

func empty() content { return content{map[string]map[string][]byte{}, map[string]uint64{}} }

// read takes in what a meta page leads to.
func (c content) read(f io.ReaderAt, size int64, m meta) error {
	return walk(f, size, m, func(name string, sequence uint64) {
		name = likely(name)
		c.sequences[name] = max(c.sequences[name], sequence)
	}, func(bucket string, key, value []byte) {
		bucket = likely(bucket)
		if bucket == "" || !readable(bucket, string(key), value) {
			return
		}
		c.put(bucket, key, value)
	})
}

// likely gives the bucket that a name means, which may be damaged itself; empty: none.
func likely(name string) string {
	for _, b := range buckets {
		differ := 0
		for i := range min(len(b), len(name)) {
			if b[i] != name[i] {
				differ++
			}
		}
		if len(b) == len(name) && differ < 2 {
			return string(b)
		}
	}
	return ""
}

// readable tells whether a packed record is as it was written, under the key that it was written for.
func readable(bucket, key string, value []byte) bool {
	if bucket == string(bucketMeta) && (key == "version" || key == "id") {
		return len(value) > 0 && len(value) < 64
	}
	var body json.RawMessage
	if unpack([]byte(bucket), []byte(key), value, &body) != nil {
		return false
	}
	var s Session // schema 1 does not say whose it is but in itself
	return bucket != string(bucketSessions) || json.Unmarshal(body, &s) == nil && Key(s.Session) == key
}

// over puts what newer has over c, where newer is from the same store and later.
func (c content) over(newer content) content {
	for bucket, records := range newer.records {
		if c.records[bucket] == nil {
			c.records[bucket] = map[string][]byte{}
		}
		maps.Copy(c.records[bucket], records)
	}
	for bucket, n := range newer.sequences {
		c.sequences[bucket] = max(c.sequences[bucket], n)
	}
	return c
}

func (c content) count() (n int) {
	for bucket, records := range c.records {
		if bucket != string(bucketMeta) {
			n += len(records)
		}
	}
	return n
}

// rebuild makes a new store out of what is left of the damaged one and the newest snapshot, and moves the
// damaged one aside.
func (s *Store) rebuild(expected string, cause *damage) error {
	left, _ := contents(s.path) // nothing where nothing can be read
	all := empty()
	if snapshot := s.newestSnapshot(expected); snapshot != "" {
		old, err := contents(snapshot)
		if err != nil {
			return fmt.Errorf("the snapshot %s: %w", snapshot, err)
		}
		all, s.Restored = old, snapshot
	}
	s.Kept = left.count()
	all = all.over(left)
	if meta := all.records[string(bucketMeta)]; meta != nil && expected != "" {
		meta["id"] = []byte(expected) // for it is this store still, and what is missing is told once
	}
	s.Damage, s.Lost = cause, true
	tmp := s.path + ".new"
	if err := write(tmp, all); err != nil {
		return fmt.Errorf("the store %s is damaged (%w), and what is left of it cannot be written: %w", s.path, cause, err)
	}
	if !errors.Is(cause, errGone) {
		s.Quarantined = fmt.Sprintf("%s.corrupt-%s", s.path, s.now().UTC().Format(stampForm))
		// A second name first: a clawd that is killed in between finds the damaged one again.
		if os.Link(s.path, s.Quarantined) != nil {
			if err := os.Rename(s.path, s.Quarantined); err != nil {
				return fmt.Errorf("the store %s is damaged (%w) and cannot be moved aside: %w", s.path, cause, err)
			}
		}
	}
	if err := os.Rename(tmp, s.path); err != nil {
		return err
	}
	s.thin(filepath.Base(s.path)+".corrupt-", filepath.Dir(s.path))
	return syncDir(filepath.Dir(s.path))
}

// stampForm is the time in the name of a file: the names sort as the times do.
const stampForm = "20060102T150405.000"

// write makes a store file of a content, whole and on the disk.
func write(path string, c content) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true, NoGrowSync: true, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			b, err := tx.CreateBucketIfNotExists(name)
			if err != nil {
				return err
			}
			b.FillPercent = 0.9
			keys := slices.Sorted(maps.Keys(c.records[string(name)]))
			for _, k := range keys {
				if err := b.Put([]byte(k), c.records[string(name)][k]); err != nil {
					return err
				}
			}
			last := uint64(0)
			if len(keys) > 0 && len(keys[len(keys)-1]) == 8 {
				last = bigEndian(keys[len(keys)-1])
			}
			if err := b.SetSequence(max(last, c.sequences[string(name)])); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put([]byte("version"), []byte(strconv.Itoa(schema)))
	})
	return errors.Join(err, db.Sync(), db.Close())
}

func bigEndian(key string) (n uint64) {
	for i := range len(key) {
		n = n<<8 | uint64(key[i])
	}
	return n
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// keptCopies is how many snapshots stay, and how many damaged files.
const keptCopies = 3

// thin removes the oldest files whose names begin so.
func (s *Store) thin(prefix, dir string) {
	names := stamped(prefix, dir)
	for _, name := range names[:max(0, len(names)-keptCopies)] {
		_ = os.Remove(filepath.Join(dir, name)) // tried again next time
	}
}

// stamped lists the files with a time in their names, the oldest first.
func stamped(prefix, dir string) (names []string) {
	entries, _ := os.ReadDir(dir) // none where there is no folder
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && !strings.HasSuffix(e.Name(), ".new") {
			names = append(names, e.Name())
		}
	}
	return names
}
