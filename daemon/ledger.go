package daemon

import (
	"context"
	"errors"
	"math"
	"os"
	"time"

	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/plain"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// ledger is resume.Ledger for one session: the store's transactions, with the log lines that
// belong to them.
type ledger struct {
	s    *session
	info detect.Info // of the session when the resume began
	lane bool        // a lane is taken
	// attended: somebody had it open when the wait began.
	attended bool
	roles    *roles // nil: the agent has none, or a terminal takes the prompt
	// fired: a run of ours was begun.
	fired bool
}

// leave gives the lane back: nothing of ours runs any more.
func (l *ledger) leave() {
	l.s.child.Store(0)
	l.s.guards.Store(false)
	if l.lane {
		l.lane = false
		l.s.d.lanes.leave()
	}
}

// Wait writes the decision down.
func (l *ledger) Wait(_ context.Context, j resume.Job) error {
	if err := l.s.d.store.Wait(j.Session, j.Stop.Key, j.Decision); err != nil {
		return err
	}
	if l.s.said != j.Decision {
		l.s.said = j.Decision
		logScheduled(l.s.d.log.Info(), l.s, j.Decision, l.s.d.sleeper.Now())
	}
	return nil
}

// Claim waits for the session's turn and takes the attempt.
func (l *ledger) Claim(ctx context.Context, j resume.Job) (resume.Claim, error) {
	d, s := l.s.d, l.s
	if d.dry() {
		d.log.Info().Str("event", "resume_started").EmbedObject(s).Bool("dry_run", true).Int("attempt", j.Decision.Attempt).Msg("would resume now")
		// The wait must end in the rehearsal's store, too, or it would begin again at once.
		if err := d.store.Leave(j.Session, j.Stop.Key, "dry run", ""); err != nil {
			return resume.Claim{}, err
		}
		d.tell()
		return resume.Claim{}, &resume.Refusal{Outcome: resume.Outcome{Verdict: resume.LeftAlone, Why: "dry run"}}
	}
	c, err := l.take(ctx, j)
	if err == nil {
		return c, nil
	}
	if ctx.Err() != nil { // what fails because it is called off says nothing
		return resume.Claim{}, context.Cause(ctx)
	}
	refused, unsettled, ruled := (*resume.Refusal)(nil), (*unsettledError)(nil), (*ruledError)(nil)
	switch {
	case errors.As(err, &unsettled): // it is judged by what became of it, and no other one is made
		if err := d.store.Adopt(unsettled.made); err != nil {
			return resume.Claim{}, err
		}
		err = postponed(d.sleeper.Now(), "%v", unsettled)
	case errors.Is(err, state.ErrPhase):
		err = &resume.Refusal{Outcome: resume.Outcome{Verdict: resume.ByHand, Why: err.Error()}}
	case errors.As(err, &ruled) && ruled.Ends == rules.ByOthers:
		err = refusal(resume.ByHand, ruled.Why)
	case errors.As(err, &ruled) && ruled.Ends == rules.Later:
		again := time.Time{}
		if ruled.Again > 0 {
			again = d.sleeper.Now().Add(ruled.Again)
		}
		err = postponed(again, "%v", ruled)
	case errors.As(err, &ruled):
		if err := s.leave(j.Stop.Key, ruled.Finding); err != nil {
			return resume.Claim{}, err
		}
		err = refusal(resume.LeftAlone, ruled.Why)
	case errors.As(err, &refused) && refused.Outcome.Verdict == resume.LeftAlone:
		if e := d.store.Leave(j.Session, j.Stop.Key, refused.Outcome.Why, refused.Outcome.Command); e != nil {
			return resume.Claim{}, e
		}
		d.tell()
	}
	return resume.Claim{}, err
}

// maxLooks is how often in a row a claim looks, where something happens in the session each time.
const maxLooks = 3

// take looks, waits for the session's turn, looks once more if that took a while, and claims.
func (l *ledger) take(ctx context.Context, j resume.Job) (c resume.Claim, err error) {
	d, s := l.s.d, l.s
	cfg, _ := d.settings()
	if err := d.shortage.rests(d.sleeper.Now()); err != nil {
		return resume.Claim{}, err
	}
	if err := d.folders(); err != nil {
		return resume.Claim{}, d.short("clawd's own folders: " + err.Error())
	}
	seen, err := l.look(ctx, j)
	if err != nil {
		return resume.Claim{}, err
	}
	window := s.window(l.info, j.Stop)
	if j.Decision.Asked {
		window = "" // its user does not want it to wait for how it goes for another session
	}
	if err := d.lanes.enter(ctx, d.sleeper, s.key, window, j.Stop.At, cfg.Resume.MaxParallel, time.Duration(cfg.Resume.Stagger)); err != nil {
		return resume.Claim{}, err
	}
	l.lane = true
	s.busy.Store(true)
	limits := state.Limits{PerSession: cfg.Budget.MaxResumesPerDay, PerDay: cfg.Budget.MaxResumesPerDayTotal, MaxCostUSD: cfg.Budget.MaxCostUSD}
	if time.Since(seen.at) > lookLasts { // it had to wait for its turn
		seen, err = l.look(ctx, j)
	}
	if err == nil {
		err = d.shortage.turn(d.sleeper.Now())
	}
	for looks := 1; err == nil; looks++ {
		c, err = d.store.Claim(j.Session, j.Stop.Key, limits, func(rec state.Session) (resume.Claim, error) {
			if rec.Decision.Asked && rec.Decision != j.Decision { // its user's order came in between
				return resume.Claim{}, state.ErrPhase
			}
			return s.claim(seen), s.stale(seen, rec)
		})
		if !errors.Is(err, state.ErrMoved) {
			break
		}
		if err = postponed(d.sleeper.Now(), "everything is looked at once more: %v", err); looks < maxLooks {
			seen, err = l.look(ctx, j)
		}
	}
	if err == nil && !seen.live {
		err = l.safeguard(ctx, c, seen.rec)
	}
	if err == nil {
		s.handsOver(c)
		d.claimsStop(first{c.Session.Agent, c.Stop.Key, c.Session.ID, c.Info.Created, true})
		return c, nil
	}
	s.busy.Store(false)
	l.leave()
	d.lanes.verdict(s.key, window, resume.Postponed, 0)
	return resume.Claim{}, err
}

// look is the look at the agent's program, and at who has the session open.
func (l *ledger) look(ctx context.Context, j resume.Job) (look, error) {
	if err := l.s.d.refresh(ctx, l.s.a); err != nil {
		return look{}, postponed(l.s.d.sleeper.Now().Add(lookAgain), "%v", err)
	}
	seen, err := l.s.see(ctx, j.Decision, l.roles)
	if err == nil && l.attended && !seen.live { // how it went decides, and that the session's own loop finds out
		err = postponed(l.s.d.sleeper.Now(), "the process that had it open is gone")
	}
	return seen, err
}

// safeguard makes the session's copy for an attempt of ours, and gives the attempt back where there can
// be none.
func (l *ledger) safeguard(ctx context.Context, c resume.Claim, rec state.Session) error {
	err := l.s.safeguard(ctx, rec, c.Plan.Form == resume.FormFresh)
	if err == nil {
		return nil
	}
	why := "the session cannot be copied, so nothing is started: " + err.Error()
	if _, err := l.s.d.store.Unclaim(c, why, false); err != nil {
		return err
	}
	if aboutMachine(err) {
		return l.s.d.short(why)
	}
	return refusal(resume.LeftAlone, why)
}

// Fired stores the child and says that it starts.
func (l *ledger) Fired(_ context.Context, c resume.Claim) error {
	if err := l.s.d.store.Fired(c); err != nil {
		return err
	}
	if c.Plan.Way == resume.Exec {
		l.fired = true
		l.s.child.Store(int64(c.PID))
	}
	text := "Resuming session"
	switch {
	case c.Plan.Form == resume.FormFresh:
		text = "Starting a fresh session that takes over"
	case c.Stop.Reason == detect.RateLimit || c.Stop.Reason == detect.UsageLimit:
		text = "Resuming session after rate limit"
	}
	l.s.d.log.Info().Str("event", "resume_started").EmbedObject(l.s).Str("reason", string(c.Stop.Reason)).Str("plan", planName(c.Plan)).
		Int("attempt", c.N).Int("pid", c.PID).Func(func(e *zerolog.Event) {
		if len(c.Plan.Auth) > 0 {
			e.Str("auth", c.Plan.Auth).Str("output", c.Output)
		}
		if c.Plan.Flags != "" {
			e.Str("flags", string(c.Plan.Flags))
		}
	}).Float64("waited_s", seconds(c.At.Sub(c.Stop.At))).Msg(text)
	return nil
}

// planName is how a plan is called in the log: by its way where somebody has the session open.
func planName(p resume.Plan) string {
	if p.Way.Live() {
		return string(p.Way)
	}
	return string(p.Form)
}

// Unclaim gives the attempt back.
func (l *ledger) Unclaim(_ context.Context, c resume.Claim, why string, failed bool) error {
	held, err := l.s.d.store.Unclaim(c, why, failed)
	l.s.heir.Store(nil)
	l.s.busy.Store(false)
	l.s.d.lanes.verdict(l.s.key, l.s.window(l.info, c.Stop), resume.Postponed, 0) // also when its user took the claim back
	if err != nil {
		return err
	}
	e := l.s.d.log.Warn()
	if l.s.d.shortage.is(why) {
		e = l.s.d.log.Debug()
	}
	e.Str("event", "claim_settled").EmbedObject(l.s).Int("attempt", c.N).Bool("held", held).Str("why", why).Msg("nothing was started; the attempt is given back")
	l.s.d.tell()
	return nil
}

// unstarted gives back an attempt that was claimed and never fired: nothing ran. The next one is looked at as any other.
func (s *session) unstarted(ctx context.Context) error {
	l := &ledger{s: s, info: s.rec.Info}
	if err := l.Unclaim(ctx, *s.rec.Claim, "clawd ended before the start", false); err != nil {
		return err
	}
	s.reload()
	return nil
}

// Close writes the verdict.
func (l *ledger) Close(ctx context.Context, c resume.Claim, o resume.Outcome) error {
	s, d := l.s, l.s.d
	rec, stats, err := d.store.Settle(c, o, l.read(ctx, o), s.next)
	if err != nil {
		return err
	}
	s.heir.Store(nil)
	s.guards.Store(!c.Plan.Way.Live()) // until its process has ended
	s.busy.Store(false)
	d.lanes.verdict(s.key, s.window(l.info, c.Stop), o.Verdict, rec.Decision.WakeAt.Sub(d.sleeper.Now()))
	switch o.Verdict {
	case resume.Resumed:
		d.log.Info().Str("event", "resume_succeeded").EmbedObject(s).Int("attempt", c.N).Float64("took_s", seconds(o.Took)).
			Int("total_resumes", stats.TotalResumes).Msg("the session goes on")
		if c.Plan.Form == resume.FormFresh {
			d.log.Info().Str("event", "session_recovered").EmbedObject(s).Str("old", s.ds.ID).Str("new", o.Session.ID).Msg("a fresh session took over")
		}
	case resume.ByHand:
		d.log.Info().Str("event", "claim_settled").EmbedObject(s).Int("attempt", c.N).Str("outcome", string(o.Verdict)).Str("why", o.Why).Msg("somebody else went on")
	default:
		next := "nothing; the user decides"
		if rec.Phase == state.Waiting {
			next = "attempt at " + rec.Decision.WakeAt.Format(time.RFC3339)
		}
		e := d.log.Warn().Str("event", "resume_failed").EmbedObject(s).Int("attempt", c.N).Str("outcome", string(o.Verdict)).Str("why", o.Why).Str("next", next)
		if o.Proof != "" {
			e.Str("proof", o.Proof)
		}
		if o.Stop != nil {
			e.Str("reason", string(o.Stop.Reason))
		}
		e.Msg("the attempt did not get the session going")
	}
	d.tell()
	signal(s.wake) // the files may hold more than the verdict needed
	return nil
}

// read is how far the files go at the verdict: with a new stop the store takes it in, so that a clawd that
// is killed right after it knows what the next attempt's plan needs.
func (l *ledger) read(ctx context.Context, o resume.Outcome) state.Read {
	s := l.s
	r := state.Read{Session: s.ds}
	if o.Verdict != resume.StoppedAgain {
		return r
	}
	rec, ok, err := s.d.store.Session(s.ds)
	if err != nil || !ok {
		return r
	}
	now, err := s.readOn(ctx, rec)
	if err != nil || now.Anew {
		return r // the next read of the session tells
	}
	rec = folded(rec, now)
	r.Info, r.Cursor, r.Classifier = rec.Info, rec.Cursor, rec.Classifier
	return r
}

// Ended says how a resumed run ended, and warns of one that was refused permissions.
func (l *ledger) Ended(_ context.Context, c resume.Claim, out resume.Output, ended string) error {
	why := ""
	if ended != "" {
		why = "clawd ended its run: " + ended
	}
	if out.Denials > 0 {
		why = "the resumed run was refused permissions that a person would have to give"
	}
	end := l.s.d.sleeper.Now()
	if fi, err := os.Stat(c.Output); err == nil && fi.ModTime().After(c.At) && fi.ModTime().Before(end) {
		end = fi.ModTime() // it may have ended while clawd was not running
	}
	worked := seconds(end.Sub(c.At))
	if err := l.s.d.store.Ended(c, out.CostUSD, worked, why); err != nil {
		return err
	}
	e, blocked := l.s.d.log.Info(), ""
	if why != "" {
		e = l.s.d.log.Warn().Str("why", why)
	}
	if out.Denials > 0 {
		blocked = "permission"
	}
	e.Str("event", "run_ended").EmbedObject(l.s).Int("attempt", c.N).Float64("worked_s", worked)
	if out.CostUSD > 0 {
		e.Float64("cost_usd", math.Round(out.CostUSD*1e6)/1e6)
	}
	if said(e, "blocked", blocked); out.Denials > 0 {
		e.Int("denials", out.Denials)
	}
	e.Msg("clawd's run ended")
	l.s.d.tell()
	return nil
}

// Yielded says that a run is ended for somebody else's sake.
func (l *ledger) Yielded(_ context.Context, c resume.Claim, who string) error {
	l.s.d.log.Warn().Str("event", "resume_yielded").EmbedObject(l.s).Int("attempt", c.N).Int("pid", c.PID).Str("why", who).Msg("clawd's run gives way")
	return nil
}

// OutputCut notes that the output proves nothing any more.
func (l *ledger) OutputCut(_ context.Context, c resume.Claim) error {
	return l.s.d.store.OutputCut(c)
}

// name is a session in a log line.
type name struct{ rec state.Session }

func (n name) MarshalZerologObject(e *zerolog.Event) {
	e.Str("agent", n.rec.Agent).Str("session", n.rec.ID)
	said(e, "project", plain.Foreign(n.rec.Info.Dir))
}

func (d *Daemon) named(key string) name {
	agentName, id, _ := cut(key)
	ds := detect.Session{Agent: agentName, ID: id}
	rec, ok, err := d.store.Session(ds)
	if err != nil || !ok {
		rec.Session = ds
	}
	return name{rec}
}
