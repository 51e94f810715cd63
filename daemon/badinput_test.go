package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/state"
)

// good proves that the daemon is up: a session that stops now is resumed.
func (r *rig) good() {
	r.t.Helper()
	before := r.resumes()
	id, _ := r.stopped("limit")
	r.pass(30 * time.Minute)
	r.wantPhase(id, state.Following)
	if r.resumes() <= before {
		r.t.Errorf("%d resumes, want more than %d", r.resumes(), before)
	}
}

func TestBadRecords(t *testing.T) {
	for _, c := range []struct {
		name string
		text func(r *rig, id string) string
		log  string // event that tells of it; empty: it is no problem
	}{
		{"100 MB line", func(*rig, string) string { return `{"type":"user","x":"` + strings.Repeat("x", 100<<20) + "\"}\n" }, "records_skipped"},
		{"binary", func(*rig, string) string { return strings.Repeat("\x00\xff\x1b\x9b\x80", 4000) + "\n" }, "records_skipped"},
		{"no JSON", func(*rig, string) string { return "{\"type\":\"user\"\n[1,2]\nnull\n" }, "records_skipped"},
		{"half written", func(r *rig, id string) string { l := r.line(id, "answer"); return l[:len(l)/2] }, ""},
		{"deep", func(*rig, string) string {
			return `{"type":"user","message":` + strings.Repeat("[", 200000) + strings.Repeat("]", 200000) + "}\n"
		}, "records_skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.start()
				id := uuid.NewString()
				r.add(id, r.line(id, "user"), r.line(id, "limit"), c.text(r, id))
				r.wantPhase(id, state.Waiting)
				told := r.log.events("records_skipped")
				if (c.log == "") != (len(told) == 0) || len(told) > 1 {
					t.Errorf("told %v", told)
				}
				r.good()
				if r.resumes() != 2 {
					t.Errorf("%d resumes, want the bad one's too; log:\n%s", r.resumes(), r.log)
				}
				if len(r.log.String()) > 64<<10 || strings.ContainsAny(r.log.String(), "\x00\x1b") {
					t.Errorf("the log has %d bytes", len(r.log.String()))
				}
			})
		})
	}
}

// Names and kinds of files that are no session's.
func TestBadFiles(t *testing.T) {
	in(t, func(r *rig) {
		dir := filepath.Dir(r.session("x").Path)
		secret := filepath.Join(r.root, "secret.jsonl")
		linked, fifo, open := uuid.NewString(), uuid.NewString(), uuid.NewString()
		put(t, secret, r.line(linked, "user")+r.line(linked, "limit"))
		if err := errors.Join(os.Symlink(secret, filepath.Join(dir, linked+".jsonl")), syscall.Mkfifo(filepath.Join(dir, fifo+".jsonl"), 0o600),
			os.Symlink(r.root, filepath.Join(r.agentDir(), "projects", "-link")), os.Mkdir(filepath.Join(dir, uuid.NewString()+".jsonl"), 0o700)); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, open+".jsonl"), r.line(open, "user")+r.line(open, "limit"))
		if err := os.Chmod(filepath.Join(dir, open+".jsonl"), 0o666); err != nil {
			t.Fatal(err)
		}
		names := []string{"--resume", "-p", "..", "a b", "$(id)", "x;y", strings.Repeat("a", 200), strings.ToUpper(uuid.NewString())}
		for _, name := range names {
			put(t, filepath.Join(dir, name+".jsonl"), r.line(name, "user")+r.line(name, "limit"))
		}
		r.start()
		for _, name := range append(names, linked, fifo, open) {
			r.watch.send(fsnotify.Event{Name: filepath.Join(dir, name+".jsonl"), Op: fsnotify.Write})
		}
		synctest.Wait()
		r.good()
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts, want the good one's only", n)
		}
		if err := r.d.store.Sessions(func(rec state.Session) error {
			if rec.ID == linked || rec.ID == open || rec.ID == fifo {
				t.Errorf("%s was read", rec.Path)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// A line may claim any session and any folder.
func TestRecordsOfOthers(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, other := uuid.NewString(), uuid.NewString()
		r.add(id, r.line(other, "user"), r.line(other, "limit"))
		r.pass(time.Hour)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts for a session that only claims to be one", n)
		}
		r.good()
	})
}

// No agent is started in a folder that others can write, or that is none. What is gone may come back: TestProjectFolderIsAway.
func TestBadFolders(t *testing.T) {
	for _, c := range []struct {
		name string
		bad  func(r *rig) error
		why  string
	}{
		{"world-writable", func(r *rig) error { return os.Chmod(r.project, 0o777) }, "writable for everybody"},
		{"a file", func(r *rig) error { return errors.Join(os.Remove(r.project), os.WriteFile(r.project, nil, 0o600)) }, "not a folder"},
		{"a link", func(r *rig) error {
			return errors.Join(os.Remove(r.project), os.Symlink(r.root, r.project))
		}, "symbolic link"},
		{"not ours", func(r *rig) error { return os.Chown(r.project, 12345, 12345) }, "belongs to another user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "not ours" && os.Getuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			in(t, func(r *rig) {
				r.start()
				id, _ := r.stopped("limit")
				if err := c.bad(r); err != nil {
					t.Fatal(err)
				}
				r.pass(2 * time.Hour)
				if n := len(r.children.started()); n != 0 {
					t.Errorf("%d starts", n)
				}
				left := r.log.events("session_left")
				if len(left) != 1 || left[0]["session"] != id || !strings.Contains(left[0]["why"].(string), c.why) {
					t.Errorf("session_left: %v, want %q", left, c.why)
				}
				if err := errors.Join(os.RemoveAll(r.project), os.Mkdir(r.project, 0o700)); err != nil {
					t.Fatal(err)
				}
				r.good()
			})
		})
	}
}

