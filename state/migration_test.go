package state

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/resume"
)

// migratedStore names the store that the test binary is to open and close, in place of clawd.
const migratedStore = "CLAWD_TEST_MIGRATE"

// crashDir holds this package's test binary with its crash points.
var crashDir string

var crashing = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "clawd-state")
	if err != nil {
		return "", err
	}
	crashDir = dir
	bin := filepath.Join(dir, "state.test")
	cmd := exec.Command("go", "test", "-c", "-tags", "crashtest", "-o", bin, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return bin, nil
})

// schema1 lays down a store that the last clawd with schema 1 wrote: 50 sessions in all phases, closed keys,
// a budget, notices. See testdata/README.md.
func schema1(t *testing.T) (path string, b []byte) {
	t.Helper()
	packed, err := os.Open("testdata/schema1.db.gz")
	must(t, err)
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	must(t, err)
	b, err = io.ReadAll(z)
	must(t, err)
	path = filepath.Join(t.TempDir(), "clawd.db")
	must(t, os.WriteFile(path, b, 0o600))
	id := bodies(t, path)["meta"]["id"]
	must(t, os.WriteFile(path+".id", []byte(id), 0o600))
	return path, b
}

// bodies gives all records of a file without their checksums, but for the schema's number. It makes sure that
// every one of them can be read.
func bodies(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	fi, err := f.Stat()
	must(t, err)
	all := map[string]map[string]string{}
	newest := metas(f)
	must(t, walk(f, fi.Size(), newest[len(newest)-1], func(string, uint64) {}, func(bucket string, key, value []byte) {
		if !readable(bucket, string(key), value) {
			t.Errorf("%s: the record %s of %s cannot be read", path, key, bucket)
		}
		if bucket == "meta" && string(key) == "version" || bucket == "limits" { // no clawd ever read the limits
			return
		}
		body := string(value)
		if bucket != "meta" || string(key) != "id" {
			body = string(value[4:])
		}
		if all[bucket] == nil {
			all[bucket] = map[string]string{}
		}
		all[bucket][string(key)] = body
	}))
	return all
}

// comes makes sure that the next Open gives everything that was there, and believes no torn snapshot.
func comes(t *testing.T, what, path string, want map[string]map[string]string) {
	t.Helper()
	s, err := Open(path, Options{Now: (&clock{noon}).now, Check: elsewhere})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if s.Quarantined != "" || s.Restored != "" || s.Lost {
		t.Errorf("%s: moved aside to %q, restored from %q, lost: %v", what, s.Quarantined, s.Restored, s.Lost)
	}
	if v, err := s.version(); err != nil || v != schema {
		t.Errorf("%s: schema %d: %v", what, v, err)
	}
	must(t, s.Close())
	if diff := cmp.Diff(want, bodies(t, path)); diff != "" {
		t.Errorf("%s: the records changed:\n%s", what, diff)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "snapshots", "*"))
	must(t, err)
	if len(names) == 0 || len(names) > keptCopies {
		t.Errorf("%s: snapshots %v", what, names)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".new") {
			t.Errorf("%s: a torn snapshot stays: %s", what, name)
			continue
		}
		if diff := cmp.Diff(want, bodies(t, name)); diff != "" {
			t.Errorf("%s: the snapshot is not the store:\n%s", what, diff)
		}
	}
}

// TestSchema1 goes on with what a clawd of schema 1 knew.
func TestSchema1(t *testing.T) {
	path, _ := schema1(t)
	want := bodies(t, path)
	comes(t, "nothing happened", path, want)
	s, _ := openAt(t, path)
	phases := map[Phase]int{}
	must(t, s.Sessions(func(rec Session) error { phases[rec.Phase]++; return nil }))
	if diff := cmp.Diff(map[Phase]int{Waiting: 32, Following: 12, Claimed: 1, Fired: 1, Held: 4}, phases); diff != "" {
		t.Errorf("phases:\n%s", diff)
	}
	rec, err := s.Stopped(read(two), stopped("k"), wait, nil) // closed before
	must(t, err)
	is(t, rec.Phase, Following)
	is(t, budget(t, s, noon).Total, 15)
	settle(t, s, fire(t, s, one, "k"), outcome(resume.Resumed, ""))
	is(t, get(t, s, one).Phase, Following)
}

