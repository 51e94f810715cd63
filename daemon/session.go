package daemon

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// session is one session that clawd has something to do with. Its loop alone touches rec; the
// goroutine of a resume touches the store, and the loop reads the record again afterwards.
type session struct {
	d   *Daemon
	a   agent.Agent
	ds  detect.Session
	key string

	wake chan struct{} // one slot: look at the files
	news chan struct{} // one slot: for the evidence of a run
	ran  chan *ended

	looping bool                       // guarded by Daemon.mu
	busy    atomic.Bool                // an attempt is claimed or fired: only its verdict may write
	open    atomic.Bool                // not in phase following
	guards  atomic.Bool                // a run of ours that has its verdict goes on, or is being ended
	failed  atomic.Bool                // the last look at the files failed; look again
	under   atomic.Bool                // a resume is under way, which looks for itself
	ordered atomic.Bool                // its user gave an order, which stands in the store
	again   atomic.Bool                // the config changed: decide anew
	said    resume.Decision            // as last logged; touched by the one goroutine of a resume
	failing int                        // looks in a row that failed, at an open session's terminal or server, or at the roles; touched by the same one
	child   atomic.Int64               // pid of our running child; 0: none
	dirty   atomic.Pointer[state.Read] // read, but not stored: nothing in it is news
	sum     atomic.Pointer[summary]
	heir    atomic.Pointer[resume.Plan] // of the attempt under way that begins a fresh session
	standBy atomic.Pointer[string]      // why clawd stands down or postpones, as last logged; nil: it does not

	rec         state.Session
	loaded      bool
	run         context.CancelCauseFunc // of the resume under way; nil: none
	notYet      time.Time               // a postponed resume looks again then
	wakes       deadline                // of the decision that is waited for
	looks       deadline                // of notYet
	parked      bool                    // a postponed resume looks again when something changes
	quiet       string                  // the problem last logged
	done        string                  // the good end last logged
	drawnAt     time.Time               // when the screen of a silent turn was looked at
	openBy      int                     // pid of the live process that the wait was begun for; 0: none
	attendedNow bool                    // this clawd has seen the terminal's holder alive
	moved       bool                    // read further than was stored or noted
	found       bool                    // read for the first time, and nothing was written since
	gone        *atomic.Bool            // the holder of an unfinished turn is gone, and whether that has settled; nil: it is there
	from        atomic.Pointer[string]  // where a session of no interest ended when it was last looked at
	stamp       atomic.Pointer[string]  // of the newest look at the files from outside
}

type ended struct {
	out *resume.Outcome // nil: err says why there is none
	err error
}

// loop takes in what happens to a session. It rests when nothing does.
func (s *session) loop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			s.end(ctx)
			return
		case e := <-s.ran:
			s.finish(ctx, e)
		case <-s.wake:
			if s.busy.Load() {
				signal(s.news)
				break
			}
			err := s.follow(ctx)
			if s.failed.Store(err != nil); err != nil && ctx.Err() == nil && !errors.Is(err, errTakingOver) {
				s.problem(err)
			}
		}
		if s.rest() {
			return
		}
	}
}

// end waits for the resume under way, which was cancelled with ctx.
func (s *session) end(ctx context.Context) {
	if s.run != nil {
		s.finish(ctx, <-s.ran)
	}
	s.d.mu.Lock()
	s.looping = false
	s.d.mu.Unlock()
}

// wakesUp says whether the loop rests and a result waits for it: then the caller runs it.
func (s *session) wakesUp() bool {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if s.looping || len(s.ran) == 0 {
		return false
	}
	s.looping = true
	return true
}

// rest ends the loop when there is nothing to do.
func (s *session) rest() bool {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if len(s.wake) > 0 || len(s.ran) > 0 {
		return false
	}
	s.looping = false
	return true
}

