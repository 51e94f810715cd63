package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/clawd-project/clawd/agent"
)

const (
	// hangupTime is how long a closing terminal is given to take its shell with it.
	hangupTime = time.Second
	// pollExit is how often a process is looked at whose end the kernel does not tell: a user who quits an agent needs longer to close the
	// shell behind it.
	pollExit = time.Second
)

// awaitExit makes the session look again soon after a process ended: whether the terminal's shell
// still lives tells a quit from a closed window, and only for a short time. exit waits until it has ended;
// errors.ErrUnsupported: the kernel does not tell.
func (s *session) awaitExit(ctx context.Context, pid int, exit func(context.Context, int) error) {
	err := exit(ctx, pid)
	if errors.Is(err, errors.ErrUnsupported) {
		err = s.polled(ctx, pid)
	}
	if err != nil { // gone already, or not for us to see: the rescan looks
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(hangupTime):
		s.d.poke(s)
	}
}

// errGone says that a process was gone before anybody could wait for its end.
var errGone = errors.New("the process is gone")

// polled waits until a process has ended, by looking for it.
func (s *session) polled(ctx context.Context, pid int) error {
	p, ok := s.d.procs.Get(pid)
	if !ok {
		return errGone
	}
	tick := time.NewTicker(pollExit)
	defer tick.Stop()
	for agent.Lives(s.d.procs, p) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	return nil
}
