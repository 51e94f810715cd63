package sim

import (
	"time"

	"github.com/clawd-project/clawd/internal/sim/actor"
)

// focus is what a small world is about: few conversations, and what bears on one thing alone. What is rare in a large world
// is met there in every other one, in a third of the time.
type focus struct {
	about    string // in words for the command line
	agents   []string
	tty      int // so many of four conversations are held in a terminal
	served   int // so many of four through a server, where the agent has one
	talks    float64
	deeds    []What
	faults   []What
	spells   []actor.Kind
	moments  []Moment
	together bool // the limit hits all of them at once
	folder   bool // all are in one folder
	early    int  // so many of four begin before there is a limit
	ends     int  // so many of four things happen when a limit is over
	confs    []int64
	plot     func(d drawer, p *Plan, who int) // what has to come together
}

var (
	limits = []actor.Kind{actor.UsedUp, actor.UsedUp, actor.RateLimited, actor.Overloaded}
	breaks = []actor.Kind{actor.Overloaded, actor.Unreachable, actor.Cut, actor.Broken}
)

var focuses = []focus{
	{ // how a window goes, and what else is in its folder
		about:  "closing",
		agents: played, tty: 4, talks: 1, spells: limits, moments: []Moment{stops, stops, claims, takes},
		deeds:  []What{quits, quits, hangsUp, hangsUp, opens, prompts, scripts, besides, renames, clears},
		faults: []What{restarts, kills, suspends, deafens, reloads}, confs: []int64{1, 2},
	},
	{ // windows of one folder
		about:  "folder",
		agents: []string{"opencode", "opencode", "gemini", "pi"}, tty: 3, talks: 2, spells: limits, moments: []Moment{stops}, folder: true, early: 2,
		deeds:  []What{hangsUp, hangsUp, quits, opens, clears, clears, scripts, forks},
		faults: []What{restarts, deafens},
		plot:   leavesAndCloses,
	},
	{ // a window that turns to another session
		about:  "turning",
		agents: []string{"opencode", "pi"}, tty: 1, talks: 2, spells: limits, moments: []Moment{stops}, folder: true, early: 1,
		deeds:  []What{clears, clears, opens, prompts},
		faults: []What{restarts, deafens},
		plot:   turnsAway,
	},
	{ // a window that goes while clawd is away, and a server that comes
		about:  "away",
		agents: []string{"opencode", "codex"}, tty: 4, served: 2, talks: 1, spells: limits, moments: []Moment{stops}, folder: true, early: 1,
		deeds:  []What{opens, prompts, quits},
		faults: []What{restarts},
		plot:   leavesForAServer,
	},
	{ // a terminal that went while clawd was away, and another one
		about:  "later",
		agents: []string{"opencode", "opencode", "claude", "codex", "gemini", "pi", "qwen"}, tty: 4, talks: 1, spells: limits, moments: []Moment{stops}, folder: true, early: 1,
		deeds:  []What{opens, prompts, quits},
		faults: []What{restarts},
		plot:   comesLater,
	},
	{ // servers, and the queue
		about:  "servers",
		agents: []string{"codex", "opencode"}, tty: 4, served: 4, talks: 1, spells: breaks, moments: []Moment{stops, claims, takes, starts, asks, judges},
		deeds:  []What{quits, quits, hangsUp, prompts, prompts, opens, scripts, interrupts, crashes},
		faults: []What{kills, restarts, reboots, suspends},
		plot:   goesOnUnread,
	},
	{ // somebody who goes on while clawd hands its prompt over
		about:  "queue",
		agents: []string{"codex"}, tty: 4, served: 4, talks: 0.5, spells: limits, moments: []Moment{stops, takes},
		deeds:  []What{prompts, opens, approves, interrupts},
		faults: []What{restarts, slows},
		plot:   goesOnBeforeTheQueue,
	},
	{ // a store that is lost, or comes back
		about:  "store",
		agents: played, tty: 1, talks: 0.5, spells: breaks, moments: []Moment{stops, claims, starts, asks, judges},
		deeds:  []What{cancels, resumes, prompts, crashes, late},
		faults: []What{loses, cuts, putsBack, putsBack, kills, restarts, powerCut},
	},
	{ // a store that comes back from before an attempt
		about:  "attempt",
		agents: played, tty: 1, talks: 0.3, spells: breaks, moments: []Moment{stops, judges},
		deeds:  []What{resumes, prompts, late},
		faults: []What{restarts, kills},
		plot:   forgetsAnAttempt,
	},
	{ // a session that has to be begun anew, and a store that does not know of it
		about:  "fresh",
		agents: []string{"claude", "claude", "claude", "codex", "gemini", "opencode", "pi", "qwen", "copilot"}, tty: 0, talks: 0, spells: []actor.Kind{actor.TooLong}, moments: []Moment{asks, judges},
		deeds:  []What{cancels, crashes},
		faults: []What{loses, putsBack, cuts, hangs, blinds},
		plot:   forgetsABeginning,
	},
	{ // the agent's own wait
		about:  "continue",
		agents: []string{"claude", "opencode", "gemini", "pi", "qwen"}, tty: 3, served: 1, talks: 0.5, spells: limits, moments: []Moment{stops, stops, claims},
		deeds:  []What{opens, prompts, quits, interrupts, approves, crashes, hangsUp},
		faults: []What{suspends, suspends, steps, restarts, kills}, ends: 2,
		plot: sleepsOverTheContinue,
	},
	{ // a file that loses its end, and stands at a stop of before
		about:  "shrinking",
		agents: []string{"claude", "codex", "gemini", "pi", "qwen", "copilot"}, tty: 0, talks: 0.3, spells: []actor.Kind{actor.Overloaded, actor.RateLimited}, moments: []Moment{judges},
		deeds:  []What{shrinks, shrinks, prompts, crashes},
		faults: []What{restarts, kills},
		plot:   losesItsEnd,
	},
	{ // a second clawd with a store of its own
		about:  "twins",
		agents: played, tty: 1, talks: 0.3, spells: breaks, moments: []Moment{stops, takes, judges},
		deeds:  []What{prompts, crashes, late},
		faults: []What{restarts, kills},
		plot:   startsTwice,
	},
	{ // many that wait for the same window
		about:  "crowd",
		agents: played, tty: 1, talks: 4, spells: []actor.Kind{actor.UsedUp}, moments: []Moment{claims, takes, starts, judges}, together: true,
		deeds:  []What{cancels, ignores, prompts, scripts, interrupts, opens, resumes},
		faults: []What{restarts, shortens, reloads, kills}, confs: []int64{3, 3, 5},
		plot: changesHisMind,
	},
	{ // runs that end early
		about:  "early",
		agents: played, tty: 0, talks: 0.5, spells: breaks, moments: []Moment{starts, asks, asks, judges},
		deeds:  []What{crashes, crashes, late, torn, scripts, cancels},
		faults: []What{kills, powerCut, reboots, slows, blinds, refuses},
		plot:   cancelsWhatRuns,
	},
	{ // a run that dies while its lines are on their way
		about:  "late",
		agents: played, tty: 0, talks: 0.3, spells: breaks, moments: []Moment{asks, judges},
		deeds:  []What{late, torn, crashes, prompts},
		faults: []What{slows, restarts, kills},
		plot:   diesBeforeItsLines,
	},
	{ // a window that nobody may type into
		about:  "typing",
		agents: played, tty: 4, talks: 1, spells: breaks, moments: []Moment{stops, claims, takes},
		deeds:  []What{halfTypes, wipes, scrolls, prompts},
		faults: []What{restarts, kills, suspends},
		plot:   typesAndGoes,
	},
	{ // a window that goes while a script works beside it
		about:  "beside",
		agents: []string{"claude", "gemini", "opencode", "pi", "qwen", "copilot"}, tty: 4, talks: 1, spells: limits, moments: []Moment{stops}, folder: true,
		deeds:  []What{besides, scripts, opens},
		faults: []What{restarts, deafens},
		plot:   quitsBesideAScript,
	},
	{ // a provider that says nothing for hours once the limit is over
		about:  "silence",
		agents: played, tty: 3, talks: 3, spells: limits, moments: []Moment{stops, takes}, together: true,
		deeds:  []What{besides, scripts, opens, prompts},
		faults: []What{restarts, suspends},
		plot:   fallsSilent,
	},
	{ // another agent that takes over
		about:  "handover",
		agents: []string{"claude", "codex", "gemini", "opencode", "copilot"}, tty: 1, talks: 1, spells: []actor.Kind{actor.UsedUp}, moments: []Moment{stops, takes, starts, asks, asks, judges}, folder: true,
		deeds:  []What{cancels, resumes, prompts, opens, crashes, late, scripts, ignores},
		faults: []What{kills, restarts, loses, cuts, putsBack, powerCut, reboots, misses, blinds, slows},
		plot:   handsOver,
	},
	{ // a headless process that never ends after its limit
		about:  "hanging",
		agents: []string{"copilot"}, tty: 0, talks: 0.5, spells: limits, moments: []Moment{stops, stops, claims, takes, starts, asks},
		deeds:  []What{besides, besides, scripts, opens, prompts, interrupts, crashes, hangsUp, resumes, cancels},
		faults: []What{kills, restarts, steps, suspends, slows, reboots, loses}, ends: 1,
		plot: hangsOn,
	},
	{ // an order that comes when not all of a turn can be read yet
		about:  "orders",
		agents: played, tty: 0, talks: 0.3, spells: breaks, moments: []Moment{stops, takes, asks, judges},
		deeds:  []What{resumes, cancels, besides, opens},
		faults: []What{restarts, deafens, slows},
		plot:   ordersAtTheWrongTime,
	},
	{ // a fresh session whose run is killed when it has asked and said nothing
		about:  "unsaid",
		agents: []string{"opencode"}, tty: 0, talks: 0.3, spells: []actor.Kind{actor.TooLong}, moments: []Moment{asks, judges},
		deeds:  []What{cancels, prompts, late},
		faults: []What{kills, restarts, slows},
		plot:   diesUnsaid,
	},
	{ // terminals in which nobody has said anything
		about:  "empty",
		agents: []string{"gemini", "gemini", "opencode", "pi", "claude", "codex", "qwen", "copilot"}, tty: 1, talks: 1, spells: limits, moments: []Moment{stops, stops, claims}, folder: true,
		deeds:  []What{sits, sits, runs, opens, prompts, hangsUp, clears},
		faults: []What{restarts, deafens, kills},
		plot:   sitsDown,
	},
	{ // a headless session that is looked at later
		about:  "opened",
		agents: []string{"qwen", "qwen", "claude", "codex", "gemini", "opencode", "pi", "copilot"}, tty: 0, talks: 0.5, spells: breaks, moments: []Moment{stops, judges},
		deeds:  []What{cancels, opens, quits, hangsUp, clears, resumes},
		faults: []What{restarts, loses, putsBack, cuts, kills},
		plot:   opensWhatEnded,
	},
}

