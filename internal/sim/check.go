package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/sim/actor"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// watch is what the checks remember.
type watch struct {
	alive   []*body
	told    map[string][]string
	kinds   map[string]actor.Kind // newest answer, by session
	person  map[string]deed
	asked   int // prompts of the ledger that were looked at
	wants   map[string]want
	lines   map[string]*episode
	spent   map[string]int
	torn    map[string]bool            // sessions whose files somebody has damaged
	old     map[string]bool            // sessions that were left for their age
	sizes   map[string][]size          // that the sessions' files had
	made    map[string]bool            // marks
	unkept  map[*actor.Ask]bool        // prompts that went with a folder
	shared  map[string]bool            // sessions in which a second clawd made an attempt
	odd     map[string]bool            // sessions whose lines may be late or torn
	opened  map[string]time.Time       // when the newest process of a session began
	alike   map[string]bool            // sessions in which two of them began within a minute
	rewound map[string]time.Time       // sessions whose newest records went with the power
	woke    time.Duration              // when the machine last woke up, or its clock was set
	decided map[string]resume.Decision // by token
	acting  map[string]resume.Claim    // the newest attempt that each process works on, and in which session if it has several
	reached map[string]string          // the attempt for a stop whose prompt reached the provider
	heard   map[string]bool            // sessions of which a clawd has heard since it looked at all for the last time that something was written
	confAt  time.Duration              // when the config was changed
	blind   bool                       // while files cannot be read no look gets through
}

// blown tells whether clawd is killed at a place of the shim's; it is not drawn yet.
func (r *run) blown(int) bool { return false }

// adapter is a fresh one.
func (r *run) adapter(name string) agent.Agent {
	k, err := all.Kind(name)
	must(err)
	return r.opens(k)
}

// check looks at the world after a step.
func (r *run) check() {
	for ; r.asked < len(r.world.Ledger.Asks); r.asked++ {
		ask := r.world.Ledger.Asks[r.asked]
		if ask.By != actor.Clawd {
			key := ask.Agent + "/" + ask.Session
			r.renews(key)
			if w, ok := r.wants[key]; ok {
				w.cancelled = false
				r.wants[key] = w
			}
			continue
		}
		if t := r.of(ask.Agent, ask.Session); t != nil {
			r.moment(t.who, asks)
		}
		r.asks(ask)
	}
	r.queued()
}

// queued: what lies in an agent's queue is of an attempt that is under way or held.
func (r *run) queued() {
	cast, c := r.casts["codex"], r.clawds[0]
	if cast == nil || c.hand == nil || len(r.clawds) > 1 {
		return
	}
	for _, t := range r.talks {
		if t.Agent != "codex" || t.id == "" || len(cast.Agent.(*actor.Codex).Queued(t.id)) == 0 {
			continue
		}
		rec, known, err := c.hand.Store().Session(detect.Session{Agent: "codex", ID: t.id})
		must(err)
		over := rec.Phase == state.Following && rec.Claim != nil && (rec.Stop.Key != rec.Claim.Stop.Key || rec.Classifier.Ended.After(rec.Claim.At)) // by what came later
		if known && rec.Phase != state.Fired && rec.Phase != state.Held && !over {
			r.fails("I18", "codex/%s is %s, and a prompt of clawd's lies in its queue", t.id, rec.Phase)
		}
	}
}

// asks looks at a prompt of clawd's that reached the provider.
func (r *run) asks(a *actor.Ask) {
	key := a.Agent + "/" + a.Session
	r.repeats(a)
	if a.Stop == "" || r.torn[key] {
		return
	}
	n := 0
	for _, b := range r.world.Ledger.For(a.Agent, a.Session, a.Stop) {
		if b.By == actor.Clawd && !r.overtaken(b) && !r.between(b, a) && (b == a || !b.At.Before(r.wants[key].resumed)) { // what its user has ordered since may be the second
			n++
		}
	}
	if n > 1 {
		r.fails("I1", "%s/%s: %d prompts of clawd's for the stop %s", a.Agent, a.Session, n, a.Stop)
	}
}

// repeats looks whether a prompt reaches the provider for a stop for which an earlier attempt's did: whatever came of that, it had
// an effect.
func (r *run) repeats(a *actor.Ask) {
	c, ok := r.acting[fmt.Sprint(a.PID, "/", a.Session)]
	if !ok {
		c, ok = r.acting[strconv.Itoa(r.leader(a.PID))]
	}
	if key := state.Key(c.Session); ok && !r.torn[key] && !r.decided[c.Token].Asked {
		of := key + " " + c.Stop.Key
		if was, seen := r.reached[of]; seen && was != c.Token {
			r.fails("I6", "%s: attempt %d asks for a stop that an earlier one has asked for", key, c.N)
		}
		r.reached[of] = c.Token
	}
}

