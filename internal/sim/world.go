package sim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clawd-project/clawd/internal/sim/actor"
	"github.com/clawd-project/clawd/resume"
)

// cast is an agent on the machine.
type cast struct {
	actor.Agent
	program string
}

// talk is a conversation as it goes.
type talk struct {
	Talk
	r     *run
	who   int
	dir   string
	id    string // of its session now
	path  string
	ids   []string // agent/id of all its sessions
	body  *body    // the process that a person has it open in; nil: none
	ended int      // turns
	used  map[int]bool
	sat   time.Time   // when he last opened a terminal of what a server has open
	stall time.Time   // until then what clawd does for it waits
	shell *actor.Proc // that its terminal's agent was started from; nil: there is none
}

// body is a process of an agent.
type body struct {
	actor.Session
	r      *run
	cast   *cast
	talk   *talk  // nil: it is clawd's own session
	child  *child // nil: a person's
	tty    string
	began  time.Time     // by the wall clock, as is due
	born   time.Duration // as began, awake
	due    time.Time
	ends   []func() // what follows on its end
	stamp  string   // of its file
	known  string   // the session that it had last
	window *window  // nil: its terminal cannot be reached
	busy   bool
	over   bool
	execs  bool // clawd exec runs it
	lags   bool // its lines come late
}

