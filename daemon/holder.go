package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

const (
	// settleTime: two looks so far apart must agree before "the process is gone and wrote nothing
	// more" is believed; networkSettle where files lie on a network file system.
	settleTime    = 5 * time.Second
	networkSettle = 90 * time.Second
)

func (s *session) settle() time.Duration {
	switch {
	case s.d.o.Settle > 0:
		return s.d.o.Settle
	case onNetwork(filepath.Dir(s.ds.Path)):
		return networkSettle
	}
	return settleTime
}

// hold asks who has the session open, tells the classifier, and remembers the holder of a
// terminal while it lives: only then can its end be understood.
func (s *session) hold(ctx context.Context) error {
	holders, err := s.a.Live(ctx, s.ds, s.rec.Info)
	if err != nil {
		return err
	}
	now, _, err := callers(s.d.held(), s.ds, s.rec.Stop)
	if err != nil {
		return err
	}
	if now {
		holders = append(holders, detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, Sure: true, Why: rules.ExecHas})
	}
	h := strongest(holders)
	if h.Liveness == detect.Gone && s.rec.Holder.Liveness == detect.Alive && s.rec.Holder.Boot != "" && s.rec.Holder.Boot != s.d.boot && !s.d.absent {
		// It was alive when the machine went down: nobody ended it.
		h.Liveness, h.Why = detect.LeftBehind, "the machine was started anew since"
	}
	there := h.Liveness == detect.Alive || h.Liveness == detect.HolderUnknown
	if there {
		s.gone = nil // when it goes again, that settles anew
	}
	unfinished := s.rec.Classifier.Last.Kind != detect.KindFailure && !there
	if unfinished && !s.settledGone(ctx) {
		return nil
	}
	s.rec.Classifier.Feed(detect.Event{Kind: detect.KindHolder, Holder: &h, At: s.d.sleeper.Now()})
	switch {
	case h.Liveness == detect.Alive && h.Kind != detect.Headless:
		h.Status, h.Since = "", time.Time{} // changes all the time and says nothing about the end
		if w, ok := s.d.trigger.Wrapped(h); ok {
			h.Wrap, h.WrapStart = w.Child.PID, w.Child.Start
		}
		if !s.attendedNow || s.rec.Holder.PID != h.PID {
			s.attendedNow = true
			s.d.wg.Go(func() { s.awaitExit(ctx, h.PID) })
		}
		if s.rec.Holder != h || s.rec.HolderEnd != "" {
			s.rec.Holder, s.rec.HolderEnd, s.rec.HolderGone = h, "", time.Time{}
			return s.d.store.SetHolder(s.ds, h, "")
		}
	case h.Liveness != detect.Alive && s.rec.Holder.Liveness == detect.Alive && s.rec.HolderEnd == "":
		end, known := s.holderEnd(h)
		if !known {
			return nil
		}
		s.rec.HolderEnd, s.rec.HolderGone = end, s.d.sleeper.Now()
		return s.d.store.SetHolder(s.ds, s.rec.Holder, end)
	}
	return nil
}

// settledGone tells whether the holder has been gone for the settle time, awake: its last lines may come
// late.
func (s *session) settledGone(ctx context.Context) bool {
	if s.gone == nil {
		over := &atomic.Bool{}
		s.gone = over
		s.d.wg.Go(func() {
			if s.d.sleeper.Awake(ctx, s.settle()) == nil {
				over.Store(true)
				s.d.poke(ctx, s)
			}
		})
	}
	if !s.gone.Load() {
		return false
	}
	s.gone = nil
	return true
}

// strongest picks the holder that forbids most.
func strongest(holders []detect.Holder) detect.Holder {
	rank := func(h detect.Holder) int {
		switch {
		case h.Liveness == detect.Alive && h.Kind != detect.Headless:
			return 5
		case h.Liveness == detect.Alive:
			return 4
		case h.Liveness == detect.HolderUnknown:
			return 3
		case h.Liveness == detect.LeftBehind:
			return 2
		}
		return 1
	}
	var best detect.Holder
	for _, h := range holders {
		if rank(h) > rank(best) || best.Liveness == "" {
			best = h
		}
	}
	return best
}

// holderEnd says how the remembered holder of a terminal went. False: not known yet.
func (s *session) holderEnd(now detect.Holder) (state.HolderEnd, bool) {
	h := s.rec.Holder
	if h.Wrap != 0 && h.Boot == s.d.boot {
		return s.d.wrapEnd(h)
	}
	switch {
	case h.Boot != s.d.boot && s.d.absent && now.Liveness != detect.LeftBehind:
		return state.HolderQuit, true // whether it lived until the machine went down nobody saw
	case h.Boot != s.d.boot:
		return state.HolderHangup, true
	case now.Liveness == detect.LeftBehind && now.PID == h.PID:
		return state.HolderCrash, true
	case !s.attendedNow: // it ended while clawd did not run: a quit and a closed window look alike by now
		return state.HolderQuit, true
	case now.Liveness == detect.HolderUnknown && !s.over(h, now):
		return "", false
	case h.Leader == 0 || h.Leader == h.PID:
		return state.HolderQuit, true // it led its own session, so its end and the terminal's look alike
	}
	if p, ok := s.d.o.Env.Procs.Get(h.Leader); ok && p.Start == h.LeaderStart && !p.Zombie {
		return state.HolderQuit, true
	}
	return state.HolderHangup, true
}

