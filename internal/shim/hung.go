package shim

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// endsWithin is how long the system may take to end a process that was killed.
const endsWithin = 5 * time.Second

// EndHung ends a process that its agent surely knows to wait for ever, and returns when it is gone. SIGTERM would have the
// agent write that its user ended it, and tell its caller that all went well.
func EndHung(procs agent.Procs, h detect.Holder) error {
	if !h.Hung || h.PID <= 1 || h.Foreign {
		return errors.New("the process is not one that hangs")
	}
	p, err := os.FindProcess(h.PID) // from here on no other process takes its place
	if err != nil {
		return nil //nolint:nilerr // it is gone
	}
	defer func() { _ = p.Release() }()
	is := agent.Proc{PID: h.PID, Start: h.Start}
	if !agent.Lives(procs, is) {
		return nil
	}
	if err := p.Signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("process %d, which waits for ever, cannot be ended: %w", h.PID, err)
	}
	for end := time.Now().Add(endsWithin); agent.Lives(procs, is); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("process %d, which waits for ever, does not end", h.PID)
		}
	}
	return nil
}
