package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/internal/sim/actor"
	"github.com/clawd-project/clawd/internal/spawn"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// shims start the processes of clawd's.
type shims struct{ c *clawd }

// child is a run of clawd's: the shim, and the agent that it becomes.
type child struct {
	r     *run
	c     *clawd // that looks after it
	claim resume.Claim
	proc  *actor.Proc // of the shim, and of the agent
	pid   int
	begin uint64
	boot  string
	body  *body // nil: the agent has not begun yet
	open  bool  // the gate was opened
	over  bool
	ends  bool // it is being ended
	moved time.Time
}

// Start prepares the shim.
func (t shims) Start(_ context.Context, c resume.Claim) (resume.Run, error) {
	r := t.c.run
	if r.is(shortens) {
		return nil, fmt.Errorf("fork: %w", syscall.EAGAIN)
	}
	if c.Plan.Way != resume.Exec && c.Plan.Way != resume.Queue {
		return nil, fmt.Errorf("the simulator knows no way %s", c.Plan.Way)
	}
	f, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	must(f.Close())
	dated(c.Output, r.wall())
	p := r.world.Procs.Spawn("clawd", []string{"clawd", "shim"}, nil, "/", "", r.wall())
	x := &child{r: r, c: t.c, claim: c, proc: p, pid: p.PID, begin: p.Start, boot: r.world.Procs.Boot(), moved: r.wall()}
	r.runs = append(r.runs, x)
	r.trace("shim %d for %s/%s attempt %d", p.PID, c.Session.Agent, c.Session.ID, c.N)
	return x, nil
}

// Adopt finds a run from before a restart.
func (t shims) Adopt(c resume.Claim) resume.Run {
	for _, x := range t.c.runs {
		if x.claim.Token == c.Token {
			x.c = t.c
			return x
		}
	}
	return &child{r: t.c.run, c: t.c, claim: c, over: true} // its store was lost
}

func dated(path string, at time.Time) {
	ts := unix.NsecToTimespec(at.UnixNano())
	must(unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, 0))
}

// PID is the shim's.
func (x *child) PID() int { return x.pid }

// Start is the shim's.
func (x *child) Start() uint64 { return x.begin }

// Done is never asked: Gone tells.
func (x *child) Done() <-chan struct{} { return nil }

// Alive tells whether the group lives: an agent's launcher may die alone.
func (x *child) Alive() bool {
	return !x.over && x.r.world.Procs.Boot() == x.boot && (x.body == nil || spawn.Group{Procs: x.r.world.Procs, PID: x.pid, Start: x.begin, Argv: x.claim.Plan.Argv}.Alive())
}

// Untouched has no proof.
func (x *child) Untouched(context.Context) string { return "" }

// Working is for terminals.
func (x *child) Working(context.Context) bool { return false }

// Active is when it last did something.
func (x *child) Active() time.Time { return x.moved }

// TrimOutput has nothing to cut.
func (x *child) TrimOutput(func() error) error { return nil }

// Abort closes the gate.
func (x *child) Abort() {
	if !x.open {
		x.ended()
	}
}

// ended: nothing of it runs any more.
func (x *child) ended() {
	if x.over {
		return
	}
	x.over = true
	x.r.world.Procs.End(x.pid)
	if x.c.hand != nil {
		x.c.after(x.r.soon(), "gone "+x.claim.Session.ID, func() { x.c.hand.Gone(x.claim.Token) })
	}
}

// orphaned: clawd is gone, so that a gate that is closed stays closed.
func (x *child) orphaned(c *clawd) {
	if !x.open && x.c == c {
		x.ended()
	}
}

// falls: the machine went down.
func (x *child) falls() { x.over = true }

// finished: the agent's process has ended.
func (x *child) finished() { x.ended() }

// goesOn looks whether a process of the agent's is left that clawd does not take for one.
func (x *child) goesOn() {
	if _, ended := x.body.Exit(); !ended && !x.over && !x.Alive() {
		x.r.fails("run", "%s/%s: the run of attempt %d counts as over, and process %d works on", x.claim.Session.Agent, x.claim.Session.ID, x.claim.N, x.body.PID())
	}
}

