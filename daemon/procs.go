package daemon

import (
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// procs lists the process table once for all who ask within a second: a hundred sessions that look
// for their holder need not read it a hundred times. A claim asks anew.
type procs struct {
	agent.Procs

	mu   sync.Mutex // guards what follows
	at   time.Time
	list []agent.Proc
	argv map[int][]string // as far as somebody asked
	err  error
}

const procsAge = time.Second

// List gives a list that is at most a second old. Callers must not change it.
func (p *procs) List() ([]agent.Proc, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if age := time.Since(p.at); p.at.IsZero() || age > procsAge {
		p.list, p.err = p.Procs.List()
		p.at, p.argv = time.Now(), map[int][]string{}
	}
	return p.list, p.err
}

// Argv is as old as the list at most.
func (p *procs) Argv(pid int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.argv == nil || time.Since(p.at) > procsAge {
		return p.Procs.Argv(pid)
	}
	argv, ok := p.argv[pid]
	if !ok {
		argv = p.Procs.Argv(pid)
		p.argv[pid] = argv
	}
	return argv
}

// anew makes the next List read the table.
func (p *procs) anew() { p.atMost(0) }

// ahead reads the table for a look that is about to be taken, arguments and all: they take longer than the table. An error is
// that look's.
func (p *procs) ahead() {
	p.anew()
	all, _ := p.List()
	for _, one := range all {
		p.Argv(one.PID)
	}
}

// atMost makes the next List read the table, unless the last one is no older than age.
func (p *procs) atMost(age time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.at) > age || age == 0 {
		p.at = time.Time{}
	}
}
