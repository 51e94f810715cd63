package turn

import (
	"errors"
	"fmt"
	"strings"

	"github.com/clawd-project/clawd/detect"
)

var (
	// ErrAgentNotFound says that the agent's program is not installed, or cannot be run.
	ErrAgentNotFound = errors.New("the agent is not installed")
	// ErrOutput says that the agent ended without saying how the turn did: bad arguments, or output that
	// cannot be read.
	ErrOutput = errors.New("the agent's output does not tell how the turn ended")
	// ErrTimeout says that a try, or all of them, took too long.
	ErrTimeout = errors.New("time-out")
	// ErrRequest says that a Request cannot be carried out as it is.
	ErrRequest = errors.New("the request cannot be carried out")
	// ErrBusy says that somebody else has the session open.
	ErrBusy = errors.New("the session is open elsewhere")
)

// NoSessionError says that the agent has no session with this id.
type NoSessionError struct {
	Agent, ID string
	Where     []string // the folders that were looked at
	Why       string   // what the agent itself says; empty: its files do not have it
}

func (e *NoSessionError) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("%s cannot go on in session %q: %s", e.Agent, e.ID, e.Why)
	}
	return fmt.Sprintf("%s has no session %q in %s", e.Agent, e.ID, strings.Join(e.Where, ", "))
}

// noInputError says that the agent read its prompt too late. It asked nothing.
type noInputError struct{ said string }

func (e *noInputError) Error() string {
	return "the agent did not wait for its prompt, as may happen on a busy machine: " + e.said
}

func (e *noInputError) Retryable() bool { return true }

// StopError says that the agent's turn failed, and why.
type StopError struct {
	Stop detect.Stop
	Text string // the agent's own words, for its caller: see detect.Redact before you pass them on
	// Limited: another try needs a longer wait than the Request allows, whatever the reason is called.
	// Stop.ResetAt or Stop.RetryAfter says until when, if that is known.
	Limited bool
}

func (e *StopError) Error() string {
	what := strings.ReplaceAll(string(e.Stop.Reason), "_", " ")
	if e.Text == "" {
		return "the turn failed: " + what
	}
	return fmt.Sprintf("the turn failed: %s: %s", what, e.Text)
}

// Retryable tells whether another try may help: resume.Retry asks.
func (e *StopError) Retryable() bool {
	switch e.Stop.Reason {
	case detect.RateLimit, detect.Overloaded, detect.ServerError, detect.Network:
		return true
	}
	return false
}
