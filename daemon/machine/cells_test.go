package machine

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// phases brings a session into each phase, an hour after its stop.
var phases = []struct {
	name string
	into func(k *kit, p *place)
}{
	{"following", func(k *kit, p *place) {
		p.write(p.rec("p", detect.KindPrompt), p.rec("good", detect.KindAnswer, func(e *detect.Event) { e.Done = true }))
		k.pass(time.Hour)
	}},
	{"waiting", func(k *kit, p *place) { p.limited("stop", 2*time.Hour); k.pass(time.Hour) }},
	{"claimed", func(k *kit, p *place) { p.mute = true; p.limited("stop", time.Hour); k.pass(time.Hour) }},
	{"fired", func(k *kit, p *place) { p.limited("stop", time.Hour); k.pass(time.Hour) }},
	{"guarding", func(k *kit, p *place) {
		answered(&p.child.sight)
		p.limited("stop", time.Hour)
		p.onOpen = func() Opened {
			p.events = append(p.events, ours(1), answer(2))
			return Opened{Gate: resume.GateExec}
		}
		k.pass(time.Hour)
	}},
	{"held", func(k *kit, p *place) {
		p.child.sight.Output.Began = true
		p.onLook = func(s *Sighted) { s.Alive = false }
		p.limited("stop", time.Hour-time.Minute)
		k.pass(time.Hour)
	}},
	{"given_up", func(k *kit, p *place) {
		k.w.Policy.GiveUpAfter = time.Minute
		p.onLook = func(s *Sighted) { s.Alive = false }
		p.rated("stop")
		k.pass(time.Hour)
	}},
}

// happenings are what can come over a session, each at one instant.
var happenings = []struct {
	name string
	do   func(k *kit, p *place)
}{
	{"touched", func(_ *kit, p *place) { p.touch() }},
	{"a new stop", func(_ *kit, p *place) {
		p.write(p.rec("p2", detect.KindPrompt), p.rec("stop2", detect.KindFailure, failed(detect.Failure{Reason: detect.RateLimit})))
	}},
	{"the same stop again", func(_ *kit, p *place) {
		if n := len(p.events); n > 0 {
			p.write(p.events[n-1])
		}
	}},
	{"its own continue is armed", func(_ *kit, p *place) {
		p.holders = []detect.Holder{window(77)}
		p.write(p.rec("armed", detect.KindSelfResume, func(e *detect.Event) { e.Next = p.k.w.Now.Add(time.Hour) }))
	}},
	{"moved on", func(_ *kit, p *place) { p.write(theirs(9)) }},
	{"ended well", func(_ *kit, p *place) {
		p.write(theirs(9), p.rec("good2", detect.KindAnswer, func(e *detect.Event) { e.Done = true }))
	}},
	{"interrupted after the limit", func(_ *kit, p *place) {
		p.write(p.rec("x", detect.KindSelfResume, func(e *detect.Event) { e.Done = true }))
	}},
	{"a read fails", func(_ *kit, p *place) {
		p.files = func(f *FilesSeen) { *f = FilesSeen{Err: errDisk} }
		p.touch()
	}},
	{"a window opens", func(_ *kit, p *place) {
		p.info.Interactive, p.holders = true, []detect.Holder{window(77)}
		p.child.sight.Holder = "process 77"
		p.touch()
	}},
	{"due", func(k *kit, p *place) { k.post(p, Due{}) }},
	{"its turn", func(k *kit, p *place) { k.post(p, Turn{}) }},
	{"started", func(k *kit, p *place) { k.post(p, Started{Token: p.token(), PID: 43}) }},
	{"a stranger is started", func(k *kit, p *place) { k.post(p, Started{Token: "another", PID: 43}) }},
	{"no start", func(k *kit, p *place) { k.post(p, Started{Token: p.token(), Why: "no shim"}) }},
	{"the gate is taken", func(k *kit, p *place) { k.post(p, Opened{Token: p.token(), Gate: resume.GateTaken}) }},
	{"gone", func(_ *kit, p *place) { p.die() }},
	{"seen resumed", func(k *kit, p *place) {
		answered(&p.child.sight)
		k.post(p, Sighted{Token: p.token(), Sight: p.child.sight, Alive: true, Active: k.w.Now})
	}},
	{"resume is ordered", func(k *kit, p *place) { k.post(p, Ordered{Order{ID: 1, Kind: Resume, Order: resume.Order{Now: true}}}) }},
	{"cancel is ordered", func(k *kit, p *place) { k.post(p, Ordered{Order{ID: 1, Kind: Cancel}}) }},
	{"ignore is ordered", func(k *kit, p *place) { k.post(p, Ordered{Order{ID: 1, Kind: Ignore}}) }},
	{"the config is new", func(k *kit, p *place) {
		k.w.Policy.Margin = 10 * time.Minute
		k.post(p, Renewed{})
	}},
	{"the clock jumped", func(k *kit, p *place) { k.post(p, Jumped{}) }},
	{"an old answer", func(k *kit, p *place) { k.post(p, Answered{Job: 999, Answer: &FilesSeen{}}) }},
	{"nobody waits for the answer", func(k *kit, p *place) { k.post(p, TooLate{ID: 7}) }},
	{"clawd ends", func(k *kit, p *place) { k.post(p, Stopping{}) }},
}

