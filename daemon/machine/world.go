package machine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// World is what a session is decided in. Step only reads it; who calls Step brings it up to date.
type World struct {
	Now    time.Time     // by the wall clock
	Mono   time.Duration // by the clock that nobody sets; above 0
	Here   Here
	Config config.Config
	Policy resume.Policy
	Peers  Peers
	// Starting is until when nothing is begun at most: sessions are still being found, and one of them may tell that
	// somebody moved on from another one. Not set: they were found.
	Starting Timer
	Turns    Turns
	Short    Shortage
	Lag      Lag
	Books    state.Books
	// Account names whose quota a session uses: sessions with equal names share it.
	Account func(agent string, i detect.Info) string
	// Token gives a name that was never given before, and MarkOf where the mark and the output of an attempt are.
	Token func() string
	Paths func(s detect.Session, key string, n int, token string) (mark, output string)
}

// Here is this clawd and its machine.
type Here struct {
	Boot    string
	Started time.Time
	Parted  time.Time            // when the clawd before was last there; zero: that is not known, or there was none
	Away    map[string]time.Time // the same for agents that it did not watch
	Absent  bool                 // clawd had ended before the machine last went down, so it saw nobody's end
	Lost    bool                 // the store is not all that it was
	Dry     bool                 // a rehearsal
}

// Summary is what other sessions may know of one.
type Summary struct {
	Session     detect.Session
	Dir         string
	Parent      string // of a sub-agent's session
	Created     time.Time
	FirstPrompt string
	Answered    time.Time
	BusyAt      time.Time   // newest record of an unfinished turn
	Last        time.Time   // newest record
	Interactive bool        // a person drives it, or the wait was begun for who has it open
	Begins      resume.Plan // of the attempt under way that begins a fresh session
	Limited     time.Time   // until when it waits for a usage limit of its agent; zero: it does not
}

// Summarize gives what other sessions may know of this one.
func (s *Session) Summarize() Summary {
	c, i := &s.Rec.Classifier, &s.Rec.Info
	w, _ := s.Phase.(Waiting)
	sum := Summary{Session: s.Rec.Session, Dir: i.Dir, Parent: i.Parent, Created: i.Created, FirstPrompt: i.FirstPrompt, Answered: c.Answered,
		Last: c.Last.At, Interactive: s.Rec.Driven() || w.OpenBy != 0}
	if c.Stop().State != detect.Stopped {
		sum.BusyAt = c.Last.At
	}
	if s.Rec.OursSince() { // it was clawd that had it go on
		sum.Answered = time.Time{}
	}
	if r, ok := s.under(); ok && r.Claim.Plan.Form == resume.FormFresh {
		sum.Begins = r.Claim.Plan
	}
	if s.Rec.Phase == state.Waiting && s.Rec.Stop.Reason == detect.UsageLimit && s.Rec.Decision.With == "" {
		sum.Limited = s.Rec.Decision.WakeAt
	}
	return sum
}

// Peers are the sessions as the others see them.
type Peers struct {
	all    map[string]Summary
	dirs   index             // by folder
	parts  index             // sub-agents' sessions, by their parents
	begun  map[string]bool   // sessions that clawd itself began
	owners map[string]origin // by agent and stop
	begins map[string]bool   // those with an attempt under way that begins a fresh session
}

// origin is the session that had a stop first. A record that stands in two sessions was copied from one to the other: a
// fork or an import.
type origin struct {
	id      string
	created time.Time
	fired   bool // an attempt was made for it there, so none is made for a copy
}

// NewPeers knows nobody.
func NewPeers() Peers {
	return Peers{all: map[string]Summary{}, dirs: index{}, parts: index{}, begun: map[string]bool{}, owners: map[string]origin{}, begins: map[string]bool{}}
}

// index has keys of sessions by something that they share, sorted: what is looked for is found in the same order always.
type index map[string][]string

