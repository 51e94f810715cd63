package state

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// checkedStore names the store that the test binary is to check, in place of clawd.
const checkedStore = "CLAWD_TEST_CHECK"

func TestMain(m *testing.M) {
	if path := os.Getenv(checkedStore); path != "" {
		if err := Check(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if path := os.Getenv(migratedStore); path != "" {
		s, err := Open(path, Options{Check: elsewhere})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	os.RemoveAll(crashDir)
	os.Exit(code)
}

// elsewhere checks a store as the daemon does, in a process of its own.
func elsewhere(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), checkedStore+"="+path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out[:min(len(out), 500)])
	}
	return nil
}

// grown makes a store of more than a hundred pages, as a busy month leaves one: many sessions, a long
// history, free pages. old: as an older clawd wrote it, without its list of free pages.
func grown(t testing.TB, old bool) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clawd.db")
	s, _ := openAt(t, path)
	for i := range 150 {
		ds := detect.Session{Agent: "claude", ID: fmt.Sprint("session", i)}
		waiting(t, s, ds, "k")
		if i%3 == 0 {
			settle(t, s, fire(t, s, ds, "k"), outcome(resume.Resumed, ""))
		}
	}
	waiting(t, s, one, "k")
	must(t, s.Close())
	if old {
		db, err := bolt.Open(path, 0o600, &bolt.Options{NoFreelistSync: true})
		must(t, err)
		must(t, db.Update(func(tx *bolt.Tx) error {
			sessions := tx.Bucket(bucketSessions)
			for i := range 150 {
				key := []byte(Key(detect.Session{Agent: "claude", ID: fmt.Sprint("session", i)}))
				packed := bytes.Clone(sessions.Get(key))
				binary.BigEndian.PutUint32(packed, crc32.Checksum(packed[4:], castagnoli))
				if err := sessions.Put(key, packed); err != nil {
					return err
				}
			}
			return tx.Bucket(bucketMeta).Put([]byte("version"), []byte("1"))
		}))
		must(t, db.Close())
	}
	b, err := os.ReadFile(path)
	must(t, err)
	return b
}

// opens opens a damaged store the way of production, uses it, and opens it again. It gives the number of
// sessions that are left.
func opens(t *testing.T, what string, b []byte) (left int, quarantined bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clawd.db")
	must(t, os.WriteFile(path, b, 0o600))
	must(t, os.WriteFile(path+".id", []byte("x"), 0o600))
	for _, check := range []func(string) error{elsewhere, nil} {
		s, err := Open(path, Options{Now: (&clock{noon}).now, Check: check})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		quarantined = quarantined || s.Quarantined != ""
		left = 0
		if err := s.Sessions(func(Session) error { left++; return nil }); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if _, err := s.Stopped(read(two), stopped("k"), wait, nil); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		must(t, s.Close())
	}
	return left, quarantined
}

// No damage of a page keeps clawd from starting, and costs more than the sessions in it.
func TestDamagedPages(t *testing.T) {
	for _, old := range []bool{false, true} {
		good := grown(t, old)
		size := os.Getpagesize()
		n := len(good) / size
		if n < 60 {
			t.Fatalf("%d pages are too few to prove something", n)
		}
		moved, fewest := 0, 1000
		for page := range n {
			at := page * size
			other := (page*7 + 3) % n * size
			for name, spoil := range map[string]func(b []byte){
				"zeroed":  func(b []byte) { clear(b[at : at+size]) },
				"swapped": func(b []byte) { copy(b[at:at+size], good[other:]); copy(b[other:other+size], good[at:]) },
				"torn":    func(b []byte) { copy(b[at+size/2:at+size], good[other+size/2:other+size]) },
			} {
				if old && name != "zeroed" {
					continue
				}
				b := bytes.Clone(good)
				spoil(b)
				left, quarantined := opens(t, fmt.Sprintf("page %d %s (old: %v)", page, name, old), b)
				if quarantined {
					moved++
				}
				fewest = min(fewest, left)
			}
		}
		t.Logf("%d pages, %d times moved aside, at least %d of 152 sessions left", n, moved, fewest)
		if moved == 0 {
			t.Error("no damage was found")
		}
		if fewest < 120 {
			t.Errorf("a damaged page cost %d sessions", 152-fewest)
		}
	}
}

