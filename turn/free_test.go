package turn

import (
	"context"
	"errors"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// openIn is an agent that says who has its sessions open.
type openIn struct {
	agent.Agent
	holders []detect.Holder
}

func (o openIn) Live(context.Context, detect.Session, detect.Info) ([]detect.Holder, error) {
	return o.holders, nil
}

// What the daemon would not start a second process beside, the caller does not either.
func TestFree(t *testing.T) {
	for name, c := range map[string]struct {
		h    detect.Holder
		free bool
	}{
		"nobody":                         {detect.Holder{Liveness: detect.Gone}, true},
		"one that crashed":               {detect.Holder{Liveness: detect.LeftBehind}, true},
		"surely a window":                {detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, PID: 7, Sure: true}, false},
		"the only window of the folder":  {detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, PID: 7}, false},
		"a server":                       {detect.Holder{Liveness: detect.Alive, Kind: detect.Server, PID: 7}, false},
		"surely a run":                   {detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, PID: 7, Sure: true}, false},
		"a run of a session of its own":  {detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, PID: 7}, true},
		"a window in another work tree":  {detect.Holder{Liveness: detect.HolderUnknown, PID: 7}, false},
		"a system without process table": {detect.Holder{Liveness: detect.HolderUnknown}, true},
	} {
		r := &runner{a: openIn{holders: []detect.Holder{{Liveness: detect.Gone}, c.h}}}
		if err := r.free(t.Context()); (err == nil) != c.free || err != nil && !errors.Is(err, ErrBusy) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
