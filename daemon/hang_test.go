package daemon

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// stuck is an agent part of whose files lies where no call comes back: a stopped FUSE or NFS mount. No context helps there.
type stuck struct {
	whole
	on   func(string) bool // this path is there
	scan bool              // and so are the agent's folders
	ends chan struct{}
}

func (s *stuck) hang(path string) {
	if s.on(path) {
		<-s.ends
	}
}

func (s *stuck) Read(ctx context.Context, ds detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	s.hang(ds.Path)
	return s.whole.Read(ctx, ds, from, each)
}

func (s *stuck) Live(ctx context.Context, ds detect.Session, i detect.Info) ([]detect.Holder, error) {
	s.hang(ds.Path)
	return s.whole.Live(ctx, ds, i)
}

func (s *stuck) Plan(r agent.Request) (resume.Plan, error) {
	s.hang(r.Session.Path)
	return s.whole.Plan(r)
}

func (s *stuck) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	if s.scan {
		<-s.ends
	}
	return s.whole.Scan(ctx, hint)
}

// stuck has the agent's files hang from now on as on says, until the test ends.
func (r *rig) stuck(s *stuck) {
	s.ends = make(chan struct{})
	r.wrapAgent(func(a whole) agent.Agent { s.whole = a; return s })
}

// A folder that hangs delays only its own sessions, however many there are, and not the end of clawd.
func TestFolderHangs(t *testing.T) {
	in(t, func(r *rig) {
		var away atomic.Pointer[string]
		s := &stuck{on: func(path string) bool { dir := away.Load(); return dir != nil && filepath.Dir(path) == *dir }}
		r.stuck(s)
		defer synctest.Wait()
		defer close(s.ends)
		defer r.down()
		r.o.Config.Resume.Stagger, r.o.Config.Resume.Base = config.Duration(time.Second), config.Duration(2*time.Minute)
		r.o.Config.Budget.MaxResumesPerDayTotal = 1000
		r.start()
		good := r.project
		var hung []string
		r.project = filepath.Join(r.root, "away")
		put(t, filepath.Join(r.project, "main.go"), "")
		for range 3 * atOnce {
			id, _ := r.stopped("limit")
			hung = append(hung, id)
		}
		folder := filepath.Dir(r.session("x").Path)
		r.pass(35 * time.Second) // the rescan finds them
		r.wantPhase(hung[0], state.Waiting)
		away.Store(&folder)
		r.project = good
		r.pass(3 * time.Minute)
		r.wantStarts(0)
		id, _ := r.stopped("limit")
		r.pass(3 * time.Minute)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts, want 1; log:\n%s", n, r.log)
		}
		r.wantPhase(id, state.Following)
		began := time.Now()
		if _, err := r.d.Obey(r.work, machine.Resume, Order{Session: hung[0], Order: resume.Order{Now: true}}); err == nil || !strings.Contains(err.Error(), "do not answer") {
			t.Errorf("an order for a session that hangs: %v", err)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("the answer took %s", took)
		}
		other, _ := r.stopped("auth")
		if _, err := r.d.Obey(r.work, machine.Resume, Order{Session: other, Order: resume.Order{Now: true}}); err != nil {
			t.Error(err)
		}
		r.pass(time.Minute)
		r.wantPhase(other, state.Following)
		began = time.Now()
		r.down()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the end took %s", took)
		}
	})
}

// The folders of one agent that hang as a whole hold up no other agent.
func TestAgentHangs(t *testing.T) {
	in(t, func(r *rig) {
		s := &stuck{on: func(string) bool { return false }, scan: true}
		r.gemini()
		r.o.Config.Watch.Agents = []any{"claude", "gemini"}
		r.wrap = func(a whole) agent.Agent {
			if a.Name() != "claude" {
				t.Fatalf("the first agent is %s", a.Name())
			}
			s.whole, s.ends = a, make(chan struct{})
			return s
		}
		r.start()
		defer synctest.Wait()
		defer close(s.ends)
		defer r.down()
		r.pass(scanPatience)
		r.chatStopped(false)
		r.pass(2 * time.Minute)
		if len(r.children.started()) == 0 {
			t.Errorf("nothing is started; log:\n%s", r.log)
		}
		if e := r.log.events("scan_hangs"); len(e) != 1 || e[0]["agent"] != "claude" {
			t.Errorf("told %v", e)
		}
		began := time.Now()
		r.down()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the end took %s", took)
		}
	})
}
