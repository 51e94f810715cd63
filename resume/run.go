package resume

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// attempt is the life of one decision: write it down, wait, claim, fire, await proof.
//
// Thousands may wait at once, so what stands on the stack meanwhile is little: the rest has functions of its own,
// and what all share comes by pointer.
func attempt(ctx context.Context, j *Job, p *Ports) (*Outcome, error) {
	if j.Claim != nil {
		return adopted(ctx, j, p)
	}
	if err := begin(ctx, j, p); err != nil {
		return nil, err
	}
	if err := p.Sleeper.Until(ctx, later(j.Decision.WakeAt, j.NotBefore)); err != nil {
		return nil, err
	}
	if err := p.Sleeper.Awake(ctx, j.Decision.Grace); err != nil {
		return nil, err
	}
	return try(ctx, j, p)
}

//go:noinline
func begin(ctx context.Context, j *Job, p *Ports) error { return p.Ledger.Wait(ctx, *j) }

// adopted goes on with an attempt from before a restart.
//
//go:noinline
func adopted(ctx context.Context, j *Job, p *Ports) (*Outcome, error) {
	run := func() Run { return p.Trigger.Adopt(*j.Claim) }
	switch {
	case j.Guard && j.Claim.Plan.Way.Live():
		return &Outcome{Verdict: Resumed}, nil
	case j.Guard:
		return &Outcome{Verdict: Resumed}, guard(ctx, *j.Claim, run(), *p)
	case j.Failed:
		return &Outcome{}, end(ctx, run())
	}
	out, err := settle(ctx, *j.Claim, run(), *p, true)
	return &out, err
}

// try claims, fires and awaits proof.
//
//go:noinline
func try(ctx context.Context, j *Job, p *Ports) (*Outcome, error) {
	c, err := p.Ledger.Claim(ctx, *j)
	if r := (*Refusal)(nil); errors.As(err, &r) {
		return &r.Outcome, nil
	}
	if err != nil {
		return nil, err
	}
	run, out, err := fire(ctx, &c, *p)
	if run == nil {
		return &out, err
	}
	out, err = settle(ctx, c, run, *p, false)
	return &out, err
}

// fire starts the child behind its gate and opens it. A nil Run says that nothing runs: then the
// attempt was given back, or the error says that it could not even be.
func fire(ctx context.Context, c *Claim, p Ports) (Run, Outcome, error) {
	// What follows must reach the ledger also when ctx ends in the middle of it.
	keep := context.WithoutCancel(ctx)
	back := func(why string, failed bool, cause error) (Run, Outcome, error) {
		if err := p.Ledger.Unclaim(keep, *c, why, failed); err != nil {
			return nil, Outcome{}, errors.Join(cause, err)
		}
		return nil, Outcome{Verdict: Postponed, Why: why}, cause
	}
	run, err := p.Trigger.Start(ctx, *c)
	if r := (*Refusal)(nil); errors.As(err, &r) { // it says nothing about the session
		_, _, err := back(r.Outcome.Why, false, nil)
		return nil, r.Outcome, err
	}
	if err != nil {
		return back("the agent could not be started: "+err.Error(), true, nil)
	}
	if ctx.Err() != nil {
		run.Abort()
		return back("cancelled before the start", false, context.Cause(ctx))
	}
	c.PID, c.Start = run.PID(), run.Start()
	if err := p.Ledger.Fired(keep, *c); err != nil {
		run.Abort()
		return back("the start could not be written down: "+err.Error(), false, nil)
	}
	if ctx.Err() != nil {
		run.Abort()
		return back("cancelled before the start", false, context.Cause(ctx))
	}
	switch gate, why, err := run.Open(keep); {
	case err != nil: // the answer was lost: only evidence can tell
	case gate == GateTaken, gate == GateShort:
		return back(why, false, nil)
	case gate == GateMarked: // this attempt was made before, and its output was another one
		c.OutputCut = true
	}
	return run, Outcome{}, nil
}

