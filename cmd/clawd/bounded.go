package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What clawd detect may take for one path. Whoever wrote the files may have made them to never end.
const (
	detectPatience = 30 * time.Second
	detectMemory   = 512 << 20
	detectLook     = 50 * time.Millisecond
	// Garbage is collected rather than counted.
	detectGarbage = 384 << 20
	// detectEnd is how long what heeds the end of its time may take to tidy up.
	detectEnd = 500 * time.Millisecond
)

// errTooMuch says that what was begun is left, and may still be at work.
var errTooMuch = errors.New("it took")

// bounded runs f within a time and an amount of memory. f goes on when it heeds no context, but nobody waits for
// it long: the command ends.
func bounded[T any](parent context.Context, patience time.Duration, memory uint64, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(parent, patience)
	defer cancel()
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f(ctx)
		done <- result{v, err}
	}()
	tick := time.NewTicker(detectLook)
	defer tick.Stop()
	over := ctx.Done()
	var ended <-chan time.Time
	var none T
	for {
		select {
		case r := <-done:
			if ctx.Err() != nil && r.err != nil && parent.Err() == nil {
				return r.v, fmt.Errorf("%w longer than %s; %s: %w", errTooMuch, patience, tooMuchHelp, r.err)
			}
			return r.v, r.err
		case <-over:
			over, ended = nil, time.After(detectEnd)
		case <-ended:
			if err := parent.Err(); err != nil {
				return none, err
			}
			return none, fmt.Errorf("%w longer than %s; %s", errTooMuch, patience, tooMuchHelp)
		case <-tick.C:
			if inUse() > memory {
				return none, fmt.Errorf("%w more than %d MB of memory; %s", errTooMuch, memory>>20, tooMuchHelp)
			}
		}
	}
}

const tooMuchHelp = "it may be damaged or made never to end; name a smaller part of it"
