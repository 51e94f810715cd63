package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/trigger"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// bare is an agent that can be resumed, and nothing else.
type bare struct{ agent.Agent }

// TestAgentWithoutATerminal: the terminal of an agent that clawd cannot type into is not looked at, and its
// user is told in words.
func TestAgentWithoutATerminal(t *testing.T) {
	in(t, func(r *rig) {
		r.wrapAgent(func(a whole) agent.Agent { return bare{a} })
		id := r.open(resume.Tmux, "limit")
		r.pass(time.Hour)
		r.wantPhase(id, state.Waiting)
		if n, looks := len(r.children.started()), r.children.looked(); n != 0 || looks != 0 {
			t.Errorf("%d starts, %d looks at its terminal", n, looks)
		}
		if e := r.log.events("session_unreachable"); len(e) != 1 || !strings.Contains(e[0]["why"].(string), "clawd can't type into claude's terminal") {
			t.Errorf("told: %v", e)
		}
	})
}

// TestAgentWithoutAStart: a session that can only be handed on, of an agent in which clawd can begin none, is left.
func TestAgentWithoutAStart(t *testing.T) {
	in(t, func(r *rig) {
		r.wrapAgent(func(a whole) agent.Agent { return bare{a} })
		r.o.Config.Resume.Reasons["rate_limit"] = resume.FreshSession
		r.start()
		r.stopped("limit")
		r.pass(time.Hour)
		r.wantStarts(0)
		if e := r.log.events("session_left"); len(e) != 1 || !strings.Contains(e[0]["why"].(string), "clawd can't begin a session or a turn of claude") {
			t.Errorf("left: %v; log:\n%s", e, r.log)
		}
	})
}

// TestTypeIntoNothing: nothing is typed for an agent whose screen nobody can read.
func TestTypeIntoNothing(t *testing.T) {
	tr := &trigger.Trigger{Agents: func(string) agent.Agent { return bare{named{}} },
		Reach: func(detect.Holder, resume.Way) (trigger.Terminal, error) { return nil, nil }}
	_, err := tr.Ready(t.Context(), detect.Session{Agent: "x"}, detect.Stop{}, resume.Plan{Way: resume.PTY})
	if err == nil || !strings.Contains(err.Error(), "clawd can't type into x's terminal") {
		t.Errorf("%v", err)
	}
}

// named is an agent that has a name alone.
type named struct{ agent.Agent }

func (named) Name() string { return "x" }
