package sim

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/sim/actor"
	"github.com/clawd-project/clawd/resume"
)

// free are the modes in which an agent asks for nothing.
var free = map[string]string{"claude": "bypassPermissions", "codex": "danger-full-access/never", "qwen": "yolo", "copilot": "--allow-all-tools"}

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
	case besides:
		t.besides()
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
		if it.What == hangsUp {
			t.closes()
		}
	}
}

// opens gives the terminal that shows it.
func (t *talk) opens() *body {
	if t.body != nil && !t.body.hung() {
		t.attached()
		return t.body
	}
	r, c := t.r, t.r.casts[t.Agent]
	s := t.start(true)
	x, err := r.world.Procs.Begin(func() (actor.Session, error) { return t.opened(s) })
	if t.body = r.add(x, err, c, t, s.TTY); t.body != nil {
		r.person[t.Agent+"/"+t.id] = deed{at: r.wall(), what: "opened it", boots: r.boots, known: true}
	}
	return t.body
}

func (t *talk) types(b *body) {
	if b == nil || !b.Idle() {
		return
	}
	t.r.noted(b, b.Prompt(b.window.submits()+"and now this", actor.Person, t.r.wall()), "prompted")
}

// scripts is a headless prompt of a script, where nobody has it open.
func (t *talk) scripts() {
	if t.body != nil && !t.body.hung() {
		t.types(t.opens())
		return
	}
	if b := t.besides(); b != nil {
		if _, ended := b.Exit(); !ended {
			t.body = b
		}
	}
}

// besides is a headless prompt of a script, which does not look who has the session open. Nil: its agent refuses.
func (t *talk) besides() *body {
	r, c := t.r, t.r.casts[t.Agent]
	x, err := r.world.Procs.Begin(func() (actor.Session, error) {
		x, err := c.Open(t.id, t.start(false), r.wall())
		if err == nil {
			err = x.Prompt("go on, says a script", actor.Person, r.wall())
		}
		return x, err
	})
	b := r.add(x, err, c, t, "")
	if b != nil {
		r.noted(b, nil, "a script prompted")
	}
	return b
}

var moves = map[What]actor.Move{quits: actor.Quit, hangsUp: actor.Hangup, interrupts: actor.Interrupt, crashes: actor.Crash, clears: actor.Clear,
	renames: actor.Rename, approves: actor.Approve}

// does something to the process that has it open; a crash hits clawd's run, too.
func (t *talk) does(w What) {
	b := t.body
	if w == torn || w == late || w == lags || w == crashes && (b == nil || t.r.chance.IntN(2) == 0) {
		for _, x := range t.r.alive {
			if x.talk == t && !x.over && (b == nil || x.child != nil) {
				b = x
			}
		}
	}
	if b == nil {
		return
	}
	if w == torn || w == late || w == lags {
		t.r.odd[b.cast.Name()+"/"+b.ID()] = true
	}
	switch w {
	case torn:
		b.Write(actor.Torn)
	case late:
		b.Write(actor.Late)
	case lags:
		b.lags = true
		b.Write(actor.Late)
	case halfTypes, wipes, scrolls:
		b.window.does(w)
	default:
		b.window.closes()
		works := !b.Idle()
		t.r.noted(b, b.Do(moves[w], t.r.wall()), string(w))
		t.r.breaks(b, w, works)
		b.window.takesBack()
	}
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
		if o.Kind != machine.Resume { // he knows, whatever comes of it, also in a session that has taken over
			for _, key := range t.ids {
				c.told[key] = append(c.told[key], string(o.Kind))
			}
		}
		w := c.wants[key]
		if o.Kind == machine.Resume {
			w.cancelled, w.resumed = false, c.wall()
			maps.DeleteFunc(c.run.reached, func(of, _ string) bool { return strings.HasPrefix(of, key+" ") }) // he wants it asked again
			c.renews(key)
		}
		if o.Off {
			w.ignored = false
		}
		c.wants[key] = w
		given, heir := c.wall(), c.takesOver(key, "")
		c.after(8*time.Second, "", func() {
			select {
			case a := <-answer:
				c.answered(key, o, a, given)
				if w := c.wants[key]; heir != "" && w.cancelled && w.since.Equal(given) { // it is that run that is ended
					c.wants[heir] = want{cancelled: true, since: given}
				}
			default:
				late()
			}
		})
	})
}

// leap is how far the clocks must come apart for clawd to take it for a sleep.
const leap = 2 * time.Second

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
		long = max(time.Second, min(long, 12*time.Hour, r.Length+time.Hour-time.Since(r.began))) // the end needs its time
		r.trace("suspended for %s", long)
		r.asleep += long
		time.Sleep(long)
		if long > leap {
			r.woke = r.mono()
		}
	case steps:
		by := min(long, 12*time.Hour)
		if it.N%2 == 0 {
			by = -by
		}
		if now := r.wall(); now.After(r.latest) {
			r.latest = now
		}
		r.ahead += by
		if long > leap {
			r.woke = r.mono()
		}
		r.trace("the clock is set by %s", by)
		for _, b := range slices.Clone(r.alive) { // which may hold back lines for an hour that is past
			r.acts(b)
		}
	case misses, unmounts:
		r.misses(it, long)
	case reloads:
		r.conf, r.confAt = int(uint64(it.N)>>8)%len(configs), r.mono()
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
		r.blind = it.What == blinds && it.N%2 == 0 || it.What != blinds && r.blind
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
