package state

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// schema is the version that this program reads and writes.
const schema = 1

var (
	bucketMeta     = []byte("meta")
	bucketSessions = []byte("sessions")
	bucketSeen     = []byte("seen")
	bucketClosed   = []byte("closed")
	bucketLimits   = []byte("limits")
	bucketBudget   = []byte("budget")
	bucketStats    = []byte("stats")
	bucketHistory  = []byte("history")
	bucketOutbox   = []byte("outbox")
	bucketUnknown  = []byte("unknown")
)

var (
	// ErrLocked says that another clawd has the store open.
	ErrLocked = errors.New("another clawd has the store open")
	// ErrNewer says that a newer clawd wrote the store.
	ErrNewer = errors.New("the store was written by a newer clawd")
	// ErrReplaced says that the file at the store's path is no longer the one that is open.
	ErrReplaced = errors.New("the store's file was removed or replaced while clawd was running")
	// ErrBroken says that the disk failed in the middle of a commit. What of it lasts is not known, and the
	// open file must not be trusted to tell: the store is to be opened again.
	ErrBroken   = errors.New("the disk failed while the store was written to")
	errChecksum = errors.New("checksum mismatch")
)

// Store is an open store. Its methods may be called from several goroutines.
type Store struct {
	db   *bolt.DB
	path string
	now  func() time.Time
	// inode of the open file.
	inode uint64
	// fault is the failure after which nothing more is written; nil: none.
	fault atomic.Pointer[error]
	// Broken, when set, is told of that failure.
	Broken func(error)
	// Quarantined is the path to which a damaged file was moved; empty: none.
	Quarantined string
	// Lost says that there was a store here and this is not it: what it knew about attempts
	// stands in the marks only.
	Lost bool
}

// Open opens or creates the store. A damaged file is moved aside, never deleted. now gives the
// time for records; nil: time.Now.
func Open(path string, now func() time.Time) (*Store, error) {
	if now == nil {
		now = time.Now
	}
	s := &Store{path: path, now: now}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the state folder cannot be made: %w", err)
	}
	expected := s.sentinel()
	err := s.open()
	if damaged := (*damage)(nil); errors.As(err, &damaged) {
		s.Quarantined = fmt.Sprintf("%s.corrupt-%s", path, now().UTC().Format("20060102T150405.000"))
		if err := os.Rename(path, s.Quarantined); err != nil {
			return nil, fmt.Errorf("the store %s is damaged (%w) and cannot be moved aside: %w", path, damaged, err)
		}
		err = s.open()
	}
	if err != nil {
		return nil, err
	}
	id, err := s.identify()
	if err != nil {
		s.db.Close()
		return nil, err
	}
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		s.db.Close()
		return nil, err
	}
	s.inode = st.Ino
	s.Lost = expected != "" && expected != id
	if expected != id {
		if err := s.writeSentinel(id); err != nil {
			s.db.Close()
			return nil, err
		}
	}
	return s, nil
}

// damage is an error of the file itself, not of the way to it.
type damage struct{ cause error }

func (d *damage) Error() string { return d.cause.Error() }
func (d *damage) Unwrap() error { return d.cause }

func (s *Store) open() error {
	db, err := openChecked(s.path)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("%w: %s", ErrLocked, s.path)
	case err != nil:
		return err
	}
	s.db = db
	version, err := s.version()
	if err == nil && version > schema {
		err = fmt.Errorf("%w: %s has schema %d and this clawd knows %d; install the newer clawd again, or move the file away to start anew", ErrNewer, s.path, version, schema)
	}
	if err == nil {
		err = s.prepare()
	}
	if err != nil {
		db.Close()
	}
	return err
}

