package sim

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/held"
	"github.com/clawd-project/clawd/internal/sim/actor"
)

// What people do more seldom.
const (
	forks    What = "fork"    // a copy of the session is gone on with
	subs     What = "sub"     // the agent starts a sub-agent
	archives What = "archive" // the session
	execs    What = "exec"    // clawd exec has it open for a while
	removes  What = "remove"  // its file
	shrinks  What = "shrink"  // its file is written anew, with its first half
	misses   What = "miss"    // the agent's program is not there for a while
	unmounts What = "unmount" // nor is its folder
	sits     What = "sit"     // a new terminal of the agent in the folder, without a word
	runs     What = "run"     // a new headless session in the folder
)

var seldom = []What{forks, forks, subs, archives, execs, execs, removes, shrinks, sits, runs, lags}

// seldomDoes is what people do more seldom. False: it is something else.
func (t *talk) seldomDoes(it Item) bool {
	r, c := t.r, t.r.casts[t.Agent]
	switch it.What {
	case forks:
		f, ok := c.Agent.(actor.Forker)
		if !ok {
			return true
		}
		s := t.start(it.N%2 == 0)
		if s.TTY != "" {
			s.TTY = fmt.Sprintf("/dev/pts/%d", 100+t.who) // a window of its own
		}
		x, err := r.world.Procs.Begin(func() (actor.Session, error) {
			x, err := f.Fork(t.id, s, r.wall())
			if err == nil {
				err = x.Prompt("go on with the copy", actor.Person, r.wall())
			}
			return x, err
		})
		r.aside(x, err, c, t, "")
	case sits:
		s := t.start(true)
		s.TTY = fmt.Sprintf("/dev/pts/%d", 200+t.who)
		x, err := c.Begin(s, r.wall())
		r.aside(x, err, c, t, s.TTY)
	case runs:
		x, err := r.world.Procs.Begin(func() (actor.Session, error) {
			x, err := c.Begin(t.start(false), r.wall())
			if err == nil {
				err = x.Prompt("do something else", actor.Person, r.wall())
			}
			return x, err
		})
		if b := r.aside(x, err, c, t, ""); b != nil && it.N%2 == 0 {
			r.at(time.Now().Add(drawer{r.chance}.span(time.Minute, time.Hour)), "its script runs out of time", func() {
				r.noted(b, b.Do(actor.Terminate, r.wall()), "ended by its script")
			})
		}
	case subs:
		if t.body == nil || t.Agent != "codex" && t.Agent != "opencode" {
			return true
		}
		x, err := r.world.Procs.Begin(func() (actor.Session, error) {
			x, err := c.Begin(actor.Start{Dir: t.dir, Parent: t.id}, r.wall())
			if err == nil {
				err = x.Prompt("do a part of it", actor.Person, r.wall())
			}
			return x, err
		})
		r.aside(x, err, c, t, "")
	case archives:
		t.archives()
	case execs:
		t.execs()
	case removes, shrinks:
		t.damages(it.What)
	default:
		return false
	}
	return true
}

// aside takes up a process that is beside a conversation. tty: its terminal, where clawd may reach it.
func (r *run) aside(x actor.Session, err error, c *cast, of *talk, tty string) *body {
	if err != nil {
		r.trace("not beside: %v", err)
		return nil
	}
	t := &talk{Talk: of.Talk, r: r, who: of.who, dir: of.dir, used: of.used}
	r.beside = append(r.beside, t)
	t.body = r.add(x, nil, c, t, tty)
	return t.body
}

func (t *talk) archives() {
	r := t.r
	r.torn[t.Agent+"/"+t.id] = true // what still happens in it is nobody's business
	switch a := r.casts[t.Agent].Agent.(type) {
	case *actor.Codex:
		r.trace("archived: %v", a.Archive(t.id))
	case *actor.OpenCode:
		r.trace("archived: %v", a.Archive(t.id, r.wall()))
	}
}

