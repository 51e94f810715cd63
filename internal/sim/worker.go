package sim

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/clawd-project/clawd/daemon"
)

// doing is a task of clawd's that may wait in the middle.
type doing struct {
	*worker
	task *daemon.Task
	then func()
}

// worker is a coroutine that does one task after the other, so that its stack grows for the first ones alone.
type worker struct {
	do    func()
	next  func() (time.Duration, bool)
	stop  func()
	yield func(time.Duration) bool
}

// done is what a worker gives instead of a wait when it has done its task.
const done time.Duration = -1

func newWorker() *worker {
	w := &worker{}
	w.next, w.stop = iter.Pull(func(yield func(time.Duration) bool) {
		w.yield = yield
		for more := true; more; more = yield(done) {
			w.do()
		}
	})
	return w
}

// worker gives one that has nothing to do.
func (r *run) worker() *worker {
	n := len(r.idle)
	if n == 0 {
		return newWorker()
	}
	w := r.idle[n-1]
	r.idle = r.idle[:n-1]
	return w
}

// dismisses ends the workers.
func (r *run) dismisses() {
	for _, w := range r.idle {
		w.stop()
	}
}

// does a task, and what follows on it.
func (c *clawd) does(t *daemon.Task, then func()) {
	hand, x := c.hand, &doing{worker: c.worker(), task: t, then: then}
	x.do = func() { hand.Begin(t) }
	c.under = append(c.under, x)
	c.goesOn(x)
}

// goesOn with a task that waited.
func (c *clawd) goesOn(x *doing) {
	c.protect(func() {
		if wait, more := c.part(x); more {
			c.after(wait, "", func() { c.goesOn(x) })
			return
		}
		x.then()
	})
}

// part does what there is to do until a task waits.
func (c *clawd) part(x *doing) (wait time.Duration, more bool) {
	c.doing = x
	defer func() {
		if c.doing = nil; !more {
			c.under = slices.DeleteFunc(c.under, func(y *doing) bool { return x == y })
		}
	}()
	if wait, more = x.next(); wait == done {
		c.idle = append(c.idle, x.worker)
		return 0, false
	}
	return wait, more
}

// pauses is a wait in the middle of a task.
func (c *clawd) pauses(_ context.Context, d time.Duration) error {
	x := c.doing
	if x == nil { // clawd ends, and waits for it
		time.Sleep(d)
		return nil
	}
	c.hand.Pause(x.task, func() {
		if !x.yield(d) {
			panic(errKilled)
		}
	})
	return nil
}

// drops what is being done: clawd is killed.
func (c *clawd) drops() {
	for _, x := range c.under {
		func() {
			defer func() {
				switch x := recover(); x {
				case nil, errKilled:
				default:
					panic(x)
				}
			}()
			x.stop()
		}()
	}
	c.under = nil
}

// finishes what is being done: clawd ends.
func (c *clawd) finishes() {
	for len(c.under) > 0 {
		x := c.under[0]
		for wait, more := c.part(x); more; wait, more = c.part(x) {
			time.Sleep(wait)
		}
		c.begun = append(c.begun, x.task)
	}
}