// cell says what comes of it at that instant: what is done, in short, and the phase then.
func (k *kit) cell(p *place, from int) string {
	var done []string
	for _, l := range k.log[from:] {
		f := strings.SplitN(l, " ", 3)
		switch f[1] {
		case "write":
			done = append(done, f[2])
		case "start", "open", "abort", "adopt", "trim":
			done = append(done, f[1])
		case "halt":
			done = append(done, "halt("+strings.TrimPrefix(f[2], "polite=")+")")
		case "reply":
			done = append(done, map[bool]string{true: "refused", false: "obeyed"}[strings.HasPrefix(f[2], "no: ")])
		}
	}
	phase := string(p.s.Rec.Phase)
	if p.s.Phase.phase() != p.s.Rec.Phase {
		phase += "/" + string(p.s.Phase.phase())
	}
	if p.s.Guard != nil {
		phase += "+guard"
	}
	return strings.Join(append(done, "= "+phase), " ")
}

// cells are those in which something is done, or answered, at once. In all others nothing is, for the reason that
// nothing gives.
var cells = map[string]map[string]string{
	"touched":                     {},
	"a new stop":                  {"following": "stop+scheduled = waiting", "waiting": "stop+scheduled = waiting", "guarding": "stop+scheduled = waiting+guard", "held": "stop+scheduled = waiting", "given_up": "stop+scheduled = waiting"},
	"the same stop again":         {},
	"its own continue is armed":   {"waiting": "scheduled = waiting"},
	"moved on":                    {"waiting": "by_hand = following", "held": "by_hand = following", "given_up": "by_hand = following"},
	"ended well":                  {"waiting": "by_hand = following", "held": "by_hand = following", "given_up": "by_hand = following"},
	"interrupted after the limit": {"waiting": "left = following"},
	"a read fails":                {},
	"a window opens":              {"waiting": "waiting = waiting", "fired": "halt(true) = fired", "guarding": "halt(true) following following = following"},
	"due":                         {},
	"its turn":                    {},
	"started":                     {"following": "abort = following", "waiting": "abort = waiting", "claimed": "fired open = fired", "held": "abort = held", "given_up": "abort = given_up"},
	"a stranger is started": {"following": "abort = following", "waiting": "abort = waiting", "claimed": "abort = claimed", "fired": "abort = fired",
		"guarding": "abort = following+guard", "held": "abort = held", "given_up": "abort = given_up"},
	"no start":          {"following": "abort = following", "waiting": "abort = waiting", "claimed": "unclaimed = waiting", "held": "abort = held", "given_up": "abort = given_up"},
	"the gate is taken": {},
	"gone":              {"guarding": "following = following"},
	"seen resumed":      {"fired": "resumed = following+guard"},
	"resume is ordered": {"following": "refused = following", "waiting": "ordered+scheduled obeyed claimed start fired open = fired", "claimed": "refused = claimed",
		"fired": "refused = fired", "guarding": "refused = following+guard", "held": "ordered+scheduled obeyed claimed start fired open = fired",
		"given_up": "ordered+scheduled obeyed claimed start fired open = fired"},
	"cancel is ordered": {"following": "refused = following", "waiting": "held obeyed = held", "claimed": "unclaimed+held abort obeyed = held",
		"fired": "cancelled obeyed halt(false) = fired", "guarding": "cancelled obeyed halt(false) blocked = following", "held": "refused = held", "given_up": "refused = given_up"},
	"ignore is ordered": {"following": "following obeyed = following", "waiting": "left obeyed = following", "claimed": "claimed obeyed = claimed", "fired": "fired obeyed = fired",
		"guarding": "following obeyed = following+guard", "held": "held obeyed = held", "given_up": "given_up obeyed = given_up"},
	"the config is new":           {"waiting": "scheduled = waiting"},
	"the clock jumped":            {},
	"an old answer":               {},
	"nobody waits for the answer": {},
	"clawd ends":                  {"claimed": "unclaimed abort = waiting"},
}

