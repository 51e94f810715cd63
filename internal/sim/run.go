package sim

import (
	"cmp"
	"container/heap"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/internal/sim/actor"
)

// Result of a run.
type Result struct {
	Wrong   []string // what must not be; empty: all is well
	Hash    uint64   // of the trace
	Resumes int
	Steps   int
	Spent   time.Duration // of virtual time
	Reached Reached
}

// Options of a run.
type Options struct {
	Root  string    // folder that the run makes and removes
	Trace io.Writer // nil: nowhere
}

// run is one run under way.
type run struct {
	Plan
	Options
	began  time.Time
	ahead  time.Duration // how far the wall clock is before the bubble's
	latest time.Time     // that the wall clock showed before it was set
	asleep time.Duration // that the machine was, in all
	chance *rand.Rand    // of whatever is drawn on the way
	world  *actor.World
	casts  map[string]*cast
	talks  []*talk
	runs   []*child
	hash   hash.Hash64
	home   func(string) string // has the trace be the same wherever the folder lies
	wrong  []string
	steps  int

	agenda agenda
	calm   bool // nothing bad happens any more
	conf   int  // the config in force
	beside []*talk
	backs  []func()           // bring back what is away
	server *actor.Server      // of opencode's; nil: none was started
	daemon *actor.CodexServer // nil: none was started

	clawds  []*clawd
	idle    []*worker
	boots   int
	until   map[What]time.Time // faults that last
	Reached Reached
	watch
}

// event is something that is to happen, by the clock of the bubble.
type event struct {
	at   time.Time
	tie  uint64
	of   *clawd // nil: it happens in any case
	life int    // of clawd
	name string
	f    func()
}

type agenda []*event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return cmp.Or(a[i].at.Compare(a[j].at), cmp.Compare(a[i].tie, a[j].tie)) < 0
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(*event)) }
func (a *agenda) Pop() any {
	old := *a
	e := old[len(old)-1]
	*a = old[:len(old)-1]
	return e
}

// epoch is when all runs begin: before the present, for folders have the times of the machine.
var epoch = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// calmFor is how long all is well at the end at most: longer than give_up_after.
const calmFor = 26 * time.Hour

// Run carries a plan out. It must be called in a bubble.
func Run(p Plan, o Options) Result {
	time.Sleep(time.Until(epoch))
	r := &run{Plan: p, Options: o, began: time.Now(), chance: rand.New(rand.NewPCG(p.Seed, 2)), hash: fnv.New64a(), casts: map[string]*cast{}}
	r.home = homeOf(o.Root)
	r.until, r.boots, r.person = map[What]time.Time{}, 1, map[string]deed{}
	uuid.SetRand(source{rand.New(rand.NewPCG(p.Seed, 3))})
	defer uuid.SetRand(nil)
	r.Reached = NewReached()
	defer r.hears()()
	must(os.RemoveAll(o.Root))
	defer os.RemoveAll(o.Root)
	must(os.MkdirAll(filepath.Join(o.Root, "tmp"), 0o700))
	r.people()
	r.clawds = []*clawd{{run: r, name: "clawd"}}
	r.clawds[0].start()
	r.plans()
	r.turns()
	for len(r.wrong) == 0 && r.next() {
	}
	if len(r.wrong) == 0 {
		r.settle()
	}
	resumes := r.resumed()
	for _, c := range r.clawds {
		if c.hand != nil {
			c.drops()
			c.hand.Kill()
		}
	}
	r.dismisses()
	return Result{Wrong: r.wrong, Hash: r.hash.Sum64(), Resumes: resumes, Steps: r.steps, Spent: time.Since(r.began), Reached: r.Reached}
}

// homeOf replaces a folder in texts, also in the names of Claude Code's folders, and in requests. Hardly a text has it.
func homeOf(root string) func(string) string {
	names := []string{root, strings.NewReplacer("/", "-", ".", "-").Replace(root), url.QueryEscape(root)}
	all := strings.NewReplacer(names[0], "~", names[1], "~", names[2], "~")
	return func(text string) string {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, name) }) {
			return text
		}
		return all.Replace(text)
	}
}

