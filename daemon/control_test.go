package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// listening gives a rig's daemon with an open socket. It runs outside of a bubble: a socket waits
// in the kernel.
func listening(t *testing.T) (*rig, *control) {
	t.Helper()
	r := newRig(t)
	r.o.Socket = filepath.Join(r.root, "run", "clawd.sock")
	d, err := New(r.o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.release(); d.store.Close() })
	r.d = d
	c, err := d.listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	r.loops(ctx)
	go func() { c.serve(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done; r.d = nil })
	return r, c
}

// loops runs the daemon's loop alone.
func (r *rig) loops(ctx context.Context) {
	done := make(chan struct{})
	ctx, stop := context.WithCancel(ctx)
	r.d.effects = newEffects(ctx)
	l := r.d.loop
	go func() { l.run(ctx); close(done) }()
	r.t.Cleanup(func() { l.end(); stop(); <-done })
}

func TestControlSocket(t *testing.T) {
	r, _ := listening(t)
	fi, err := os.Lstat(r.o.Socket)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("socket %v (%v), want mode 0600", fi.Mode(), err)
	}
	if fi, err := os.Lstat(filepath.Dir(r.o.Socket)); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("its folder %v (%v), want mode 0700", fi.Mode(), err)
	}
}

// A failure that no rule explains is left, told, and kept for the next release; its text is redacted
// and in no log.
func TestUnknownFailure(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("odd")
		r.pass(time.Hour)
		r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts", n)
		}
		if e := r.log.events("session_left"); len(e) != 1 || e[0]["reason"] != "unknown" {
			t.Errorf("session_left: %v", e)
		}
		if strings.Contains(r.log.String(), "moon") {
			t.Error("the text is in the log")
		}
		all, err := r.d.store.Unknown()
		if err != nil || len(all) != 1 || all[0].Text != "The moon is in the wrong phase, see <path>" || all[0].Version != "2.1.329" || all[0].Count != 1 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestControlUnknown(t *testing.T) {
	r, _ := listening(t)
	stop := detect.Stop{State: detect.Stopped, Reason: detect.Unknown, Key: "k", Text: "odd"}
	r.write(r.session("x"), func(rec state.Session, b state.Books) (*state.Change, error) {
		return rec.Stopped(b, state.Read{Session: r.session("x")}, stop, resume.Decision{Strategy: resume.Leave}, nil)
	})
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", r.o.Socket) }}}
	resp, err := client.Get("http://clawd/v1/unknown")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var all []state.Unknown
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil || len(all) != 1 || all[0].Text != "odd" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestControlReplacesStaleSocket(t *testing.T) {
	r := newRig(t)
	r.o.Socket = filepath.Join(r.root, "run", "clawd.sock")
	if err := os.Mkdir(filepath.Dir(r.o.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: r.o.Socket})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false) // as after SIGKILL
	l.Close()
	d := &Daemon{o: r.o}
	c, err := d.listen()
	if err != nil {
		t.Fatalf("a stale socket is in the way: %v", err)
	}
	c.l.Close()

	put(t, r.o.Socket, "precious")
	if _, err := d.listen(); err == nil {
		t.Error("a file in the socket's place was accepted")
	}
	if b, err := os.ReadFile(r.o.Socket); err != nil || string(b) != "precious" {
		t.Errorf("the file was touched: %q %v", b, err)
	}
}

func TestStatusJSON(t *testing.T) {
	r, _ := listening(t)
	at := time.Now().Truncate(time.Second).UTC()
	waiting, done := uuid.NewString(), uuid.NewString()
	for _, id := range []string{waiting, done} {
		put(t, r.session(id).Path, r.line(id, "user")+r.line(id, "limit"))
		s := r.d.session(r.d.agents[0], r.session(id))
		f := s.readOn(t.Context(), &state.Session{Session: s.ds})
		if f.Err != nil {
			t.Fatal(f.Err)
		}
		read := state.Read{Session: s.ds, Info: f.Info, Cursor: f.Cursor, Classifier: f.Fold}
		dec := resume.Decision{Strategy: resume.SameSession, WakeAt: at.Add(time.Hour), Attempt: 1, Why: "because"}
		if id == done {
			dec = resume.Decision{Strategy: resume.Leave, Why: "left"}
		}
		r.write(s.ds, func(rec state.Session, b state.Books) (*state.Change, error) {
			return rec.Stopped(b, read, f.Fold.Stop(), dec, nil)
		})
	}
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", r.o.Socket)
		}}}
	defer client.CloseIdleConnections()
	resp, err := client.Get("http://clawd/v1/status")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var raw map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&raw); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"pid", "version", "started", "config", "dry_run", "agents", "sessions", "stats"} {
		if _, ok := raw[key]; !ok {
			t.Errorf("status has no %q", key)
		}
	}
	list, _ := raw["sessions"].([]any)
	if len(list) != 1 {
		t.Fatalf("sessions %v, want the one that waits", list)
	}
	s, _ := list[0].(map[string]any)
	left, _ := s["left_s"].(float64)
	if s["session"] != waiting || s["agent"] != "claude" || s["phase"] != "waiting" || s["reason"] != "rate_limit" ||
		s["strategy"] != "same_session" || s["project"] != r.project || s["why"] != "because" ||
		s["wake_at"] != at.Add(time.Hour).Format(time.RFC3339) || left <= 3500 || left > 3600 {
		t.Errorf("session %v", s)
	}
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		req, err := http.NewRequest(method, "http://clawd/v1/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %s", method, resp.Status)
		}
	}
}