// Open opens the gate: the shim looks once more, makes the mark, and becomes the agent.
func (x *child) Open(ctx context.Context) (resume.Gate, string, error) {
	r, c := x.r, x.claim
	x.open = true
	if r.blown(1) {
		x.ended()
		return "", "", errKilled
	}
	a := r.adapter(c.Session.Agent)
	if why := daemon.LastLook(ctx, a, c, r.path("user/held")); why != "" {
		r.trace("the shim looks: %s", why)
		x.ended()
		return resume.GateTaken, why, nil
	}
	c.PID, c.Start = x.pid, x.begin
	switch err := marks.Make(c.Mark, c); {
	case err == nil:
	case errors.Is(err, marks.ErrMade):
		r.trace("mark %d of %s/%s is there already", c.N, c.Session.Agent, c.Session.ID)
		x.ended()
		return resume.GateMarked, "", nil
	case errors.Is(err, marks.ErrStays):
		x.ended()
		return resume.GateFailed, err.Error(), nil
	default:
		x.ended()
		return resume.GateShort, err.Error(), nil
	}
	dated(c.Mark, r.wall())
	r.marked(x.c, c, x.body)
	r.trace("mark %d of %s/%s", c.N, c.Session.Agent, c.Session.ID)
	if err := x.endsHung(ctx, a); err != nil {
		r.trace("the shim fails: %v", err)
		must(marks.Fail(c.Mark, err))
		x.ended()
		return resume.GateFailed, err.Error(), nil
	}
	x.proc.Args, x.proc.Comm, x.proc.Dir = c.Plan.Argv, c.Begins().Agent, c.Plan.Dir
	environ := spawn.Environ(nil, c.Plan, c.Token)
	x.proc.Env = environ
	r.at(time.Now().Add(200*time.Millisecond+time.Duration(r.chance.Int64N(int64(3*time.Second)))), "", func() { x.becomes(environ) })
	return resume.GateExec, "", nil
}

// endsHung ends what has the session open and waits for ever, as the shim does: nothing else may be ended.
func (x *child) endsHung(ctx context.Context, a agent.Agent) error {
	r := x.r
	holders, err := a.Live(ctx, x.claim.Session, x.claim.Info)
	if err != nil {
		return err
	}
	for _, h := range holders {
		i := slices.IndexFunc(r.alive, func(b *body) bool { return h.Hung && b.PID() == h.PID && !b.over })
		if i < 0 {
			continue
		}
		b := r.alive[i]
		if !b.hung() || b.ID() != x.claim.Session.ID {
			r.fails("hung", "%s/%s: attempt %d ends process %d, which does not wait for ever", x.claim.Session.Agent, x.claim.Session.ID, x.claim.N, h.PID)
		}
		r.trace("the shim ends process %d", h.PID)
		must(b.Do(actor.Crash, r.wall()))
		r.follows(b)
	}
	return nil
}

// becomes the agent.
func (x *child) becomes(environ []string) {
	r, c := x.r, x.claim
	if x.over {
		return
	}
	cast := r.casts[c.Begins().Agent]
	r.world.Procs.Exec(x.pid)
	s, err := cast.Resume(c.Plan, environ, &output{x}, r.wall())
	if err != nil {
		r.trace("the agent does not begin: %v", err)
		x.ended()
		return
	}
	t := r.of(c.Session.Agent, c.Session.ID)
	b := &body{Session: s, r: r, cast: cast, talk: t, child: x}
	_, over := s.Exit()
	x.body, b.busy = b, !over
	r.alive = append(r.alive, b)
	r.begins(b)
	if t != nil {
		if c.Plan.Form == resume.FormFresh {
			t.ids = append(t.ids, cast.Name()+"/"+s.ID())
			r.inherits(state.Key(c.Session), cast.Name()+"/"+s.ID())
		}
		r.moment(t.who, starts)
	}
	r.registry(b)
	r.follows(b)
}

// output is the file that a run prints to.
type output struct{ x *child }

var _ io.Writer = (*output)(nil)

// Write appends.
func (o *output) Write(p []byte) (int, error) {
	f, err := os.OpenFile(o.x.claim.Output, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := f.Write(p)
	f.Close()
	if err == nil {
		o.x.moved = o.x.r.wall()
		dated(o.x.claim.Output, o.x.moved)
	}
	return n, err
}

// Stop begins to end it.
func (x *child) Stop(polite bool) {
	if x.ends || x.over {
		return
	}
	x.ends = true
	x.r.trace("run %d is to end", x.pid)
	signals := []actor.Move{actor.Terminate, actor.Crash}
	if polite {
		signals = append([]actor.Move{actor.Interrupt}, signals...)
	}
	for i, s := range signals {
		x.r.at(time.Now().Add(time.Duration(i)*10*time.Second+time.Millisecond), "", func() {
			switch {
			case x.over:
			case x.body == nil:
				x.ended()
			default:
				_ = x.body.Do(s, x.r.wall()) // it may have ended
				x.r.follows(x.body)
			}
		})
	}
}