// A project folder that cannot be listed hides only itself.
func TestUnreadableFolder(t *testing.T) {
	if !agenttest.Unprivileged(t) {
		return
	}
	in(t, func(r *rig) {
		bad := filepath.Join(r.agentDir(), "projects", "-bad")
		if err := os.Mkdir(bad, 0); err != nil {
			t.Fatal(err)
		}
		r.start()
		r.good()
		r.pass(2 * time.Minute)
		if n := len(r.log.events("scan_error")); n != 1 {
			t.Errorf("told %d times", n)
		}
	})
}

// What strangers left in the agent's folder is told once, a line for each, and hides nothing else.
func TestRefusedFiles(t *testing.T) {
	in(t, func(r *rig) {
		folder := filepath.Join(r.agentDir(), "projects", "-bad")
		if err := errors.Join(os.Mkdir(folder, 0o700), os.Symlink("/etc", filepath.Join(r.agentDir(), "projects", "-link")),
			os.Symlink("/etc/passwd", filepath.Join(folder, "0a8d26f8-e126-4d05-8111-000000000001.jsonl")),
			os.WriteFile(filepath.Join(folder, "--help\x1b[2J\n.jsonl"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		r.start()
		r.good()
		if err := os.WriteFile(filepath.Join(folder, "-c.jsonl"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		r.pass(30 * time.Minute)
		var told []string
		for _, e := range r.log.events("file_refused") {
			told = append(told, e["error"].(string))
		}
		if len(told) != 4 || strings.ContainsAny(strings.Join(told, ""), "\x1b\n") || len(r.log.events("scan_error")) != 0 {
			t.Errorf("told %q", told)
		}
	})
}

// A transcript that goes away while it waits is left, and nothing is started for it.
func TestTranscriptGone(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("limit")
		if err := os.Remove(r.session(id).Path); err != nil {
			t.Fatal(err)
		}
		r.pass(2 * time.Hour)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts", n)
		}
		if n := len(r.log.events("session_error")); n != 0 {
			t.Errorf("%d errors about a session that its user removed:\n%s", n, r.log)
		}
		if n := strings.Count(r.log.String(), "\n") - strings.Count(r.log.String(), `"level":"debug"`); n > 10 {
			t.Errorf("%d log lines:\n%s", n, r.log)
		}
		r.good()
	})
}

func TestBadStore(t *testing.T) {
	t.Run("not a database", func(t *testing.T) {
		in(t, func(r *rig) {
			path := filepath.Join(r.o.StateDir, "clawd.db")
			put(t, path, strings.Repeat("this is no database\n", 1000))
			r.start()
			damaged := r.log.events("state_damaged")
			if len(damaged) != 1 {
				t.Fatalf("state_damaged: %v", damaged)
			}
			moved, _ := damaged[0]["moved_to"].(string)
			if b, err := os.ReadFile(moved); err != nil || !strings.HasPrefix(string(b), "this is no") {
				t.Errorf("the old file was not kept: %v", err)
			}
			r.good()
		})
	})
	t.Run("removed while it runs", func(t *testing.T) {
		in(t, func(r *rig) {
			r.start()
			if err := os.Remove(filepath.Join(r.o.StateDir, "clawd.db")); err != nil {
				t.Fatal(err)
			}
			r.add(uuid.NewString(), "") // an empty file is no news
			id := uuid.NewString()
			r.add(id, r.line(id, "user"), r.line(id, "limit"))
			r.pass(time.Minute)
			err := <-r.ended
			r.d = nil
			if !errors.Is(err, state.ErrReplaced) {
				t.Errorf("Run ended with %v", err)
			}
			if len(r.children.started()) != 0 {
				t.Error("it fired without a store")
			}
		})
	})
	t.Run("busy", func(t *testing.T) {
		r := newRig(t)
		if err := os.Mkdir(r.o.StateDir, 0o700); err != nil {
			t.Fatal(err)
		}
		s, err := state.Open(filepath.Join(r.o.StateDir, "clawd.db"), state.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := New(r.o); !errors.Is(err, state.ErrLocked) {
			t.Errorf("got %v", err)
		}
		// and the user's lock was given back
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		d, err := New(r.o)
		if err != nil {
			t.Fatal(err)
		}
		d.release()
		if err := d.store.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestOwnFoldersAreMadePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := ownDir(dir); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(dir); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	link := dir + "-link"
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := ownDir(link); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Error("a link in the place of clawd's folder was accepted")
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
