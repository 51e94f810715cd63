// Package sim runs the whole daemon, but for processes and terminals, in a made-up world: on a clock that jumps, with
// agents that write real files, and with people and machines that do what they like. One seed is one run, step by step
// the same each time, and from outside it is checked that clawd harmed nothing and forgot nothing.
//
// A run must be made in a bubble of testing/synctest: the real adapters read the clock there.
package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/sim/actor"
)

// Plan is everything that is drawn before a run: who is there and what happens. What is taken out of it does not happen.
type Plan struct {
	Seed    uint64
	Length  time.Duration // of what happens; then all is well for more than a day
	Calm    time.Duration // after so much of that the run ends when nothing is to come any more
	Deaf    bool          // no file events at all
	Slow    bool          // all takes its time
	Talks   []Talk
	Items   []Item
	Weather []Spell
}

// Talk is one conversation with an agent.
type Talk struct {
	Agent  string
	Dir    int           // which project
	TTY    bool          // in a terminal; else headless
	Tmux   bool          // its terminals are tmux's
	Shell  bool          // its terminals have a shell, from which the agent is started; else the agent leads the terminal
	Free   bool          // it never asks for permission
	Served bool          // it is held through a server
	At     time.Duration // of the first prompt
	Same   bool          // its first prompt is that of all others
}

// Item is one thing that somebody does.
type Item struct {
	What What
	Who  int           // whose conversation; -1: it is the machine's
	On   Moment        // after what; empty: after the run's beginning
	At   time.Duration // so long after it
	N    int64         // what its kind makes of it
	With bool          // it comes whenever the item before it does
}

// What happens.
type What string

// Moment is what an Item follows on.
type Moment string

const (
	stops  Moment = "stop"  // a turn of the conversation fails
	claims Moment = "claim" // clawd looks for the last time
	takes  Moment = "take"  // clawd has taken an attempt
	starts Moment = "start" // clawd starts a run for it
	asks   Moment = "ask"   // a prompt of clawd's reaches the provider
	judges Moment = "judge" // clawd has its verdict on an attempt
)

// What people do.
const (
	prompts    What = "prompt"    // in the open terminal, or in one that he opens
	scripts    What = "script"    // headless
	besides    What = "beside"    // the same, whoever has it open
	opens      What = "open"      // the session, in a terminal
	quits      What = "quit"      // the terminal's agent
	hangsUp    What = "hangup"    // closes the terminal, with the agent in it or after that has ended
	interrupts What = "interrupt" // what runs
	crashes    What = "crash"     // the agent's process
	clears     What = "clear"
	renames    What = "rename"
	approves   What = "approve"
	torn       What = "torn"   // the next lines come in two halves
	late       What = "late"   // the next lines come late
	lags       What = "lag"    // all lines of the process come late
	halfTypes  What = "type"   // a text, and no Enter
	wipes      What = "wipe"   // the input box
	scrolls    What = "scroll" // so that no key reaches the agent
	resumes    What = "resume"
	cancels    What = "cancel"
	ignores    What = "ignore"
	unignores  What = "unignore"
)

// What the machine does.
const (
	kills    What = "kill"    // clawd
	restarts What = "restart" // clawd, cleanly
	reboots  What = "reboot"
	powerCut What = "power"
	suspends What = "suspend"
	steps    What = "step" // the wall clock
	reloads  What = "reload"
	refuses  What = "refuse" // the store takes nothing for a while
	shortens What = "short"  // nothing can be started for a while
	blinds   What = "eio"    // files cannot be read for a while
	slows    What = "slow"   // everything takes its time for a while
	hangs    What = "hang"   // files do not answer for a while
	deafens  What = "deaf"   // no file events for a while
	loses    What = "lose"   // the store, while clawd is down
	cuts     What = "cut"    // the store's file, while clawd is down
	twins    What = "twin"   // a second clawd runs for a while
	snaps    What = "snap"   // the day's snapshot of the store is made
	putsBack What = "back"   // its user puts the newest snapshot in the store's place, while clawd is down
)

// Spell is for how long a provider answers how.
type Spell struct {
	Agent    string
	From, To time.Duration
	Kind     actor.Kind
	Window   detect.Window
	Tells    bool // when it is over
}

// aimed: seeds n<<aimed and the following ones draw worlds about the focus n alone, counted from 1.
const aimed = 32

