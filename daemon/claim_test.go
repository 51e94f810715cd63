package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// outside is an agent that must not be asked inside a transaction for what may take its time.
type outside struct {
	whole
	t *testing.T
}

func (o outside) check(what string) {
	if strings.Contains(string(debug.Stack()), "state.(*Store)") {
		o.t.Errorf("%s is called inside a transaction, for which all others have to wait", what)
	}
}

func (o outside) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	o.check("Live")
	return o.whole.Live(ctx, s, i)
}

func (o outside) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	o.check("Read")
	return o.whole.Read(ctx, s, from, each)
}

func (o outside) Plan(r agent.Request) (resume.Plan, error) {
	o.check("Plan")
	return o.whole.Plan(r)
}

func (o outside) Fresh(r agent.Request) (resume.Plan, error) {
	o.check("Fresh")
	return o.whole.Fresh(r)
}

func (o outside) LastPrompt(ctx context.Context, s detect.Session) (string, error) {
	o.check("LastPrompt")
	return o.whole.LastPrompt(ctx, s)
}

func (o outside) Files(s detect.Session) ([]string, error) {
	o.check("Files")
	return o.whole.Files(s)
}

// Asking for holders (on macOS by a program) and copying a session take their time, and nobody else's.
func TestLooksOutsideTheStore(t *testing.T) {
	in(t, func(r *rig) {
		r.wrapAgent(func(a whole) agent.Agent { return outside{a, t} })
		r.start()
		id, _ := r.stopped("limit")
		r.pass(5 * time.Minute)
		r.wantPhase(id, state.Following)
		id, _ = r.stopped("limit")
		if _, err := r.d.Obey(r.work, machine.Resume, Order{Session: id, Order: resume.Order{Now: true, Fresh: true}}); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Minute)
		if n := len(r.children.started()); n != 2 {
			t.Errorf("%d starts, want 2", n)
		}
		if n := len(files(t, r.d.backups())); n == 0 {
			t.Error("the fresh session's predecessor was not copied")
		}
	})
}

// A session whose copy cannot be made is left, and its attempt is given back.
func TestNoCopyNoStart(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("limit")
		if _, err := r.d.Obey(r.work, machine.Resume, Order{Session: id, Order: resume.Order{Fresh: true}}); err != nil {
			t.Fatal(err)
		}
		remove(t, r.d.backups())
		put(t, r.d.backups(), "a file where the folder should be")
		r.pass(5 * time.Minute)
		rec := r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 0 || rec.Claim != nil || rec.Episode.Attempts != 0 {
			t.Errorf("%d starts, claim %+v, %d attempts", n, rec.Claim, rec.Episode.Attempts)
		}
		if left := r.log.events("session_left"); len(left) == 0 || !strings.Contains(fmt.Sprint(left[0]["why"]), "cannot be copied") {
			t.Errorf("it is not said why: %v", left)
		}
	})
}

// inLine stops two sessions and gives the one that waits for its turn, the other having been started.
func (r *rig) inLine() (other string) {
	r.t.Helper()
	other, _ = r.stopped("limit")
	second, _ := r.stopped("limit")
	r.pass(31 * time.Second) // their backoff takes 30 s
	r.wantStarts(1)
	if r.children.started()[0].claim.Session.ID == other {
		return second
	}
	return other
}

// What was seen before a session had to wait for its turn counts no more when the turn comes.
func TestHolderComesWhileItWaitsForItsTurn(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.Stagger = config.Duration(10 * time.Second)
		r.start()
		other := r.inLine()
		r.procs.set(func() {
			r.procs.all = []agent.Proc{{PID: 901, Group: 901, Leader: 901, Start: 91, Comm: "claude"}}
			r.procs.argv[901] = []string{"claude", "-p", "--resume", other, "go on"}
		})
		put(t, filepath.Join(r.agentDir(), "sessions", "901.json"),
			fmt.Sprintf(`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"sdk-cli","status":"idle"}`, other, r.project))
		r.pass(20 * time.Second)
		r.wantPhase(other, state.Waiting)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts, want 1: somebody has the other session open", n)
		}
	})
}

// A session whose turn comes late is started then, not put off once more.
func TestWaitsForItsTurn(t *testing.T) {
	in(t, func(r *rig) {
		r.o.Config.Resume.Stagger = config.Duration(10 * time.Second)
		r.start()
		r.stopped("limit")
		r.stopped("limit")
		r.pass(45 * time.Second)
		if n := len(r.children.started()); n != 2 {
			t.Errorf("%d starts, want 2", n)
		}
		if put := r.log.events("resume_postponed"); len(put) != 0 {
			t.Errorf("put off: %v", put)
		}
	})
}
