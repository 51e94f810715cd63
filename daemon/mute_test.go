package daemon

import (
	"io"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/state"
)

// asksFirst is an agent that may ask before it prints anything.
type asksFirst struct{ whole }

func (a asksFirst) Output(r io.Reader, each func(agent.Said)) (agent.Output, error) {
	out, err := a.whole.Output(r, each)
	out.Mute = !out.Began
	return out, err
}

// TestSilentRunMayHaveAsked: a run that was killed before it printed a byte has proved nothing, where the agent asks first.
func TestSilentRunMayHaveAsked(t *testing.T) {
	in(t, func(r *rig) {
		r.wrap = func(a whole) agent.Agent { return asksFirst{a} }
		r.children.act = func(c *child) { c.end() }
		r.start()
		id, _ := r.stopped("limit")
		r.pass(3 * time.Hour)
		r.wantPhase(id, state.Held)
		if n := len(r.children.started()); n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}
