package daemon

import (
	"context"
	"slices"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// keepYoung keeps the agents from deleting sessions that still wait: some limits end later than the time
// after which an agent takes a session for forgotten. One that somebody has open is left as it is.
func (d *Daemon) keepYoung(ctx context.Context) {
	if d.dry() {
		return
	}
	for _, s := range d.those(func(s *machine.Session) bool { return s.Rec.Phase != state.Following }) {
		y, ok := s.a.(agent.Forgetter)
		if !ok {
			continue
		}
		if err := s.keepYoung(ctx, y); err != nil && ctx.Err() == nil {
			d.log.Warn().Str("event", "session_unsafe").EmbedObject(s).Err(err).Msg("the agent may delete this session before its wait is over")
		}
	}
}

func (s *session) keepYoung(ctx context.Context, y agent.Forgetter) error {
	rec, ok, err := s.d.store.Session(s.ds)
	if err != nil || !ok || rec.Phase != state.Waiting {
		return err
	}
	now := s.d.now()
	if now.Sub(rec.Stop.At) < youngest {
		return nil
	}
	holders, err := s.a.Live(ctx, s.ds, rec.Info)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(holders, func(h detect.Holder) bool { return h.Liveness == detect.Alive || h.Liveness == detect.HolderUnknown }) {
		return nil
	}
	done, err := y.Remember(s.ds, now)
	if done {
		s.d.log.Debug().Str("event", "session_kept").EmbedObject(s).Msg("the session is kept from being deleted by its agent for its age")
	}
	return err
}

// youngest: no agent takes a session of less than a day for forgotten.
const youngest = 24 * time.Hour