// leader is the first process of the run that a process is of: clawd's own, where it runs for clawd.
func (r *run) leader(pid int) int {
	if p := r.world.Procs.Proc(pid); p != nil {
		return p.Group
	}
	return pid
}

// overtaken tells whether somebody went on between the mark of the run that asked and its prompt, which no look can see: what
// it found then was no longer the stop that it was started for.
func (r *run) overtaken(a *actor.Ask) bool {
	i := slices.IndexFunc(r.runs, func(x *child) bool { return x.body != nil && x.body.PID() == a.PID && x.claim.Session.ID == a.Session })
	return i >= 0 && slices.ContainsFunc(r.world.Ledger.Asks, func(b *actor.Ask) bool {
		return b.By == actor.Person && b.Agent == a.Agent && b.Session == a.Session && b.At.After(r.runs[i].claim.At) && b.At.Before(a.At)
	})
}

// marked looks at the world at the moment of a mark, right after the last look. own is the process that clawd types into;
// nil: it starts one.
func (r *run) marked(by *clawd, c resume.Claim, own *body) {
	key := c.Session.Agent + "/" + c.Session.ID
	if r.made[c.Mark] {
		r.fails("I2", "%s: attempt %d is made twice", key, c.N)
	}
	r.made[c.Mark] = true
	if by != r.clawds[0] {
		r.shared[key] = true
	}
	switch {
	case own != nil:
		r.acting[fmt.Sprint(own.PID(), "/", c.Session.ID)] = c
	case c.Plan.Way == resume.Queue:
		r.acting[fmt.Sprint(c.Plan.Holder.PID, "/", c.Session.ID)] = c
	default:
		r.acting[strconv.Itoa(c.PID)] = c
	}
	for _, b := range r.alive {
		if _, ended := b.Exit(); ended || b == own || b.child != nil && b.child.claim.Token == c.Token || c.Plan.Way == resume.Queue && b.PID() == c.Plan.Holder.PID || b.cast.Name() != c.Session.Agent || b.ID() != c.Session.ID || b.cast.Name() == "opencode" || b.hung() { // which writes nothing any more, and which the shim ends
			continue
		}
		r.fails("I10", "%s: attempt %d while process %d has it open", key, c.N, b.PID())
	}
	for _, a := range r.world.Ledger.For(c.Session.Agent, c.Session.ID, c.Stop.Key) {
		lost := r.rewound[key]
		if r.odd[key] && !r.runsOn(a.PID) { // its turn is over, and the failure of the one before it may have been written behind it
			continue
		}
		if r.unkept[a] || a.Unkept || c.Session.Agent == "opencode" && a.At.Before(r.latest) { // opencode goes by the clock itself: for it, too, this one came before
			continue
		}
		if a.By != actor.Clawd && !r.torn[key] && r.written(key, c.Session.Path, a.At) && (a.At.After(lost) || lost.Sub(a.At) > 10*time.Second) {
			r.fails("I10", "%s: attempt %d after a prompt of %s at %s", key, c.N, a.By, a.At.Format(time.TimeOnly))
		}
	}
	r.obeyed(key, c)
	by.left(key, c)
	by.counted(key, c)
	by.stored(key, c)
	by.patient(key, c)
}

// runsOn tells whether a process of an agent is at work on a turn.
func (r *run) runsOn(pid int) bool {
	return slices.ContainsFunc(r.alive, func(b *body) bool { return !b.over && b.busy && b.PID() == pid })
}

// written tells whether a prompt of a time stands in the session's file.
func (r *run) written(key, path string, at time.Time) bool {
	old := r.wall().Sub(at) > 10*time.Second
	if strings.HasPrefix(key, "opencode/") { // whose file says nothing of it
		return old
	}
	before := r.sized(path, at)
	grown := slices.ContainsFunc(r.sizes[path], func(s size) bool { return s.at.After(at) && s.n > before })
	return grown && (old || !r.odd[key]) // whose lines may come later
}