func TestReload(t *testing.T) {
	in(t, func(r *rig) {
		next, bad := r.o.Config, errors.New("clawd.toml:2: resume.base: no")
		r.o.Reload = func() (config.Config, error) { return next, bad }
		r.start()
		id, _ := r.stopped("limit")
		wake := r.wantPhase(id, state.Waiting).Decision.WakeAt
		next.Resume.Base = config.Duration(2 * time.Minute)
		r.d.Reload()
		r.pass(time.Second)
		if got := r.rec(id).Decision.WakeAt; !got.Equal(wake) {
			t.Errorf("a bad config moved the wait to %v", got)
		}
		if e := r.log.events("config_reloaded"); len(e) != 1 || e[0]["ok"] != false || e[0]["error"] == nil {
			t.Errorf("%v", e)
		}
		bad = nil
		if r.d.Reload() {
			t.Error("a wait needs a restart")
		}
		r.pass(time.Second)
		if got := r.rec(id).Decision.WakeAt; !got.Equal(wake.Add(90 * time.Second)) {
			t.Errorf("the wait ends at %v, want %v", got, wake.Add(90*time.Second))
		}
		next.Resume.Base, next.Resume.DryRun = config.Duration(time.Hour), true
		if !r.d.Reload() {
			t.Error("a dry run needs no restart")
		}
		r.pass(time.Second)
		if got := r.rec(id).Decision.WakeAt; !got.Equal(wake.Add(90 * time.Second)) {
			t.Errorf("the old clawd follows a config that needs a new one: the wait ends at %v", got)
		}
		e := r.log.events("config_reloaded")
		if sections, _ := e[2]["restart_for"].([]any); len(sections) != 1 || sections[0] != "resume.dry_run" {
			t.Errorf("%v", e[2])
		}
		r.pass(60 * time.Second)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts by the old wait", n)
		}
		r.pass(5 * time.Minute)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts, want 1", n)
		}
	})
}

// What a new config makes of a wait holds, too, where the session's file is gone.
func TestReloadWithoutAFile(t *testing.T) {
	in(t, func(r *rig) {
		next := r.o.Config
		r.o.Reload = func() (config.Config, error) { return next, nil }
		r.start()
		id, _ := r.stopped("plan")
		r.wantPhase(id, state.Waiting)
		if err := os.Remove(r.session(id).Path); err != nil {
			t.Fatal(err)
		}
		next.Resume.Reasons = map[string]resume.Kind{"usage_limit": resume.Leave}
		r.d.Reload()
		r.pass(time.Minute)
		r.wantPhase(id, state.Following)
		if n := len(r.log.events("session_left")); n != 1 {
			t.Errorf("told %d times", n)
		}
	})
}

func TestDryRun(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, key := r.stopped("plan")
		r.down()
		real := filepath.Join(r.o.StateDir, "clawd.db")
		before, err := os.ReadFile(real)
		if err != nil {
			t.Fatal(err)
		}
		r.o.Config.Resume.DryRun = true
		r.start()
		r.pass(3 * time.Hour)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts", n)
		}
		if e := r.log.events("resume_started"); len(e) != 1 || e[0]["dry_run"] != true || e[0]["session"] != id {
			t.Errorf("resume_started: %v", e)
		}
		r.down()
		if after, err := os.ReadFile(real); err != nil || string(after) != string(before) {
			t.Errorf("the real store was touched (%v)", err)
		}
		if left, _ := filepath.Glob(filepath.Join(r.o.StateDir, "dry-run-*")); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
		r.o.Config.Resume.DryRun = false
		r.start()
		r.pass(time.Minute)
		if all := r.children.started(); len(all) != 1 || all[0].claim.Stop.Key != key {
			t.Errorf("the real run fired %d times", len(all))
		}
	})
}

func TestDryRunBesideADaemon(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		o := r.o
		o.Config.Resume.DryRun = true
		d, err := New(o)
		if err != nil {
			t.Fatalf("a dry run beside a daemon: %v", err)
		}
		if err := d.store.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestSiblings(t *testing.T) {
	for _, c := range []struct {
		name   string
		write  func(r *rig, id string)
		starts int
		why    string
	}{
		{"a script tries again", func(r *rig, id string) { r.add(id, r.line(id, "user"), r.line(id, "limit")) }, 1, "tries again by itself"},
		{"somebody moved on", func(r *rig, id string) { r.add(id, r.line(id, "something else"), r.line(id, "answer")) }, 0, "the work moved on"},
		{"it is busy, then gone", func(r *rig, id string) { r.add(id, r.line(id, "something else")) }, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.start()
				id, _ := r.stopped("limit")
				r.pass(time.Second)
				c.write(r, uuid.NewString())
				r.pass(2 * time.Hour)
				n := 0
				for _, ch := range r.children.started() {
					if ch.claim.Session.ID == id {
						n++
					}
				}
				if c.why == "" {
					if n != c.starts {
						t.Errorf("%d starts; log:\n%s", n, r.log)
					}
					return
				}
				if n != 0 {
					t.Errorf("%d starts of the old session", n)
				}
				found := false
				for _, e := range r.log.events("session_left") {
					found = found || e["session"] == id
				}
				if !found {
					t.Errorf("it is not told; log:\n%s", r.log)
				}
			})
		})
	}
}

// A home of a hundred letters has no room for a socket's name: that says what to do.
func TestSocketPathTooLong(t *testing.T) {
	r := newRig(t)
	r.o.Socket = filepath.Join(r.root, strings.Repeat("x", 110), "clawd.sock")
	d, err := New(r.o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.release(); d.store.Close() })
	if _, err = d.listen(); err == nil || !strings.Contains(err.Error(), "too long") || !strings.Contains(err.Error(), "XDG_RUNTIME_DIR") {
		t.Error(err)
	}
}
