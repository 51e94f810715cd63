package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// resume runs one strategy in its own goroutine, so that the session goes on being followed.
func (s *session) resume(ctx context.Context, d resume.Decision, claim *resume.Claim) {
	cfg, policy := s.d.settings()
	run, cancel := context.WithCancelCause(ctx)
	s.run = cancel
	s.summarize() // who has it open was just looked at
	s.under.Store(true)
	job := resume.Job{Session: s.ds, Stop: s.rec.Stop, Decision: d, NotBefore: s.notYet}
	l := &ledger{s: s, info: s.rec.Info, attended: s.openBy != 0}
	if claim == nil && !l.attended {
		l.roles = s.askAhead(run, d.WakeAt)
	}
	if claim != nil {
		settled := s.rec.Phase != state.Fired
		job.Claim, job.Stop, job.Guard, job.Failed = claim, claim.Stop, settled && !claim.Noted, settled && claim.Noted
		s.busy.Store(!settled)
		s.guards.Store(settled)
		if l.lane = true; claim.Plan.Way == resume.Exec {
			l.fired = true
			s.child.Store(int64(claim.PID))
		}
		s.d.lanes.take()
	}
	ports := resume.Ports{Sleeper: s.patience(job), Ledger: l, Trigger: s.d.trigger, Evidence: newEvidence(s),
		Stall: time.Duration(cfg.Resume.Stall), Timeout: time.Duration(cfg.Resume.Timeout), Settle: s.settle()}
	var strategy resume.Strategy = resume.Same{Policy: policy}
	if d.Strategy == resume.FreshSession {
		strategy = resume.Fresh{Policy: policy}
	}
	s.d.wg.Go(func() {
		e := new(ended) // not on the stack: thousands may wait at once
		e.out, e.err = strategy.Run(run, &job, &ports)
		if l.fired {
			s.keepWhole(context.WithoutCancel(run)) // also when clawd ends now
		}
		l.leave()
		s.busy.Store(false)
		s.ran <- e
		if s.wakesUp() { // the loop rests while a resume waits: thousands may
			s.loop(ctx)
		}
	})
}

// cancel ends the resume under way and waits for it, unless an attempt is open: that one is
// settled by evidence.
func (s *session) cancel(cause error) {
	if s.run == nil || s.busy.Load() || s.guards.Load() {
		return
	}
	s.run(cause)
	s.finish(context.Background(), <-s.ran)
}

// finish takes the result of a resume in.
func (s *session) finish(ctx context.Context, e *ended) {
	s.run(nil)
	s.run = nil
	s.under.Store(false)
	s.reload()
	switch {
	case e.err != nil && ctx.Err() != nil:
		s.d.log.Info().Str("event", "resume_cancelled").EmbedObject(s).AnErr("cause", context.Cause(ctx)).Msg("the wait goes on after the next start")
		return
	case errors.Is(e.err, errMoved), errors.Is(e.err, errReload), errors.Is(e.err, state.ErrPhase):
	case e.err != nil:
		s.d.broken(e.err)
		s.problem(e.err)
		s.failed.Store(true)
		return // tried again with the next rescan: what failed now would fail at once again
	case e.out.Verdict == resume.Postponed:
		s.notYet, s.parked = e.out.Again, e.out.Again.IsZero()
		s.looks = deadline{} // a new wait, also for a time that was waited for before: the clock may have been set back
		s.postponed(*e.out)
		if s.parked {
			return // looked at again when something changes, or with the next rescan
		}
	case e.out.Verdict == resume.ByHand, e.out.Verdict == resume.LeftAlone:
		if s.rec.Phase == state.Waiting { // the files do not bear it out, so not at once again
			s.notYet = s.d.sleeper.Now().Add(wallStep)
			s.postponed(resume.Outcome{Why: e.out.Why, Again: s.notYet})
		}
	default:
		s.notYet = time.Time{}
	}
	if ctx.Err() == nil {
		signal(s.wake)
	}
}

// postponed says once why a resume does not begin.
func (s *session) postponed(out resume.Outcome) {
	if !s.standsBy(out.Why) || s.d.shortage.is(out.Why) {
		return
	}
	e := s.d.log.Info().Str("event", "resume_postponed").EmbedObject(s).Str("why", out.Why)
	if !out.Again.IsZero() {
		e.Time("again", out.Again.UTC())
	}
	e.Msg("not now")
}
