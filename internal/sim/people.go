package sim

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/sim/actor"
	"github.com/clawd-project/clawd/resume"
)

// free are the modes in which an agent asks for nothing.
var free = map[string]string{"claude": "bypassPermissions", "codex": "danger-full-access/never"}

func (t *talk) start(tty bool) actor.Start {
	s := actor.Start{Dir: t.dir}
	if t.Free {
		s.Mode = free[t.Agent]
	}
	if tty {
		s.TTY = fmt.Sprintf("/dev/pts/%d", t.who+1)
	}
	return s
}

// begins is the first prompt.
func (t *talk) begins() {
	r := t.r
	text := fmt.Sprintf("do part %d", t.who)
	if t.Same {
		text = "do it"
	}
	c := r.casts[t.Agent]
	s := t.start(t.TTY)
	x, err := r.world.Procs.Begin(func() (actor.Session, error) {
		x, err := t.began(s)
		if err == nil {
			err = x.Prompt(text, actor.Person, r.wall())
		}
		return x, err
	})
	if b := r.add(x, err, c, t, s.TTY); b != nil {
		if _, ended := b.Exit(); !ended {
			t.body = b
		}
	}
}

// happens carries an item out.
func (r *run) happens(it Item) {
	if r.calm {
		return
	}
	switch it.What {
	case misses, unmounts, kills, restarts, reboots, powerCut, suspends, steps, reloads, refuses, shortens, blinds, slows, hangs, deafens, loses, cuts, putsBack, twins, snaps:
		r.strikes(it)
		return
	}
	t := r.talks[it.Who]
	if t.id == "" {
		return
	}
	if t.seldomDoes(it) {
		return
	}
	switch it.What {
	case prompts:
		t.types(t.opens())
	case opens:
		t.opens()
	case scripts:
		t.scripts()
	case resumes:
		r.orders(t, machine.Order{Kind: machine.Resume, Order: resume.Order{Now: it.N%2 == 0}})
	case cancels:
		r.orders(t, machine.Order{Kind: machine.Cancel})
	case ignores:
		r.orders(t, machine.Order{Kind: machine.Ignore})
	case unignores:
		r.orders(t, machine.Order{Kind: machine.Ignore, Off: true})
	default:
		t.does(it.What)
	}
}

// opens gives the terminal that shows it.
func (t *talk) opens() *body {
	if t.body != nil {
		t.attached()
		return t.body
	}
	r, c := t.r, t.r.casts[t.Agent]
	s := t.start(true)
	x, err := r.world.Procs.Begin(func() (actor.Session, error) { return t.opened(s) })
	if t.body = r.add(x, err, c, t, s.TTY); t.body != nil {
		r.person[t.Agent+"/"+t.id] = deed{r.wall(), "opened it", r.boots, true}
	}
	return t.body
}

func (t *talk) types(b *body) {
	if b == nil || !b.Idle() {
		return
	}
	t.r.noted(b, b.Prompt(b.window.submits()+"and now this", actor.Person, t.r.wall()), "prompted")
}

// scripts is a headless prompt of a script.
func (t *talk) scripts() {
	if t.body != nil {
		t.types(t.opens())
		return
	}
	r, c := t.r, t.r.casts[t.Agent]
	x, err := r.world.Procs.Begin(func() (actor.Session, error) {
		x, err := c.Open(t.id, t.start(false), r.wall())
		if err == nil {
			err = x.Prompt("go on, says a script", actor.Person, r.wall())
		}
		return x, err
	})
	if b := r.add(x, err, c, t, ""); b != nil {
		if _, ended := b.Exit(); !ended {
			t.body = b
		}
		r.noted(b, nil, "a script prompted")
	}
}

var moves = map[What]actor.Move{quits: actor.Quit, hangsUp: actor.Hangup, interrupts: actor.Interrupt, crashes: actor.Crash, clears: actor.Clear,
	renames: actor.Rename, approves: actor.Approve}

