package daemon

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// hung is an agent whose folder does not answer any more once it hangs.
type hung struct {
	agent.Agent
	hangs *atomic.Pointer[chan struct{}] // until it is closed; nil: it does not hang
}

func (a hung) Account(i detect.Info) string {
	if c := a.hangs.Load(); c != nil {
		<-*c
	}
	return a.Agent.Account(i)
}

// A folder of an agent that hangs holds up the sessions that need it, and nothing else.
func TestHungFolderHoldsUpItsOwn(t *testing.T) {
	in(t, func(r *rig) {
		var hangs atomic.Pointer[chan struct{}]
		r.wrapAgent(func(a agent.Agent) agent.Agent { return hung{a, &hangs} })
		r.start()
		r.stopped("plan")
		r.pass(time.Minute)
		c := make(chan struct{})
		hangs.Store(&c)
		r.pass(time.Hour)
		r.stopped("plan")
		r.pass(time.Minute)
		answered := false
		go func() {
			if _, err := r.d.Status(); err != nil {
				t.Error(err)
			}
			answered = true
		}()
		synctest.Wait()
		if !answered {
			t.Error("clawd does not answer while the folder hangs")
		}
		close(c)
		r.pass(time.Hour)
		r.wantStarts(2)
	})
}
