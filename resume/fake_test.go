package resume

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// world is all ports of a Run, in one bubble of fake time. It writes down what was asked of it, in
// order; a hook with the name of a call runs at its beginning, and its error is the call's answer.
type world struct {
	rest  time.Duration // Plan.Rest
	start time.Time
	hooks map[string]func() error

	mu       sync.Mutex
	log      []string
	out      Outcome // as closed
	ended    *Output
	endedWhy string // clawd's own reason
	sight    Sight
	gate     Gate
	closed   bool // the run is over
	active   time.Time
	proof    string    // of Untouched
	busy     time.Time // until when Working is true

	done    chan struct{}
	changed chan struct{}
}

func newWorld() *world {
	return &world{start: time.Now(), hooks: map[string]func() error{}, gate: GateExec, active: time.Now(),
		done: make(chan struct{}), changed: make(chan struct{}, 1), sight: Sight{SameBoot: true, Marked: true}}
}

func (w *world) ports() *Ports {
	return &Ports{Sleeper: w, Ledger: w, Trigger: w, Evidence: evidenceOf{w}, Settle: 5 * time.Second}
}

func (w *world) note(call string) error {
	w.mu.Lock()
	w.log = append(w.log, fmt.Sprintf("%s %s", time.Since(w.start), call))
	hook := w.hooks[call]
	w.mu.Unlock()
	if hook != nil {
		return hook()
	}
	return nil
}

// calls is the log without Look, of which there may be any number.
func (w *world) calls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log
}

// see changes what the files say and signals it.
func (w *world) see(f func(*Sight)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.sight)
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// die ends the child.
func (w *world) die() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		close(w.done)
	}
}

func (w *world) Now() time.Time { return time.Now() }

func (w *world) Until(ctx context.Context, t time.Time) error {
	return w.Awake(ctx, time.Until(t))
}

func (w *world) Awake(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func (w *world) Wait(context.Context, Job) error { return w.note("wait") }

func (w *world) Claim(_ context.Context, j Job) (Claim, error) {
	c := claim(FormPrompt)
	c.Session, c.Stop, c.At, c.Plan.Rest = j.Session, j.Stop, time.Now(), w.rest
	return c, w.note("claim")
}

func (w *world) Fired(ctx context.Context, c Claim) error {
	if c.PID != 42 || c.Start != 7 {
		return errors.New("the child is not in the claim")
	}
	return errors.Join(ctx.Err(), w.note("fired"))
}

func (w *world) Unclaim(ctx context.Context, _ Claim, _ string, _ bool) error {
	return errors.Join(ctx.Err(), w.note("unclaim"))
}

func (w *world) Close(ctx context.Context, _ Claim, o Outcome) error {
	w.mu.Lock()
	w.out = o
	w.mu.Unlock()
	return errors.Join(ctx.Err(), w.note("close "+string(o.Verdict)))
}

func (w *world) Ended(ctx context.Context, _ Claim, out Output, ended string) error {
	w.mu.Lock()
	w.ended, w.endedWhy = &out, ended
	w.mu.Unlock()
	return errors.Join(ctx.Err(), w.note("ended"))
}

func (w *world) Yielded(_ context.Context, _ Claim, who string) error {
	return w.note("yielded to " + who)
}

func (w *world) OutputCut(context.Context, Claim) error { return w.note("output cut") }

// runOf is the child: its Start is another method than that of Trigger.
type runOf struct{ *world }

func (w *world) Start(context.Context, Claim) (Run, error) {
	if err := w.note("start"); err != nil {
		return nil, err
	}
	return runOf{w}, nil
}

func (w *world) Adopt(Claim) Run {
	_ = w.note("adopt")
	return runOf{w}
}

func (r runOf) PID() int      { return 42 }
func (r runOf) Start() uint64 { return 7 }

func (r runOf) Open(ctx context.Context) (Gate, string, error) {
	if err := errors.Join(ctx.Err(), r.note("open")); err != nil {
		return "", "", err
	}
	return r.gate, "somebody went on", nil
}

func (r runOf) Untouched(context.Context) string { return r.proof }
func (r runOf) Working(context.Context) bool     { return time.Now().Before(r.busy) }
func (r runOf) Abort()                           { _ = r.note("abort"); r.die() }
func (r runOf) Done() <-chan struct{}            { return r.done }

func (r runOf) Alive() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.closed
}

func (r runOf) Stop(polite bool) {
	_ = r.note(fmt.Sprintf("stop polite=%t", polite))
	r.die()
}

func (r runOf) Active() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active
}

func (r runOf) TrimOutput(before func() error) error {
	r.mu.Lock()
	hook := r.hooks["trim"]
	r.mu.Unlock()
	if hook == nil {
		return nil
	}
	if err := before(); err != nil {
		return err
	}
	return r.note("trim")
}

type evidenceOf struct{ *world }

func (e evidenceOf) Changed() <-chan struct{} { return e.changed }

func (e evidenceOf) Look(context.Context, Claim) (Sight, error) {
	e.mu.Lock()
	hook, s := e.hooks["look"], e.sight
	e.mu.Unlock()
	if hook != nil {
		if err := hook(); err != nil {
			return Sight{}, err
		}
	}
	return s, nil
}