// move puts a key where it belongs now. known: it was in the index.
func (x index) move(key, from, to string, known bool) {
	if known && from == to {
		return
	}
	if known {
		x[from] = slices.DeleteFunc(x[from], func(k string) bool { return k == key })
		if len(x[from]) == 0 {
			delete(x, from)
		}
	}
	at, _ := slices.BinarySearch(x[to], key)
	x[to] = slices.Insert(x[to], at, key)
}

// Put takes in how a session is now.
func (p *Peers) Put(s *Session) {
	key := state.Key(s.Rec.Session)
	sum := s.Summarize()
	was, known := p.all[key]
	p.dirs.move(key, was.Dir, sum.Dir, known)
	p.parts.move(key, was.Parent, sum.Parent, known)
	p.all[key] = sum
	if delete(p.begins, key); sum.Begins.Form != "" {
		p.begins[key] = true
	}
	if s.Rec.OldSession != "" {
		p.begun[key] = true
	}
	p.Claims(s.Rec)
}

// Begins notes a session that clawd itself begins.
func (p *Peers) Begins(ds detect.Session) { p.begun[state.Key(ds)] = true }

// Claims takes in which session had a stop first: the one that was begun first, or was seen first where that
// does not tell.
func (p *Peers) Claims(rec state.Session) {
	if rec.Stop.Key != "" {
		p.owners[rec.Agent+"\x00"+rec.Stop.Key] = p.first(rec)
	}
}

// first is the session that had the stop of a record first; itself where it has none.
func (p *Peers) first(rec state.Session) origin {
	s := origin{rec.ID, rec.Info.Created, rec.Claim != nil && rec.Claim.Stop.Key == rec.Stop.Key}
	o := p.owners[rec.Agent+"\x00"+rec.Stop.Key]
	takes := !o.fired && (s.fired || !s.created.IsZero() && s.created.Before(o.created))
	switch {
	case o.id == s.id:
		s.fired = s.fired || o.fired
	case o.id != "" && !takes:
		return o
	}
	return s
}

// limited is until when a session of an agent waits for a usage limit; zero: none does.
func (p *Peers) limited(agentName string) (until time.Time) {
	for _, o := range p.all {
		if o.Session.Agent == agentName {
			until = later(until, o.Limited)
		}
	}
	return until
}

// busyFor: an unfinished turn without a new record for so long is not taken for busy.
const busyFor = 10 * time.Minute

// siblings looks for a session that was started after the stop in the same folder: then a person
// or a script moved on. A sub-agent's session tells nothing that its parent's does not, and one that clawd itself
// began only that it is at work.
func (w *World) siblings(rec state.Session) (f rules.World) {
	own, heir := state.Key(rec.Session), state.Key(rec.Named(rec.NewSession))
	if rec.Info.Dir == "" {
		return f
	}
	for _, key := range w.Peers.dirs[rec.Info.Dir] {
		o := w.Peers.all[key]
		if key == own || !o.Created.After(rec.Stop.At) || key == heir || o.Parent != "" {
			continue
		}
		byOthers := !w.Peers.begun[key] && !w.Peers.beginning(o.Session, o.FirstPrompt)
		switch {
		case byOthers && o.FirstPrompt != "" && o.FirstPrompt == rec.Info.FirstPrompt:
			f.SamePrompt = o.Session.ID
		case byOthers && o.Answered.After(rec.Stop.At):
			f.WentOn = o.Session.ID
		}
		if w.Now.Sub(o.BusyAt) < busyFor {
			f.Busy = o.Session.ID
		}
	}
	return f
}

// takingOver tells whether an attempt under way has begun this session.
func (w *World) takingOver(rec state.Session) bool {
	return w.Peers.beginning(rec.Session, rec.Classifier.LastPrompt.Hash)
}

// beginning tells whether an attempt under way has begun a session: it has the id that clawd chose, or was asked with the hand-off.
func (p *Peers) beginning(ds detect.Session, asked string) bool {
	for key := range p.begins {
		o := p.all[key]
		if cmp.Or(o.Begins.Agent, o.Session.Agent) == ds.Agent && key != state.Key(ds) && (o.Begins.Session == ds.ID || asked != "" && o.Begins.Prompt == asked) {
			return true
		}
	}
	return false
}