// Aimed gives the first seed whose world, as those of the following ones, is about one thing alone. false: there is no such thing.
func Aimed(about string) (first uint64, ok bool) {
	n := slices.IndexFunc(focuses, func(f focus) bool { return f.about == about })
	return uint64(n+1) << aimed, n >= 0
}

// Things are what small worlds are about.
func Things() []string {
	var all []string
	for _, f := range focuses {
		all = append(all, f.about)
	}
	return all
}

// Draw gives the plan of a seed.
func Draw(seed uint64) Plan {
	d := drawer{rand.New(rand.NewPCG(seed, 1))}
	if n := seed >> aimed; n > 0 {
		return d.drawSmall(seed, focuses[(n-1)%uint64(len(focuses))])
	}
	if d.IntN(24) > 0 {
		return d.drawSmall(seed, focuses[d.IntN(len(focuses))])
	}
	p := Plan{Seed: seed, Length: d.span(3*time.Hour, 240*time.Hour), Calm: calmFor, Deaf: d.IntN(4) == 0, Slow: d.IntN(5) == 0}
	agents := d.agents()
	var hot []time.Duration // when much happens
	for n := 1 + d.few(1, 4); n > 0; n-- {
		hot = append(hot, time.Duration(d.Int64N(int64(p.Length))))
	}
	for _, a := range agents {
		for _, at := range hot {
			p.Weather = append(p.Weather, d.spell(a, at, p.Length))
		}
		for n := d.few(1, 8); n > 0; n-- {
			p.Weather = append(p.Weather, d.spell(a, time.Duration(d.Int64N(int64(p.Length))), p.Length))
		}
	}
	crowded := d.IntN(5) == 0
	for n := 1 + d.few(3, 29); n > 0; n-- {
		t := d.talk(agents, hot, p)
		if crowded { // many windows of few projects
			t.Dir, t.TTY = d.IntN(2), d.IntN(4) > 0
		}
		p.Talks = append(p.Talks, t)
	}
	for who := range p.Talks {
		for n := d.few(4, 12); n > 0; n-- {
			all := deeds
			if d.IntN(5) == 0 {
				all = seldom
			}
			it := d.when(Item{What: pick(d, all...), Who: who, N: d.Int64()}, p)
			if (it.On == claims || it.On == takes) && d.IntN(2) == 0 {
				it.What = scripts // which may be over again before anybody looks
			}
			p.Items = append(p.Items, it)
		}
		if p.Talks[who].Tmux && d.IntN(2) == 0 { // its user is at the keys while clawd types
			p.Items = append(p.Items, Item{What: pick(d, halfTypes, halfTypes, prompts, wipes, scrolls, interrupts, quits, renames, clears), Who: who, On: starts, At: d.span(time.Millisecond, time.Second)})
		}
		if d.IntN(3) == 0 { // its agent dies when it has asked, before all of its lines are written or while they are late
			p.Items = append(p.Items, Item{What: pick(d, crashes, crashes, late), Who: who, On: asks, At: d.span(time.Millisecond, 200*time.Millisecond)})
		}
	}
	for n := d.few(2.5, 12); n > 0; n-- {
		it := d.aim(d.when(Item{What: pick(d, faults...), Who: d.IntN(len(p.Talks)), N: d.Int64()}, p))
		if p.Items = append(p.Items, it); (it.What == loses || it.What == cuts || it.What == putsBack) && d.IntN(2) == 0 { // what comes back is of right before
			p.Items = append(p.Items, Item{What: snaps, Who: it.Who, On: pick(d, stops, claims), At: d.span(time.Millisecond, time.Second)})
		}
	}
	if d.IntN(6) == 0 { // two that are about to start the same
		p.Items = append(p.Items, Item{What: twins, Who: d.IntN(len(p.Talks)), On: takes, At: d.span(time.Millisecond, 50*time.Millisecond)})
	}
	return p
}

type drawer struct{ *rand.Rand }

// few is a number with a mean, most of the time small.
func (d drawer) few(mean float64, most int) int {
	p := mean / (1 + mean)
	n := 0
	for n < most && d.Float64() < p {
		n++
	}
	return n
}

// span is a time between two, short ones as likely as long ones.
func (d drawer) span(least, most time.Duration) time.Duration {
	a, b := math.Log(float64(least)), math.Log(float64(most))
	return time.Duration(math.Exp(a + d.Float64()*(b-a)))
}

