package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/state"
)

// safeguard copies a session before a run of ours, where the run may end in its loss: the agent
// deletes sessions by itself, or a fresh one takes over. An error says that there must be no run.
func (s *session) safeguard(ctx context.Context, rec state.Session, fresh bool) error {
	k, keeps := s.a.(agent.Keeper)
	if !keeps && !fresh {
		return nil
	}
	if err := s.backUp(); err != nil && (!deleted(&rec) || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	if !keeps {
		return nil
	}
	return k.Spare(ctx, s.ds)
}

// keepWhole looks, after a run of ours, whether the session is still there.
func (s *session) keepWhole(ctx context.Context) {
	k, ok := s.a.(agent.Keeper)
	if !ok {
		return
	}
	warn := func(err error) {
		s.d.log.Warn().Str("event", "session_unsafe").EmbedObject(s).Err(err).Str("copies", s.d.backups()).
			Msg("the agent may delete this session, and that cannot be prevented now")
	}
	from := s.newestCopy()
	if from != "" {
		switch done, err := k.Restore(ctx, s.ds, from); {
		case err != nil:
			warn(err)
		case done:
			s.d.log.Warn().Str("event", "session_restored").EmbedObject(s).Str("copy", from).
				Msg("the agent had deleted the session's file; it was put back as it was before clawd's run")
		}
	}
	s.d.procs.anew()
	if err := k.Spare(ctx, s.ds); err != nil {
		warn(err)
	}
}

// newestCopy is the session's own file in the newest of its copies; empty: there is none.
func (s *session) newestCopy() string {
	all, err := os.ReadDir(s.d.backups())
	if err != nil {
		return ""
	}
	for _, e := range slices.Backward(all) { // their names begin with the time
		path := filepath.Join(s.d.backups(), e.Name(), filepath.Base(s.ds.Path))
		if _, err := os.Lstat(path); err == nil && strings.HasSuffix(e.Name(), s.copyName()) {
			return path
		}
	}
	return ""
}

// lastPrompt gives the prompt that must be kept with a stop, bounded: of a session that the agent
// cannot go on in and deletes at its next start.
func (s *session) lastPrompt(ctx context.Context, rec *state.Session) (string, error) {
	if rec.OldSession != "" && rec.Prompt != "" {
		return rec.Prompt, nil // it took over, and its own first prompt is a hand-off that quotes this one
	}
	text, err := s.a.LastPrompt(ctx, s.ds)
	return bounded(text), err
}

// deleted tells whether it is no sign of its user's will when a session's file is gone: the agent
// deletes it, and what is needed of it was kept.
func deleted(rec *state.Session) bool { return rec.Stop.NotResumable && rec.Prompt != "" }
