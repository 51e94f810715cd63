package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/resume"
)

// children is the trigger: it starts nothing and notes everything.
type children struct {
	r   *rig
	mu  sync.Mutex // guards what follows
	all []*child
	// act is what a child does once its gate is open; nil: it answers and ends.
	act func(c *child)
	// fail makes the start fail.
	fail error
	// claimed, when set, is called with a claim before its child is there.
	claimed func(resume.Claim)
	// The terminal, when a live holder has one.
	way     resume.Way
	blocked error
	looks   int
	dialog  string
	wrapped wrap.Info
}

type child struct {
	r     *rig
	claim resume.Claim
	pid   int
	done  chan struct{}
	once  sync.Once
	stops []bool // calls of Stop: polite
	proof string
	views time.Duration // what a look at the terminal takes
}

func (cs *children) started() []*child {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return append([]*child{}, cs.all...)
}

func (cs *children) looked() int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.looks
}

func (cs *children) Start(_ context.Context, c resume.Claim) (resume.Run, error) {
	cs.mu.Lock()
	claimed := cs.claimed
	cs.mu.Unlock()
	if claimed != nil {
		claimed(c)
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.fail != nil {
		return nil, cs.fail
	}
	if h := c.Plan.Holder; c.Plan.Way.Live() {
		return &child{r: cs.r, claim: c, pid: h.PID}, nil
	}
	put(cs.r.t, c.Output, "")
	return &child{r: cs.r, claim: c, pid: 5000 + len(cs.all), done: make(chan struct{})}, nil
}

// Wrapped: what the test says.
func (cs *children) Wrapped(detect.Holder) (wrap.Info, bool) {
	return cs.wrapped, cs.wrapped.Child.PID != 0
}

// Way, Ready and Dialog: what the test says of the terminal.
func (cs *children) Way(detect.Holder) resume.Way { return cs.way }

func (cs *children) Ready(_ context.Context, _ detect.Session, _ detect.Stop, p resume.Plan) (resume.Plan, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.looks++
	return p, cs.blocked
}

func (cs *children) Dialog(context.Context, detect.Session, detect.Holder) (string, error) {
	return cs.dialog, nil
}

func (cs *children) Adopt(c resume.Claim) resume.Run {
	ch := &child{r: cs.r, claim: c, pid: c.PID, done: make(chan struct{})}
	if c.Plan.Way.Live() {
		return ch
	}
	if p, ok := cs.r.procs.Get(c.PID); !ok || c.Boot != cs.r.procs.Boot() || p.Start != c.Start {
		ch.end()
	}
	return ch
}

func (c *child) PID() int { return c.pid }

func (c *child) Start() uint64 {
	if c.claim.Plan.Way.Live() {
		return c.claim.Plan.Holder.Start
	}
	return uint64(c.pid)
}

func (c *child) Done() <-chan struct{} { return c.done }
func (c *child) Abort()                { c.end() }

// Untouched is what the test says of it.
func (c *child) Untouched(context.Context) string { return c.proof }

func (c *child) Working(context.Context) bool {
	if c.views > 0 {
		<-time.After(c.views)
	}
	return false
}

func (c *child) Active() time.Time { return time.Now() }

// end takes the child out of the process table.
func (c *child) end() {
	c.once.Do(func() {
		c.r.end(c.pid)
		close(c.done)
	})
}

func (c *child) Alive() bool {
	if c.claim.Plan.Way.Live() {
		p, ok := c.r.procs.Get(c.pid)
		return ok && p.Start == c.claim.Plan.Holder.Start
	}
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

func (c *child) Stop(polite bool) {
	c.stops = append(c.stops, polite)
	c.end()
}

func (c *child) TrimOutput(func() error) error { return nil }

// Open makes the mark as the shim does, and lets the child act.
func (c *child) Open(context.Context) (resume.Gate, string, error) {
	body, err := json.Marshal(c.claim)
	if err != nil {
		return "", "", err
	}
	f, err := os.OpenFile(c.claim.Mark, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		c.end()
		return resume.GateMarked, "", nil
	}
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	if _, err := f.Write(append(body, '\n')); err != nil {
		return "", "", err
	}
	live := c.claim.Plan.Way.Live()
	c.r.procs.set(func() {
		if live {
			return
		}
		c.r.procs.all = append(c.r.procs.all, agent.Proc{PID: c.pid, Group: c.pid, Leader: c.pid, Start: c.Start(), Comm: "claude"})
		c.r.procs.argv[c.pid] = c.claim.Plan.Argv
	})
	cs := c.r.children
	cs.mu.Lock()
	cs.all = append(cs.all, c)
	act := cs.act
	cs.mu.Unlock()
	if act == nil {
		act = func(c *child) {
			c.ask()
			c.say("answer")
			if !live {
				c.end()
			}
		}
	}
	act(c)
	return resume.GateExec, "", nil
}

// ask writes the prompt of the child's plan.
func (c *child) ask() {
	if c.claim.Plan.Form == resume.FormIdempotent {
		c.say("meta")
	} else {
		c.say("continue")
	}
}

func (c *child) say(kind string) {
	entry := "sdk-cli"
	if c.claim.Plan.Way.Live() {
		entry = interactive
	}
	put(c.r.t, c.claim.Session.Path, c.r.record(c.claim.Session.ID, kind, "", entry))
}

// opened prints that the session was opened.
func (c *child) opened() {
	put(c.r.t, c.claim.Output, fmt.Sprintf(`{"type":"system","subtype":"init","session_id":%q}`+"\n", c.claim.Session.ID))
}
