package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// Reading beside a living writer, and after it: nothing is written, created or left.
func TestReadsOnly(t *testing.T) {
	o, db, s := newStore(t)
	state := func() map[string]string {
		all := map[string]string{}
		for _, p := range listing(t, o.data) {
			if !strings.HasSuffix(p, "-shm") && p != o.data {
				all[filepath.Base(p)] = readFile(t, p)
			} else {
				all[filepath.Base(p)] = ""
			}
		}
		return all
	}
	unchanged := func(what string) {
		t.Helper()
		before := state()
		b := read(t, o, s, "")
		if len(b.Events) != 1 {
			t.Errorf("%s: %d events", what, len(b.Events))
		}
		if _, err := o.Scan(t.Context(), ""); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		after := state()
		for _, name := range slices.Sorted(maps.Keys(after)) {
			if _, ok := before[name]; !ok || before[name] != after[name] {
				t.Errorf("%s: %s was written", what, name)
			}
		}
		if len(before) != len(after) {
			t.Errorf("%s: %d files, then %d", what, len(before), len(after))
		}
	}
	insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
	if _, err := os.Stat(s.Path + "-wal"); err != nil {
		t.Fatal("this test needs a -wal")
	}
	unchanged("beside a writer")

	copied, dir := open(t, nil)
	for _, suffix := range []string{"", "-wal"} {
		writeFile(t, filepath.Join(dir, "opencode.db"+suffix), readFile(t, s.Path+suffix))
	}
	old, oldData := s, o
	o, s.Path = copied, filepath.Join(dir, "opencode.db")
	unchanged("a copy without its -shm")

	o, s = oldData, old
	kept := o.conns[s.Path].db
	read(t, o, s, "")
	if kept == nil || o.conns[s.Path].db != kept {
		t.Error("the connection was not kept: opening and closing one locks the database")
	}
	if err := o.disconnect(s.Path); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the writer left its -wal: %v", err)
	}
	unchanged("after the writer")
}

func TestBadDatabase(t *testing.T) {
	write := func(text string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { writeFile(t, path, text) }
	}
	whole := func(t *testing.T) string {
		_, db, s := newStore(t)
		insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
		db.Close()
		return readFile(t, s.Path)
	}
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want string // in the error of Read
		scan bool   // Scan fails too
	}{
		"text":      {write(strings.Repeat("this is no database\n", 300)), "not a database", true},
		"truncated": {func(t *testing.T, p string) { writeFile(t, p, whole(t)[:6000]) }, "malformed", true},
		"cut short": {func(t *testing.T, p string) { writeFile(t, p, whole(t)[:50]) }, "malformed", true},
		"empty":     {write(""), "no sessions yet", false},
		"no tables": {func(t *testing.T, p string) { exec(t, writer(t, p), "create table x (y)") }, "no such table", true},
		"FIFO": {func(t *testing.T, p string) {
			if err := syscall.Mkfifo(p, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file", true},
		"link": {func(t *testing.T, p string) {
			to := filepath.Join(t.TempDir(), "elsewhere.db")
			writeFile(t, to, whole(t))
			if err := os.Symlink(to, p); err != nil {
				t.Fatal(err)
			}
		}, "symbolic link", true},
		"folder": {func(t *testing.T, p string) {
			if err := os.Mkdir(p, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file", true},
	} {
		t.Run(name, func(t *testing.T) {
			o, dir := open(t, nil)
			path := filepath.Join(dir, "opencode.db")
			c.make(t, path)
			_, err := agenttest.Read(t.Context(), o, detect.Session{Agent: Name, ID: testID, Path: path}, "")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Read: %v, want %q", err, c.want)
			}
			all, err := o.Scan(t.Context(), "")
			if len(all) != 0 || (err != nil) != c.scan {
				t.Errorf("Scan: %v, %v", all, err)
			}
			// A good database beside it is still read.
			exec(t, writer(t, filepath.Join(dir, "opencode-beta.db")), schema+"insert into message values ('msg_1', '"+testID+"', 1, 1, '{}')")
			if all, _ := o.Scan(t.Context(), ""); len(all) != 1 {
				t.Errorf("beside a good one: %v", all)
			}
		})
	}
}

func TestBusy(t *testing.T) {
	o, dir := open(t, nil)
	path := filepath.Join(dir, "opencode.db")
	db, err := sql.Open("sqlite", "file:"+path) // not WAL: a writer keeps readers out
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	exec(t, db, schema)
	exec(t, db, "begin exclusive")
	exec(t, db, "insert into message values ('msg_1', ?, 1, 1, '{}')", testID)
	if fi, err := os.Stat(path + "-journal"); err != nil || fi.Size() == 0 {
		t.Fatal("this test needs a journal")
	}
	s := detect.Session{Agent: Name, ID: testID, Path: path}
	if _, err := agenttest.Read(t.Context(), o, s, ""); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("%v", err)
	}
	exec(t, db, "commit")
	if b := read(t, o, s, ""); b.Skipped != 1 {
		t.Errorf("%+v", b)
	}
}

// Odd names of folders end no URI and change no option.
func TestOddPath(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a?mode=rw&b#c%41 d")
	o := New(agent.Env{Home: "/nowhere"}, agent.Config{ConfigDir: home})
	exec(t, func() *sql.DB {
		if err := os.MkdirAll(home, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Chdir(home)
		return writer(t, "opencode.db")
	}(), schema+"insert into message values ('msg_1', '"+testID+`', 1, 1, '{"role":"user"}')`)
	all, err := o.Scan(t.Context(), "")
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	if b := read(t, o, all[0].Session, ""); len(b.Events) != 1 {
		t.Errorf("%+v", b)
	}
}

// A writer that comes while a resting database is read makes the read start again.
func TestMoved(t *testing.T) {
	o, db, s := newStore(t)
	db.Close()
	rounds, rows := 0, 0
	err := o.view(t.Context(), s.Path, func(ctx context.Context, tx *sql.Tx) error {
		if rounds++; rounds == 1 {
			insert(t, writer(t, s.Path), "msg_1", at0, fmt.Sprintf(user, at0))
		}
		return tx.QueryRowContext(ctx, "select count(*) from message").Scan(&rows)
	})
	if err != nil || rounds != 2 || rows != 1 {
		t.Errorf("%d rounds, %d rows, %v", rounds, rows, err)
	}
}
