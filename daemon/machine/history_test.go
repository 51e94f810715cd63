package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// history plays what comes to a few sessions of one account, in any order.
type history struct {
	*kit
	t *rapid.T
	n int
}

// TestStepIsPure plays random histories. The kit carries every step out twice and looks whether anything that it was given
// was written to; here it is looked at what must hold whatever happens.
func TestStepIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{kit: newKit(t), t: t}
		h.w.Config.Resume.MaxParallel = rapid.IntRange(1, 3).Draw(t, "parallel")
		h.w.Config.Budget.MaxResumesPerDay = 1000
		for _, id := range []string{"a", "b", "c"} {
			p := h.add(id)
			p.takes = time.Duration(rapid.SampledFrom([]int{0, 1, 3000}).Draw(t, "takes")) * time.Millisecond
		}
		for range rapid.IntRange(5, 40).Draw(t, "steps") {
			h.happens()
			h.settle()
			h.check()
		}
		h.rests()
	})
}

func (h *history) happens() {
	p := rapid.SampledFrom(h.places).Draw(h.t, "session")
	h.n++
	id := fmt.Sprint(p.s.Rec.ID, h.n)
	limit := p.rec("f"+id, detect.KindFailure, failed(detect.Failure{Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: h.w.Now.Add(10 * time.Minute)}))
	rate := p.rec("f"+id, detect.KindFailure, failed(detect.Failure{Reason: detect.RateLimit}))
	prompt := p.rec("p"+id, detect.KindPrompt)
	good := p.rec("g"+id, detect.KindAnswer, func(e *detect.Event) { e.Done = true })
	mine := ours(0)
	mine.ID = "o" + id
	all := map[string]func(){
		"limit":      func() { p.write(prompt, limit) },
		"rate":       func() { p.write(prompt, rate) },
		"goes on":    func() { p.write(prompt) },
		"ends well":  func() { p.write(prompt, good) },
		"a while":    func() { h.pass(time.Duration(rapid.IntRange(1, 4000).Draw(h.t, "s")) * time.Second) },
		"a while 2":  func() { h.pass(40 * time.Second) },
		"touched":    func() { h.post(p, Touched{}) },
		"resume":     func() { h.post(p, Ordered{Order{ID: 1, Kind: Resume, Order: resume.Order{Now: true}}}) },
		"cancel":     func() { h.post(p, Ordered{Order{ID: 1, Kind: Cancel}}) },
		"ignore":     func() { h.post(p, Ordered{Order{ID: 1, Kind: Ignore, Off: h.n%2 == 0}}) },
		"new config": func() { h.post(p, Renewed{}) },
		"asleep":     func() { h.jump(time.Hour) },
		"set back":   func() { h.jump(-time.Hour) },
		"opened":     func() { p.holders, p.info.Interactive = []detect.Holder{window(77)}, true; p.touch() },
		"closed":     func() { p.holders = []detect.Holder{{Liveness: detect.Gone}}; p.touch() },
		"no shim":    func() { p.onStart = func() Started { p.onStart = nil; return Started{Why: "no shim"} } },
		"short":      func() { p.onStart = func() Started { p.onStart = nil; return Started{Why: "no room", Short: true} } },
		"taken": func() {
			p.onOpen = func() Opened { p.onOpen = nil; return Opened{Gate: resume.GateTaken, Why: "taken"} }
		},
		"disk full": func() {
			n := 0
			h.refuse = func(state.Session, state.Session) error {
				if n++; n > 3 {
					h.refuse = nil
				}
				return errDisk
			}
		},
		"look fails": func() { p.all = func(s *AllSeen) { p.all = nil; s.Err = errDisk } },
		"put off": func() {
			p.all = func(s *AllSeen) {
				p.all = nil
				s.Later = &resume.Outcome{Why: "later", Again: h.w.Now.Add(time.Minute)}
			}
		},
		"run resumes":    func() { h.run(p, mine, p.rec("a"+id, detect.KindAnswer)) },
		"run is limited": func() { h.run(p, mine, limit); p.die() },
		"run ends":       func() { p.die() },
		"a crowd": func() { // one is at work, and the others wait for their window
			p.write(prompt, rate)
			h.pass(31 * time.Second)
			for _, o := range h.places {
				if o != p {
					f := limit
					f.ID, f.At = "f"+o.s.Rec.ID+id, h.w.Now
					o.write(prompt, f)
				}
			}
			h.pass(11 * time.Minute)
		},
	}
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	all[rapid.SampledFrom(names).Draw(h.t, "what")]()
}