// does something to the process that has it open; a crash hits clawd's run, too.
func (t *talk) does(w What) {
	b := t.body
	if w == torn || w == late || w == crashes && (b == nil || t.r.chance.IntN(2) == 0) {
		for _, x := range t.r.alive {
			if x.talk == t && !x.over && (b == nil || x.child != nil) {
				b = x
			}
		}
	}
	if b == nil {
		return
	}
	if w == torn || w == late {
		t.r.odd[b.cast.Name()+"/"+b.ID()] = true
	}
	switch w {
	case torn:
		b.Write(actor.Torn)
	case late:
		b.Write(actor.Late)
	case halfTypes, wipes, scrolls:
		b.window.does(w)
	default:
		b.window.closes()
		t.r.noted(b, b.Do(moves[w], t.r.wall()), string(w))
	}
}

// deed is what a person did last with a session.
type deed struct {
	at    time.Time
	what  string
	boots int
	known bool // clawd had found the session
}

// noted takes in what a person did with a process.
func (r *run) noted(b *body, err error, what string) {
	if err != nil {
		r.trace("not %s: %v", what, err)
		return
	}
	r.trace("%s/%s: %s", b.cast.Name(), b.ID(), what)
	r.person[b.cast.Name()+"/"+b.ID()] = deed{r.wall(), what, r.boots, r.knows(b.cast.Name(), b.ID())}
	r.follows(b)
}

// orders is clawd resume, cancel and ignore.
func (r *run) orders(t *talk, o machine.Order) {
	for _, c := range r.clawds {
		if c.hand != nil { // whichever answers on the socket
			c.obeys(t, o)
			return
		}
	}
}

func (c *clawd) obeys(t *talk, o machine.Order) {
	c.protect(func() {
		answer, late, ok := c.hand.Order(t.Agent, t.id, o)
		if !ok {
			return
		}
		key := t.Agent + "/" + t.id
		if o.Kind != machine.Resume { // he knows, whatever comes of it
			c.told[key] = append(c.told[key], string(o.Kind))
		}
		w := c.wants[key]
		if o.Kind == machine.Resume {
			w.cancelled, w.resumed = false, c.wall()
			c.renews(key)
		}
		if o.Off {
			w.ignored = false
		}
		c.wants[key] = w
		given, works := c.wall(), c.works(t)
		c.after(8*time.Second, "", func() {
			select {
			case a := <-answer:
				c.answered(key, o, a, given, works)
			default:
				late()
			}
		})
	})
}

// works tells whether a turn of its user's runs.
func (r *run) works(t *talk) bool {
	return slices.ContainsFunc(r.alive, func(b *body) bool {
		_, ended := b.Exit()
		return !ended && b.child == nil && b.cast.Name() == t.Agent && b.ID() == t.id && !b.Idle()
	})
}

// strikes is what the machine does.
func (r *run) strikes(it Item) {
	c := r.clawds[0]
	long := drawer{r.chance}.span(time.Second, 48*time.Hour)
	switch it.What {
	case kills:
		if it.N%3 == 0 {
			c.dies()
			c.returns(min(long, 10*time.Minute))
			return
		}
		c.fuse, c.where = 1+int(uint64(it.N)>>4%4), "before"
		if it.N%2 == 0 {
			c.where = "after"
		}
	case restarts:
		c.leaves()
		c.returns(long)
	case reboots, powerCut:
		r.falls(it.What == powerCut)
		c.returns(min(long, time.Hour))
	case suspends:
		long = min(long, 12*time.Hour)
		r.trace("suspended for %s", long)
		r.asleep += long
		time.Sleep(long)
		r.woke = r.mono()
	case steps:
		by := min(long, 12*time.Hour)
		if it.N%2 == 0 {
			by = -by
		}
		if now := r.wall(); now.After(r.latest) {
			r.latest = now
		}
		r.ahead += by
		r.woke = r.mono()
		r.trace("the clock is set by %s", by)
	case misses, unmounts:
		r.misses(it, long)
	case reloads:
		r.conf = int(uint64(it.N)>>8) % len(configs)
		if c.hand != nil {
			c.protect(c.hand.Reload)
		}
	case loses, cuts:
		c.dies()
		r.damages(it.What == cuts)
		c.returns(min(long, time.Hour))
	case putsBack:
		c.dies()
		r.putBack()
		c.returns(min(long, time.Hour))
	case twins:
		r.twin(long)
	case snaps:
		c.snaps()
	default:
		r.until[it.What] = time.Now().Add(min(long, 2*time.Hour))
	}
}

