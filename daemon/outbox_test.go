package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/notify"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// post is a channel that notes what it gets.
type post struct {
	mu   sync.Mutex // guards what follows
	got  []notify.Notice
	at   []time.Time
	fail error
	sent func() // called after each
}

func (p *post) send(_ context.Context, n notify.Notice) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got, p.at = append(p.got, n), append(p.at, time.Now())
	if p.sent != nil {
		p.sent()
	}
	return p.fail
}

func (p *post) notices() []notify.Notice {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]notify.Notice{}, p.got...)
}

// posts gives the rig's daemon two channels; the first one tells many in one.
func (r *rig) posts() (desktop, hook *post) {
	desktop, hook = &post{}, &post{}
	r.o.Channels = func(config.Notify) []notify.Channel {
		return []notify.Channel{{Name: "desktop", Most: 3, Send: desktop.send}, {Name: "webhook", Send: hook.send}}
	}
	return desktop, hook
}

func (r *rig) outbox() []state.Notice {
	r.t.Helper()
	all, err := r.d.store.Outbox()
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

func TestNotifies(t *testing.T) {
	in(t, func(r *rig) {
		desktop, hook := r.posts()
		r.start()
		id, _ := r.stopped("auth")
		r.pass(time.Minute)
		for name, p := range map[string]*post{"desktop": desktop, "webhook": hook} {
			got := p.notices()
			if len(got) != 1 || got[0].Event != "session_left" || got[0].Agent != "claude" || got[0].Session != id || got[0].Project != r.project ||
				got[0].Reason != "auth" || got[0].Why == "" || got[0].Command != "clawd why "+id || got[0].At.IsZero() {
				t.Errorf("%s got %+v", name, got)
			}
		}
		if n := len(r.outbox()); n != 0 {
			t.Errorf("%d notices wait", n)
		}
	})
}

// A channel that fails is tried again, ever more rarely, for a day; the other one is not held up, and the
// log tells once, also over a restart.
func TestNotifyLadder(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		desktop, hook := r.posts()
		hook.fail = errors.New("the server answers 503")
		r.start()
		r.stopped("auth")
		r.pass(2 * time.Hour)
		var gaps []string
		for i := 1; i < len(hook.at); i++ {
			gaps = append(gaps, hook.at[i].Sub(hook.at[i-1]).String())
		}
		if got := strings.Join(gaps, " "); got != "30s 1m0s 2m0s 4m0s 8m0s 16m0s 32m0s" {
			t.Errorf("tried after %s", got)
		}
		r.down()
		r.start()
		r.pass(20 * time.Hour)
		if n := len(r.log.events("notify_failed")); n != 0 {
			t.Errorf("given up %d times before a day has passed", n)
		}
		r.pass(5 * time.Hour)
		if e := r.log.events("notify_failed"); len(e) != 1 || e[0]["channel"] != "webhook" || e[0]["notice"] != "session_left" {
			t.Errorf("notify_failed: %v", e)
		}
		n := len(hook.notices())
		r.pass(5 * time.Hour)
		if len(hook.notices()) != n || len(r.outbox()) != 0 {
			t.Errorf("it goes on: %d more, %d wait", len(hook.notices())-n, len(r.outbox()))
		}
		if n := len(desktop.notices()); n != 1 {
			t.Errorf("the other channel got %d", n)
		}
		if n := len(r.log.events("session_left")); n != 1 {
			t.Errorf("the log tells %d times", n)
		}
	})
}

// Killed between the sending and the note of it: sent again, logged once.
func TestNotifyCrash(t *testing.T) {
	in(t, func(r *rig) {
		_, hook := r.posts()
		db, copied := filepath.Join(r.o.StateDir, "clawd.db"), []byte(nil)
		hook.sent = func() {
			if copied == nil {
				b, err := os.ReadFile(db)
				if err != nil {
					t.Error(err)
				}
				copied = b
			}
		}
		r.start()
		r.stopped("auth")
		r.pass(time.Minute)
		r.down()
		if err := os.WriteFile(db, copied, 0o600); err != nil {
			t.Fatal(err)
		}
		r.start()
		r.pass(time.Minute)
		if n := len(hook.notices()); n != 2 {
			t.Errorf("sent %d times, want 2: at least once", n)
		}
		if n := len(r.log.events("session_left")); n != 1 {
			t.Errorf("the log tells %d times", n)
		}
		if n := len(r.outbox()); n != 0 {
			t.Errorf("%d wait", n)
		}
	})
}