// drawSmall gives the plan of a small world.
func (d drawer) drawSmall(seed uint64, f focus) Plan {
	p := Plan{Seed: seed, Length: d.span(time.Hour, 30*time.Hour), Calm: 3 * time.Hour, Deaf: d.IntN(4) == 0, Slow: d.IntN(5) == 0}
	a := pick(d, f.agents...)
	for n := 1 + d.few(0.5, 3); n > 0; n-- {
		s := d.spell(a, time.Duration(d.Int64N(int64(p.Length))), p.Length)
		s.Kind = pick(d, f.spells...)
		if s.Kind != actor.UsedUp {
			s.Window = ""
		}
		p.Weather = append(p.Weather, s)
	}
	all := p.Weather[0]
	for n := 1 + d.few(f.talks, 8); n > 0; n-- {
		t := Talk{Agent: a, Dir: d.few(0.5, 2), TTY: d.IntN(4) < f.tty, Same: d.IntN(6) == 0, Tmux: d.IntN(2) == 0, Shell: d.IntN(4) > 0, Free: d.IntN(4) > 0}
		t.Served = d.IntN(4) < f.served && (a == "opencode" || a == "codex" && t.TTY)
		w := all
		if !f.together {
			w = pick(d, p.Weather...)
		}
		t.At = w.From + time.Duration(d.Int64N(int64(w.To-w.From)/2+1))
		if d.IntN(4) < f.early {
			t.At = max(0, w.From-d.span(time.Minute, time.Hour))
		}
		if f.folder {
			t.Dir = 0
		}
		p.Talks = append(p.Talks, t)
	}
	for who := range p.Talks {
		if f.plot != nil && d.IntN(4) > 0 {
			f.plot(d, &p, who)
		}
		for n := 1 + d.few(1.5, 6); n > 0; n-- {
			p.Items = append(p.Items, d.follows(Item{What: pick(d, f.deeds...), Who: who, N: d.Int64()}, f, p))
		}
	}
	for n := d.few(1, 5); n > 0; n-- {
		it := d.follows(Item{What: pick(d, f.faults...), Who: d.IntN(len(p.Talks)), N: d.Int64()}, f, p)
		if it.What == reloads && len(f.confs) > 0 {
			it.N = pick(d, f.confs...) << 8
		}
		p.Items = append(p.Items, it)
		if it.What == putsBack || it.What == loses || it.What == cuts {
			p.Items = append(p.Items, Item{What: snaps, Who: it.Who, On: pick(d, stops, claims), At: d.span(time.Millisecond, time.Second)})
		}
	}
	return p
}

// follows has something happen at one of the moments that a world is about.
func (d drawer) follows(i Item, f focus, p Plan) Item {
	if d.IntN(4) < f.ends {
		i.At = min(p.Length, max(0, pick(d, p.Weather...).To+time.Duration(d.Int64N(int64(10*time.Minute)))-2*time.Minute))
		return i
	}
	i.On = pick(d, f.moments...)
	i.At = d.span(time.Millisecond, windows[i.On])
	return i
}