// counted: the attempts of an episode are numbered, and bounded.
func (by *clawd) counted(key string, c resume.Claim) {
	r := by.run
	line := r.lines[key]
	if line == nil {
		line = &episode{}
		r.lines[key] = line
	}
	anew := line.anew || r.askedSince(actor.Person, key, line.at) || c.Stop.At.Before(line.stop) // beside the attempt, or read late (docs/reliability.md)
	if !anew && !r.torn[key] && !r.shared[key] && line.of == by && c.N <= line.n {
		r.fails("I7", "%s: attempt %d after attempt %d of the same episode", key, c.N, line.n)
	}
	line.n, line.of, line.at, line.stop = c.N, by, r.wall(), c.Stop.At
	line.anew = r.askedSince(actor.Person, key, c.Stop.At) // somebody goes on right now, which it is to find out
	if d := r.decided[c.Token]; d.Probe || d.Asked {
		return
	}
	day := r.wall().UTC().Format(time.DateOnly) + key + by.name // another clawd has a store of its own
	r.spent[day]++
	if n, most := r.spent[day], by.config().Budget.MaxResumesPerDay; n > most {
		r.fails("budget", "%s: %d attempts on one day", key, n)
	}
}

// askedSince tells whether somebody's prompt in a session reached the provider after a time.
func (r *run) askedSince(by actor.By, key string, at time.Time) bool {
	return slices.ContainsFunc(r.world.Ledger.Asks, func(a *actor.Ask) bool {
		return a.By == by && a.Agent+"/"+a.Session == key && a.At.After(at)
	})
}

// renews: something came in between that is no attempt's.
func (r *run) renews(key string) {
	if l := r.lines[key]; l != nil {
		l.anew = true
	}
}

// stored: the attempt is on the disk before it is made, and its stop was not dealt with.
func (c *clawd) stored(key string, claim resume.Claim) {
	rec, _, err := c.hand.Store().Session(claim.Session)
	must(err)
	if rec.Phase != state.Fired || rec.Claim == nil || rec.Claim.Token != claim.Token {
		c.fails("I3", "%s: attempt %d is made, and the store says %s", key, claim.N, rec.Phase)
	}
	how := c.hand.World().Books.Closed(claim.Session, claim.Stop.Key)
	switch {
	case how.Verdict == "" || !how.Reopened.IsZero():
	case how.Verdict != resume.NoEffect:
		c.fails("I9", "%s: attempt %d for a stop that ended as %s", key, claim.N, how.Verdict)
	case how.Proof == "":
		c.fails("I6", "%s: attempt %d for a stop that was fired for, without a proof that nothing came of it", key, claim.N)
	}
}

// late looks for waits that are over and that nobody looks after.
func (c *clawd) late() {
	now := map[string]time.Duration{}
	for _, s := range c.hand.Sessions() {
		w := c.hand.World()
		p, waits := s.Phase.(machine.Waiting)
		if !waits || !p.Begun || s.Guard != nil || s.Job.Kind != machine.Idle || !p.Due.Over(w) || s.Rec.Decision.Grace > 0 && !p.Grace.Over(w) {
			continue
		}
		key := state.Key(s.Rec.Session)
		since, known := c.due[key]
		if !known {
			since = c.mono()
		}
		if now[key] = since; c.mono()-since > 20*time.Second {
			c.fails("L4", "%s: its wait is over since %s and nothing happens", key, c.mono()-since)
		}
	}
	c.due = now
}

// moved looks at how a phase follows on another.
func (c *clawd) moved(s daemon.Step) {
	was, now := s.Was.Rec, s.Now.Rec
	if was.Phase != state.Fired || now.Phase != state.Waiting || now.Stop.Key != was.Stop.Key {
		return
	}
	switch s.Event.(type) {
	case machine.Opened, machine.Started, machine.Due: // the shim did not make the mark
	case machine.Sighted:
		if how := s.World.Books.Closed(now.Session, now.Stop.Key); how.Verdict != resume.NoEffect || how.Proof == "" {
			c.fails("I5", "%s waits again by %q, without a proof", state.Key(now.Session), how.Verdict)
		}
	default:
		c.fails("I5", "%s waits again by %T", state.Key(now.Session), s.Event)
	}
}

// judged: that a run of clawd's has stopped again is said when its turn is over. Of what fails beside it only the agent's records tell.
func (c *clawd) judged(s daemon.Step) {
	was := s.Was.Rec
	if was.Phase != state.Fired || s.Now.Rec.Phase == state.Fired || s.World.Books.Closed(was.Session, was.Claim.Stop.Key).Verdict != resume.StoppedAgain {
		return
	}
	i := slices.IndexFunc(c.runs, func(x *child) bool { return x.claim.Token == was.Claim.Token && x.Alive() })
	if d := c.person[state.Key(was.Session)]; c.latest.After(was.Claim.At) || d.at.After(was.Claim.At) || c.odd[state.Key(was.Session)] { // a clock that is set back tells nothing; who opens the session beside it and quits may end its turn in the file, and so may a line of the run before that comes late
		return
	}
	if i >= 0 && (c.runs[i].body == nil || c.runs[i].body.busy) && !c.askedSince(actor.Person, state.Key(was.Session), was.Claim.At) {
		c.fails("judged", "%s: attempt %d has stopped again, and its run works on", state.Key(was.Session), was.Claim.N)
	}
}