// falls: the machine goes down.
func (r *run) falls(hard bool) {
	for _, c := range r.clawds {
		if hard {
			c.dies()
		} else {
			c.leaves()
		}
	}
	r.boots++
	for _, b := range r.bodies() {
		if !hard && !b.over {
			_ = b.Do(actor.Terminate, r.wall()) // it may have ended
		}
	}
	if hard {
		r.tears()
		r.unprints()
	}
	clear(r.acting) // pids come again
	r.world.Procs.Reboot(fmt.Sprintf("boot-%d", r.boots), r.wall())
	for _, b := range append([]*body{}, r.bodies()...) {
		r.follows(b)
	}
	for _, c := range r.runs {
		c.falls()
	}
}

// tears takes from the files what was written in the last seconds before the power was cut.
func (r *run) tears() {
	since := r.wall().Add(-time.Duration(r.chance.Int64N(int64(6 * time.Second))))
	for _, b := range r.bodies() {
		r.rewound[b.cast.Name()+"/"+b.ID()] = r.wall()                              // what was not written at all is lost, too
		if at := r.sized(b.Path(), since); at >= 0 && b.cast.Name() != "opencode" { // whose files are no logs
			if fi, err := os.Lstat(b.Path()); err == nil && fi.Size() > at {
				r.trace("%s loses %d bytes", b.ID(), fi.Size()-at)
				must(os.Truncate(b.Path(), at))
			}
		}
	}
}

// unprints takes from the outputs of young runs what went with the power.
func (r *run) unprints() {
	for _, x := range r.runs {
		if x.open && x.Alive() && r.wall().Sub(x.claim.At) < 6*time.Second && r.chance.IntN(2) == 0 {
			must(os.Truncate(x.claim.Output, 0))
			dated(x.claim.Output, r.wall())
		}
	}
}

// damages the store of a clawd that is down.
func (r *run) damages(cut bool) {
	path := r.path("clawd/clawd.db")
	_, err := os.Stat(path)
	switch {
	case err != nil:
	case cut:
		must(os.WriteFile(path, bytes.Repeat([]byte("x"), 8192), 0o600)) // where records lie in the file no seed tells
	default:
		must(os.Remove(path))
	}
}

// snaps: a day is over since the last snapshot.
func (c *clawd) snaps() {
	if c.hand == nil {
		return
	}
	must(os.RemoveAll(c.path("clawd/snapshots")))
	c.protect(func() { must(c.hand.Store().Snapshot()) })
}

// putBack has an old copy in the place of the store. It passes for the store itself: attempts and budgets are those of then.
func (r *run) putBack() {
	found, err := os.ReadDir(r.path("clawd/snapshots"))
	if err != nil || len(found) == 0 {
		return
	}
	b, err := os.ReadFile(filepath.Join(r.path("clawd/snapshots"), found[len(found)-1].Name()))
	must(err)
	must(os.WriteFile(r.path("clawd/clawd.db"), b, 0o600))
	r.forgets()
	clear(r.spent)
}

// twin: the lock is removed, and a second clawd starts that has a store of its own.
func (r *run) twin(long time.Duration) {
	if len(r.clawds) > 1 {
		return
	}
	must(os.RemoveAll(r.path("user/" + daemon.LockName)))
	r.forgets()
	c := &clawd{run: r, name: "other"}
	r.clawds = append(r.clawds, c)
	c.start()
	r.at(time.Now().Add(long), "the other ends", c.parts)
}

// parts: it ends for good.
func (c *clawd) parts() {
	if c.gone {
		return
	}
	c.forgets()
	c.gone = true
	c.dies()
}

// calms: nothing bad happens any more.
func (r *run) calms() {
	r.calm, r.conf = true, 0
	clear(r.until)
	for _, back := range r.backs {
		back()
	}
	for _, b := range r.alive {
		if r.chance.IntN(4) > 0 { // its user comes back to what he left in the box
			b.window.does(wipes)
		}
	}
	for _, c := range r.clawds[1:] {
		c.parts()
	}
	c := r.clawds[0]
	c.fuse = 0
	c.start()
	c.protect(func() {
		if c.hand != nil {
			c.hand.Reload()
			c.hand.Revisit()
		}
	})
}