// source is randomness that a seed gives.
type source struct{ *rand.Rand }

func (s source) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.Uint32())
	}
	return len(p), nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// wall is the time by the wall clock, and mono by the one that nobody sets.
func (r *run) wall() time.Time     { return time.Now().Add(r.ahead).Round(0) }
func (r *run) mono() time.Duration { return time.Since(r.began) - r.asleep + 1 }

// plans puts on the agenda what the plan has at times of its own.
func (r *run) plans() {
	for i := range r.Items {
		if it := &r.Items[i]; it.On == "" {
			r.at(r.began.Add(it.At), string(it.What), func() { r.happens(*it) })
		}
	}
	r.at(r.began.Add(r.Length), "calm", r.calms)
}

// at has something happen in any case.
func (r *run) at(when time.Time, name string, f func()) {
	heap.Push(&r.agenda, &event{at: when, tie: r.chance.Uint64(), name: name, f: f})
}

// after has something happen to clawd, if it still lives then.
func (c *clawd) after(d time.Duration, name string, f func()) {
	heap.Push(&c.agenda, &event{at: time.Now().Add(d), tie: c.chance.Uint64(), of: c, life: c.life, name: name, f: f})
}

// turns has every clawd do what there is to do.
func (r *run) turns() {
	for _, c := range r.clawds {
		c.turn()
	}
}

// next does the next thing. False: the run is over.
func (r *run) next() bool {
	when, who := r.soonest()
	if now := time.Since(r.began); when.Sub(r.began) > r.Length+calmFor || now > r.Length+r.Calm && r.rests() {
		return false
	}
	if d := time.Until(when); d > 0 {
		time.Sleep(d)
	}
	r.steps++
	switch {
	case r.steps > maxSteps:
		r.fails("L0", "%d steps are not enough: something turns in circles", maxSteps)
	case who != nil:
		r.acts(who)
	case len(r.agenda) > 0 && !r.agenda[0].at.After(time.Now()):
		r.pops(heap.Pop(&r.agenda).(*event))
	default:
		for _, c := range r.clawds {
			if c.hand != nil && !c.tick.After(time.Now()) {
				c.looks()
			}
		}
	}
	r.turns()
	r.check()
	return true
}

// pops has an event happen.
func (r *run) pops(e *event) {
	switch {
	case e.of == nil:
		r.stirs()
	case e.life != e.of.life || e.of.hand == nil:
		return
	}
	if e.name != "" {
		r.trace("%s", e.name)
	}
	e.f()
}

const maxSteps = 400_000

// soonest gives when the next thing is due, and which process does it, if one does.
func (r *run) soonest() (when time.Time, who *body) {
	when = r.began.Add(r.Length + calmFor + 1)
	if len(r.agenda) > 0 && r.agenda[0].at.Before(when) {
		when = r.agenda[0].at
	}
	for _, c := range r.clawds {
		if c.hand == nil {
			continue
		}
		if left, any := c.hand.Left(); any && time.Now().Add(left).Before(when) {
			when = time.Now().Add(left)
		}
		if c.tick.Before(when) {
			when = c.tick
		}
	}
	for _, b := range r.bodies() {
		if !b.due.IsZero() && b.due.Add(-r.ahead).Before(when) {
			when, who = b.due.Add(-r.ahead), b
		}
	}
	return when, who
}

// stirs: something happened, so that the next regular look may find something.
func (r *run) stirs() {
	soon := time.Now().Add(30 * time.Second)
	for _, c := range r.clawds {
		if c.tick.After(soon) {
			c.tick = soon
		}
	}
}

// trace notes what happens.
func (r *run) trace(format string, args ...any) {
	text := r.home(fmt.Sprintf(format, args...))
	fmt.Fprintf(r.hash, "%d %s", time.Since(r.began), text)
	if r.Trace != nil {
		fmt.Fprintf(r.Trace, "%s  %s\n", r.wall().Format("02 15:04:05.000000"), text)
	}
}

// fails notes what must not be.
func (r *run) fails(which, format string, args ...any) {
	text := which + ": " + fmt.Sprintf(format, args...)
	r.wrong = append(r.wrong, text)
	r.trace("WRONG %s", text)
}
