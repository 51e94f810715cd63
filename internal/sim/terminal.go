package sim

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/internal/sim/actor"
)

// sits has a terminal's agent be started from a shell, which stays when the agent ends.
func (t *talk) sits(p *actor.Proc) {
	procs := t.r.world.Procs
	if t.shell == nil || procs.Proc(t.shell.PID) != t.shell {
		t.shell = procs.Spawn("bash", []string{"-bash"}, nil, t.dir, p.TTY, t.r.wall())
	}
	p.Leader = t.shell.PID
}

// closes the terminal. One in which the agent was quit right before cannot be told from one that was closed over it.
func (t *talk) closes() {
	r := t.r
	if t.shell == nil || t.body != nil || r.world.Procs.Proc(t.shell.PID) != t.shell {
		return
	}
	r.trace("the terminal of %s/%s is closed", t.Agent, t.id)
	r.world.Procs.End(t.shell.PID)
	t.shell = nil
	key := t.Agent + "/" + t.id
	if d := r.person[key]; d.what == string(quits) && r.mono()-d.mono < seenIn {
		d.what = string(hangsUp)
		r.person[key] = d
	}
}

// seenIn is within what time clawd sees that a process has ended, where nothing is in its way.
const seenIn = 2 * time.Minute

// deed is what a person did last with a session.
type deed struct {
	at    time.Time
	what  string
	boots int
	known bool          // clawd had found the session, and had time to see his terminal
	pid   int           // of the process
	among bool          // another terminal was there that may have shown it, for all that the agent tells
	began time.Time     // when the process did
	mono  time.Duration // as at, awake
	brief bool          // the process was there for a moment, awake
}

// noted takes in what a person did with a process.
func (r *run) noted(b *body, err error, what string) {
	if err != nil {
		r.trace("not %s: %v", what, err)
		return
	}
	r.trace("%s/%s: %s", b.cast.Name(), b.ID(), what)
	brief := b.talk != nil && r.wall().Sub(b.talk.sat) < seenIn
	r.person[b.cast.Name()+"/"+b.ID()] = deed{r.wall(), what, r.boots, r.knows(b.cast.Name(), b.ID()) && !brief, b.PID(), r.among(b), b.began, r.mono(), r.mono()-b.born < seenIn}
	r.follows(b)
}

// broke is the deed of who stopped a turn that ran.
const broke = "broke off"

// breaks notes that what a person did stopped a turn in his terminal. Not every agent writes that down.
func (r *run) breaks(b *body, w What, works bool) {
	key := b.cast.Name() + "/" + b.ID()
	if d, ok := r.person[key]; ok && w == interrupts && works && b.Idle() && b.tty != "" {
		d.what = broke
		r.person[key] = d
	}
}

// among tells whether another terminal may show the session of a process, or somebody else has it open whose turn's records no name is on.
func (r *run) among(b *body) bool {
	if b.cast.Name() == "copilot" && slices.ContainsFunc(r.alive, func(x *body) bool { return x != b && !x.over && x.cast == b.cast && x.ID() == b.ID() }) {
		return true
	}
	if b.talk == nil || b.cast.Name() != "opencode" && b.cast.Name() != "gemini" && b.cast.Name() != "pi" {
		return false
	}
	near := func(t *talk) bool { return t != nil && t.Agent == b.talk.Agent && t.dir == b.talk.dir }
	return slices.ContainsFunc(r.alive, func(x *body) bool { return x != b && !x.over && x.tty != "" && near(x.talk) }) ||
		slices.ContainsFunc(r.talks, func(t *talk) bool { // one that went just before: which of the two did first clawd need not have seen
			d, did := r.person[t.Agent+"/"+t.id]
			return did && t != b.talk && near(t) && r.mono()-d.mono < seenIn
		})
}
