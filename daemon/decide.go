package daemon

import (
	"errors"
	"io/fs"
	"time"

	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/internal/plain"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// decide says what to do about a new stop. A claim that comes with it is an attempt that was
// already made for this stop: its mark is there, the store had lost it.
func (s *session) decide(stop detect.Stop, first bool) (resume.Decision, *resume.Claim, error) {
	_, policy := s.d.settings()
	tried := resume.Tried{Since: stop.At, FirstRead: first, Refused: s.rec.RefusedNow() && s.rec.Stop.Key == stop.Key}
	if e := s.rec.Episode; !s.rec.Overcome(s.rec.Classifier) {
		tried.Fresh, tried.Fruitless = e.Fresh, s.rec.Fruitless
		if e.Key == "" && !e.Since.IsZero() { // it took over from a session that was stopped again
			tried.Since, tried.Attempts = e.Since, e.Attempts
		}
	}
	now := s.d.sleeper.Now()
	d := s.shortened(stop, policy.Select(stop, tried).Decide(stop, tried, now))
	if d.Strategy != resume.Leave && d.WakeAt.Before(now) {
		d.WakeAt = now.UTC() // a wait begins when it is decided on: that of a stop found late is not overdue
	}
	rec := s.rec
	rec.Stop, rec.Decision = stop, d
	f := s.d.facts(rec, rec.Classifier.Holder)
	s.d.seeProject(&f)
	if err := s.d.askCallers(&f); err != nil {
		return d, nil, err
	}
	if found, ok := rules.Ask(rules.Stop, &f); ok {
		d = leaving(found)
	} else if f.Who.Exec { // its caller gets the answer
		d.Tell, d.GivenUp = false, false
	}
	c, _ := s.marked(stop) // what cannot be read now is looked at once more with the claim
	return d, c, nil
}

// marked gives the newest attempt for a stop that has a mark; nil: there is none.
func (s *session) marked(stop detect.Stop) (*resume.Claim, error) {
	n, mark, err := marks.Last(s.d.marks(), s.ds, stop.Key)
	if err != nil || n == 0 {
		return nil, err
	}
	c := mark.Claim
	if c.Token == "" { // a torn mark: made, and nothing more is known
		c = resume.Claim{Session: s.ds, N: n, Token: "torn", At: stop.At, Cursor: s.rec.Cursor,
			Plan: resume.Plan{Form: resume.FormPrompt, Argv: []string{s.a.Command()}}}
	}
	c.Session, c.Stop, c.N, c.Attempts = s.ds, stop, n, n
	c.Mark = marks.Path(s.d.marks(), s.ds, stop.Key, n)
	return &c, nil
}

// next decides again after an attempt, from the record as it will be stored.
func (s *session) next(rec state.Session) resume.Decision {
	f := s.d.facts(rec, rec.Classifier.Holder)
	if found, ok := rules.Ask(rules.Next, &f); ok {
		return leaving(found)
	}
	_, policy := s.d.settings()
	tried := resume.Tried{Attempts: rec.Episode.Attempts, Since: rec.Episode.Since, Fresh: rec.Episode.Fresh,
		Fruitless: rec.Fruitless, Refused: rec.RefusedNow()}
	stop := rec.Stop
	if now := s.d.sleeper.Now(); rec.Claim != nil && rec.Claim.Stop.Key == stop.Key && stop.At.Before(rec.Claim.At) {
		stop.At = now // the same stop again: the delay counts from the attempt that had no effect
	}
	now := s.d.sleeper.Now()
	if rec.Decision.Asked && rec.Claim != nil && rec.Claim.Stop.Key == stop.Key && now.Sub(rec.Episode.Since) <= policy.GiveUpAfter {
		// Nothing came of the attempt that was ordered, so the order stands.
		return policy.Ordered(stop, tried, now, resume.Order{Fresh: rec.Decision.Strategy == resume.FreshSession})
	}
	d := s.shortened(stop, policy.Select(stop, tried).Decide(stop, tried, now))
	if begun := rec.Decision.WakeAt; d.Strategy != resume.Leave && begun.After(d.WakeAt) && d.WakeAt.Before(now) {
		d.WakeAt = begun // it is over no earlier than by the decision before, or now
		if now.Before(begun) {
			d.WakeAt = now.UTC()
		}
	}
	return d
}

// decideAgain applies a new config to a wait: what put it off may hold no longer.
func (s *session) decideAgain() error {
	s.cancel(errReload)
	s.anew()
	if s.rec.Decision.Asked { // what its user ordered stands
		return nil
	}
	s.rec.Decision = s.next(s.rec)
	if err := s.d.store.Wait(s.ds, s.rec.Stop.Key, s.rec.Decision); err != nil && !errors.Is(err, state.ErrPhase) {
		return err
	}
	s.d.tell()
	s.reload()
	return nil
}

// patience is the sleeper for a job's wait: by elapsed time, too, where that is a span and no time of day.
// The same wait that is begun again goes on.
func (s *session) patience(j resume.Job) resume.Sleeper {
	if j.Stop.State == detect.Retrying || !j.Stop.ResetAt.IsZero() {
		return s.d.sleeper
	}
	latest := s.wakes.over(s.d.sleeper, j.Decision.WakeAt)
	if look := s.looks.over(s.d.sleeper, j.NotBefore); look.After(latest) {
		latest = look
	}
	return span{s.d.sleeper, latest}
}

// window names the quota window that a stop shares with others of its account; empty: none.
func (s *session) window(info detect.Info, stop detect.Stop) string {
	if stop.Reason != detect.UsageLimit {
		return ""
	}
	return s.a.Account(info) + "\x00" + string(stop.Window)
}

// MarshalZerologObject gives the fields that every line about a session has.
func (s *session) MarshalZerologObject(e *zerolog.Event) {
	project := ""
	if sum := s.sum.Load(); sum != nil {
		project = sum.dir
	}
	e.Str("agent", s.ds.Agent).Str("session", s.ds.ID)
	said(e, "project", plain.Foreign(project))
}

// said adds a field that has something to say.
func said(e *zerolog.Event, key, value string) {
	if value != "" {
		e.Str(key, value)
	}
}

// seconds are to the millisecond: more digits say nothing.
func seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

func (s *session) logStop(stop detect.Stop) {
	e := s.d.log.Info().Str("event", "session_stopped").EmbedObject(s).Str("reason", string(stop.Reason)).
		Str("state", string(stop.State)).Time("at", stop.At)
	said(e, "window", string(stop.Window))
	if stop.RetryAfter != nil {
		e.Float64("retry_after_s", seconds(*stop.RetryAfter))
	}
	if !stop.ResetAt.IsZero() {
		e.Time("reset_at", stop.ResetAt)
	}
	e.Dict("evidence", zerolog.Dict().Str("source", stop.Evidence.Source).Int64("offset", stop.Evidence.Offset).Str("field", stop.Evidence.Field))
	if stop.Status != 0 {
		e.Int("status", stop.Status)
	}
	if len(stop.Notes) > 0 {
		e.Strs("notes", stop.Notes)
	}
	e.Msg("the session stopped")
}

// logLeft says that there is nothing to do; what its user has to do is told through the outbox.
func (s *session) logLeft(stop detect.Stop, why string) {
	s.d.log.Debug().Str("event", "session_left").EmbedObject(s).Str("reason", string(stop.Reason)).Str("why", why).Msg("left alone")
}

func logScheduled(e *zerolog.Event, s *session, d resume.Decision, now time.Time) {
	e.Str("event", "resume_scheduled").EmbedObject(s).Str("strategy", string(d.Strategy)).Time("wake_at", d.WakeAt).
		Float64("wait_s", seconds(max(0, d.WakeAt.Sub(now)))).Int("attempt", d.Attempt).Str("why", d.Why).Msg("waiting to resume")
}

// problem logs what keeps coming back only once.
func (s *session) problem(err error) {
	if s.quiet == err.Error() {
		return
	}
	s.quiet = err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		// Its user removed it; what waited in it is left and told when it falls due.
		s.d.log.Debug().Str("event", "session_gone").EmbedObject(s).Err(err).Msg("the session's files are gone")
		return
	}
	s.d.log.Error().Str("event", "session_error").EmbedObject(s).Err(err).Msg("this session cannot be looked at; the others go on")
}