// TestKilledInMigration kills a clawd that opens a store of schema 1, at each step. Whatever was written the next one
// has everything, also when the store itself is gone by then.
func TestKilledInMigration(t *testing.T) {
	bin, err := crashing()
	must(t, err)
	killed := map[string]string{}
	for _, c := range []struct {
		point  string
		from   string // it goes on with what was left at another point
		commit bool   // the file got one commit
		kept   bool   // the snapshot is there
	}{
		{point: "migration.before"},
		{point: "snapshot.written"},
		{point: "migration.kept", kept: true},
		{point: "migration.opened", kept: true, commit: true},
		{point: "migration.inside", from: "migration.opened", kept: true},
		{point: "migration.after", from: "migration.opened", kept: true, commit: true},
	} {
		path, before := schema1(t)
		want := bodies(t, path)
		if c.from != "" {
			path = copied(t, killed[c.from])
			before, err = os.ReadFile(path)
			must(t, err)
		}
		cmd := exec.Command(bin)
		cmd.Env = append(os.Environ(), migratedStore+"="+path, "CLAWD_CRASH_AT="+c.point, "CLAWD_CRASH_ONCE="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !st.Signaled() {
			t.Fatalf("%s: it was not killed: %v\n%s", c.point, err, out)
		}
		after, err := os.ReadFile(path)
		must(t, err)
		if bytes.Equal(before, after) == c.commit {
			t.Errorf("%s: a commit: %v, want %v", c.point, !c.commit, c.commit)
		}
		killed[c.point] = copied(t, path)
		comes(t, c.point, path, want)
		if c.kept {
			restored(t, c.point, killed[c.point], want)
		}
		if c.commit {
			powerCuts(t, c.point, killed[c.point], before, after, want)
		}
	}
}

// copied is the folder of a store as it is now; it gives the way to the copy.
func copied(t *testing.T, path string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	must(t, os.CopyFS(dir, os.DirFS(filepath.Dir(path))))
	return filepath.Join(dir, filepath.Base(path))
}

// restored makes sure that a store that is gone after a kill comes back from the snapshot.
func restored(t *testing.T, what, left string, want map[string]map[string]string) {
	t.Helper()
	path := copied(t, left)
	must(t, os.Remove(path))
	s, err := Open(path, Options{Now: (&clock{noon}).now, Check: elsewhere})
	must(t, err)
	is(t, s.Restored != "", true)
	must(t, s.Close())
	got := bodies(t, path)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s, and the store is gone: what comes back is not what was there:\n%s", what, diff)
	}
}

// powerCuts lays down what a commit may leave whose sectors did not all reach the disk: before the data is synced any of
// them, with the meta pages of before; then all, and the new meta page torn.
func powerCuts(t *testing.T, what, left string, before, after []byte, want map[string]map[string]string) {
	t.Helper()
	const sector = 512
	metaPages := 2 * int(metas(bytes.NewReader(before))[0].page)
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		b := bytes.Clone(after)
		copy(b[:metaPages], before[:metaPages])
		if round < 30 {
			for at := metaPages; at < len(b); at += sector {
				if r.IntN(2) == 0 && at < len(before) {
					copy(b[at:at+sector], before[at:])
				} else if r.IntN(2) == 0 && at >= len(before) {
					clear(b[at : at+sector])
				}
			}
		} else {
			for at := range metaPages {
				if r.IntN(2) == 0 {
					b[at] = after[at]
				}
			}
		}
		path := copied(t, left)
		must(t, os.WriteFile(path, b, 0o600))
		comes(t, fmt.Sprint(what, ", power cut ", round), path, want)
	}
}
