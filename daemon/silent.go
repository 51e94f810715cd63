package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// A turn that is silent may stand at a limit that no file tells of.
const (
	silentFor  = time.Minute     // before the first look at the screen
	silentLook = 5 * time.Minute // between two
)

// silent looks whether an agent that says nothing in mid turn waits for what clawd can shorten: a
// limit that it draws on its screen alone, or its own wait that is longer than its user accepts. The
// zero Stop says no.
func (s *session) silent(ctx context.Context, stop detect.Stop) (detect.Stop, error) {
	h, attended := attendedBy([]detect.Holder{s.rec.Classifier.Holder})
	if !attended || stop.State == detect.Stopped || stop.Reason != "" || stop.Key == "" {
		return detect.Stop{}, nil
	}
	if stop.State == detect.Retrying {
		return s.impatient(stop), nil
	}
	last, now := s.rec.Classifier.Last, s.d.sleeper.Now()
	if _, ok := s.a.(agent.Drawer); !ok || now.Sub(last.At) < silentFor || now.Sub(s.drawnAt) < silentLook || s.d.trigger.Way(h) == resume.Exec {
		return detect.Stop{}, nil
	}
	s.drawnAt = now
	holders, err := s.a.Live(ctx, s.ds, s.rec.Info)
	if err != nil {
		return detect.Stop{}, err
	}
	if h, err = s.shown(ctx, state.Session{Session: s.ds, Info: s.rec.Info, Stop: detect.Stop{At: last.At}}, holders); err != nil {
		return detect.Stop{}, nil //nolint:nilerr // whose screen it is cannot be told
	}
	text, err := s.d.trigger.Dialog(ctx, s.ds, h)
	if err != nil || text == "" {
		return detect.Stop{}, nil //nolint:nilerr // no screen, nothing seen
	}
	zone := s.d.o.Env.Zone
	if zone == nil {
		zone = time.Local
	}
	seen, ok := s.a.Message(text, now, zone)
	if !ok {
		return detect.Stop{}, nil
	}
	s.rec.Classifier.Feed(detect.Event{Kind: detect.KindFailure, ID: "screen:" + last.ID, At: now, Offset: last.Offset, Failure: &detect.Failure{
		Reason: seen.Reason, Window: seen.Window, ResetAt: seen.ResetAt, ResetMinute: seen.ResetMinute, RetryAfter: seen.RetryAfter,
		Source: "screen", Field: "dialog", Notes: seen.Notes}})
	return s.rec.Classifier.Stop(), nil
}

// impatient makes a stop of an agent's own wait that may be longer than max_inline_wait, where its
// server takes the order to end it. A wait whose end is not known is ended when it has lasted so long.
func (s *session) impatient(stop detect.Stop) detect.Stop {
	cfg, _ := s.d.settings()
	most, since := time.Duration(cfg.Resume.MaxInlineWait), s.rec.Classifier.Retry.At
	ends := stop.SelfResumeAt
	if most == 0 || s.rec.Classifier.Holder.URL == "" || !ends.IsZero() && ends.Sub(since) <= most {
		return detect.Stop{}
	}
	stop.Reason, stop.At, stop.SelfResumeAt = detect.RateLimit, since, since.Add(most)
	stop.Notes = append(stop.Notes, "the agent waits by itself")
	return stop
}

// shortened is what is done about an agent's own wait that is too long.
func (s *session) shortened(stop detect.Stop, d resume.Decision) resume.Decision {
	if stop.State != detect.Retrying || s.rec.Classifier.SelfResume.Kind != "" || d.Strategy != resume.SameSession {
		return d
	}
	cfg, _ := s.d.settings()
	d.Grace = 0
	d.Why = fmt.Sprintf("the agent waits by itself; after max_inline_wait = %s its wait is ended", cfg.Resume.MaxInlineWait)
	return d
}
