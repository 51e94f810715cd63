package state

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// filled makes a store with two sessions in it, and n more, closes it, and gives its path.
func filled(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "folder", "clawd.db")
	s, _ := openAt(t, path)
	waiting(t, s, one, "k")
	waiting(t, s, two, "k")
	var reads []Read
	for n := range n {
		reads = append(reads, read(detect.Session{Agent: "opencode", ID: strconv.Itoa(n)}))
	}
	must(t, s.Progress(reads))
	must(t, s.Close())
	return path
}

// keep notes the two sessions that the tests look at.
func keep(all *[]string, rec Session) {
	if rec.Agent == one.Agent {
		*all = append(*all, rec.ID)
	}
}

func TestReopen(t *testing.T) {
	path := filled(t, 0)
	s, _ := openAt(t, path)
	is(t, s.Lost, false)
	is(t, s.Quarantined, "")
	is(t, get(t, s, one).Phase, Waiting)
	var all []string
	must(t, s.Sessions(func(rec Session) error { keep(&all, rec); return nil }))
	if diff := cmp.Diff([]string{"one", "two"}, all); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, path + ".id": 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		fi, err := os.Stat(name)
		must(t, err)
		is(t, fi.Mode(), want)
	}
}

func TestOpenedByAnother(t *testing.T) {
	path := filled(t, 0)
	openAt(t, path)
	_, err := Open(path, Options{})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

func TestNewerSchema(t *testing.T) {
	path := filled(t, 0)
	db, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketMeta).Put([]byte("version"), []byte(strconv.Itoa(schema+1)))
	}))
	must(t, db.Close())
	before, err := os.ReadFile(path)
	must(t, err)
	_, err = Open(path, Options{})
	if !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "schema "+strconv.Itoa(schema+1)) {
		t.Errorf("got %v", err)
	}
	after, err := os.ReadFile(path)
	must(t, err)
	is(t, bytes.Equal(before, after), true) // neither touched nor moved aside
}

// Who moves a newer clawd's store away, as the refusal says, gets nothing back that only the newer one can read.
func TestNewerSnapshot(t *testing.T) {
	path := filled(t, 0)
	s, c := openAt(t, path)
	must(t, s.Snapshot())
	known, err := filepath.Glob(filepath.Join(filepath.Dir(path), "snapshots", "*"))
	must(t, err)
	c.Time = c.Add(48 * time.Hour)
	must(t, s.Snapshot())
	must(t, s.Close())
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "snapshots", "*"))
	must(t, err)
	is(t, len(names), 2)
	db, err := bolt.Open(names[1], 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketMeta).Put([]byte("version"), []byte(strconv.Itoa(schema+1)))
	}))
	must(t, db.Close())
	must(t, os.Remove(path))
	s, _ = openAt(t, path)
	is(t, s.Restored, known[0])
}

func TestDamagedFile(t *testing.T) {
	truncate := func(size int64) func(string) error { return func(p string) error { return os.Truncate(p, size) } }
	for name, c := range map[string]struct {
		size        int
		damage      func(path string) error
		quarantined bool
	}{
		"truncated to nothing": {0, truncate(0), false},
		"8 KiB":                {0, truncate(8 << 10), true},
		"8 KiB of many":        {200, truncate(8 << 10), true},
		"half": {200, func(p string) error {
			fi, err := os.Stat(p)
			return errors.Join(err, os.Truncate(p, fi.Size()/2))
		}, true},
		"a text":      {0, func(p string) error { return os.WriteFile(p, bytes.Repeat([]byte("not a store\n"), 3000), 0o600) }, true},
		"a few bytes": {0, func(p string) error { return os.WriteFile(p, []byte("x"), 0o600) }, true},
		"removed":     {0, os.Remove, false},
		"zeroes": {0, func(p string) error {
			fi, err := os.Stat(p)
			return errors.Join(err, os.WriteFile(p, make([]byte, fi.Size()), 0o600))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t, c.size)
			must(t, c.damage(path))
			damaged, _ := os.ReadFile(path)
			s, _ := openAt(t, path)
			is(t, s.Lost, true)
			is(t, s.Quarantined != "", c.quarantined)
			if c.quarantined {
				kept, err := os.ReadFile(s.Quarantined)
				must(t, err)
				is(t, bytes.Equal(kept, damaged), true)
			}
			waiting(t, s, one, "k") // it works
			must(t, s.Close())
			s, _ = openAt(t, path)
			is(t, s.Lost, false) // said once
		})
	}
}

func TestFirstStartIsNotLost(t *testing.T) {
	s, _ := newStore(t)
	is(t, s.Lost, false)
	is(t, s.Quarantined, "")
}

// A flipped bit costs one record, not the store.
func TestFlippedByte(t *testing.T) {
	path := filled(t, 0)
	b, err := os.ReadFile(path)
	must(t, err)
	for i := 0; ; {
		n := bytes.Index(b[i:], []byte(`"session":"one"`))
		if n < 0 {
			break
		}
		i += n + 11
		b[i] ^= 1
	}
	must(t, os.WriteFile(path, b, 0o600))
	var told []error
	s, err := Open(path, Options{Now: (&clock{noon}).now, Unreadable: func(err error) { told = append(told, err) }})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	is(t, s.Quarantined, "")
	var all []string
	for range 2 {
		all = nil
		must(t, s.Sessions(func(rec Session) error { keep(&all, rec); return nil }))
	}
	if len(told) != 1 || !strings.Contains(told[0].Error(), "claude/one") {
		t.Errorf("told %v", told)
	}
	if diff := cmp.Diff([]string{"two"}, all); diff != "" {
		t.Error(diff)
	}
	_, ok, err := s.Session(one)
	must(t, err)
	is(t, ok, false)
	waiting(t, s, one, "k2")
	claimed(t, s, two, "k")
}