// More than three at once are one on the desktop, with their number; each comes to the webhook.
func TestManyNotices(t *testing.T) {
	in(t, func(r *rig) {
		desktop, hook := r.posts()
		r.start()
		for range 3 {
			r.stopped("auth")
		}
		r.pass(time.Minute)
		if n := len(desktop.notices()); n != 3 {
			t.Errorf("%d on the desktop for three sessions", n)
		}
		desktop.mu.Lock()
		desktop.fail = errors.New("no screen")
		desktop.mu.Unlock()
		for range 5 {
			r.stopped("auth")
		}
		r.pass(5 * time.Second)
		desktop.mu.Lock()
		desktop.fail, desktop.got = nil, nil
		desktop.mu.Unlock()
		r.pass(time.Hour)
		got := desktop.notices()
		if len(got) == 0 || len(hook.notices()) != 8 || len(r.outbox()) != 0 {
			t.Fatalf("%d on the desktop, %d at the webhook, %d wait", len(got), len(hook.notices()), len(r.outbox()))
		}
		if len(got) != 1 || got[0].Event != "many" || !strings.HasSuffix(got[0].Why, " 5 sessions") {
			t.Errorf("on the desktop: %+v", got)
		}
	})
}

// Several sessions tell at the same moment.
func TestToldOnce(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		const n = 20
		for range n {
			id, key := r.stopped("plan")
			r.hold(r.session(id), key, "asked")
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(r.d.tell)
		}
		all.Wait()
		if got := len(r.log.events("session_held")); got != n {
			t.Errorf("the log tells %d times of %d sessions", got, n)
		}
	})
}

// A channel that is not on this machine is not waited for, and said once.
func TestMissingChannel(t *testing.T) {
	in(t, func(r *rig) {
		desktop, _ := r.posts()
		desktop.fail = notify.ErrMissing
		r.start()
		r.stopped("auth")
		r.stopped("auth")
		r.pass(time.Minute)
		if n := len(r.log.events("notify_missing")); n != 1 || len(r.outbox()) != 0 {
			t.Errorf("said %d times, %d wait", n, len(r.outbox()))
		}
	})
}

// Each event that is told comes to the channels.
func TestNotifyEvents(t *testing.T) {
	in(t, func(r *rig) {
		_, hook := r.posts()
		r.children.act = func(c *child) { c.opened(); c.end() }
		id := r.open(resume.Exec, "limit") // out of reach
		r.pass(5 * time.Minute)
		held, _ := r.stopped("limit")
		r.pass(10 * time.Minute)
		events := map[string]string{}
		for _, n := range hook.notices() {
			events[n.Session] += n.Event
		}
		if events[id] != "session_unreachable" || events[held] != "session_held" {
			t.Errorf("%v", events)
		}
	})
}

// A config that is read again holds for what is told from then on; what waits for a channel that is gone
// from it is dropped. A rehearsal tells nobody.
func TestNotifyReload(t *testing.T) {
	in(t, func(r *rig) {
		hook := &post{fail: errors.New("down")}
		r.o.Config.Notify.Webhook = "http://127.0.0.1/x"
		r.o.Channels = func(c config.Notify) []notify.Channel {
			if c.Webhook == "" {
				return nil
			}
			return []notify.Channel{{Name: "webhook", Send: hook.send}}
		}
		r.o.Reload = func() (config.Config, error) {
			c := r.o.Config
			c.Notify.Webhook = ""
			return c, nil
		}
		r.start()
		r.stopped("auth")
		r.pass(time.Minute)
		if n := len(r.outbox()); n != 1 {
			t.Fatalf("%d wait", n)
		}
		r.d.Reload()
		r.stopped("auth")
		r.pass(5 * time.Minute)
		if n := len(r.outbox()); n != 0 {
			t.Errorf("%d wait", n)
		}
		for _, e := range r.log.events("config_reloaded") {
			if sections, _ := e["restart_for"].([]any); len(sections) != 0 {
				t.Errorf("a restart for %v", sections)
			}
		}
		if strings.Contains(r.log.String(), "127.0.0.1") {
			t.Error("the address is in the log")
		}
	})
}

func TestDryRunNotifiesNothing(t *testing.T) {
	in(t, func(r *rig) {
		desktop, hook := r.posts()
		r.o.Config.Resume.DryRun = true
		r.start()
		r.stopped("auth")
		r.pass(time.Hour)
		if n := len(desktop.notices()) + len(hook.notices()); n != 0 || len(r.log.events("session_left")) != 1 {
			t.Errorf("%d notices", n)
		}
	})
}
