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

// kills kills resumes of a session: the first and the last two as soon as they have asked, the others spread over the
// time up to there. records counts what a run writes before it asks.
func (w *world) kills(id string, records func() int) (all []kill) {
	w.t.Helper()
	const spread = 3
	held, release := provider.Hold(provider.Text("late"))
	defer release()
	w.provider.SetRule(func(provider.Request) *provider.Answer { return &held })
	var whole time.Duration // that a start takes up to its request
	for i := range 1 + spread + 2 {
		asked, wrote, start := w.main(), records(), time.Now()
		k := kill{run: w.resume(id, "continue"), when: "when it had asked"}
		if part := time.Duration(i); part >= 1 && part <= spread {
			k.when = fmt.Sprintf("after %d/%d of its start", part, spread+1)
			k.run.runs(whole * part / (spread + 1))
		} else {
			w.waitMain(asked + 1)
			if i == 0 {
				whole = time.Since(start)
			}
		}
		k.run.signal(syscall.SIGKILL)
		k.asked, k.wrote = w.settledMain() > asked, records() > wrote
		all = append(all, k)
	}
	return all
}

// killsAround wants that a run killed early, as its output and its records tell, has asked nothing: so what tells
// precedes each request.
func (w *world) killsAround(id string, records func() int, early func(kill) bool) {
	w.t.Helper()
	n := 0
	for _, k := range w.kills(id, records) {
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