// execs: clawd exec goes on in it, and holds it meanwhile.
func (t *talk) execs() {
	r := t.r
	if t.body != nil {
		return
	}
	l, err := held.Take(r.path("user/held"), t.Agent, t.id)
	if err != nil {
		return
	}
	t.scripts()
	if t.body == nil {
		must(l.Close())
		return
	}
	t.body.execs = true
	t.body.execHangs()
	key := t.Agent + "/" + t.id
	r.person[key] = deed{at: r.wall(), what: string(execs), boots: r.boots, known: true}
	t.body.ends = append(t.body.ends, func() {
		r.at(time.Now().Add(r.soon()), "exec ends "+key, func() { must(l.Close()) })
	})
}

// execHangs: clawd exec ends what waits for ever after a failure.
func (b *body) execHangs() {
	if !b.execs || !b.hung() {
		return
	}
	b.r.at(time.Now().Add(20*time.Second), "exec ends what hangs", func() {
		if !b.over {
			must(b.Do(actor.Terminate, b.r.wall()))
			b.r.follows(b)
		}
	})
}

// damages the session's file, as its user does.
func (t *talk) damages(w What) {
	if t.body != nil || t.Agent == "opencode" {
		return
	}
	path, key := t.path, t.Agent+"/"+t.id
	fi, err := os.Lstat(path)
	if err != nil {
		return
	}
	t.r.trace("%s %s/%s", w, t.Agent, t.id)
	t.r.person[key] = deed{at: t.r.wall(), what: string(w), boots: t.r.boots, known: true}
	if w == removes {
		must(os.Remove(path))
		t.id = "" // there is nothing to go on with
	} else {
		b, err := os.ReadFile(path)
		must(err)
		must(os.WriteFile(path, b[:fi.Size()/2], 0o600))
		dated(path, t.r.wall())
	}
	t.r.hints(t.Agent, path)
	t.r.torn[key] = true
}

// away takes something away for a while. folder: the agent whose folder it is; empty: it is none.
func (r *run) away(path, what, folder string, long time.Duration) {
	aside := path + ".away"
	if _, err := os.Lstat(aside); err == nil || os.Rename(path, aside) != nil {
		return
	}
	r.trace("%s is away", what)
	asked := len(r.world.Ledger.Asks)
	back := func() {
		if _, err := os.Lstat(aside); err != nil {
			return // it is back
		}
		r.trace("%s is back", what)
		for _, a := range r.world.Ledger.Asks[asked:] { // what was written in its place is gone
			r.unkept[a] = r.unkept[a] || a.Agent == folder
		}
		must(os.RemoveAll(path))
		must(os.Rename(aside, path))
	}
	r.backs = append(r.backs, back)
	r.at(time.Now().Add(long), "", back)
}

// misses the program of an agent, or the folder that nobody is at work in.
func (r *run) misses(it Item, long time.Duration) {
	t := r.talks[it.Who]
	c := r.casts[t.Agent]
	if it.What == misses {
		r.away(c.program, filepath.Base(c.program), "", min(long, 2*time.Hour))
		return
	}
	for _, b := range r.alive {
		if b.cast == c {
			return
		}
	}
	for _, x := range r.runs {
		if x.Alive() {
			return
		}
	}
	r.away(c.Root(), "the folder of "+c.Name(), c.Name(), min(long, time.Hour))
}

// handedOn is the one of configs by which another agent takes over.
const handedOn = 9

// configs are what a config can be changed to; the first is the default.
var configs = []func(r *run, c *config.Config){
	func(*run, *config.Config) {},
	func(_ *run, c *config.Config) { c.Resume.AfterHangup = "leave" },
	func(_ *run, c *config.Config) { c.Resume.AfterQuit = "resume" },
	func(_ *run, c *config.Config) { c.Resume.MaxParallel = 1 },
	func(r *run, c *config.Config) { c.Watch.IgnoreProjects = []string{r.path("home/work/p0")} },
	func(_ *run, c *config.Config) { c.Budget.MaxResumesPerDay = 2 },
	func(_ *run, c *config.Config) {
		c.Resume.MaxAttempts, c.Resume.GiveUpAfter = 2, config.Duration(2*time.Hour)
	},
	func(_ *run, c *config.Config) { c.Resume.Reasons["crashed"] = "same_session" },
	func(_ *run, c *config.Config) { c.Terminal.Enabled = false },
	func(r *run, c *config.Config) {
		c.Resume.WhenLimited = "handoff:" + slices.Sorted(maps.Keys(r.casts))[len(r.casts)-1]
	},
}
