package turn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/spawn"
	"github.com/clawd-project/clawd/resume"
)

// Run runs one turn of an agent to its end and says how it went. The Result holds what is known, also
// beside an error:
//
//   - ErrRequest: nothing was started, the request is wrong
//   - ErrAgentNotFound: the program is not there
//   - *NoSessionError: the agent does not know Request.Session
//   - ErrBusy: somebody else has the session open
//   - *StopError: the turn failed, for the reason in its Stop
//   - ErrOutput: the agent did not say how the turn went
//   - ErrTimeout, or the cause of ctx: it was ended, with everything that it had started
//
// A failure that may pass is tried again as Request.Retry says, in the session that the failed try
// opened. What the agent recorded of that try decides whether it is asked again or told to go on.
func Run(ctx context.Context, r Request) (Result, error) {
	began := time.Now()
	if r.TotalTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.TotalTimeout, fmt.Errorf("%w: all tries together took longer than %s", ErrTimeout, r.TotalTimeout))
		defer cancel()
	}
	t, err := newRunner(r)
	defer t.release()
	if err == nil {
		err = t.locate(ctx)
	}
	if err == nil {
		err = t.all(ctx)
	}
	if busy := ctx.Err() != nil && err != nil && t.result.Attempts == 0; busy {
		err = context.Cause(ctx)
	}
	t.result.Duration = time.Since(began)
	return t.result, err
}

// all makes the tries.
func (t *runner) all(ctx context.Context) error {
	p := resume.RetryPolicy{Attempts: 1}
	if t.r.Retry != nil {
		p = *t.r.Retry
	}
	told := p.OnRetry
	p.OnRetry = func(n int, err error, d time.Duration) {
		t.tellWait(err, time.Now().Add(d))
		if told != nil {
			told(n, err, d)
		}
	}
	_, err := resume.Retry(ctx, p, func(ctx context.Context) (struct{}, error) { return struct{}{}, t.once(ctx, p) })
	return err
}

func (t *runner) tellWait(err error, until time.Time) {
	if t.r.OnWait != nil {
		t.r.OnWait(Wait{Attempt: t.result.Attempts, Until: until, Err: err})
	}
}

// once makes a try, and waits for usage limits as long as that is allowed.
func (t *runner) once(ctx context.Context, p resume.RetryPolicy) error {
	for {
		began := time.Now()
		err := t.try(ctx)
		if errors.Is(err, errAnew) {
			continue
		}
		if err != nil {
			t.result.Errors = append(t.result.Errors, err.Error())
		}
		if errors.As(err, new(*noInputError)) {
			return err
		}
		stop := (*StopError)(nil)
		if !errors.As(err, &stop) || errors.As(err, new(*finalError)) {
			return resume.Permanent(err)
		}
		s, now := stop.Stop, time.Now()
		if s.At.Before(began) || s.At.After(now) {
			s.At = now // this try met it
		}
		switch {
		case s.Reason == detect.UsageLimit:
			if !t.mayWait(t.waits.end(s, t.limits).Sub(now)) {
				stop.Limited = true
				return resume.Permanent(err)
			}
			until := latest(now, t.waits.until(s, t.limits))
			t.limits++
			t.tellWait(err, until)
			if werr := sleepUntil(ctx, until); werr != nil {
				return resume.Permanent(fmt.Errorf("%w; the last try: %w", werr, err))
			}
		case stop.Retryable() && (!s.ResetAt.IsZero() || s.RetryAfter != nil):
			// A provider that asks for a long wait has a limit, whatever it calls it.
			if left := t.waits.end(s, 0).Sub(now); left > max(p.Backoff.Cap, shortWait) && !t.mayWait(left) {
				stop.Limited = true
				return resume.Permanent(err)
			}
			wait := t.waits.until(s, t.told).Sub(now)
			t.told++
			if wait <= 0 {
				return err
			}
			return resume.RetryAfter(err, wait)
		default:
			return err
		}
	}
}

// start starts the agent. An update may be writing it just now; when that is done, somebody may have opened the session meanwhile.
func (t *runner) start(ctx context.Context, plan resume.Plan) (c *child, err error) {
	again := false
	err = spawn.WhenWritten(ctx, func() error {
		if again && t.session != "" {
			if err := t.aloneSince(ctx, t.began); err != nil {
				return err
			}
		}
		again = true
		var err error
		c, err = startChild(t.procs, plan, t.environ)
		return err
	})
	return c, err
}