// over tells whether the remembered holder has ended for sure though another process, now, may have the
// session open. How it went shows only right then: a shell that has outlived it may be closed later.
func (s *session) over(h, now detect.Holder) bool {
	p, ok := s.d.o.Env.Procs.Get(h.PID)
	return now.PID != 0 && (!ok || p.Start != h.Start || p.Zombie)
}

// wrapEnd is what clawd wrap wrote down about the end of its program. One that was killed itself has
// left nothing: then its user counts as having ended it.
func (d *Daemon) wrapEnd(h detect.Holder) (state.HolderEnd, bool) {
	w, ok := wrap.Find(d.o.Wraps, h.Wrap, h.WrapStart)
	if !ok || w.End == nil {
		p, lives := d.procs.Get(w.Wrapper.PID)
		return state.HolderQuit, !ok || !lives || p.Start != w.Wrapper.Start
	}
	switch w.End.Cause {
	case wrap.Hangup:
		return state.HolderHangup, true
	case wrap.Crash:
		return state.HolderCrash, true
	}
	return state.HolderQuit, true
}

// untold: the remembered holder is gone, and clawd wrap is yet to say how it went.
func (s *session) untold() bool {
	now, h := s.rec.Classifier.Holder.Liveness, s.rec.Holder
	return (now == detect.Gone || now == detect.LeftBehind) && h.Liveness == detect.Alive && h.Wrap != 0 && h.Boot == s.d.boot && s.rec.HolderEnd == ""
}

// standsBy notes why clawd holds back; false: it was said before.
func (s *session) standsBy(why string) bool {
	old := s.standBy.Swap(&why)
	return old == nil || *old != why
}

// standDown says once who goes first.
func (s *session) standDown(why string, until time.Time) {
	if !s.standsBy(why) {
		return
	}
	e := s.d.log.Info().Str("event", "standing_down").EmbedObject(s).Str("why", why)
	if !until.IsZero() {
		e.Time("self_resume_at", until)
	}
	e.Time("wake_at", s.rec.Decision.WakeAt).
		Msg("somebody else has this session; clawd watches")
}

// unfit ends or puts off the wait of a session that must not be resumed.
func (s *session) unfit(ctx context.Context) (bool, error) {
	h := s.rec.Classifier.Holder
	f := s.d.facts(s.rec, h)
	s.d.seeProject(&f)
	if err := s.d.askCallers(&f); err != nil {
		return false, err
	}
	if h.Outlives {
		holders, err := s.a.Live(ctx, s.ds, s.rec.Info)
		if err != nil {
			return false, err
		}
		f.Who.ServerOnly = serverOnly(holders)
	}
	found, ok := rules.Ask(rules.Wait, &f)
	if _, attended := attendedBy([]detect.Holder{h}); !ok && !attended { // else it is asked where it is open
		_, err := s.plan(s.rec, s.rec.Decision, []byte("-"))
		s.d.planFacts(&f, s.rec, err)
		found, ok = rules.Ask(rules.Wait, &f)
	}
	switch {
	case !ok:
		return false, nil
	case found.Ends == rules.Later:
		s.postponed(resume.Outcome{Why: found.Why})
		return true, nil
	}
	if err := s.leave(s.rec.Stop.Key, found); err != nil && !errors.Is(err, state.ErrPhase) { // an order came in between
		return true, err
	}
	s.reload()
	return true, nil
}

// serverOnly tells whether a server of the agent has a session open, and no terminal.
func serverOnly(holders []detect.Holder) bool {
	server, terminal := false, false
	for _, h := range holders {
		alive := h.Liveness == detect.Alive
		server = server || alive && h.Outlives
		terminal = terminal || alive && h.Kind == detect.Interactive
	}
	return server && !terminal
}

// plan asks the agent for the argv. handOff is for fresh sessions.
func (s *session) plan(rec state.Session, d resume.Decision, handOff []byte) (resume.Plan, error) {
	r, err := s.request(rec)
	if err != nil {
		return resume.Plan{}, err
	}
	if d.Strategy == resume.FreshSession {
		r.NewID, r.Handoff = uuid.NewString(), handOff
		return s.a.Fresh(r)
	}
	return s.a.Plan(r)
}

// request is what a plan for the session is asked with.
func (s *session) request(rec state.Session) (agent.Request, error) {
	cfg, _ := s.d.settings()
	p, err := s.d.program(s.a)
	r := agent.Request{Session: s.ds, Info: rec.Info, Stop: rec.Stop, Program: p, Prompt: cfg.Resume.Prompt,
		LastMeta: rec.Classifier.LastPrompt.Meta || rec.Classifier.Aside, Inert: rec.InertNow(), Launch: s.launch(rec),
		Answered: rec.Episode.Attempts > 0 || rec.Classifier.Answered.After(rec.Classifier.LastPrompt.At)}
	r.Info.Interactive = rec.Driven()
	return r, err
}