// follow reads what is new, classifies it and hands a stop over.
func (s *session) follow(ctx context.Context) error {
	first := false
	if !s.loaded {
		rec, ok, err := s.d.store.Session(s.ds)
		if err != nil {
			return err
		}
		if !ok {
			rec = state.Session{Session: s.ds, Phase: state.Following}
			if from := s.from.Load(); from != nil {
				rec.Cursor = *from
			}
		}
		first, s.rec, s.loaded = !ok, rec, true
	}
	if s.ordered.Swap(false) {
		s.cancel(errReload)
		s.reload()
		s.anew()
	}
	if s.run == nil && s.rec.Phase == state.Claimed {
		if err := s.unstarted(ctx); err != nil {
			return err
		}
	}
	if s.run == nil && s.rec.Phase == state.Fired {
		return s.consider(ctx) // an attempt from before a restart comes first
	}
	if s.run != nil {
		s.reload() // the run's own transactions may have changed the phase
	}
	stamp, cursor := s.rec.Stamp, s.rec.Cursor
	if seen := s.stamp.Load(); seen != nil {
		s.rec.Stamp = *seen
	}
	now, err := s.readOn(ctx, s.rec)
	if errors.Is(err, fs.ErrNotExist) && s.rec.Phase == state.Waiting {
		return s.consider(ctx) // what becomes of it is told when its wait is over
	}
	if err != nil {
		return err
	}
	if now.Anew && s.rec.Phase != state.Following && !told(now.fold, s.rec.Stop) {
		s.rewritten()
		return s.consider(ctx) // read anew from the same cursor when it changes, and before a claim
	}
	if first = first || s.rec.Cursor == "" || now.Anew; first {
		s.found = true
	} else if now.news {
		s.found = false
	}
	if now.news {
		s.gone = nil // whoever has gone wrote more, so that settles anew
	}
	s.rec = folded(s.rec, now)
	s.moved = s.moved || s.rec.Cursor != cursor || s.rec.Stamp != stamp
	s.summarize()
	if now.Problem != "" {
		s.d.log.Warn().Str("event", "records_skipped").EmbedObject(s).Int("skipped", now.Skipped).Str("why", now.Problem).Msg("records that cannot be read were skipped")
	}
	return s.classify(ctx, s.found, now.news)
}

// classify acts on the verdict over all that was read.
func (s *session) classify(ctx context.Context, first, news bool) error {
	stop := s.rec.Classifier.Stop()
	if first && news && s.rec.Info.Dir != "" {
		s.d.log.Debug().Str("event", "session_found").EmbedObject(s).Msg("session found")
	}
	armed := stop.State == detect.Retrying && stop.Reason != "" // the agent's own continue
	known := stop.Key != "" && (stop.Key == s.rec.Stop.Key || "cut:"+stop.Key == s.rec.Stop.Key)
	if stop.State != detect.Stopped && !known && (!news || first || s.rec.Holder.Liveness == "" && s.rec.Info.Interactive) {
		// A turn in the middle: only its holder tells whether it still goes on.
		if err := s.hold(ctx); err != nil {
			return err
		}
		stop = s.rec.Classifier.Stop()
		known = stop.Key != "" && stop.Key == s.rec.Stop.Key
	}
	if known = known && stop.Reason != detect.Completed; !known { // one record may tell both the stop and the good end
		if silent, err := s.silent(ctx, stop); err != nil {
			return err
		} else if silent.Key != "" {
			stop, armed = silent, true
			known = stop.Key == s.rec.Stop.Key
		}
	}
	if stop.Reason == detect.Completed && news && s.done != stop.Key && s.recent(stop) {
		s.done = stop.Key
		s.logLeft(stop, resume.Left{}.Decide(stop, resume.Tried{}, s.d.sleeper.Now()).Why)
	}
	switch {
	case (stop.IsStop() || armed) && !known:
		return s.stopped(ctx, stop, first, !news)
	case known && stop.Reason == detect.Interrupted && s.rec.Phase == state.Waiting && s.rec.Stop.Reason != detect.Interrupted && s.rec.Stop.Reason != detect.Crashed:
		s.cancel(errMoved)
		const why = "you stopped it after the limit"
		if err := s.d.store.Drop(s.ds, stop.Key, why); err != nil {
			return err
		}
		s.reload()
		s.logLeft(stop, why)
		return nil
	case known && (stop.IsStop() || armed) && s.rec.Phase == state.Waiting && !s.busy.Load() && (stop.State != s.rec.Stop.State || !stop.SelfResumeAt.Equal(s.rec.Stop.SelfResumeAt)):
		return s.refined(ctx, stop)
	case known && stop.State == detect.Retrying && s.rec.Phase == state.Waiting && !s.busy.Load():
		if again := s.impatient(stop); again.Key != "" && !again.At.Equal(s.rec.Stop.At) { // it asked once more, and waits anew
			return s.refined(ctx, again)
		}
		fallthrough
	case known:
		s.progress()
		return s.consider(ctx)
	case s.rec.Phase != state.Following:
		return s.wentOn(stop)
	}
	s.progress()
	return nil
}

