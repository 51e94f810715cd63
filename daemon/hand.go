package daemon

import (
	"context"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Hand drives a daemon without goroutines: nothing happens in it but what its owner has happen, one thing after the
// other. All of the daemon is the real one, but for what Options replace.
type Hand struct {
	Driver
	d       *Daemon
	ctx     context.Context
	stop    context.CancelFunc // of the work
	v       *watching
	scouts  map[string]*scout
	waiting []*Task
	aside   []mail // that is not of the task that is being done
}

// Driver is what the owner of a Hand hears, and has a say in. What is nil is as always.
type Driver struct {
	// Commit is called around a commit of the store's.
	Commit func(commit func() error) error
	// Stepped is told of each step of a session that was stored.
	Stepped func(Step)
	// Awaits is told of the process whose end is to be told by Poke.
	Awaits func(agentName, session string, pid int)
	// Ask puts a question to an agent's program.
	Ask func(resume.Plan) ([]byte, error)
}

// Step is one step of a session.
type Step struct {
	Was, Now machine.Session
	Event    machine.Event
	Effects  []machine.Effect
	World    *machine.World
}

// Task is something that the loop wants done outside of it.
type Task struct {
	Session string // its key; empty: nobody's
	t       *task
	mail    []mail
}

// Take makes a daemon that works by hand, and has it take up what it finds in the store.
func Take(o Options, drive Driver) (*Hand, error) {
	d, err := New(o)
	if err != nil {
		return nil, err
	}
	h := &Hand{Driver: drive, d: d, scouts: map[string]*scout{}}
	d.loop.hand = h
	if h.Commit != nil {
		d.loop.write = func(all ...*state.Change) error {
			return h.Commit(func() error { return d.store.Commit(all...) })
		}
	}
	if h.Ask != nil {
		d.questions.run = func(_ context.Context, p resume.Plan) ([]byte, error) { return h.Ask(p) }
	}
	d.awaits = func(s *session, pid int) {
		if h.Awaits != nil {
			h.Awaits(s.ds.Agent, s.ds.ID, pid)
		}
	}
	h.ctx, d.fatal = context.WithCancelCause(context.Background())
	var work context.Context
	work, h.stop = context.WithCancel(h.ctx)
	d.started = d.now()
	d.effects = newEffects(work)
	d.effects.start = func(t *task) { h.waiting = append(h.waiting, &Task{Session: t.key, t: t}) }
	h.v = &watching{d: d, away: map[*scout]<-chan struct{}{}, pruned: d.started}
	for _, a := range d.agents {
		h.scouts[a.Name()] = newScout(d, blind{}, a)
	}
	d.warnings()
	d.loop.clock()
	if err := d.restore(); err != nil {
		h.Kill()
		return nil, err
	}
	return h, nil
}

// Known says which version of its program an agent has.
func (h *Hand) Known(agentName, version string) {
	a := h.d.agent(agentName)
	path, stamp, err := lookUp(a.Command())
	h.d.slot(a).set(agent.Program{Path: path, Version: version}, stamp, err)
}

// Turn has the loop do what there is to do now. The error ends the daemon.
func (h *Hand) Turn() error {
	l := h.d.loop
	for more := true; more; {
		l.turn()
		select {
		case <-h.d.renewed:
			l.renew()
		default:
		}
		l.mu.Lock()
		more = len(l.mail) > 0
		l.mu.Unlock()
	}
	select {
	case <-h.d.launches.news:
		if err := h.d.launches.keep(h.d.store); err != nil {
			h.d.broken(err)
		}
	default:
	}
	return context.Cause(h.ctx)
}

// Left says how long the loop has nothing to do by itself. False: until something happens.
func (h *Hand) Left() (time.Duration, bool) { return h.d.loop.left() }

// Leapt tells, once, that the clock jumped, so that everything is to be looked at.
func (h *Hand) Leapt() bool {
	select {
	case <-h.d.leap:
		return true
	default:
		return false
	}
}

// Tasks gives those that are to begin now, once.
func (h *Hand) Tasks() []*Task {
	all := h.waiting
	h.waiting = nil
	return all
}

// Begin does what a task is for. What comes of it the loop does not hear before Deliver.
func (h *Hand) Begin(t *Task) {
	h.resumes()
	t.t.f()
	h.pauses(t)
}

// Pause has other things happen while a task that is being done waits.
func (h *Hand) Pause(t *Task, wait func()) {
	h.pauses(t)
	wait()
	h.resumes()
}

func (h *Hand) resumes() { h.aside = h.d.loop.take() }

func (h *Hand) pauses(t *Task) {
	t.mail = append(t.mail, h.d.loop.take()...)
	for _, m := range h.aside {
		h.d.loop.post(m)
	}
	h.aside = nil
}

// Age tells that a task that has begun takes long.
func (h *Hand) Age(t *Task) { h.d.effects.age(t.t) }

// Deliver ends a task that has begun.
func (h *Hand) Deliver(t *Task) {
	for _, m := range t.mail {
		h.d.loop.post(m)
	}
	h.d.effects.finish(t.t)
}

// Look has one agent's folders looked at; hint is a path that changed, and empty for all.
func (h *Hand) Look(agentName, hint string) {
	v := h.scouts[agentName]
	if hint == "" {
		clear(v.late)
	}
	v.launches(hint)
	_ = v.scan(h.ctx, hint, false) // it was told
}

// First is the look at all folders after a start.
func (h *Hand) First() {
	for _, a := range h.d.agents {
		v := h.scouts[a.Name()]
		v.launches("")
		touched, err := a.Scan(h.ctx, "")
		if err != nil {
			v.told(err)
		}
		found := &finds{post: h.d.loop.post}
		for _, t := range touched {
			h.d.touched(a, t, func() (bool, string) { return h.d.worth(h.ctx, a, t) }, found.add)
		}
		found.release()
	}
	h.d.loop.found()
}

// Tick is the regular look at everything; first: the first one after the start.
func (h *Hand) Tick(first bool) {
	for _, a := range h.d.agents {
		h.Look(a.Name(), "")
	}
	h.v.tick(h.ctx, &control{})
	if first {
		h.v.settled(h.ctx)
	}
}

// Revisit looks at all sessions whose fate hangs on a process.
func (h *Hand) Revisit() {
	h.d.procs.anew()
	h.d.revisit()
}

// Notices sends what is due, and says when the next notice is; zero: when there is a new one.
func (h *Hand) Notices() time.Time { return h.d.deliverDue(h.ctx) }

// Reload reads the config again.
func (h *Hand) Reload() { h.d.Reload() }

// Poke has a session looked at.
func (h *Hand) Poke(agentName, session string) {
	if s := h.d.loop.seats[agentName+"/"+session]; s != nil {
		h.d.poke(s.session)
	}
}

// Gone says that nothing is left of the run of an attempt.
func (h *Hand) Gone(token string) {
	if a := h.d.runs.get(token); a != nil {
		h.d.loop.post(mail{s: a.session, e: machine.Gone{Token: token}})
	}
}

// Order gives a session its user's order. The answer comes on the channel, or never after late was called. False: the
// session is not known.
func (h *Hand) Order(agentName, id string, o machine.Order) (answer <-chan machine.Reply, late func(), ok bool) {
	s, _, err := h.d.find(agentName + "/" + id)
	if err != nil {
		return nil, nil, false
	}
	answer = h.d.orders.expect(&o)
	h.d.loop.post(mail{s: s, e: machine.Ordered{Order: o}})
	return answer, func() { h.d.tooLate(s, o.ID); h.d.orders.drop(o.ID) }, true
}

// Sessions are those that have a seat, by their keys.
func (h *Hand) Sessions() (all []machine.Session) {
	for _, s := range h.d.loop.sorted() {
		all = append(all, s.s)
	}
	return all
}

// World is what the sessions are decided in.
func (h *Hand) World() *machine.World { return &h.d.loop.w }

// Store is the daemon's.
func (h *Hand) Store() *state.Store { return h.d.store }

// Stop ends the daemon cleanly. What is under way is dropped where it is not delivered before.
func (h *Hand) Stop(begun []*Task) error {
	for _, s := range h.d.loop.sorted() {
		h.d.loop.step(s, machine.Stopping{})
	}
	h.stop()
	for len(begun) > 0 {
		for _, t := range begun {
			h.Deliver(t)
		}
		h.d.loop.turn()
		begun = h.Tasks()
		for _, t := range begun {
			h.Begin(t)
		}
	}
	defer h.d.release()
	return h.d.close(blind{})
}

// Kill ends the daemon as a signal does that cannot be caught.
func (h *Hand) Kill() {
	h.stop()
	_ = h.d.store.Close()
	h.d.release()
}