var nothing = map[string]string{
	"touched":                     "there is nothing new; a run of ours is looked at",
	"a new stop":                  "an attempt is under way, and only its verdict writes: it is looked at, and the files after it",
	"the same stop again":         "a stop is taken in once, whatever channel tells it again",
	"its own continue is armed":   "nothing waits for its time; an attempt that is under way is judged by its records",
	"moved on":                    "nothing waits; an attempt is judged by its records, and the shim looks before it",
	"ended well":                  "nothing waits; an attempt is judged by its records, and the shim looks before it",
	"interrupted after the limit": "nothing waits; an attempt is judged by its records",
	"a read fails":                "a failed read is not nothing: the rescan looks again",
	"a window opens":              "nothing waits, so who has it open is looked at when something does; before the gate the shim looks",
	"due":                         "none of its timers is over",
	"its turn":                    "it does not wait for its turn",
	"started":                     "the child is known: one start is answered once",
	"no start":                    "the child is known: one start is answered once",
	"the gate is taken":           "no gate was opened, or it has answered already",
	"gone":                        "there is no process of ours, or its silence is to settle first",
	"seen resumed":                "nothing of ours was looked at, or it has its verdict",
	"the config is new":           "nothing waits; what was held or given up stays so",
	"the clock jumped":            "what counts by the clock is not over; what counts awake starts anew",
	"an old answer":               "whoever asked has given it up",
	"nobody waits for the answer": "no such order is there",
	"clawd ends":                  "what waits, waits on; what runs, runs on, and is taken up by the next clawd",
}

// One row for each phase and each thing that can come over a session there.
func TestCells(t *testing.T) {
	if len(cells) != len(happenings) {
		t.Errorf("%d rows, %d happenings", len(cells), len(happenings))
	}
	for _, h := range happenings {
		row, ok := cells[h.name]
		if !ok {
			t.Errorf("%s: no row", h.name)
		}
		for _, ph := range phases {
			k, p := plain(t)
			ph.into(k, p)
			if got := ph.name; got != "guarding" && string(p.s.Rec.Phase) != got || p.s.Guard != nil != (got == "guarding") {
				t.Fatalf("%s is %s:\n%s", ph.name, p.s.Rec.Phase, k)
			}
			rest := "= " + string(p.s.Rec.Phase)
			if p.s.Guard != nil {
				rest += "+guard"
			}
			from := len(k.log)
			h.do(k, p)
			k.settle()
			want := row[ph.name]
			if want == "" {
				if want = rest; nothing[h.name] == "" {
					t.Errorf("%s, %s: nothing happens, and nobody says why", h.name, ph.name)
				}
			}
			if got := k.cell(p, from); got != want {
				t.Errorf("%s, %s: %q, want %q", h.name, ph.name, got, want)
			}
		}
	}
}

// What was asked for on its way into the table is done when the attempt has its verdict.
func TestLaterCells(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(k *kit, p *place)
		see   []detect.Event
		want  resume.Verdict
		phase state.Phase
	}{
		{"a new stop in an attempt", func(_ *kit, p *place) { p.write(ours(1), limitAgain(2)) }, []detect.Event{ours(1), limitAgain(2)}, resume.StoppedAgain, state.Waiting},
		{"somebody else in an attempt", func(_ *kit, p *place) { p.write(theirs(1)) }, []detect.Event{theirs(1)}, resume.ByHand, state.Following},
		{"cancelled in an attempt that stops again", func(k *kit, p *place) {
			p.write(ours(1), limitAgain(2))
			k.post(p, Ordered{Order{ID: 1, Kind: Cancel}})
		}, []detect.Event{ours(1), limitAgain(2)}, resume.StoppedAgain, state.Held},
		{"ignored in an attempt that stops again", func(k *kit, p *place) {
			p.write(ours(1), limitAgain(2))
			k.post(p, Ordered{Order{ID: 1, Kind: Ignore}})
		}, []detect.Event{ours(1), limitAgain(2)}, resume.StoppedAgain, state.Following},
	} {
		k, p := fires(t, time.Hour, func(*kit, *place) {})
		p.child.sight.Events = c.see
		c.do(k, p)
		p.die()
		k.pass(6 * time.Second)
		k.wantVerdict(p, c.want)
		if p.wantPhase(c.phase); k.starts(p) != 1 {
			t.Errorf("%s: %d starts", c.name, k.starts(p))
		}
	}
}