// Beside is what a terminal may show instead of a session.
type Beside struct {
	Used map[string]time.Time // when other sessions of the same folder were last written to, by their ids
	Not  map[string]bool      // sessions, by their keys, that no terminal shows which may show this one
}

// After names a session that was written to after a time; empty: none was.
func (b Beside) After(at time.Time) string {
	for _, id := range slices.Sorted(maps.Keys(b.Used)) {
		if b.Used[id].After(at) {
			return id
		}
	}
	return ""
}

// beside looks for other sessions that a terminal may show. It shows neither the session's own sub-agents nor a run
// of clawd's.
func (w *World) beside(rec state.Session) Beside {
	b := Beside{Used: map[string]time.Time{}, Not: map[string]bool{}}
	own := state.Key(rec.Session)
	for _, key := range w.Peers.parts[rec.ID] {
		b.Not[key] = true
	}
	for key := range w.Peers.begun {
		if o, known := w.Peers.all[key]; known && !o.Interactive {
			b.Not[key] = true
		}
	}
	for _, key := range w.Peers.dirs[rec.Info.Dir] {
		if o := w.Peers.all[key]; key != own && !b.Not[key] {
			b.Used[o.Session.ID] = o.Last
		}
	}
	return b
}

// overdue is for how long a wait had been over when clawd was started, counted from when it was last
// there for that agent, by its clean end or its last sign of life: what clawd itself put off, or slept through, is not late.
func (w *World) overdue(agentName string, wake time.Time) time.Duration {
	parted, away := w.Here.Away[agentName]
	if !away {
		parted = w.Here.Parted
	}
	return w.Here.Started.Sub(later(wake, parted))
}

// window names the quota window that a stop shares with others of its account; empty: none.
func (w *World) window(rec *state.Session, stop *detect.Stop) string {
	if stop.Reason != detect.UsageLimit {
		return ""
	}
	return w.Account(rec.Agent, rec.Info) + "\x00" + string(stop.Window)
}

// Facts are what the rules look at that is known without asking anyone. rec has the stop and what is decided about
// it; h is who has the session open.
func (w *World) Facts(rec state.Session, h detect.Holder) rules.Facts {
	end := map[state.HolderEnd]rules.End{"": rules.NotSeen, state.HolderQuit: rules.Quit, state.HolderHangup: rules.Hangup}
	how, ok := end[rec.HolderEnd]
	if !ok {
		how = rules.OtherEnd
	}
	return rules.Facts{
		Stop: rec.Stop, Info: rec.Info, Asked: rec.Decision.Asked,
		Record: rules.Record{Session: rec.Session, Owner: w.Peers.first(rec).id, Ignored: rec.Ignored, Cancelled: rec.CancelStands(),
			Driven: rec.Driven(), InQueue: rec.InQueue(w.Books), Overdue: w.overdue(rec.Agent, rec.Decision.WakeAt)},
		Who: rules.Who{Holder: h, End: how, Parted: rec.HolderEnd != "" && rec.InTerminal()},
		Config: rules.Config{AfterQuit: w.Config.Resume.AfterQuit == "resume", AfterHangup: w.Config.Resume.AfterHangup == "resume",
			MaxOverdue: w.Policy.MaxOverdue, GiveUpAfter: w.Policy.GiveUpAfter},
	}
}

// outside adds what a look found that the loop does not know.
func outside(f *rules.Facts, seen rules.Facts) {
	f.Tail, f.Plan, f.Config.IgnoresProject = seen.Tail, seen.Plan, seen.Config.IgnoresProject
	f.Who.Exec, f.Who.ExecTold, f.Who.Server, f.Who.Neighbor = seen.Who.Exec, seen.Who.ExecTold, seen.Who.Server, seen.Who.Neighbor
}
