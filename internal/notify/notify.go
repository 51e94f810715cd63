// Package notify tells a user what clawd leaves to him: on his desktop, and at a webhook. What it tells
// names a session and says why; a text of the session is never in it.
package notify

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Notice is what is told. Its JSON is what a webhook gets.
type Notice struct {
	Event   string    `json:"event"` // as in the log; Many and Test give their own
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Project string    `json:"project"`
	Reason  string    `json:"reason"`
	Why     string    `json:"why"`
	Command string    `json:"command"` // what the user can type; may be empty
	At      time.Time `json:"at"`
}

// Channel is one way to the user.
type Channel struct {
	Name string
	// Most notices are told one by one when they are due at once; for more there is one that gives
	// their number. 0: no bound.
	Most int
	// Send tells one notice and returns within some 10 s. An error that is ErrMissing says that this
	// machine has no such way. No error names the address.
	Send func(context.Context, Notice) error
}

// ErrMissing says that a way to the user is not there, which trying again does not change.
var ErrMissing = errors.New("not available")

// patience bounds one Send.
const patience = 10 * time.Second

// Channels gives the ways that are wanted; webhook is a URL, or empty.
func Channels(desktop bool, webhook string) []Channel {
	var all []Channel
	if desktop {
		all = append(all, Channel{Name: "desktop", Most: 3, Send: sendDesktop})
	}
	if webhook != "" {
		all = append(all, Channel{Name: "webhook", Send: (&hook{url: webhook}).send})
	}
	return all
}

// Many is the one notice in place of those about n sessions.
func Many(n int, at time.Time) Notice {
	of := fmt.Sprintf("%d sessions", n)
	if n == 1 {
		of = "one session"
	}
	return Notice{Event: "many", Why: "clawd has news of " + of, Command: "clawd status", At: at}
}

// Test is a notice that says it is none.
func Test(at time.Time) Notice {
	return Notice{Event: "test", Why: "this is a test of clawd's notifications", At: at}
}
