// Package daemon is small: lines without code, like this one, do not count.
package daemon

import (
	"sync/atomic"

	"example.com/toy/daemon/part"
	"example.com/toy/daemon/trigger"
	"example.com/toy/resume"
	"example.com/toy/state"
)

/*
Nor do these.
*/

type session struct {
	state.Store // embedded: one field
	busy, late  atomic.Bool
	last        atomic.Pointer[session]
	ports       [2]atomic.Int32
	other       *atomic.Int64 // points to one
	named       struct{ a, b int }
}

type text string

const raw = `a raw text
// counts with all

of its lines`

func (s *session) loop(c <-chan bool, done chan<- bool) {
	for range c {
		func() { s.Put(resume.Decide(part.Add(1))); trigger.Type() }() // the loop ran before; this did not
		done <- true
	}
}

// started runs with the stop and without it, as often.
func started() text { return raw }

func (text) folded(a, b, c, d bool) int { // complexity 10 + 5 + 3
	if a {
		if b {
			if c {
				if d {
					return 1
				}
			}
		}
	}
	if a {
		if b {
			return 2
		}
		if c {
			return 3
		}
	}
	if a && b || c {
		return 4
	}
	return 0
}