func TestReplacedWhileOpen(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(p string) error {
			b, err := os.ReadFile(p)
			return errors.Join(err, os.WriteFile(p+".new", b, 0o600), os.Rename(p+".new", p))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t, 0)
			s, _ := openAt(t, path)
			must(t, replace(path))
			if _, err := s.Claim(one, "k", many, free); !errors.Is(err, ErrReplaced) {
				t.Errorf("got %v", err)
			}
			is(t, get(t, s, one).Phase, Waiting)
		})
	}
}

func TestSeen(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	must(t, s.SetSeen(map[string]Seen{Key(one): {Stamp: "1"}, Key(two): {Stamp: "2"}}))
	all, err := s.Seen()
	must(t, err)
	if diff := cmp.Diff(map[string]Seen{Key(two): {Stamp: "2"}}, all); diff != "" {
		t.Errorf("a session with a record is of interest:\n%s", diff)
	}
	waiting(t, s, two, "k")
	all, err = s.Seen()
	must(t, err)
	is(t, len(all), 0)
}

func TestHolder(t *testing.T) {
	s, _ := newStore(t)
	h := detect.Holder{Liveness: detect.Alive, PID: 7, Boot: "b"}
	must(t, s.SetHolder(one, h, ""))
	is(t, get(t, s, one).Holder, h)
	must(t, s.SetHolder(one, h, HolderQuit))
	is(t, get(t, s, one).HolderEnd, HolderQuit)
}

func TestPrune(t *testing.T) {
	s, c := newStore(t)
	waiting(t, s, one, "k")
	waiting(t, s, two, "k")
	settle(t, s, fire(t, s, two, "k"), outcome(resume.Resumed, ""))
	c.Time = noon.Add(48 * time.Hour)
	three := detect.Session{Agent: "claude", ID: "three"}
	must(t, s.Progress([]Read{{Session: three}}))
	must(t, s.Prune(72*time.Hour, func(Session) bool { return true }))
	is(t, len(kinds(t, s)), 7)
	must(t, s.Prune(24*time.Hour, func(Session) bool { return false }))
	is(t, len(kinds(t, s)), 0)
	is(t, get(t, s, two).Phase, Following)
	must(t, s.Prune(24*time.Hour, func(Session) bool { return true }))
	for ds, want := range map[detect.Session]bool{one: true, two: false, three: true} { // one waits, three is young
		_, ok, err := s.Session(ds)
		must(t, err)
		is(t, ok, want)
	}
	is(t, budget(t, s, noon).Total, 0)
	// What was fired for stays closed, whatever else is forgotten.
	rec, err := s.Stopped(read(two), stopped("k"), wait, nil)
	must(t, err)
	is(t, rec.Phase, Following)
}

func TestParting(t *testing.T) {
	path := filled(t, 0)
	s, _ := openAt(t, path)
	_, ok, err := s.Parting()
	must(t, err)
	is(t, ok, false)
	must(t, s.Part(Parting{At: noon, MachineDown: true}))
	must(t, s.Close())
	s, _ = openAt(t, path)
	p, ok, err := s.Parting()
	must(t, err)
	is(t, ok, true)
	is(t, p, Parting{At: noon, MachineDown: true})
	must(t, s.ForgetParting())
	_, ok, err = s.Parting()
	must(t, err)
	is(t, ok, false)
}

// A sign of life is written by itself, and with what a rescan writes anyway.
func TestSignOfLife(t *testing.T) {
	s, clock := newStore(t)
	for name, write := range map[string]func() error{
		"alone":    s.SignAlive,
		"progress": func() error { return s.Progress([]Read{read(one)}) },
		"seen":     func() error { return s.SetSeen(map[string]Seen{Key(two): {Stamp: "1"}}) },
	} {
		clock.Time = clock.Add(time.Hour)
		must(t, write())
		at, err := s.Alive()
		must(t, err)
		if !at.Equal(clock.Time) {
			t.Errorf("%s: %s, want %s", name, at, clock.Time)
		}
	}
}

// After a commit that failed nothing more is written to the open file, unless there was no room.
func TestBroken(t *testing.T) {
	write := func(err error) error { return &fs.PathError{Op: "write", Path: "clawd.db", Err: err} }
	for _, c := range []struct {
		err    error
		broken bool
	}{{write(syscall.ENOSPC), false}, {write(syscall.EDQUOT), false}, {write(syscall.EIO), true},
		{syscall.EIO, true}, {syscall.ENOSPC, true}} { // of a sync: what was written before is lost
		s, _ := newStore(t)
		var told []error
		s.Broken = func(err error) { told = append(told, err) }
		for range 2 {
			if err := s.broke(c.err); !errors.Is(err, c.err) || errors.Is(err, ErrBroken) != c.broken {
				t.Errorf("%v gives %v", c.err, err)
			}
		}
		if _, err := s.Stopped(read(one), stopped("k"), wait, nil); errors.Is(err, ErrBroken) != c.broken || (err == nil) == c.broken {
			t.Errorf("after %v a write gives %v", c.err, err)
		}
		if _, ok, err := s.Session(one); err != nil || ok == c.broken {
			t.Errorf("after %v a read gives %v, %v", c.err, ok, err)
		}
		if (len(told) == 1) != c.broken {
			t.Errorf("of %v told: %v", c.err, told)
		}
	}
	s, _ := newStore(t)
	if err := s.update("", func(tx) error { return syscall.EIO }); !errors.Is(err, syscall.EIO) || s.fault.Load() != nil {
		t.Errorf("an error from elsewhere ends the store: %v", err)
	}
}