// Ten thousand flipped bytes, a hundred at a time, and each alone as far as this process dares to go.
func TestFlippedBytes(t *testing.T) {
	good := grown(t, false)
	r := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "clawd.db")
	sound := 0
	flipped := bytes.Clone(good)
	alone := func(at int) {
		all := metas(bytes.NewReader(flipped))
		if len(all) == 0 {
			t.Fatalf("byte %d took both meta pages", at)
		}
		if walk(bytes.NewReader(flipped), int64(len(flipped)), all[len(all)-1], func(string, uint64) {}, func(string, []byte, []byte) {}) != nil {
			return // bbolt never sees it
		}
		if sound++; sound%8 == 0 {
			must(t, os.WriteFile(path, flipped, 0o600))
			if err := Check(path); err != nil {
				t.Errorf("byte %d: bbolt finds what the reader does not: %v", at, err)
			}
		}
	}
	for round := range 100 {
		many := bytes.Clone(good)
		for range 100 {
			at, bit := r.IntN(len(good)), byte(1)<<r.IntN(8)
			many[at] ^= bit
			flipped[at] ^= bit
			alone(at)
			flipped[at] ^= bit
		}
		opens(t, fmt.Sprint("round ", round), many)
	}
	t.Logf("%d of 10000 flips leave the file sound", sound)
}

// What is not there any more comes from the newest sound snapshot.
func TestSnapshot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.db")
	c := &clock{noon}
	o := Options{Now: c.now, Check: elsewhere}
	s, err := Open(path, o)
	must(t, err)
	must(t, s.Snapshot()) // of nothing
	for day := range 5 {
		c.Time = noon.Add(time.Duration(day) * 24 * time.Hour)
		waiting(t, s, detect.Session{Agent: "claude", ID: strconv.Itoa(day)}, "k")
		for range 2 { // once a day
			must(t, s.Snapshot())
			c.Time = c.Add(time.Hour)
		}
	}
	waiting(t, s, one, "k")
	must(t, s.Close())
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "snapshots", "*"))
	must(t, err)
	is(t, len(names), 3)
	for _, name := range names {
		fi, err := os.Stat(name)
		must(t, err)
		is(t, fi.Mode().Perm(), 0o600)
	}
	must(t, os.WriteFile(names[2], []byte("damaged"), 0o600))
	must(t, os.WriteFile(path, bytes.Repeat([]byte("garbage"), 10_000), 0o600))
	s, err = Open(path, o)
	must(t, err)
	is(t, s.Restored, names[1])
	is(t, s.Lost, true)
	is(t, s.Quarantined != "", true)
	for id, want := range map[string]bool{"0": true, "3": true, "4": false, "one": false} {
		_, ok, err := s.Session(detect.Session{Agent: "claude", ID: id})
		must(t, err)
		if ok != want {
			t.Errorf("session %s: %v", id, ok)
		}
	}
	must(t, s.Close())
	must(t, os.Remove(path)) // gone altogether
	s, err = Open(path, o)
	must(t, err)
	is(t, s.Restored, names[1])
	is(t, s.Quarantined, "")
	must(t, s.Close())
	s, err = Open(path, o)
	must(t, err)
	is(t, s.Lost, false)
	is(t, s.Restored, "")
	must(t, s.Close())
}

// A store that an older clawd wrote is kept before it is changed.
func TestMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.db")
	must(t, os.WriteFile(path, grown(t, true), 0o600))
	s, err := Open(path, Options{Now: (&clock{noon}).now, Check: elsewhere})
	must(t, err)
	is(t, s.Quarantined, "")
	is(t, get(t, s, one).Phase, Waiting)
	must(t, s.Close())
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "snapshots", "*"))
	must(t, err)
	is(t, len(names), 1)
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	all := metas(f)
	is(t, all[len(all)-1].freelist != noFreelist, true)
}

// What is no file at its path is named, and never waited for.
func TestNotAFile(t *testing.T) {
	for name, c := range map[string]struct {
		make func(string) error
		says string
	}{
		"a folder":     {func(p string) error { return os.Mkdir(p, 0o700) }, "is a folder"},
		"a named pipe": {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "is a named pipe"},
		"a device":     {func(p string) error { return os.Symlink("/dev/zero", p) }, "is a device"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "clawd.db")
			must(t, c.make(path))
			if _, err := Open(path, Options{Check: elsewhere}); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("huge", func(t *testing.T) { // sparse
		path := filepath.Join(t.TempDir(), "clawd.db")
		must(t, os.WriteFile(path, []byte("garbage"), 0o600))
		must(t, os.Truncate(path, 1<<40))
		s, err := Open(path, Options{Check: elsewhere})
		must(t, err)
		is(t, s.Quarantined != "", true)
		must(t, s.Close())
	})
}

// A page that is damaged or gone while the store is open ends its use, not the process, and the next Open
// goes on with what is left.
func TestDamagedWhileOpen(t *testing.T) {
	for name, spoil := range map[string]func(string, []byte) error{
		"zeroed": func(path string, b []byte) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(make([]byte, len(b)-8192), 8192)
			return errors.Join(err, f.Close())
		},
		"cut off": func(path string, _ []byte) error { return os.Truncate(path, 8192) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "clawd.db")
			good := grown(t, false)
			must(t, os.WriteFile(path, good, 0o600))
			o := Options{Now: (&clock{noon}).now, Check: elsewhere}
			s, err := Open(path, o)
			must(t, err)
			var told []error
			s.Broken = func(err error) { told = append(told, err) }
			must(t, spoil(path, good))
			if err := s.Sessions(func(Session) error { return nil }); !errors.Is(err, ErrDamaged) {
				t.Errorf("a read gives %v", err)
			}
			if _, err := s.Stopped(read(two), stopped("k"), wait, nil); !errors.Is(err, ErrDamaged) {
				t.Errorf("a write gives %v", err)
			}
			is(t, len(told), 1)
			s.Close() // leaves the lock to the end of the process
			is(t, s.db.Close(), nil)
			s, err = Open(path, o)
			must(t, err)
			is(t, s.Quarantined != "", true)
			must(t, s.Close())
			s, err = Open(path, o)
			must(t, err)
			is(t, s.Quarantined, "") // once
			must(t, s.Close())
		})
	}
}