// progress notes how far the session was read; it is stored with the next flush.
func (s *session) progress() {
	if !s.moved {
		return
	}
	s.moved = false
	r := s.read()
	s.dirty.Store(&r)
}

func (s *session) read() state.Read {
	return state.Read{Session: s.ds, Info: s.rec.Info, Stamp: s.rec.Stamp, Cursor: s.rec.Cursor,
		Classifier: s.rec.Classifier}
}

// stopped takes in a new stop (T1) and begins what was decided about it. read: its records are not new.
func (s *session) stopped(ctx context.Context, stop detect.Stop, first, read bool) error {
	s.cancel(errMoved)
	s.anew()
	if s.d.takingOver(s) {
		return errTakingOver
	}
	s.reload() // a fresh session's lineage is written by the one that it took over from
	d, adopt, err := s.decide(stop, first || stop.At.Before(s.d.started))
	if err != nil {
		return err
	}
	before := first || read && stop.At.Before(s.d.started) // it was left for its age by the clawd before
	if before && adopt == nil && d.Strategy == resume.Leave && !s.d.store.Lost && !s.recent(stop) {
		s.d.log.Debug().Str("event", "session_left").EmbedObject(s).Str("reason", string(stop.Reason)).Time("at", stop.At).Str("why", d.Why).Msg("old stop")
		s.rec.Stop = stop
		s.progress()
		return nil
	}
	s.dirty.Store(nil)
	s.moved = false
	r := s.read()
	r.Prompt = s.lastPrompt(ctx, stop)
	if err := s.d.seenUntil(s.key); err != nil {
		return err
	}
	rec, err := s.d.store.Stopped(r, stop, d, adopt)
	if errors.Is(err, state.ErrPhase) {
		signal(s.news)
		return nil
	}
	if err != nil {
		s.d.broken(err)
		return err
	}
	s.rec = rec
	s.summarize()
	if rec.Stop.Key != stop.Key { // it was dealt with before
		s.d.tell()
		return nil
	}
	s.logStop(stop)
	if stop.Reason == detect.UsageLimit {
		s.d.lanes.closed(s.window(s.rec.Info, stop))
	}
	s.d.tell()
	if rec.Phase == state.Following && !d.Tell {
		s.logLeft(stop, d.Why)
	}
	return s.consider(ctx)
}

// wentOn notes that somebody else went on, or that the turn ended well.
func (s *session) wentOn(stop detect.Stop) error {
	s.cancel(errMoved)
	s.dirty.Store(nil)
	s.moved = false
	was, err := s.d.store.WentOn(s.read(), "somebody went on in the session")
	if errors.Is(err, state.ErrPhase) {
		signal(s.news)
		return nil
	}
	if err != nil {
		s.d.broken(err)
		return err
	}
	s.reload()
	s.anew()
	s.d.log.Info().Str("event", "resume_cancelled").EmbedObject(s).Str("outcome", string(resume.ByHand)).Str("phase", string(was)).
		Str("state", string(stop.State)).Msg("somebody went on in this session; nothing is fired")
	return nil
}

