package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/turn"
)

// progress says on stderr what is waited for: a line that counts down on a terminal, a plain line
// elsewhere.
type progress struct {
	out            io.Writer
	quiet, verbose bool
	terminal       bool

	mu   sync.Mutex // guards what follows
	stop chan struct{}
	done chan struct{}
}

func newProgress(quiet, verbose bool) *progress {
	return &progress{out: os.Stderr, quiet: quiet, verbose: verbose, terminal: isatty.IsTerminal(os.Stderr.Fd())}
}

// wait begins to count down.
func (p *progress) wait(w turn.Wait) {
	p.end()
	if p.quiet {
		return
	}
	why := tame(w.Err.Error())
	if !p.terminal {
		fmt.Fprintf(p.out, "clawd: attempt %d: %s; waiting until %s\n", w.Attempt, why, w.Until.Local().Format(time.RFC3339))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "clawd: attempt %d: %s\n", w.Attempt, why)
	p.stop, p.done = make(chan struct{}), make(chan struct{})
	go p.count(w.Until, p.stop, p.done)
}

// count draws the time that is left, every second.
func (p *progress) count(until time.Time, stop, done chan struct{}) {
	defer close(done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		left := max(0, until.Round(0).Sub(time.Now().Round(0))).Round(time.Second)
		fmt.Fprintf(p.out, "\r\x1b[Kclawd: going on in %s (%s)", left, until.Local().Format(time.TimeOnly))
		select {
		case <-stop:
			fmt.Fprint(p.out, "\r\x1b[K")
			return
		case <-tick.C:
		}
	}
}

// end takes the count-down away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		close(p.stop)
		<-p.done
		p.stop = nil
	}
}

// event ends a wait, and says what the agent does when that was asked for.
func (p *progress) event(e turn.Event) {
	p.end()
	if !p.verbose || e.Kind == agent.SaidUsage || e.Kind == agent.SaidDone {
		return
	}
	text := e.Text
	if e.Kind == agent.SaidOpened {
		text = e.Session
	}
	fmt.Fprintf(p.out, "clawd: %s: %s\n", e.Kind, tame(text))
}
