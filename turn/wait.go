package turn

import (
	"context"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// waits is when a stop that names its end, or is a limit, is followed by the next try: as the daemon does it.
type waits resume.Policy

// newWaits is what p says, and what it leaves open as usual.
func newWaits(p *resume.Policy) waits {
	usual := resume.DefaultPolicy()
	if p == nil {
		return waits(usual)
	}
	w := waits(*p)
	if w.Backoff.Base == 0 && w.Backoff.Func == nil {
		w.Backoff = usual.Backoff
	}
	if len(w.Probe) == 0 {
		w.Probe = usual.Probe
	}
	return w
}

// until is when the next try is made after n others met the same.
func (w waits) until(s detect.Stop, n int) time.Time {
	return resume.Policy(w).When(s, resume.Tried{Attempts: n}).WakeAt
}

// end is until without the margin. That is clawd's own, and is not held against what the caller allows.
func (w waits) end(s detect.Stop, n int) time.Time {
	w.Margin, s.ResetMinute = 0, false
	return w.until(s, n)
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

const shortWait = time.Minute // a wait that is no limit

// mayWait tells whether so long may be waited for a limit, and counts it.
func (t *runner) mayWait(d time.Duration) bool {
	d = max(0, d)
	if t.r.WaitLimit == 0 || d > t.r.WaitLimit-t.waited {
		return false
	}
	if t.r.WaitLimit != Forever {
		t.waited += d
	}
	return true
}

// sleepUntil waits by the wall clock, which goes on while the machine sleeps.
func sleepUntil(ctx context.Context, until time.Time) error {
	const step = 20 * time.Second
	for {
		left := until.Round(0).Sub(time.Now().Round(0))
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(min(left, step))
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		}
	}
}
