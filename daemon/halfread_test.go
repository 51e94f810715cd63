package daemon

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// halfRead is an agent whose files fail after some events of each read.
type halfRead struct {
	whole
	after *atomic.Int64 // below 0: they do not
}

func (h halfRead) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	left := h.after.Load()
	if left < 0 {
		return h.whole.Read(ctx, s, from, each)
	}
	_, err := h.whole.Read(ctx, s, from, func(e detect.Event) {
		if left--; left >= 0 {
			each(e)
		}
	})
	return agent.Batch{}, errors.Join(err, errors.New("input/output error"))
}

// A read that fails in the middle decides nothing: neither the stop that was read nor what came before it.
func TestHalfRead(t *testing.T) {
	in(t, func(r *rig) {
		var after atomic.Int64
		r.wrapAgent(func(a whole) agent.Agent { return halfRead{a, &after} })
		after.Store(2)
		r.start()
		id, _ := r.stopped("limit") // and its turn went on and ended well
		r.add(id, r.line(id, "user"), r.line(id, "answer"))
		r.pass(2 * time.Minute)
		if n := len(r.log.events("session_stopped")); n != 0 || r.resumes() != 0 {
			t.Fatalf("%d stops, %d resumes", n, r.resumes())
		}
		after.Store(-1)
		r.pass(2 * time.Minute)
		if n := len(r.log.events("session_stopped")); n != 0 {
			t.Errorf("%d stops", n)
		}
		if rec := r.wantPhase(id, state.Following); rec.Classifier.Stop().Reason != detect.Completed {
			t.Errorf("%+v", rec.Classifier.Stop())
		}
	})
}

// Evidence is made of whole reads.
func TestHalfReadEvidence(t *testing.T) {
	in(t, func(r *rig) {
		var after atomic.Int64
		after.Store(-1)
		r.wrapAgent(func(a whole) agent.Agent { return halfRead{a, &after} })
		r.start()
		id, _ := r.stopped("limit")
		s := r.d.session(r.d.agents[0], r.session(id))
		e := newEvidence(s, resume.Claim{Session: s.ds}, detect.Info{})
		e.ds = s.ds
		after.Store(1)
		if err := e.readEvents(t.Context()); err == nil || !strings.Contains(err.Error(), "input/output") || len(e.events) != 0 || e.cursor != "" {
			t.Errorf("%v, %d events, cursor %q", err, len(e.events), e.cursor)
		}
		after.Store(-1)
		if err := e.readEvents(t.Context()); err != nil || len(e.events) != 2 {
			t.Errorf("%v, %d events", err, len(e.events))
		}
	})
}
