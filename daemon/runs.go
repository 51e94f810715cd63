package daemon

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// runs are the attempts under way, as far as they have a process, a terminal or files to look at. The loop knows them by
// their tokens.
type runs struct {
	d *Daemon

	mu  sync.Mutex // guards what follows
	all map[string]*attempt
}

// attempt is one of them.
type attempt struct {
	*session
	claim    resume.Claim
	run      resume.Run // nil: not started yet
	evidence *evidence
	cancel   context.CancelFunc // of what is done for it
	ctx      context.Context
	gate     gate
}

// gate of an attempt. It is closed until one of these.
type gate uint8

const (
	opened gate = iota + 1 // and that cannot be undone
	barred                 // it never opens
)

func newRuns(d *Daemon) *runs { return &runs{d: d, all: map[string]*attempt{}} }

// do carries out an effect on a run.
func (r *runs) do(l *loop, s *session, e machine.Effect) {
	switch e := e.(type) {
	case machine.Start:
		a := r.add(s, e.Claim, e.Claim.Info)
		r.d.effects.do(s, func() { l.post(mail{s: s, e: r.start(a, e)}) })
	case machine.Adopt:
		a := r.add(s, e.Claim, e.Info)
		a.run = r.d.trigger.Adopt(e.Claim)
		r.await(l, a)
	case machine.Abort:
		r.abort(e.Token)
	case machine.Open:
		r.with(e.Token, func(a *attempt) { l.post(mail{s: s, e: r.open(l, a)}) })
	case machine.Look:
		r.with(e.Token, func(a *attempt) {
			if seen, ok := r.look(a, e); ok {
				l.post(mail{s: s, e: seen})
			}
		})
	case machine.Halt:
		if a := r.get(e.Token); a != nil && a.run != nil {
			a.run.Stop(e.Polite)
		}
	case machine.Trim:
		r.with(e.Token, func(a *attempt) { _ = a.run.TrimOutput(func() error { return nil }) }) // the next look finds it long still
	case machine.Forget:
		if a := r.remove(e.Token); a != nil && e.Keep {
			r.d.effects.do(s, func() { s.keepWhole(context.WithoutCancel(a.ctx)) })
		}
	}
}

// with does something for a run that is there, outside the loop.
func (r *runs) with(token string, f func(*attempt)) {
	if a := r.get(token); a != nil && a.run != nil {
		r.d.effects.do(a.session, func() { f(a) })
	}
}

func (r *runs) add(s *session, c resume.Claim, info detect.Info) *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.all[c.Token]
	if a == nil {
		a = &attempt{session: s, claim: c, evidence: newEvidence(s, c, info)}
		a.ctx, a.cancel = context.WithCancel(r.d.effects.ctx)
		r.all[c.Token] = a
	}
	return a
}

func (r *runs) get(token string) *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[token]
}

func (r *runs) remove(token string) *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.all[token]
	if delete(r.all, token); a != nil {
		a.cancel()
	}
	return a
}

// abort closes the gate for good. One that is open stays so, but where clawd itself types or sends, for it looks for a while before that.
func (r *runs) abort(token string) {
	r.mu.Lock()
	a := r.all[token]
	if a == nil {
		r.mu.Unlock()
		return
	}
	run, late := a.run, a.gate == opened
	if !late {
		a.gate = barred
	}
	r.mu.Unlock()
	if !late {
		a.cancel()
	}
	if way := a.claim.Plan.Way; run != nil && (!late || way != resume.Exec && way != resume.Queue) {
		run.Abort()
	}
}

