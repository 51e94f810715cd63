package machine

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// What its user said last counts: a cancel ends what a "clawd resume" asked for that is still looked into.
func TestCancelRightAfterAResume(t *testing.T) {
	for name, before := range map[string]int{"a stop that waits": 0, "a stop that was canceled before": 1} { // replies before
		for _, takes := range []time.Duration{0, 10 * time.Second} {
			k, p := plain(t)
			if p.limited("stop", 2*time.Hour); before == 1 {
				p.post(Ordered{Order{ID: 1, Kind: Cancel}})
			}
			p.takes = takes
			k.post(p, Ordered{Order{ID: 2, Kind: Resume, Order: resume.Order{Now: true}}})
			k.in(takes/2, func() { k.post(p, Ordered{Order{ID: 3, Kind: Cancel}}) })
			k.pass(6 * time.Hour)
			if n := k.starts(p); n != 0 {
				t.Errorf("%s, a look takes %s: %d starts\n%s", name, takes, n, k)
			}
			said := strings.Join(k.did("reply")[before:], "; ")
			if !strings.Contains(said, "no: it was canceled right after; ") || !strings.HasSuffix(said, nothingStarts) {
				t.Errorf("%s, a look takes %s: answered %q", name, takes, said)
			}
		}
	}
}

// A cancel covers what was under way when it was given last, also where nothing could be read of it by then.
func TestCancelCoversWhatCannotBeReadYet(t *testing.T) {
	cancel := Ordered{Order{ID: 9, Kind: Cancel}}
	for name, orders := range map[string]func(k *kit, p *place){
		"after a resume that is still looked into": func(k *kit, p *place) {
			p.takes = 10 * time.Second
			k.post(p, Ordered{Order{ID: 1, Kind: Resume, Order: resume.Order{Now: true}}})
			k.in(5*time.Second, func() { k.post(p, cancel) })
			k.pass(20 * time.Second)
		},
		"once more, for an earlier stop": func(k *kit, p *place) {
			p.limited("earlier", time.Hour)
			p.post(cancel)
			k.pass(time.Second)
			p.events = append(p.events, p.rec("prompt", detect.KindPrompt)) // nobody has heard of it
			k.pass(time.Second)
			p.post(cancel)
		},
	} {
		k, p := plain(t)
		p.write(p.rec("prompt", detect.KindPrompt))
		k.pass(time.Second)
		orders(k, p)
		p.write(p.rec("late", detect.KindFailure, failed(detect.Failure{Reason: detect.RateLimit})))
		k.pass(6 * time.Hour)
		if n := k.starts(p); n != 0 {
			t.Errorf("%s: %d starts\n%s", name, n, k)
		}
	}
}

// A "clawd resume" does not ask a second time what may still lie in the agent's queue, also after the next stop.
func TestResumeBehindAQueuedPrompt(t *testing.T) {
	for name, next := range map[string]bool{"the same stop": false, "the next stop": true} {
		k, p := reached(t, resume.Queue, time.Second, func(k *kit, _ *place) { k.lax = true })
		other := p.rec("other", detect.KindPrompt, func(e *detect.Event) { e.Hash = "other" })
		p.child.sight.Events = []detect.Event{other}
		if next {
			p.write(other)
		}
		k.pass(12 * time.Minute)
		p.wantPhase(state.Held)
		if next {
			p.rated("next")
		}
		p.post(Ordered{Order{ID: 1, Kind: Resume, Order: resume.Order{Now: true}}})
		k.pass(time.Minute)
		if n, said := k.starts(p), k.did("reply"); n != 1 || len(said) != 1 || !strings.Contains(said[0], "in the agent's queue") {
			t.Errorf("%s: %d starts, answered %v\n%s", name, n, said, k)
		}
	}
}