// people makes the world and everybody in it.
func (r *run) people() {
	r.world = &actor.World{Home: r.path("home"), Procs: actor.NewTable("boot-1", epoch.Add(-time.Hour)), Ledger: actor.NewLedger(),
		Zone: time.UTC, Rand: rand.New(rand.NewPCG(r.Seed, 4)), Provider: r.provides, Env: []string{"HOME=" + r.path("home")}}
	must(os.MkdirAll(r.path("bin"), 0o700))
	r.told, r.kinds, r.wants, r.lines = map[string][]string{}, map[string]actor.Kind{}, map[string]want{}, map[string]*episode{}
	r.spent, r.decided, r.torn, r.old = map[string]int{}, map[string]resume.Decision{}, map[string]bool{}, map[string]bool{}
	r.opened, r.alike = map[string]time.Time{}, map[string]bool{}
	r.unkept, r.acting, r.reached, r.heard = map[*actor.Ask]bool{}, map[string]resume.Claim{}, map[string]string{}, map[string]bool{}
	r.rewound, r.sizes, r.odd, r.made, r.shared = map[string]time.Time{}, map[string][]size{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, t := range r.Talks {
		c := r.casts[t.Agent]
		if c == nil {
			c = &cast{r.casting(t.Agent), filepath.Join(r.path("bin"), t.Agent)}
			must(os.WriteFile(c.program, fmt.Appendf(nil, "#!/bin/sh\necho %s\n", versions[t.Agent]), 0o700))
			r.casts[t.Agent] = c
		}
		x := &talk{Talk: t, r: r, who: i, dir: filepath.Join(r.path("home"), "work", fmt.Sprintf("p%d", t.Dir)), used: map[int]bool{}}
		must(os.MkdirAll(x.dir, 0o700))
		r.talks = append(r.talks, x)
		r.at(r.began.Add(t.At), fmt.Sprintf("talk %d begins", i), x.begins)
	}
}

func (r *run) casting(name string) actor.Agent {
	switch name {
	case "copilot":
		c := actor.NewCopilot(r.world)
		c.Loader, c.Autopilot, c.Subs, c.Away = r.Seed%2 == 0, 4, 5, 12
		return c
	case "codex":
		return actor.NewCodex(r.world)
	case "gemini":
		return actor.NewGemini(r.world)
	case "opencode":
		return actor.NewOpenCode(r.world)
	case "pi":
		p := actor.NewPi(r.world)
		p.Provider, p.Compacts = []string{"anthropic", "openai-codex", "openai"}[r.Seed%3], r.Seed%2 == 0
		return p
	case "qwen":
		q := actor.NewQwen(r.world)
		q.CodingPlan = r.Seed%2 == 0
		if r.Seed%4 != 0 { // as its user may have set it, so that it gives up within minutes
			q.Retries, q.Rounds = 0, 0
		}
		return q
	}
	c := actor.NewClaude(r.world)
	c.Continues, c.Forgets = r.Seed%4 != 0, 3 // older versions do not
	return c
}

// provides is every provider's answer.
func (r *run) provides(q actor.Request) (a actor.Answer) {
	defer func() {
		key := q.Agent + "/" + q.Session
		if r.kinds[key] = a.Kind; a.Kind == actor.Done || a.Kind == actor.CallsTool {
			r.renews(key)
		}
		r.trace("%s/%s asks (%s, step %d, try %d): %q", q.Agent, q.Session, q.By, q.Step, q.Try, a.Kind)
	}()
	a.Took = drawer{r.chance}.span(30*time.Millisecond, 40*time.Second)
	at := time.Since(r.began)
	for _, s := range r.Weather {
		if s.Agent != q.Agent || at < s.From || at >= s.To || r.chance.IntN(20) == 0 && (q.Agent != "qwen" || q.Try == 0) { // which asks hundreds of times
			continue
		}
		a.Kind, a.Window = s.Kind, s.Window
		switch s.Kind {
		case actor.RateLimited:
			if s.Tells {
				a.RetryAfter = min(s.To-at, time.Duration(1+r.chance.IntN(120))*time.Second)
			}
		case actor.UsedUp:
			if s.Tells {
				a.Reset = r.wall().Add(s.To - at).Truncate(time.Minute).Add(time.Minute)
			}
		case actor.Silent:
			if r.chance.IntN(3) > 0 {
				a.Kind = actor.Done
			}
		}
		return a
	}
	if q.Step < 3 && r.chance.IntN(3) == 0 {
		a.Kind, a.Tool = actor.CallsTool, drawer{r.chance}.span(50*time.Millisecond, 3*time.Minute)
		a.Asks = q.By == actor.Person && r.chance.IntN(10) == 0
	}
	return a
}

// add takes up a process.
func (r *run) add(s actor.Session, err error, c *cast, t *talk, tty string) *body {
	if err != nil {
		r.trace("no process: %v", err)
		return nil
	}
	b := &body{Session: s, r: r, cast: c, talk: t, tty: tty, began: r.wall(), born: r.mono()}
	r.alive = append(r.alive, b)
	r.trace("process %d of %s", s.PID(), c.Name())
	r.begins(b)
	x, may := s.(interface{ Own() bool })
	if _, ended := s.Exit(); !ended && tty != "" && (!may || x.Own()) {
		if t.Shell {
			t.sits(r.world.Procs.Proc(s.PID()))
		}
		if t.Tmux {
			b.window = r.window(b)
		}
	}
	r.registry(b)
	r.follows(b)
	return b
}

// begins notes when a process began in its session.
func (r *run) begins(b *body) {
	key, now := b.cast.Name()+"/"+b.ID(), r.wall()
	if last, ok := r.opened[key]; ok && now.Sub(last).Abs() < time.Minute {
		r.alike[key] = true
	}
	r.opened[key] = now
}

// hung tells whether it waits for ever for an answer that nobody can give.
func (b *body) hung() bool {
	x, ok := b.Session.(interface{ Hung() bool })
	return ok && x.Hung()
}

func (r *run) bodies() []*body { return r.alive }

// acts lets a process do what is due.
func (r *run) acts(b *body) {
	due, err := b.Next(r.wall())
	must(err)
	b.due = due
	r.stirs()
	r.follows(b)
}

// follows takes in what a process has done.
func (r *run) follows(b *body) {
	if due, err := b.Next(r.wall()); err == nil {
		b.due = due
	} else {
		must(err)
	}
	if r.wrote(b); b.lags {
		b.Write(actor.Late)
	}
	b.window.putsBack()
	if b.talk != nil && b.ID() != b.known && b.ID() != "" {
		b.known = b.ID()
		if b.child == nil {
			b.talk.id, b.talk.path = b.ID(), b.Path()
			b.talk.ids = append(b.talk.ids, b.cast.Name()+"/"+b.ID())
		}
	}
	_, ended := b.Exit()
	busy := !ended && !b.Idle()
	if b.busy && !busy && b.talk != nil {
		b.talk.ended++
		if k := r.kinds[b.cast.Name()+"/"+b.ID()]; k != actor.Done && k != actor.CallsTool {
			r.trace("%s/%s fails: %s", b.cast.Name(), b.ID(), k)
			b.window.fails(k)
			b.execHangs()
			r.moment(b.talk.who, stops)
		}
	}
	b.busy = busy
	if b.child != nil && !ended {
		b.child.goesOn()
	}
	if !ended || b.over {
		if b.over && b.due.IsZero() {
			r.alive = slices.DeleteFunc(r.alive, func(x *body) bool { return x == b })
		}
		return
	}
	b.over = true
	r.trace("process %d ends", b.PID())
	if b.talk != nil && b.talk.body == b {
		b.talk.body = nil
	}
	if b.due.IsZero() {
		r.alive = slices.DeleteFunc(r.alive, func(x *body) bool { return x == b })
	}
	r.registry(b)
	if b.child != nil {
		b.child.finished()
	}
	for _, f := range b.ends {
		f()
	}
	for _, x := range r.together(b) {
		r.follows(x)
	}
}

// wrote has clawd hear of what a process wrote.
func (r *run) wrote(b *body) {
	fi, err := os.Lstat(b.Path())
	if err != nil {
		return
	}
	stamp := fmt.Sprint(b.Path(), fi.Size(), fi.ModTime().UnixNano())
	if stamp == b.stamp {
		return
	}
	b.stamp = stamp
	if b.talk != nil && b.talk.id == b.ID() {
		b.talk.path = b.Path()
	}
	r.sizes[b.Path()] = append(r.sizes[b.Path()], size{r.wall(), fi.Size()})
	r.hints(b.cast.Name(), b.Path())
}

// size is how long a file was at a time.
type size struct {
	at time.Time
	n  int64
}

// sized is how long a file was at a time; -1: that is not known.
func (r *run) sized(path string, at time.Time) (n int64) {
	n = -1
	for _, s := range r.sizes[path] {
		if !s.at.After(at) {
			n = s.n
		}
	}
	return n
}

// registry has clawd hear of a process that comes or goes.
func (r *run) registry(b *body) {
	switch b.cast.Name() {
	case "claude":
		r.hints("claude", filepath.Join(b.cast.Root(), "sessions", fmt.Sprintf("%d.json", b.PID())))
	case "copilot":
		r.hints("copilot", filepath.Join(filepath.Dir(b.Path()), fmt.Sprintf("inuse.%d.lock", b.PID())))
	}
	if b.cast.Name() == "qwen" {
		r.hints("qwen", filepath.Join(b.cast.Root(), "sessions", fmt.Sprintf("%d.json", b.PID())))
		r.hints("qwen", filepath.Join(b.cast.Root(), "usage_record.jsonl"))
	}
	if _, ended := b.Exit(); !ended || r.is(deafens) {
		return
	}
	for _, c := range r.clawds {
		if c.hand != nil {
			c.after(r.soon(), "", func() { c.protect(c.hand.Revisit) })
		}
	}
}

// hints is a file event.
func (r *run) hints(agentName, path string) {
	if r.is(deafens) || r.Deaf && !r.calm {
		return
	}
	for _, c := range r.clawds {
		if c.hand == nil {
			continue
		}
		look := func() { c.protect(func() { c.hand.Look(agentName, path) }) }
		switch r.chance.IntN(20) {
		case 0: // it comes twice
			c.after(r.soon(), "", look)
		case 1:
			if !r.calm {
				continue // it is lost
			}
		}
		c.after(r.soon(), "", look)
	}
}

// moment has follow what follows on it.
func (r *run) moment(who int, m Moment) {
	if r.calm {
		return
	}
	t := r.talks[who]
	for i := range r.Items {
		it := &r.Items[i]
		if it.Who != who || it.On != m || t.used[i] {
			continue
		}
		t.used[i] = true
		if m == takes && (it.What == twins || r.chance.IntN(2) == 0) { // so that it is over before the gate opens
			t.stall = time.Now().Add(it.At + time.Duration(r.chance.Int64N(int64(2*time.Second))))
		}
		r.at(time.Now().Add(it.At), fmt.Sprintf("%s %d", it.What, who), func() { r.happens(*it) })
		if with := i+1 < len(r.Items) && r.Items[i+1].With; !with && r.chance.IntN(2) == 0 {
			return // the others wait for the next time
		}
	}
}

// of gives the conversation that a session is of; nil: it is clawd's own.
func (r *run) of(agentName, id string) *talk {
	key := agentName + "/" + id
	for _, t := range r.talks {
		if slices.Contains(t.ids, key) {
			return t
		}
	}
	for _, t := range r.beside {
		if slices.Contains(t.ids, key) {
			return t
		}
	}
	return nil
}
