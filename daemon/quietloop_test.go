package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/state"
)

// counter counts the looks at the holders of a session.
type counter struct {
	whole
	n *atomic.Int64
}

func (c counter) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	if c.n.Add(1) > 2000 { // else a busy loop would never let the clock go on
		panic("it is looked at again and again without a pause")
	}
	return c.whole.Live(ctx, s, i)
}

// A session that somebody else resumes headless is looked at with the rescans, not in a circle.
func TestHeldHeadlessIsNoBusyLoop(t *testing.T) {
	for _, stagger := range []time.Duration{0, 5 * time.Second} {
		t.Run(fmt.Sprint("stagger ", stagger), func(t *testing.T) {
			in(t, func(r *rig) {
				var looks atomic.Int64
				r.o.Config.Resume.Stagger = config.Duration(stagger)
				r.wrapAgent(func(a whole) agent.Agent { return counter{a, &looks} })
				id := uuid.NewString()
				r.procs.all = []agent.Proc{{PID: 901, Group: 901, Leader: 901, Start: 91, Comm: "claude"}}
				r.procs.argv[901] = []string{"claude", "-p", "--resume", id, "go on"}
				put(t, filepath.Join(r.agentDir(), "sessions", "901.json"),
					fmt.Sprintf(`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"sdk-cli","status":"idle"}`, id, r.project))
				r.start()
				r.add(id, r.line(id, "user"), r.line(id, "limit"))
				r.pass(10 * time.Minute)
				r.wantPhase(id, state.Waiting)
				if n := looks.Load(); n > 100 {
					t.Errorf("%d looks in 10 minutes; log:\n%s", n, r.log)
				}
			})
		})
	}
}
