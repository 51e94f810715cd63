package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// subSlack is how far before the end of a session's last turn its sub-agents are looked for: one may be written of after its session.
const subSlack = time.Minute

// seeSubs looks which sub-agents have stopped, when something new ends in the end of the session's own turn. While a turn goes on they
// are its own business.
func (s *session) seeSubs(ctx context.Context, rec *state.Session, f *machine.FilesSeen) {
	stop := f.Fold.Stop()
	if f.Err != nil || stop.State != detect.Stopped || !f.News && f.Cursor == rec.Cursor || f.Info.Parent != "" {
		return
	}
	cfg, _ := s.d.settings()
	since := s.d.now().Add(-time.Duration(cfg.Watch.MaxStopAge))
	if asked := rec.Subs.Asked.Add(-subSlack); asked.After(since) {
		since = asked
	}
	found, err := s.subStops(ctx, rec, since)
	if err != nil && f.Problem == "" {
		f.Problem = "what became of its sub-agents cannot be read: " + err.Error()
	}
	f.Subs, f.SubsAt = found, stop.At
}

func (s *session) subStops(ctx context.Context, rec *state.Session, since time.Time) ([]detect.SubStop, error) {
	a, ok := s.a.(agent.Parent)
	if !ok || rec.Info.Parent != "" {
		return nil, nil
	}
	return a.SubStops(ctx, s.ds, since)
}

// subsOf are the sub-agents that have stopped since the last prompt, as far as that can be read: a prompt that does not name them is
// better than none. What was prompted since has told of the others, be it the agent itself.
func (s *session) subsOf(ctx context.Context, rec *state.Session) []detect.SubStop {
	prompted := rec.Classifier.LastPrompt.At
	if prompted.IsZero() { // it would be looked at from its beginning
		return nil
	}
	found, _ := s.subStops(ctx, rec, prompted)
	return slices.DeleteFunc(found, func(x detect.SubStop) bool { return !x.Counts(rec.Stop) || !x.At.After(prompted) })
}

// whySubs are the sub-agents that have stopped of late, as their records say now.
func (s *session) whySubs(ctx context.Context, rec state.Session) (all []WhySub) {
	cfg, _ := s.d.settings()
	since := s.d.now().Add(-time.Duration(cfg.Watch.MaxStopAge))
	found, _ := s.subStops(ctx, &rec, since) // what cannot be read is in the log
	main := rec.Classifier.Stop()
	for _, x := range found {
		if !x.Counts(main) || x.At.Before(since) {
			continue
		}
		all = append(all, WhySub{ID: x.ID, Name: x.Name, Reason: x.Reason, Window: x.Window, At: x.At, ResetAt: orNull(x.ResetAt), Words: x.Words()})
	}
	return all
}

// naming adds to a prompt which sub-agents stopped. What is added is ours but for their ids, which are letters, digits, "_" and "-".
func naming(prompt string, subs []detect.SubStop) string {
	bare := strings.TrimSpace(prompt)
	if bare == "" || strings.HasPrefix(bare, "/") || len(subs) == 0 { // what stands behind a command is its argument
		return prompt
	}
	var ids []string
	for _, x := range subs[:min(len(subs), detect.MaxNamed)] {
		ids = append(ids, x.ID)
	}
	named, work := "sub-agent "+strings.Join(ids, ", "), "its work"
	if len(subs) > 1 {
		named, work = "sub-agents "+strings.Join(ids, ", "), "their work"
	}
	if n := len(subs) - detect.MaxNamed; n > 0 {
		named += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s (%s stopped early: check %s)", prompt, named, work)
}
