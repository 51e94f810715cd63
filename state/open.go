package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/clawd-project/clawd/internal/crash"
)

// damage is an error of the file itself, not of the way to it.
type damage struct{ cause error }

func (d *damage) Error() string { return d.cause.Error() }
func (d *damage) Unwrap() error { return d.cause }

// Open opens or creates the store. A damaged file is moved aside, never deleted: what is left in it comes
// into the new one, on top of the newest snapshot.
func Open(path string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{path: path, o: o, now: o.Now, bad: map[string]bool{}}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the state folder cannot be made: %w", err)
	}
	expected := s.sentinel()
	err := s.inspect(expected)
	if damaged := (*damage)(nil); errors.As(err, &damaged) {
		err = s.rebuild(expected, damaged)
	}
	if err == nil {
		err = s.open()
	}
	if damaged := (*damage)(nil); errors.As(err, &damaged) { // what the check did not find
		if err = s.rebuild(expected, damaged); err == nil {
			err = s.open()
		}
	}
	if err != nil {
		return nil, err
	}
	if err := s.own(expected); err != nil {
		s.db.Close()
		return nil, err
	}
	return s, nil
}

// own makes sure that the file can be told from another one at its path.
func (s *Store) own(expected string) error {
	id, err := s.identify()
	if err != nil {
		return err
	}
	var st syscall.Stat_t
	if err := syscall.Stat(s.path, &st); err != nil {
		return err
	}
	s.inode = st.Ino
	s.Lost = s.Lost || expected != "" && expected != id
	if err := os.Remove(s.suspectPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	claims, err := s.unheard()
	if err != nil {
		return err
	}
	if err := s.obey(); err != nil { // before the marks tell: a record that they make would pass for newer than the order
		return err
	}
	if err := s.recount(claims); err != nil {
		return err
	}
	if expected != id {
		return replace(s.sentinelPath(), []byte(id))
	}
	return nil
}

// inspect looks at the file before this process lets bbolt have it. A *damage says what is wrong.
func (s *Store) inspect(expected string) error {
	f, err := openPlain(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s.absent(expected)
	}
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("the store cannot be opened: %w", err)
		}
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if fi.Size() == 0 {
		return s.absent(expected)
	}
	if why, err := os.ReadFile(s.suspectPath()); err == nil {
		return &damage{errors.New(string(why))}
	}
	all := metas(f)
	if len(all) == 0 {
		return &damage{errors.New("it does not begin as a store does")}
	}
	version := schema
	err = walk(f, fi.Size(), all[len(all)-1], func(string, uint64) {}, func(bucket string, key, value []byte) {
		if bucket == string(bucketMeta) && string(key) == "version" {
			_, _ = fmt.Sscan(string(value), &version)
		}
	})
	if version > schema {
		return newer(s.path, version)
	}
	if err != nil {
		return &damage{err}
	}
	if err := f.Close(); err != nil { // the check locks the file, too
		return err
	}
	if s.o.Check != nil {
		if err := s.o.Check(s.path); err != nil && !errors.Is(err, ErrUnchecked) {
			return &damage{err}
		}
	}
	if version == schema && all[len(all)-1].freelist != noFreelist {
		return nil
	}
	crash.At("migration.before")
	c, err := contents(s.path) // before what an older clawd wrote is written in another way
	if err == nil {
		err = s.keep(c)
	}
	crash.At("migration.kept")
	return err
}

func newer(path string, version int) error {
	return fmt.Errorf("%w: %s has schema %d and this clawd knows %d; install the newer clawd again, or move the file away: this clawd then starts with its own newest snapshot, or anew", ErrNewer, path, version, schema)
}

// absent is a store that is not there. One that was is brought back as far as a snapshot goes.
func (s *Store) absent(expected string) error {
	if expected != "" && s.newestSnapshot(expected) != "" {
		return &damage{errGone}
	}
	return nil
}

var errGone = errors.New("the store is gone")

// suspectPath is a note of the clawd before: bbolt died over this file though it had been found sound.
func (s *Store) suspectPath() string { return s.path + ".suspect" }

func (s *Store) open() error {
	db, err := openBolt(s.path, &bolt.Options{Timeout: time.Second, FreelistType: bolt.FreelistMapType})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("%w: %s", ErrLocked, s.path)
	case err != nil:
		return err
	}
	s.db = db
	crash.At("migration.opened") // bbolt has written its list of free pages
	version, err := s.version()
	if err == nil && version > schema {
		err = newer(s.path, version)
	}
	if err == nil {
		err = s.prepare()
		crash.At("migration.after")
	}
	if err != nil {
		db.Close()
	}
	return err
}

func openBolt(path string, o *bolt.Options) (db *bolt.DB, err error) {
	err = guard(func() (err error) { db, err = bolt.Open(path, 0o600, o); return err })
	switch {
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		err = &damage{err}
	case err == nil, errors.Is(err, berrors.ErrTimeout):
	default:
		if damaged := (*damage)(nil); !errors.As(err, &damaged) {
			err = fmt.Errorf("the store %s: %w", path, err)
		}
	}
	return db, err
}

// Check opens the file as the daemon would, and reads all of it. It is for a process that may die of it.
func Check(path string) error {
	debug.SetMaxStack(64 << 20) // a tree that bites its tail
	db, err := openBolt(path, &bolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: time.Second, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return err
	}
	defer db.Close()
	return guard(func() error {
		return db.View(func(tx *bolt.Tx) error {
			var first error
			for e := range tx.Check() { // to its end: it goes on reading
				if first == nil {
					first = e
				}
			}
			if first != nil {
				return first
			}
			return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
				return b.ForEach(func(k, v []byte) error {
					checksum(name, k, v) // a wrong one costs only its record; a page may not be there
					return nil
				})
			})
		})
	})
}

// guard runs what reads the store's file. What bbolt panics over, and a page that the disk does not give
// (the file is mapped into memory), is damage. Other panics are mistakes of ours and go on.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, fault := r.(interface{ Addr() uintptr }); !fault && !inBolt() {
			panic(r)
		}
		err = &damage{fmt.Errorf("%v", r)}
	}()
	return f()
}

// inBolt tells, while a panic is being recovered, whether bbolt's code raised it.
func inBolt() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	panicked := false
	for {
		f, more := frames.Next()
		switch own := strings.HasPrefix(f.Function, "runtime."); {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !own:
			return strings.HasPrefix(f.Function, "go.etcd.io/bbolt")
		}
		if !more {
			return false
		}
	}
}
