package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
)

// Of 2,000 sessions that stand at one limit all are started as soon as max_parallel and stagger allow, and the queue is not
// looked at again and again meanwhile.
func TestCrowd(t *testing.T) {
	for name, c := range map[string]struct {
		many          int
		parallel      int
		stagger, runs time.Duration
		each          time.Duration // a session
	}{
		"stagger counts":      {2000, 3, 5 * time.Second, 3 * time.Second, 5 * time.Second},
		"max_parallel counts": {500, 4, time.Second, 20 * time.Second, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			k.lax = true
			k.w.Config.Resume.MaxParallel, k.w.Config.Resume.Stagger = c.parallel, config.Duration(c.stagger)
			k.w.Config.Budget.MaxResumesPerDayTotal = 2 * c.many
			k.w.Policy.GiveUpAfter = 1000 * time.Hour
			var first, last time.Duration
			started := 0
			for n := range c.many {
				p := k.add(fmt.Sprint("s", n))
				p.onOpen = func() Opened {
					if started++; started == 1 {
						first = k.w.Mono
					}
					last = k.w.Mono
					p.child.sight.Events = append(p.child.sight.Events, ours(1), answer(2))
					k.in(c.runs, p.die)
					return Opened{Gate: resume.GateExec}
				}
				p.write(p.rec("p", detect.KindPrompt), p.rec(fmt.Sprint("stop", n), detect.KindFailure, failed(detect.Failure{
					Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: noon.Add(time.Hour)})))
			}
			k.settle()
			bound := time.Duration(c.many) * c.each * 21 / 20
			k.pass(time.Hour + bound)
			if took := last - first; started != c.many || took > bound {
				t.Errorf("%d started in %s, want %d in %s", started, took, c.many, bound)
			}
			if n := k.steps / c.many; n > 25 {
				t.Errorf("%d steps for a session", n)
			}
		})
	}
}