// run has a run of ours write something.
func (h *history) run(p *place, events ...detect.Event) {
	r, ok := p.s.under()
	if !ok || r.Stage < Judging {
		return
	}
	p.events = append(p.events, events...)
	p.child.sight.Events = events
	p.child.sight.Output.Began = true
	p.touch()
	h.settle()
	p.child.sight.Events = nil
}

// check is what must hold at every moment.
func (h *history) check() {
	turns := 0
	marks := map[string]int{}
	for _, p := range h.places {
		_, tries := p.s.under()
		if tries || p.s.Guard != nil || p.s.Job.Turn.Taken {
			turns++
		}
		if got, want := p.s.Phase.phase(), p.s.Rec.Phase; got != want {
			h.t.Fatalf("%s is %s and stored as %s:\n%s", p.key, got, want, h)
		}
		if stored := h.books.Record(p.s.Rec.Session); stored.Rev != p.s.Rec.Rev {
			h.t.Fatalf("%s has revision %d, and %d is stored:\n%s", p.key, p.s.Rec.Rev, stored.Rev, h)
		}
	}
	if turns != h.w.Turns.running {
		h.t.Fatalf("%d turns are taken, %d sessions have one:\n%s", h.w.Turns.running, turns, h)
	}
	for window, l := range h.w.Turns.leads {
		p := h.places[slices.IndexFunc(h.places, func(p *place) bool { return p.key == l.session })]
		_, tries := p.s.under()
		if !l.opened && l.again == 0 && !tries && p.s.Job.Kind == Idle {
			h.t.Fatalf("%s goes first into %q, and does not go:\n%s", p.key, window, h)
		}
	}
	// Each attempt is fired once: its number never comes again for the same stop.
	for _, e := range h.books.History() {
		if e.Kind == "fired" {
			marks[fmt.Sprint(e.Session, e.Key, e.N)]++
		}
		if e.Kind == "unclaimed" && marks[fmt.Sprint(e.Session, e.Key, e.N)] > 0 {
			marks[fmt.Sprint(e.Session, e.Key, e.N)]--
		}
	}
	for mark, n := range marks {
		if n > 1 {
			h.t.Fatalf("%s is fired %d times:\n%s", mark, n, h)
		}
	}
}

// rests: when nothing comes any more, and the rescan looks, no session that could be resumed is left over.
func (h *history) rests() {
	h.refuse = nil
	for _, p := range h.places {
		p.takes, p.holders, p.all, p.onStart, p.onOpen = 0, []detect.Holder{{Liveness: detect.LeftBehind}}, nil, nil, nil
		p.info.Interactive = false
	}
	for range 30 {
		for _, p := range h.places {
			if p.child.alive && p.s.Phase.phase() == state.Fired || p.s.Guard != nil {
				h.run(p, ours(1000+h.n), p.rec(fmt.Sprint("end", h.n, p.key), detect.KindAnswer, func(e *detect.Event) { e.Done = true }))
				p.die()
			}
			h.n++
			h.post(p, Touched{})
		}
		h.settle()
		h.check()
		h.pass(40 * time.Minute)
	}
	for _, p := range h.places {
		w, waits := p.s.Phase.(Waiting)
		if waits && w.Begun && w.Due.Over(&h.w) || p.s.Phase.phase() == state.Claimed || p.s.Phase.phase() == state.Fired || p.s.Queued() {
			h.t.Fatalf("%s is left over, %s:\n%s", p.key, p.s.Rec.Phase, strings.Join(h.log[max(0, len(h.log)-60):], "\n"))
		}
	}
}