// start makes the session's copy, where one is needed, and prepares the child behind its gate.
func (r *runs) start(a *attempt, e machine.Start) machine.Started {
	out := machine.Started{Token: e.Claim.Token}
	if !e.Live {
		if err := a.safeguard(a.ctx, *e.Rec, e.Claim.Plan.Form == resume.FormFresh); err != nil {
			out.Why = "the session cannot be copied, so nothing is started: " + err.Error()
			out.Short, out.Left = aboutMachine(err), true
			return out
		}
	}
	if a.ctx.Err() != nil {
		out.Why = "canceled before the start"
		return out
	}
	run, err := r.d.trigger.Start(a.ctx, e.Claim)
	refused := (*resume.Refusal)(nil)
	switch {
	case errors.As(err, &refused):
		out.Why, out.Short = refused.Outcome.Why, true
		return out
	case err != nil:
		out.Why, out.Short = "the agent could not be started: "+err.Error(), aboutMachine(err)
		return out
	}
	r.mu.Lock()
	a.run, a.claim.PID, a.claim.Start = run, run.PID(), run.Start()
	late := a.gate == barred
	r.mu.Unlock()
	if late {
		run.Abort()
	}
	out.PID, out.Start = run.PID(), run.Start()
	return out
}

// open opens the gate and waits for its answer. A clawd that ends waits for that, too.
func (r *runs) open(l *loop, a *attempt) machine.Opened {
	if !r.mayOpen(a) {
		a.run.Abort()
		return machine.Opened{Token: a.claim.Token, Gate: resume.GateTaken, Why: "canceled before the start"}
	}
	gate, why, err := a.run.Open(context.WithoutCancel(a.ctx))
	out := machine.Opened{Token: a.claim.Token, Gate: gate, Why: why, Err: err}
	if err == nil && gate == resume.GateShort {
		out.Short, out.Why = true, "the attempt could not be marked: "+why
	}
	r.await(l, a)
	return out
}

// mayOpen tells whether the gate is opened: clawd does not end, and the session's user has not said no meanwhile.
func (r *runs) mayOpen(a *attempt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.gate == barred || a.ctx.Err() != nil {
		return false
	}
	a.gate = opened
	return true
}

// await has the loop told when no process of the run is left.
func (r *runs) await(l *loop, a *attempt) {
	done := a.run.Done()
	if done == nil {
		return
	}
	r.d.wg.Go(func() {
		select {
		case <-done:
			l.post(mail{s: a.session, e: machine.Gone{Token: a.claim.Token}})
		case <-a.ctx.Done():
		}
	})
}

var errLong = errors.New("the output is too long")

// look sees what has become of a run. False: clawd ends, and a look that was called off shows nothing.
func (r *runs) look(a *attempt, e machine.Look) (machine.Sighted, bool) {
	out := machine.Sighted{Token: e.Token, At: a.d.mono(), Alive: a.run.Alive(), Settle: a.settle()}
	out.Sight, out.Err = a.evidence.Look(a.ctx, a.claim)
	if out.Alive {
		out.Active = a.run.Active()
		out.Long = errors.Is(a.run.TrimOutput(func() error { return errLong }), errLong)
	}
	if fi, err := os.Stat(a.claim.Output); err == nil {
		out.Wrote = fi.ModTime()
	}
	if e.Closely {
		out.Asked, out.Working = true, a.run.Working(a.ctx)
		if !out.Working {
			out.Untouched = a.run.Untouched(a.ctx)
		}
	}
	if e.Read && out.Err == nil {
		out.Read = a.readFor(a.ctx, out.Sight)
	}
	return out, a.ctx.Err() == nil
}

// readFor is how far the session's files go at a verdict: with a new stop the store takes it in, so that a clawd that
// is killed right after it knows what the next attempt's plan needs.
func (a *attempt) readFor(ctx context.Context, s resume.Sight) state.Read {
	r := state.Read{Session: a.ds}
	failed := false
	for _, e := range s.Events {
		failed = failed || e.Kind == detect.KindFailure
	}
	if !failed {
		return r
	}
	rec, ok, err := a.d.store.Session(a.ds)
	if err != nil || !ok {
		return r
	}
	f := a.readOn(ctx, &rec)
	if f.Err != nil || f.Anew {
		return r // the next read of the session tells
	}
	info := rec.Info
	info.Merge(f.Info)
	r.Info, r.Cursor, r.Classifier = info, f.Cursor, f.Fold
	return r
}
