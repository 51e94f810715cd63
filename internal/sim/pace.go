package sim

import (
	"time"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/state"
)

// busiest is how many steps a session may take in a minute. A prompt that is typed is looked at every second; what cannot be
// done now is not tried at once again.
const busiest = 150

// pace counts the steps of a session in one minute.
type pace struct {
	minute time.Duration
	steps  int
}

// paced looks whether a session comes to rest.
func (c *clawd) paced(s daemon.Step) {
	key := state.Key(s.Now.Rec.Session)
	p := c.paces[key]
	if now := s.World.Mono.Truncate(time.Minute); p.minute != now {
		p = pace{minute: now}
	}
	p.steps++
	if p.steps == busiest {
		c.fails("pace", "%s: %d steps in a minute", key, p.steps)
	}
	c.paces[key] = p
}
