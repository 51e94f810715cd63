package turn

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// A run that is ended before its agent kept anything has no session: an id would promise one.
func TestRunNamesOnlyOpenedSessions(t *testing.T) {
	t.Parallel()
	for mode, kept := range map[string]bool{
		"silent": false, "opened, nothing kept": false, "killed": false, "usage": false, "kept, then silent": true, "max turns": true, "answer": true,
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := fake(t, mode)
			ctx, cancel := context.WithCancel(t.Context())
			if mode == "silent" {
				r.Timeout = time.Second
			}
			r.OnEvent = func(e Event) {
				if e.Kind == agent.SaidOpened && strings.Contains(mode, ",") { // it waits to be ended
					cancel()
				}
			}
			s := NewSession(r)
			got, err := s.Turn(ctx, "say hello")
			cancel()
			if (got.Session != "") != kept || s.ID() != got.Session {
				t.Errorf("session %q, %q of the conversation (%v)", got.Session, s.ID(), err)
			}
		})
	}
}

// A callback may ask for the id and reset the conversation; nobody else waits for the turn either.
func TestSessionIDNeverBlocks(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	r := fake(t, "answer")
	var s *Session
	var seen []string
	asked := make(chan struct{})
	r.OnEvent = func(e Event) {
		if e.Kind != agent.SaidOpened {
			return
		}
		go func() { seen = append(seen, e.Session, s.ID()); close(asked) }()
		select {
		case <-asked:
		case <-ctx.Done():
		}
	}
	s = NewSession(r)
	if got, err := s.Turn(ctx, "one"); err != nil || len(seen) != 2 || seen[0] != got.Session || seen[1] != got.Session {
		t.Fatalf("the callback saw %q, the turn had %q (%v)", seen, got.Session, err)
	}
	r.OnEvent = func(Event) { s.Reset() }
	s = NewSession(r)
	if _, err := s.Turn(ctx, "one"); err != nil || s.ID() != "" {
		t.Errorf("after a reset in the turn: %q (%v)", s.ID(), err)
	}
}

// A policy that cannot be carried out is refused before anything is started.
func TestRunRefusesUnknownBackoff(t *testing.T) {
	t.Parallel()
	r := fake(t, "answer")
	r.Retry = &resume.RetryPolicy{Backoff: resume.Backoff{Kind: "fast"}}
	if got, err := Run(t.Context(), r); !errors.Is(err, ErrRequest) || got.Attempts != 0 {
		t.Errorf("%v after %d attempts", err, got.Attempts)
	}
}

// A run that read its prompt too late has asked nothing, and is made again.
func TestRunWithoutInput(t *testing.T) {
	t.Parallel()
	r := fake(t, "no input:"+filepath.Join(t.TempDir(), "n"))
	r.Retry = &resume.RetryPolicy{Backoff: resume.Backoff{Base: time.Millisecond}}
	got, err := Run(t.Context(), r)
	if err != nil || got.Attempts != 2 || got.Text != r.Prompt || len(got.Errors) != 1 || !strings.Contains(got.Errors[0], "did not wait for its prompt") {
		t.Errorf("%v, %+v", err, got)
	}
}
