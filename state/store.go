package state

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"

	"github.com/clawd-project/clawd/internal/crash"
	"github.com/clawd-project/clawd/resume"
)

// schema is the version that this program reads and writes.
const schema = 2

var (
	bucketMeta     = []byte("meta")
	bucketSessions = []byte("sessions")
	bucketSeen     = []byte("seen")
	bucketClosed   = []byte("closed")
	bucketBudget   = []byte("budget")
	bucketStats    = []byte("stats")
	bucketHistory  = []byte("history")
	bucketOutbox   = []byte("outbox")
	bucketUnknown  = []byte("unknown")
	bucketLaunches = []byte("launches")
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
	ErrBroken = errors.New("the disk failed while the store was written to")
	// ErrDamaged says that the file is not what bbolt wrote. The next Open keeps what is left of it.
	ErrDamaged = errors.New("the store's file is damaged")
	// ErrUnchecked says that whether the file is sound could not be asked.
	ErrUnchecked = errors.New("the store could not be checked")
	errChecksum  = errors.New("checksum mismatch")
)

// Store is an open store. Its methods may be called from several goroutines.
type Store struct {
	db   *bolt.DB
	path string
	o    Options
	now  func() time.Time
	// inode of the open file.
	inode uint64
	// fault is the failure after which the file is no longer used; nil: none.
	fault atomic.Pointer[error]
	mu    sync.Mutex      // guards bad
	bad   map[string]bool // records that cannot be read and were told
	// Broken, when set, is told of that failure.
	Broken func(error)
	// Quarantined is the path to which a damaged file was moved; empty: none. Damage says what was wrong.
	Quarantined string
	Damage      error
	// Kept is how many records were left in a damaged file, and Restored the snapshot that the others come
	// from; empty: none.
	Kept     int
	Restored string
	// Lost says that there was a store here and this is not all of it: what is missing about attempts
	// stands in the marks only.
	Lost bool
}

// Options of a store. All may be left out.
type Options struct {
	Now func() time.Time // the time for records; nil: time.Now
	// Check opens the file as this process would, in another one; nil: it is not asked. bbolt panics on
	// some damaged files, also in goroutines of its own. ErrUnchecked says that it could not be asked.
	Check func(path string) error
	// Unreadable is told once of each record that cannot be read.
	Unreadable func(error)
	// Fired gives the attempts since a time, from their marks. It counts for a day whose budget is not known.
	Fired func(since time.Time) []resume.Claim
	// Orders is the folder of what users ordered; empty: it is kept in the store alone.
	Orders string
}

// Close closes the store.
func (s *Store) Close() error {
	if fault := s.fault.Load(); fault != nil && errors.Is(*fault, ErrDamaged) {
		return nil // bbolt may have died with a lock in its hand; the process ends now
	}
	return s.db.Close()
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
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		err := tx.Bucket(bucketMeta).Put([]byte("version"), []byte(strconv.Itoa(schema)))
		crash.At("migration.inside")
		return err
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
	if errors.As(err, &write) && write.Op == "write" && noRoom(err) {
		return err
	}
	if strings.HasPrefix(err.Error(), "file resize error: ") && strings.HasSuffix(err.Error(), syscall.EFBIG.Error()) {
		return fmt.Errorf("%w: the store cannot grow", syscall.EFBIG) // bbolt gives the text alone; nothing was written
	}
	err = fmt.Errorf("%w: %w", ErrBroken, err)
	if s.fault.CompareAndSwap(nil, &err) && s.Broken != nil {
		s.Broken(err)
	}
	return err
}

// noRoom tells whether an error says that there is no room for more: on the disk, in the quota, or by a bound
// on the size of files.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// pack puts a checksum before a record. It goes over the record's place, too: bbolt does not notice a key
// or a page that has become another one.
func pack(bucket, key []byte, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint32(make([]byte, 0, len(body)+4), checksum(bucket, key, body))
	return append(out, body...), nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(bucket, key, body []byte) uint32 {
	sum := crc32.Update(0, castagnoli, bucket)
	sum = crc32.Update(sum, castagnoli, []byte{0})
	sum = crc32.Update(sum, castagnoli, key)
	sum = crc32.Update(sum, castagnoli, []byte{0})
	return crc32.Update(sum, castagnoli, body)
}

// unpack reads a record. Schema 1 has the checksum of the record alone.
func unpack(bucket, key, b []byte, v any) error {
	if len(b) < 4 {
		return errChecksum
	}
	if sum := binary.BigEndian.Uint32(b); sum != checksum(bucket, key, b[4:]) && sum != crc32.Checksum(b[4:], castagnoli) {
		return errChecksum
	}
	return json.Unmarshal(b[4:], v)
}