// try runs the agent once.
func (t *runner) try(ctx context.Context) error {
	if t.r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t.r.Timeout, fmt.Errorf("%w: the agent ran longer than %s", ErrTimeout, t.r.Timeout))
		defer cancel()
	}
	prompt := t.r.Prompt
	if t.asked {
		prompt = t.r.Continue
	}
	plan, err := t.starter.Turn(agent.TurnRequest{Program: t.program, Session: t.session, NewID: uuid.NewString(), Dir: t.dir,
		Model: t.r.Model, Prompt: prompt, Args: t.r.Args, Pieces: t.r.Pieces})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRequest, err)
	}
	if err := t.hold(plan.Session); err != nil {
		return err
	}
	if err := t.alone(ctx); err != nil {
		return err
	}
	restore, err := t.guard(ctx)
	if err != nil {
		return err
	}
	usd, api := t.spent(ctx)
	t.result.Attempts++
	t.began = time.Now()
	defer func() { t.ended = time.Now() }()
	c, err := t.start(ctx, plan)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return errors.Join(fmt.Errorf("%w: %w", ErrAgentNotFound, err), restore())
	}
	if err != nil {
		return errors.Join(err, restore())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.result.Session = plan.Session
	h := &heard{open: func(id string) {
		if id == "" {
			return
		}
		t.result.Session = id
		if err := t.hold(id); err != nil {
			cancel(err)
		}
	}}
	over, end := context.WithCancel(ctx)
	defer end()
	hung := time.AfterFunc(time.Hour, end)
	hung.Stop()
	defer hung.Stop()
	h.pass = func(s agent.Said) {
		if hung.Stop(); s.Kind == agent.SaidFailed && plan.Hangs > 0 {
			hung.Reset(plan.Hangs)
		}
		if t.r.OnEvent != nil {
			t.r.OnEvent(Event{Said: s, Attempt: t.result.Attempts})
		}
	}
	stopped := make(chan struct{})
	go func() { defer close(stopped); c.stopAfter(over) }()
	out, err := t.a.Output(c.out, h.hear)
	c.out.Close() // an output that cannot be read must not block the agent
	<-stopped
	if h.used {
		t.result.Usage = since(add(t.result.Usage, less(h.usage, usd, api)), t.used)
	}
	if err != nil {
		t.unopened(ctx)
		return errors.Join(fmt.Errorf("%w: %w", ErrOutput, err), restore())
	}
	err = t.verdict(ctx, h, out, c.cmd.ProcessState)
	if err != nil {
		t.unopened(ctx)
	}
	return errors.Join(err, restore())
}

// spent is what the session had cost before this try, where the agent counts on from there. What cannot be read is not taken off.
func (t *runner) spent(ctx context.Context) (usd float64, api time.Duration) {
	if s, ok := t.a.(agent.Spender); ok && t.session != "" {
		if usd, api, err := s.Spent(ctx, t.ds, t.cursor); err == nil {
			return usd, api
		}
	}
	return 0, 0
}

// unopened forgets the session of a try that failed before its agent kept anything of it.
func (t *runner) unopened(ctx context.Context) {
	id := t.result.Session
	if id == "" || id == t.session {
		return
	}
	if ds, err := t.lookup(context.WithoutCancel(ctx), id); err == nil && ds.ID == "" {
		t.result.Session = ""
	}
}

// guard copies a session that the agent may delete by itself, and puts it back after the run.
func (t *runner) guard(ctx context.Context) (restore func() error, err error) {
	k, ok := t.a.(agent.Keeper)
	if !ok || t.session == "" {
		return func() error { return nil }, nil
	}
	files, err := t.a.Files(t.ds)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "clawd-session-")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := agent.CopyTree(f, filepath.Join(dir, filepath.Base(f))); err != nil {
			return nil, errors.Join(fmt.Errorf("the session cannot be copied, so nothing is started: %w", err), os.RemoveAll(dir))
		}
	}
	if err := k.Spare(ctx, t.ds); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	ds := t.ds
	return func() error {
		after := context.WithoutCancel(ctx)
		if _, err := k.Restore(after, ds, filepath.Join(dir, filepath.Base(ds.Path))); err != nil {
			return fmt.Errorf("the agent may have lost the session; its copy is in %s: %w", dir, err)
		}
		return errors.Join(k.Spare(after, ds), os.RemoveAll(dir))
	}, nil
}
