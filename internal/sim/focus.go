package sim

import (
	"time"

	"github.com/clawd-project/clawd/internal/sim/actor"
)

// focus is what a small world is about: few conversations, and what bears on one thing alone. What is rare in a large world
// is met there in every other one, in a third of the time.
type focus struct {
	agents   []string
	tty      int // so many of four conversations are held in a terminal
	served   int // so many of four through a server, where the agent has one
	talks    float64
	deeds    []What
	faults   []What
	spells   []actor.Kind
	moments  []Moment
	together bool // the limit hits all of them at once
}

var (
	limits = []actor.Kind{actor.UsedUp, actor.UsedUp, actor.RateLimited, actor.Overloaded}
	breaks = []actor.Kind{actor.Overloaded, actor.Unreachable, actor.Cut, actor.Broken}
)

var focuses = []focus{
	{ // how a window goes, and what else is in its folder
		agents: played, tty: 4, talks: 1, spells: limits, moments: []Moment{stops, stops, claims, takes},
		deeds:  []What{quits, quits, hangsUp, hangsUp, opens, prompts, scripts, scripts, renames, clears},
		faults: []What{restarts, kills, suspends, deafens},
	},
	{ // servers, and the queue
		agents: []string{"codex", "opencode"}, tty: 4, served: 4, talks: 1, spells: breaks, moments: []Moment{stops, claims, takes, starts, asks, judges},
		deeds:  []What{quits, quits, hangsUp, prompts, prompts, opens, scripts, interrupts, crashes},
		faults: []What{kills, restarts, reboots, suspends},
	},
	{ // a store that is lost, or comes back
		agents: played, tty: 1, talks: 0.5, spells: breaks, moments: []Moment{stops, claims, starts, asks, judges},
		deeds:  []What{cancels, resumes, prompts, crashes, late},
		faults: []What{loses, cuts, putsBack, putsBack, kills, restarts, powerCut},
	},
	{ // the agent's own wait
		agents: []string{"claude", "opencode", "gemini"}, tty: 3, served: 1, talks: 0.5, spells: limits, moments: []Moment{stops, stops, claims},
		deeds:  []What{opens, prompts, quits, interrupts, approves},
		faults: []What{suspends, suspends, steps, restarts, kills},
	},
	{ // many that wait for the same window
		agents: played, tty: 1, talks: 4, spells: []actor.Kind{actor.UsedUp}, moments: []Moment{claims, takes, starts, judges}, together: true,
		deeds:  []What{cancels, ignores, prompts, scripts, interrupts, opens},
		faults: []What{restarts, shortens, reloads, kills},
	},
	{ // runs that end early
		agents: played, tty: 0, talks: 0.5, spells: breaks, moments: []Moment{starts, asks, asks, judges},
		deeds:  []What{crashes, crashes, late, torn, scripts, cancels},
		faults: []What{kills, powerCut, reboots, slows, blinds, refuses},
	},
}

// drawSmall gives the plan of a small world.
func (d drawer) drawSmall(seed uint64) Plan {
	f := focuses[d.IntN(len(focuses))]
	p := Plan{Seed: seed, Length: d.span(time.Hour, 30*time.Hour), Deaf: d.IntN(4) == 0, Slow: d.IntN(5) == 0}
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
		t := Talk{Agent: a, Dir: d.few(0.5, 2), TTY: d.IntN(4) < f.tty, Same: d.IntN(6) == 0, Tmux: d.IntN(2) == 0, Free: d.IntN(4) > 0}
		t.Served = d.IntN(4) < f.served && (a == "opencode" || a == "codex" && t.TTY)
		w := all
		if !f.together {
			w = pick(d, p.Weather...)
		}
		t.At = w.From + time.Duration(d.Int64N(int64(w.To-w.From)/2+1))
		p.Talks = append(p.Talks, t)
	}
	for who := range p.Talks {
		for n := 1 + d.few(1.5, 6); n > 0; n-- {
			on := pick(d, f.moments...)
			p.Items = append(p.Items, Item{What: pick(d, f.deeds...), Who: who, N: d.Int64(), On: on, At: d.span(time.Millisecond, windows[on])})
		}
	}
	for n := d.few(1, 5); n > 0; n-- {
		on := pick(d, f.moments...)
		it := Item{What: pick(d, f.faults...), Who: d.IntN(len(p.Talks)), N: d.Int64(), On: on, At: d.span(time.Millisecond, windows[on])}
		p.Items = append(p.Items, it)
		if it.What == putsBack || it.What == loses || it.What == cuts {
			p.Items = append(p.Items, Item{What: snaps, Who: it.Who, On: pick(d, stops, claims), At: d.span(time.Millisecond, time.Second)})
		}
	}
	return p
}
