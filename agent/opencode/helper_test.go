package opencode

import (
	"bufio"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// cases are the recorded runs of the real agent.
const cases = "../../testdata/opencode"

// open gives an opencode over a new data folder.
func open(t *testing.T, procs agent.Procs) (*OpenCode, string) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".local", "share", "opencode")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return New(agent.Env{Home: home, Procs: procs}, agent.Config{}), dir
}

// writer is opencode itself: a connection that stays open, in WAL mode.
func writer(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	exec(t, db, "pragma wal_autocheckpoint = 0")
	return db
}

func exec(t *testing.T, db *sql.DB, q string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), q, args...); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// copyTree copies files as ours alone: owners and modes of a checkout may be refused.
func copyTree(t *testing.T, to, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(from, path)
			writeFile(t, filepath.Join(to, rel), readFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// load puts a recorded case into the data folder and gives its sessions.
func load(t *testing.T, o *OpenCode, dir, name string) []agent.Touched {
	t.Helper()
	from := filepath.Join(cases, name)
	if _, err := os.Stat(filepath.Join(from, "db.sql")); err == nil {
		exec(t, writer(t, filepath.Join(dir, "opencode.db")), readFile(t, filepath.Join(from, "db.sql")))
	} else {
		copyTree(t, filepath.Join(dir, "storage"), filepath.Join(from, "storage"))
	}
	if b, err := os.ReadFile(filepath.Join(from, "log", "opencode.log")); err == nil {
		writeFile(t, filepath.Join(dir, "log", "opencode.log"), string(b))
	}
	all, err := o.Scan(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func read(t *testing.T, o *OpenCode, s detect.Session, from agent.Cursor) agenttest.Batch {
	t.Helper()
	b, err := agenttest.Read(t.Context(), o, s, from)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// judge folds events, the last word being who holds the session.
func judge(events []detect.Event, l detect.Liveness) detect.Stop {
	var c detect.Classifier
	for _, e := range events {
		c.Feed(e)
	}
	c.Feed(detect.Event{Kind: detect.KindHolder, Holder: &detect.Holder{Liveness: l}})
	return c.Stop()
}

func tsv(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]string
	for in := bufio.NewScanner(f); in.Scan(); {
		if line := in.Text(); !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows
}

// listing names every file below dir with its size, but those of open databases' shared memory.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// testProcs is a process table of our own.
type testProcs = agenttest.Procs

func mkLink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}