// settle awaits the verdict of a fired attempt and then guards the run until it ends. restarted: another
// clawd fired it, or was about to.
func settle(ctx context.Context, c Claim, run Run, p Ports, restarted bool) (out Outcome, err error) {
	if c.Plan.Way.Live() {
		out, err = awaitLive(ctx, c, run, p, restarted)
	} else {
		out, err = await(ctx, c, run, p)
	}
	if err != nil {
		return out, err
	}
	out.Took = p.Sleeper.Now().Sub(c.At)
	if err := p.Ledger.Close(context.WithoutCancel(ctx), c, out); err != nil {
		return out, err
	}
	switch {
	case c.Plan.Way == Queue: // a command that hangs must not hand the prompt over later
		run.Stop(false)
		return out, nil
	case c.Plan.Way.Live(): // what goes on is not ours
		return out, nil
	case out.Verdict == Resumed:
		return out, guard(ctx, c, run, p)
	}
	return out, end(ctx, run)
}

// leaveTime is what a run is given to end by itself after it has failed.
const leaveTime = 30 * time.Second

// end waits for a run that has nothing more to do, and ends it when it goes on all the same.
func end(ctx context.Context, run Run) error {
	for _, stop := range []bool{true, false} {
		if !run.Alive() {
			return nil
		}
		patience, cancel := context.WithTimeout(ctx, leaveTime)
		select {
		case <-run.Done():
		case <-patience.Done():
			if stop && ctx.Err() == nil {
				run.Stop(false)
			}
		}
		cancel()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// lookEvery bounds how long a run goes unseen when nothing signals.
const lookEvery = 15 * time.Second

// blindTime is how long a failing look at the files of an ended run is tried again.
const blindTime = 10 * time.Minute

// await looks until Judge has an answer.
func await(ctx context.Context, c Claim, run Run, p Ports) (Outcome, error) {
	var yielded, ended string
	var blind time.Duration
	quiet := &silence{}
	for seen := -1; ; {
		alive := run.Alive()
		s, err := p.Evidence.Look(ctx, c)
		if ctx.Err() != nil {
			return Outcome{}, context.Cause(ctx)
		}
		if err == nil {
			if out, done := Judge(c, s, alive, !alive && seen == len(s.Events)); done {
				out.Session = s.Session
				if out.Verdict != Resumed { // a resumed run goes on and is counted at its end
					out.CostUSD = s.Output.CostUSD
				}
				return stopped(out, yielded, ended), nil
			}
			if who := foreign(c, s); alive && who != "" && yielded == "" {
				yielded = who
				if err := yield(ctx, c, run, p, who); err != nil {
					return Outcome{}, err
				}
			}
			if s.Cancelled && alive && ended == "" {
				ended = cancelled
				run.Stop(false)
			}
			seen = -1
			if !alive {
				seen = len(s.Events)
			}
		}
		if !alive {
			if blind += p.Settle; err == nil {
				blind = 0
			} else if blind > blindTime {
				return Outcome{Verdict: Unsure, Held: true, Why: "what became of the attempt cannot be read: " + err.Error()}, nil
			}
			if err := p.Sleeper.Awake(ctx, p.Settle); err != nil {
				return Outcome{}, err
			}
			continue
		}
		why, err := watch(ctx, c, run, p, quiet)
		if err != nil {
			return Outcome{}, err
		}
		if why != "" {
			ended = why
		}
	}
}

// cancelled is why clawd ended a run that its user wanted ended.
const cancelled = "its user cancelled it"

// stopped corrects the verdict on a run that clawd ended itself. One that gave way is theirs,
// unless it had an answer first; for one that was ended for its time, "nothing" proves nothing.
func stopped(out Outcome, yielded, ended string) Outcome {
	switch {
	case out.Verdict == Resumed:
		return out
	case yielded != "":
		return Outcome{Verdict: ByHand, Why: "clawd's run gave way to " + yielded}
	case ended != "" && out.Verdict == NoEffect:
		return Outcome{Verdict: Unsure, Held: true, Why: "clawd ended its run (" + ended + ") and no record shows what it did"}
	case ended != "":
		out.Why += "; clawd ended the run: " + ended
	}
	return out
}

func yield(ctx context.Context, c Claim, run Run, p Ports, who string) error {
	err := p.Ledger.Yielded(context.WithoutCancel(ctx), c, who)
	run.Stop(true)
	return err
}

// guard stays with a resumed run until it ends: a second holder or a foreign prompt has the right
// of way, silence and the output's size have their bounds.
func guard(ctx context.Context, c Claim, run Run, p Ports) error {
	yielded, ended, quiet, rest := false, "", &silence{}, &silence{}
	for run.Alive() {
		s, err := p.Evidence.Look(ctx, c)
		if who := foreign(c, s); err == nil && !yielded && who != "" {
			yielded = true
			if err := yield(ctx, c, run, p, who); err != nil {
				return err
			}
		}
		if err == nil && s.Cancelled && ended == "" {
			ended = cancelled
			run.Stop(false)
		}
		if now := p.Sleeper.Now(); err == nil && ended == "" && !yielded && c.Plan.Rest > 0 && rest.lasts(now, run.Active()) > c.Plan.Rest && turnOver(s) {
			run.Stop(false) // that run ended well
		}
		why, err := watch(ctx, c, run, p, quiet)
		if err != nil {
			return err
		}
		if why != "" {
			ended = why
		}
	}
	s, err := p.Evidence.Look(ctx, c)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(err, p.Ledger.Ended(context.WithoutCancel(ctx), c, s.Output, ended))
}

// turnOver tells whether the newest record of the conversation is the good end of a turn.
func turnOver(s Sight) bool {
	for _, e := range slices.Backward(s.Events) {
		if e.Kind != detect.KindRetry && e.Kind != detect.KindHolder && e.Kind != detect.KindAside {
			return e.Kind == detect.KindAnswer && e.Done
		}
	}
	return false
}

// silence measures how long a run has said nothing, in time that the machine was awake for. A gap
// between two looks that is longer than gap (0: twice lookEvery) starts it anew.
type silence struct {
	looked, since time.Time
	gap           time.Duration
}

func (q *silence) lasts(now, active time.Time) time.Duration {
	gap := q.gap
	if gap == 0 {
		gap = 2 * lookEvery
	}
	if now.Sub(q.looked) > gap || now.Before(q.looked) {
		q.since = now // the first look, or the machine slept or its clock was set
	}
	q.looked = now
	if active.After(q.since) {
		return now.Sub(active)
	}
	return now.Sub(q.since)
}

// watch waits for news of a living run. It ends one that is silent or over its time, and then
// says why.
func watch(ctx context.Context, c Claim, run Run, p Ports, quiet *silence) (ended string, err error) {
	now := p.Sleeper.Now()
	switch {
	case p.Timeout > 0 && now.Sub(c.At) > p.Timeout:
		ended = fmt.Sprintf("it ran longer than timeout = %s", human(p.Timeout))
	case p.Stall > 0 && quiet.lasts(now, run.Active()) > p.Stall:
		ended = fmt.Sprintf("no sign of work for stall = %s", human(p.Stall))
	}
	if ended != "" {
		run.Stop(false)
	}
	if err := run.TrimOutput(func() error { return p.Ledger.OutputCut(context.WithoutCancel(ctx), c) }); err != nil {
		return ended, err
	}
	tick, cancel := context.WithTimeout(ctx, lookEvery)
	defer cancel()
	select {
	case <-ctx.Done():
		return ended, context.Cause(ctx)
	case <-run.Done():
	case <-p.Evidence.Changed():
	case <-tick.Done():
	}
	return ended, nil
}