// episode are the attempts since somebody or something good came in between.
type episode struct {
	n        int
	of       *clawd    // that made the last one
	at, stop time.Time // of that one, and of what it was made for
	anew     bool
}

// inherits: a fresh session goes on with the episode of another.
func (r *run) inherits(from, to string) {
	l := r.lines[from]
	if l == nil {
		return
	}
	heir := *l
	heir.anew = heir.anew || r.kinds[to] == actor.Done || r.kinds[to] == actor.CallsTool
	r.lines[to] = &heir
}

// forgets: a store does not know what another one knew of an episode. The marks tell only of the stop itself.
func (r *run) forgets() {
	for _, l := range r.lines {
		l.anew = true
	}
}

// takes looks at an attempt that was taken: not more at a time than max_parallel.
func (c *clawd) takes(e machine.Start) {
	cfg := c.config().Resume
	c.decided[e.Claim.Token] = e.Rec.Decision
	alive := 1
	for _, x := range c.runs {
		if x.c == c && x.Alive() && !x.ends {
			alive++
		}
	}
	if alive > cfg.MaxParallel {
		c.fails("parallel", "%d runs at a time", alive)
	}
}

// turned looks at a session that may start: not too close after the one before.
func (c *clawd) turned(now time.Duration) {
	if d := now - c.last; c.last != 0 && d < time.Duration(c.config().Resume.Stagger) {
		c.fails("stagger", "%s after the last start", d)
	}
	c.last = now
}

// stepped is told of each step of a session.
func (c *clawd) stepped(s daemon.Step) {
	t := c.of(s.Now.Rec.Agent, s.Now.Rec.ID)
	c.moved(s)
	c.judged(s)
	c.paced(s)
	if _, seen := s.Event.(machine.Sighted); seen && t != nil && s.Was.Rec.Phase == state.Fired && s.Now.Rec.Phase != state.Fired {
		c.moment(t.who, judges)
	}
	c.reached(s)
	c.claims(s)
	adopts := slices.ContainsFunc(s.Effects, func(e machine.Effect) bool { _, is := e.(machine.Adopt); return is })
	for _, e := range s.Effects {
		switch e := e.(type) {
		case machine.Ask:
			if _, last := e.Question.(machine.AskAll); last && t != nil {
				c.moment(t.who, claims)
			}
		case machine.Start:
			if t != nil {
				c.moment(t.who, takes)
			}
			c.takes(e)
		case machine.TurnMove:
			if e.Kind == machine.TurnTakes && !adopts {
				c.turned(s.World.Mono)
			}
			if l := c.lines[e.Session]; l != nil && e.Kind == machine.TurnJudges && e.Verdict == resume.ByHand {
				l.anew = true // its user has it: a stop after that begins another episode
			}
		case machine.Write:
			c.stirs()
		}
	}
}

// logged takes in a line of clawd's log.
func (r *run) logged(line []byte) {
	if !bytes.Contains(line, []byte(`"session_left"`)) && !bytes.Contains(line, []byte(`"session_too_old"`)) {
		return
	}
	var l struct{ Agent, Session string }
	must(json.Unmarshal(line, &l))
	r.old[l.Agent+"/"+l.Session] = true
}

// answered takes in what came of an order that was given at a time.
func (c *clawd) answered(key string, o machine.Order, a machine.Reply, given time.Time) {
	r := c.run
	r.trace("%s %s: %s %v", o.Kind, key, a.Text, a.Err)
	if a.Err != nil || len(r.clawds) > 1 && !r.clawds[1].gone { // another one may not hear of it
		return
	}
	w := r.wants[key]
	w.since = given
	switch o.Kind {
	case machine.Cancel:
		w.cancelled = w.resumed.Before(given) && !slices.ContainsFunc(r.world.Ledger.Asks, func(a *actor.Ask) bool { // somebody has gone on
			return a.By != actor.Clawd && a.Agent+"/"+a.Session == key && a.At.After(given)
		}) && !slices.ContainsFunc(r.runs, func(x *child) bool { // it does not speak of another clawd's run
			return x.c != c && !x.over && state.Key(x.claim.Session) == key
		})
	case machine.Ignore:
		w.ignored = !o.Off
	case machine.Resume:
		r.renews(key)
	}
	r.wants[key] = w
}

func (r *run) resumed() int {
	c := r.clawds[0]
	if c.hand == nil {
		return 0
	}
	st, err := c.hand.Store().Stats()
	must(err)
	return st.TotalResumes
}
