//go:build linux

package e2e

import (
	"fmt"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

// kill is one that fell into the start of a resume.
type kill struct {
	run   *run
	when  string
	asked bool // a request came
	wrote bool // the session has a further record
}

// kills kills resumes of a session: the first and the last as soon as they have asked, those between closer and closer to
// where a start stops being early. records counts what a run writes before it asks.
func (w *world) kills(id string, records func() int, early func(kill) bool) (all []kill) {
	w.t.Helper()
	held, release := provider.Hold(provider.Text("late"))
	defer release()
	w.provider.SetRule(func(provider.Request) *provider.Answer { return &held })
	one := func(when string, moment func(r *run, asked int)) kill {
		asked, wrote := w.main(), records()
		k := kill{run: w.resume(id, "continue"), when: when}
		moment(k.run, asked)
		k.run.signal(syscall.SIGKILL)
		k.asked, k.wrote = w.settledMain() > asked, records() > wrote
		all = append(all, k)
		return k
	}
	asking := func(_ *run, asked int) { w.waitMain(asked + 1) }
	start := time.Now()
	one("when it had asked", asking)
	from, to := time.Duration(0), time.Since(start)
	// How long a start takes depends on what else the machine does, so there are further ones until one was early.
	for i := 0; i < 4 || from == 0 && i < 12; i++ {
		after := (from + to) / 2
		if early(one(fmt.Sprintf("after %v", after), func(r *run, _ int) { r.runs(after) })) {
			from = after
		} else {
			to = after
		}
	}
	one("when it had asked, at last", asking)
	return all
}

// killsAround wants that a run killed early, as its output and its records tell, has asked nothing: so what tells
// precedes each request.
func (w *world) killsAround(id string, records func() int, early func(kill) bool) {
	w.t.Helper()
	n := 0
	for _, k := range w.kills(id, records, early) {
		if !early(k) {
			continue
		}
		if n++; k.asked {
			w.t.Errorf("killed %s: asked, and its records (a new one: %v) or its output say that it had not begun:\n%s", k.when, k.wrote, k.run.output())
		}
	}
	if n == 0 {
		w.t.Error("no kill fell before the request")
	}
}

// runs blocks for d, or until the run has ended.
func (r *run) runs(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.done:
	}
}
