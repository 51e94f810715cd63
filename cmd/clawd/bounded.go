package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"time"
)

// What clawd detect may take for one path. Whoever wrote the files may have made them to never end.
const (
	detectPatience = 30 * time.Second
	detectMemory   = 512 << 20
	detectLook     = 50 * time.Millisecond
)

// errTooMuch says that what was begun is left, and may still be at work.
var errTooMuch = errors.New("it took")

// bounded runs f within a time and an amount of memory. f goes on when it heeds no context, but nobody waits for
// it: the command ends.
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
	var none T
	for {
		select {
		case r := <-done:
			if ctx.Err() != nil && r.err != nil && parent.Err() == nil {
				return r.v, fmt.Errorf("%w longer than %s; name a smaller part of it: %w", errTooMuch, patience, r.err)
			}
			return r.v, r.err
		case <-ctx.Done():
			if err := parent.Err(); err != nil {
				return none, err
			}
			return none, fmt.Errorf("%w longer than %s; name a smaller part of it", errTooMuch, patience)
		case <-tick.C:
			if inUse() > memory {
				return none, fmt.Errorf("%w more than %d MB of memory; name a smaller part of it", errTooMuch, memory>>20)
			}
		}
	}
}

// inUse is the memory of living and not yet collected objects.
func inUse() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