// A panic that is not the store's goes on.
func TestGuardPassesMistakes(t *testing.T) {
	defer func() {
		if r := recover(); r != "mistake" {
			t.Errorf("recovered %v", r)
		}
	}()
	s, _ := newStore(t)
	_ = s.update("T1", func(tx) error { panic("mistake") })
	t.Error("it was taken for damage")
}

// spoilRecord flips a bit in one record's value.
func spoilRecord(t *testing.T, s *Store, bucket []byte, key string) {
	t.Helper()
	must(t, s.db.Update(func(tx *bolt.Tx) error {
		v := bytes.Clone(tx.Bucket(bucket).Get([]byte(key)))
		v[len(v)/2] ^= 1
		return tx.Bucket(bucket).Put([]byte(key), v)
	}))
}

// An unreadable record costs only itself, in every bucket, and is told once.
func TestUnreadableRecords(t *testing.T) {
	var told []string
	s, err := Open(filepath.Join(t.TempDir(), "clawd.db"), Options{Now: (&clock{noon}).now, Unreadable: func(err error) { told = append(told, err.Error()) }})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	waiting(t, s, one, "k")
	settle(t, s, fire(t, s, one, "k"), outcome(resume.Cut, "cut:k")) // stats, budget, closed, history, outbox
	must(t, s.SetSeen(map[string]Seen{"claude/x": {Stamp: "1"}, "claude/y": {Stamp: "1"}}))
	odd := stopped("u")
	odd.Reason, odd.Text = detect.Unknown, "odd"
	_, err = s.Stopped(read(two), odd, wait, nil)
	must(t, err)
	must(t, s.Part(Parting{At: noon}))
	must(t, s.SignAlive())
	must(t, s.SetLaunches(map[string]detect.Launch{Key(one): {PID: 1}}))
	n := 0
	for _, bucket := range buckets {
		var keys []string
		must(t, s.db.View(func(tx *bolt.Tx) error {
			return tx.Bucket(bucket).ForEach(func(k, _ []byte) error {
				if string(bucket) != "meta" || string(k) != "id" && string(k) != "version" {
					keys = append(keys, string(k))
				}
				return nil
			})
		}))
		if len(keys) == 0 {
			t.Errorf("nothing in %s", bucket)
		}
		for _, k := range keys {
			spoilRecord(t, s, bucket, k)
			n++
		}
	}
	three := detect.Session{Agent: "claude", ID: "three"}
	for range 2 { // everything works, with what it does not know
		must(t, s.Sessions(func(Session) error { return nil }))
		must(t, s.History(func(Entry) error { return nil }))
		for _, look := range []func() error{
			func() error { _, err := s.Outbox(); return err },
			func() error { _, err := s.Seen(); return err },
			func() error { _, err := s.Launches(); return err },
			func() error { _, err := s.Stats(); return err },
			func() error { _, err := s.Unknown(); return err },
			func() error { _, _, err := s.Parting(); return err },
			func() error { _, err := s.Alive(); return err },
			func() error { _, _, err := s.Session(one); return err },
		} {
			must(t, look())
		}
	}
	waiting(t, s, three, "k3")
	settle(t, s, fire(t, s, three, "k3"), outcome(resume.Resumed, ""))
	waiting(t, s, one, "k2")
	settle(t, s, fire(t, s, one, "k2"), outcome(resume.StoppedAgain, "k4"))
	must(t, s.Prune(time.Hour, func(Session) bool { return true }))
	if len(told) > n || len(told) < n-3 { // some are put anew before anybody reads them
		t.Errorf("%d records are damaged and %d were told:\n%s", n, len(told), strings.Join(told, "\n"))
	}
}

// A record that stands under another key than its own, or in another bucket, is not taken for what it is not.
func TestMisplacedRecord(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	must(t, s.db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketSessions)
		return b.Put([]byte(Key(two)), bytes.Clone(b.Get([]byte(Key(one)))))
	}))
	_, ok, err := s.Session(two)
	must(t, err)
	is(t, ok, false)
	is(t, get(t, s, one).Phase, Waiting)
}
