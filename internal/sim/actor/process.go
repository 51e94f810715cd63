package actor

import (
	"bytes"
	"io"
	"time"
)

type phase int

const (
	idle     phase = iota
	asking         // a request is under way
	retrying       // it waits between two requests
	tooling        // a tool runs
	question       // its user is asked
	armed          // it goes on by itself at due
	starting       // it comes up, and gives itself its prompt at due
)

// hooks are what the agents do differently.
type hooks interface {
	// wrote puts down that a request leaves.
	wrote(now time.Time)
	answered(now time.Time) error
	failed(now time.Time) error
	called(now time.Time) // a tool
	returned(now time.Time)
	// patience says how long it waits before its n-th own retry.
	patience(n int) (time.Duration, bool)
	retries(now time.Time, n int, wait time.Duration)
	// status tells the world what it does.
	status(now time.Time) error
	// fires at due while it is armed, or comes up.
	fires(now time.Time) error
	// gone tidies up behind a process that has ended; hard: it had no time to.
	gone(now time.Time, hard bool) error
}

// process is what all agents' processes are.
type process struct {
	w       *World
	h       hooks
	agent   string
	proc    *Proc
	id      string // of the session
	path    string // of the session's file
	out     io.Writer
	by      By
	last    string // newest record of the conversation that it knows
	phase   phase
	due     time.Time // when the phase ends; zero: somebody must do something
	answer  Answer
	ask     *Ask
	step    int
	try     int
	ended   bool
	code    int
	lines   []byte // not on the disk yet
	flushAt time.Time
	flushed time.Time     // when lines came to the disk last
	lag     time.Duration // how long lines wait for others
	writing Writing
}

// late is how long late lines are on their way.
const late = 5 * time.Second

func (p *process) ID() string        { return p.id }
func (p *process) Path() string      { return p.path }
func (p *process) PID() int          { return p.proc.PID }
func (p *process) Exit() (int, bool) { return p.code, p.ended }
func (p *process) Idle() bool        { return !p.ended && (p.phase == idle || p.phase == armed) }
func (p *process) Armed() bool       { return !p.ended && p.phase == armed }
func (p *process) Write(w Writing)   { p.writing = w }

// headless: it ends with its turn.
func (p *process) headless() bool { return p.proc.TTY == "" }

// request asks the provider. A first request of a turn is a prompt that reached it.
func (p *process) request(now time.Time) error {
	if p.ask == nil {
		p.ask = &Ask{Agent: p.agent, Session: p.id, Stop: p.last, By: p.by, At: now, PID: p.proc.PID}
	}
	if p.ask.Requests++; p.ask.Requests == 1 {
		p.w.Ledger.add(p.ask)
	}
	p.h.wrote(now)
	p.answer = p.w.Provider(Request{Agent: p.agent, Session: p.id, Dir: p.proc.Dir, By: p.by, At: now, Step: p.step, Try: p.try})
	p.enter(asking, now.Add(orSecond(p.answer.Took)))
	if p.answer.Kind == Silent {
		p.due = time.Time{}
	}
	return p.h.status(now)
}

func orSecond(d time.Duration) time.Duration {
	if d <= 0 {
		return time.Second
	}
	return d
}

func (p *process) enter(ph phase, due time.Time) { p.phase, p.due = ph, due }

// begins a turn whose prompt was put down; stop is the newest record before it.
func (p *process) begins(stop string, by By, now time.Time) error {
	p.by, p.step, p.try = by, 0, 0
	p.ask = &Ask{Agent: p.agent, Session: p.id, Stop: stop, By: by, At: now, PID: p.proc.PID}
	return p.request(now)
}

// Next does what is due.
func (p *process) Next(now time.Time) (time.Time, error) {
	if !p.ended && p.w.Procs.Proc(p.proc.PID) != p.proc { // the machine went down
		if err := p.exit(now, 137, true); err != nil {
			return time.Time{}, err
		}
	}
	if p.flushAt.After(now.Add(late)) { // the clock was set back, by which no agent writes
		p.flushAt = now
	}
	if !p.flushAt.IsZero() && !p.flushAt.After(now) {
		if err := p.flush(now); err != nil {
			return time.Time{}, err
		}
	}
	for !p.ended && !p.due.IsZero() && !p.due.After(now) {
		if err := p.advance(now); err != nil {
			return time.Time{}, err
		}
	}
	at := p.flushAt
	if !p.ended && !p.due.IsZero() && (at.IsZero() || p.due.Before(at)) {
		at = p.due
	}
	return at, nil
}

func (p *process) advance(now time.Time) error {
	switch p.phase {
	case asking:
		return p.got(now)
	case retrying:
		p.try++
		return p.request(now)
	case tooling:
		p.h.returned(now)
		p.step, p.try = p.step+1, 0
		return p.request(now)
	case armed, starting:
		return p.h.fires(now)
	}
	p.due = time.Time{}
	return nil
}

// got takes in the answer.
func (p *process) got(now time.Time) error {
	p.enter(idle, time.Time{})
	switch {
	case p.answer.Kind == CallsTool:
		p.h.called(now)
		p.enter(tooling, now.Add(orSecond(p.answer.Tool)))
		if p.answer.Asks {
			p.enter(question, time.Time{})
		}
		return p.h.status(now)
	case p.answer.failed():
		if wait, ok := p.h.patience(p.try + 1); ok {
			p.h.retries(now, p.try+1, wait)
			p.enter(retrying, now.Add(wait))
			return p.h.status(now)
		}
		p.ask = nil
		return p.h.failed(now)
	}
	p.ask = nil
	return p.h.answered(now)
}

// put buffers lines.
func (p *process) put(now time.Time, lines ...string) {
	for _, l := range lines {
		p.lines = append(p.lines, l...)
	}
	if len(p.lines) > 0 && (p.flushAt.IsZero() || p.flushAt.After(now.Add(late))) { // else the clock was set back meanwhile
		p.flushAt = now.Add(p.lag)
		if p.writing == Late {
			p.flushAt = now.Add(late)
		}
	}
}

// flush writes what is buffered; of torn lines the first half.
func (p *process) flush(now time.Time) error {
	b := p.lines
	p.lines, p.flushAt = nil, time.Time{}
	if p.writing == Torn && len(b) > 1 {
		p.lines = bytes.Clone(b[len(b)/2:])
		b = b[:len(b)/2]
		p.flushAt = now.Add(p.lag)
	}
	p.writing, p.flushed = Whole, now
	return appendAt(p.path, b, now)
}

// exit ends the process. A hard end loses what is buffered.
func (p *process) exit(now time.Time, code int, hard bool) error {
	if p.ended {
		return nil
	}
	p.ended, p.code = true, code
	p.enter(idle, time.Time{})
	p.w.Procs.End(p.proc.PID)
	p.proc.Zombie = true
	switch {
	case hard:
		if p.writing == Torn && len(p.lines) > 0 {
			if err := p.flush(now); err != nil {
				return err
			}
		}
		if len(p.lines) > 0 && p.ask != nil && p.flushed.Before(p.ask.At) {
			p.ask.Unkept = true
		}
		p.lines, p.flushAt = nil, time.Time{}
	case p.writing != Late && len(p.lines) > 0:
		p.writing = Whole
		if err := p.flush(now); err != nil {
			return err
		}
	}
	return p.h.gone(now, hard)
}