func pick[T any](d drawer, all ...T) T { return all[d.IntN(len(all))] }

// Agents that are played.
var played = []string{"claude", "claude", "codex", "gemini", "opencode", "pi", "qwen", "copilot"}

func (d drawer) agents() []string {
	if len(played) == 1 || d.IntN(3) > 0 {
		return []string{pick(d, played...)}
	}
	all := slices.Clone(played)
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1+d.IntN(len(all))]
}

var spells = []actor.Kind{actor.RateLimited, actor.RateLimited, actor.UsedUp, actor.UsedUp, actor.UsedUp, actor.Overloaded, actor.Broken,
	actor.Unreachable, actor.Unreachable, actor.Cut, actor.Unauthorized, actor.NoCredit, actor.TooLong, actor.Silent}

func (d drawer) spell(agent string, at, length time.Duration) Spell {
	s := Spell{Agent: agent, From: at, Kind: pick(d, spells...), Tells: d.IntN(4) > 0}
	s.To = min(s.From+d.span(10*time.Second, 48*time.Hour), length)
	if s.Kind == actor.UsedUp {
		s.Window = pick(d, "", detect.Weekly, detect.Model)
	}
	return s
}

func (d drawer) talk(agents []string, hot []time.Duration, p Plan) Talk {
	t := Talk{Agent: pick(d, agents...), Dir: d.few(2, 9), TTY: d.IntN(4) == 0, Same: d.IntN(6) == 0, Tmux: d.IntN(4) > 0, Shell: d.IntN(4) > 0, Free: d.IntN(2) == 0}
	t.Served = t.Agent == "opencode" && d.IntN(3) == 0 || t.Agent == "codex" && t.TTY && d.IntN(3) == 0
	switch d.IntN(8) {
	case 0:
		t.At = time.Duration(d.Int64N(int64(p.Length)))
	case 1, 2:
		t.At = max(0, pick(d, hot...)-d.span(time.Second, time.Hour))
	default:
		w := pick(d, p.Weather...)
		t.At = w.From + time.Duration(d.Int64N(int64(w.To-w.From)+1))
	}
	return t
}

var deeds = []What{prompts, prompts, prompts, scripts, scripts, opens, opens, quits, hangsUp, interrupts, crashes, clears, renames, approves, torn, late, halfTypes, halfTypes, wipes, scrolls,
	resumes, resumes, cancels, cancels, ignores, unignores}

var faults = []What{kills, kills, kills, restarts, restarts, reboots, powerCut, suspends, steps, reloads, refuses, shortens, blinds, slows, hangs, deafens, loses, loses, cuts, putsBack, twins, twins, powerCut, misses, unmounts}

// windows are how long after a moment something that follows on it may come.
var windows = map[Moment]time.Duration{stops: 6 * time.Hour, claims: 3 * time.Second, takes: 5 * time.Second, starts: time.Hour, asks: 5 * time.Minute, judges: time.Minute}

func (d drawer) when(i Item, p Plan) Item {
	switch d.IntN(10) {
	case 0:
		i.At = time.Duration(d.Int64N(int64(p.Length)))
		return i
	case 1: // when a limit is over, and all go on
		i.At = min(p.Length, pick(d, p.Weather...).To+d.span(time.Second, 5*time.Minute))
		return i
	}
	i.On = pick(d, stops, stops, claims, claims, takes, takes, starts, asks, judges)
	i.At = d.span(time.Millisecond, windows[i.On])
	return i
}

// aim has a fault come when it hurts.
func (d drawer) aim(i Item) Item {
	if d.IntN(3) == 0 {
		return i
	}
	switch i.What {
	case twins:
		i.On, i.At = pick(d, stops, takes), d.span(time.Millisecond, 30*time.Second)
		if i.On == takes {
			i.At = d.span(time.Millisecond, 50*time.Millisecond)
		}
	case reboots, powerCut:
		i.On, i.At = pick(d, asks, starts, judges), d.span(time.Millisecond, 5*time.Second)
	case loses, cuts, putsBack:
		i.On, i.At = pick(d, asks, starts, judges), d.span(time.Millisecond, 5*time.Minute)
	case suspends, steps:
		i.On, i.At = stops, d.span(time.Second, 10*time.Minute)
	}
	return i
}