// openChecked opens the file and walks all its pages. bbolt panics on some damaged files and
// opens others without a word, so both are caught here.
func openChecked(path string) (db *bolt.DB, err error) {
	defer func() {
		if r := recover(); r != nil {
			db, err = nil, &damage{fmt.Errorf("%v", r)}
		}
	}()
	if err := whole(path); err != nil {
		return nil, err
	}
	db, err = bolt.Open(path, 0o600, &bolt.Options{Timeout: time.Second, NoFreelistSync: true, FreelistType: bolt.FreelistMapType})
	switch {
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return nil, &damage{err}
	case err != nil:
		return nil, err
	}
	err = db.View(func(tx *bolt.Tx) error {
		for e := range tx.Check() {
			return &damage{e}
		}
		return nil
	})
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// whole makes sure that the file is as long as it says. bbolt maps it into memory, and a read
// behind its end is a SIGBUS that no program survives.
func whole(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	const magic, header, length = 0xED0CDAED, 16, 64
	size, pages, newest := uint64(0), uint64(0), uint64(0)
	le := binary.NativeEndian
	for n := range int64(2) { // the two meta pages, of which the newer one counts
		b := make([]byte, header+length)
		if _, err := f.ReadAt(b, n*int64(max(size, uint64(os.Getpagesize())))); err != nil {
			break // too short to be one of bbolt's: it says so itself
		}
		b = b[header:]
		sum := fnv.New64a()
		sum.Write(b[:length-8])
		if txid := le.Uint64(b[48:]); le.Uint32(b) == magic && le.Uint64(b[56:]) == sum.Sum64() && txid >= newest {
			size, pages, newest = uint64(le.Uint32(b[8:])), le.Uint64(b[40:]), txid
		}
	}
	fi, err := f.Stat()
	if err == nil && uint64(fi.Size()) < pages*size {
		err = &damage{fmt.Errorf("it has %d bytes and should have %d", fi.Size(), pages*size)}
	}
	return err
}

func (s *Store) version() (int, error) {
	version := schema
	err := s.db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketMeta)
		if b == nil {
			return nil
		}
		v, err := strconv.Atoi(string(b.Get([]byte("version"))))
		if err != nil {
			return &damage{fmt.Errorf("no schema version: %w", err)}
		}
		version = v
		return nil
	})
	return version, err
}

func (s *Store) prepare() error {
	return s.db.Update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{bucketMeta, bucketSessions, bucketSeen, bucketClosed, bucketLimits,
			bucketBudget, bucketStats, bucketHistory, bucketOutbox, bucketUnknown} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put([]byte("version"), []byte(strconv.Itoa(schema)))
	})
}

func (s *Store) identify() (string, error) {
	var id string
	err := s.db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketMeta)
		if id = string(b.Get([]byte("id"))); id != "" {
			return nil
		}
		id = uuid.NewString()
		return b.Put([]byte("id"), []byte(id))
	})
	return id, err
}

// The sentinel names the store that belongs here, so that an empty file in its place is told from
// a first start.
func (s *Store) sentinelPath() string { return s.path + ".id" }

func (s *Store) sentinel() string {
	b, err := os.ReadFile(s.sentinelPath())
	if err != nil {
		return ""
	}
	return string(b)
}

func (s *Store) writeSentinel(id string) error {
	tmp := s.sentinelPath() + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(tmp, s.sentinelPath())
	}
	return err
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// intact makes sure that the file at the path is the one that is open: bbolt goes on writing into
// a removed file and says nothing, and its lock does not keep a second daemon from a new one.
func (s *Store) intact() error {
	var st syscall.Stat_t
	if err := syscall.Stat(s.path, &st); err != nil {
		return fmt.Errorf("%w: %w", ErrReplaced, err)
	}
	if st.Ino != s.inode {
		return ErrReplaced
	}
	return nil
}

// broke takes in a commit that failed. A write for which there was no room left nothing that counts, and
// may be tried again. After any other failure the kernel may have dropped what it could not write, and the
// next commit would seem to bring it to the disk.
func (s *Store) broke(err error) error {
	write := (*fs.PathError)(nil)
	if errors.As(err, &write) && write.Op == "write" && (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)) {
		return err
	}
	err = fmt.Errorf("%w: %w", ErrBroken, err)
	if s.fault.CompareAndSwap(nil, &err) && s.Broken != nil {
		s.Broken(err)
	}
	return err
}

func pack(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint32(make([]byte, 0, len(body)+4), crc32.Checksum(body, castagnoli))
	return append(out, body...), nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func unpack(b []byte, v any) error {
	if len(b) < 4 || binary.BigEndian.Uint32(b) != crc32.Checksum(b[4:], castagnoli) {
		return errChecksum
	}
	return json.Unmarshal(b[4:], v)
}