// consider starts or holds back the resume of a session that waits, and picks up one that was
// fired before a restart.
func (s *session) consider(ctx context.Context) error {
	if s.again.Swap(false) && s.rec.Phase == state.Waiting && !s.busy.Load() {
		if err := s.decideAgain(); err != nil {
			return err
		}
	}
	if s.run != nil {
		return s.attended(ctx)
	}
	switch s.rec.Phase {
	case state.Fired:
		s.resume(ctx, s.rec.Decision, s.rec.Claim)
		return nil
	case state.Waiting:
	default:
		return nil
	}
	if err := s.hold(ctx); err != nil {
		return err
	}
	if s.untold() {
		return nil // the rescan looks again
	}
	if left, err := s.unfit(ctx); left || err != nil {
		return err
	}
	h, attended := attendedBy([]detect.Holder{s.rec.Classifier.Holder})
	if s.openBy = h.PID; !attended {
		s.openBy = 0
	} else if own := s.rec.Stop.SelfResumeAt; s.rec.Stop.State == detect.Retrying {
		if s.d.sleeper.Now().Before(own.Add(s.rec.Decision.Grace)) { // then it is clawd's turn
			s.standDown("the agent has armed its own continue", own)
		}
	} else if reachable, err := s.reachable(ctx); !reachable || err != nil {
		s.standDown(h.Why, time.Time{})
		return err
	}
	s.parked = false
	s.resume(ctx, s.rec.Decision, nil)
	return nil
}

// reachable tells whether there is a way to wake a session that somebody has open. Where there is
// none its user is told.
func (s *session) reachable(ctx context.Context) (bool, error) {
	holders, err := s.a.Live(ctx, s.ds, s.rec.Info)
	if err != nil {
		return false, err
	}
	if _, attended := attendedBy(holders); !attended {
		return false, nil // it has just ended, and how shows when its files have settled
	}
	if _, err = s.livePlan(ctx, s.rec, s.rec.Decision, holders); err == nil {
		return true, nil
	}
	if refusal := (*resume.Refusal)(nil); !errors.As(s.notNow(s.rec, err), &refusal) {
		return false, err
	}
	return false, nil
}

// attended ends the wait of a session that somebody has opened or left meanwhile: who has it decides
// anew what is done.
func (s *session) attended(ctx context.Context) error {
	if s.busy.Load() || s.guards.Load() || s.rec.Phase != state.Waiting || !s.rec.Info.Interactive && s.openBy == 0 {
		return nil
	}
	if err := s.hold(ctx); err != nil {
		return err
	}
	h, attended := attendedBy([]detect.Holder{s.rec.Classifier.Holder})
	if attended && h.PID != s.openBy || !attended && s.openBy != 0 {
		s.cancel(errMoved)
		return s.consider(ctx)
	}
	return nil
}

// refined takes in what became known later about the stop that is waited for: the agent's own
// continue was armed, dropped or moved.
func (s *session) refined(ctx context.Context, stop detect.Stop) error {
	s.cancel(errMoved)
	s.rec.Stop = stop
	d := s.rec.Decision
	if !d.Asked { // what its user ordered stands
		d = s.next(s.rec)
	}
	if err := s.d.store.Refine(s.ds, stop, d); err != nil {
		return err
	}
	s.d.tell()
	s.reload()
	return s.consider(ctx)
}

// reload takes over what a transaction left in the store.
func (s *session) reload() {
	rec, ok, err := s.d.store.Session(s.ds)
	if err != nil || !ok {
		return
	}
	// What T4 may have brought is read again from here: it is in the files.
	rec.Classifier, rec.Cursor, rec.Info = s.rec.Classifier, s.rec.Cursor, s.rec.Info
	s.rec = rec
	s.summarize()
}
