package sim

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/sim/actor"
)

// A plot is some things in a row that hardly ever come together by chance.

// has adds something that follows on a moment of a conversation.
func (p *Plan) has(who int, what What, on Moment, at time.Duration, n int64) {
	p.Items = append(p.Items, Item{What: what, Who: who, On: on, At: at, N: n})
}

// with adds something that comes with what was added last, so long after it.
func (p *Plan) with(what What, after time.Duration, n int64) {
	last := p.Items[len(p.Items)-1]
	p.Items = append(p.Items, Item{What: what, Who: last.Who, On: last.On, At: last.At + after, N: n, With: true})
}

// leavesAndCloses: he quits the agent, and closes the terminal much later.
func leavesAndCloses(d drawer, p *Plan, who int) {
	at := d.span(time.Millisecond, 10*time.Minute)
	p.has(who, pick(d, quits, quits, hangsUp), stops, at, 0)
	p.has(who, hangsUp, stops, at+seenIn+d.span(time.Second, time.Hour), 0)
}

// turnsAway: the first one's terminal shows another session when clawd would type, which a script had begun before.
func turnsAway(d drawer, p *Plan, who int) {
	t := &p.Talks[who]
	if who > 0 {
		t.TTY, t.At = false, max(0, p.Weather[0].From-d.span(time.Minute, time.Hour))
		return
	}
	t.TTY, t.Tmux = true, true
	p.has(who, clears, stops, d.span(time.Millisecond, 10*time.Minute), 0)
}

// leavesUnseen: he quits the agent while clawd does not run.
func leavesUnseen(d drawer, p *Plan, who int) {
	at := d.span(10*time.Second, 10*time.Minute)
	p.has(who, restarts, stops, at, d.Int64())
	p.has(who, pick(d, quits, quits, hangsUp), stops, at+d.span(time.Second, time.Hour), 0)
	p.has((who+1)%len(p.Talks), pick(d, opens, prompts), stops, at+d.span(time.Second, time.Hour), 0)
}

// goesOnBeforeTheQueue: he goes on between clawd's last look and its prompt's way into the queue, and what he began takes long.
func goesOnBeforeTheQueue(d drawer, p *Plan, who int) {
	p.has(who, prompts, takes, d.span(50*time.Millisecond, 4*time.Second), 0)
	p.has(who, pick(d, approves, interrupts, prompts), takes, d.span(time.Minute, time.Hour), 0)
}

// forgetsAnAttempt: what clawd knows of it goes, and so does the run before it has written anything.
func forgetsAnAttempt(d drawer, p *Plan, who int) {
	p.has(who, snaps, pick(d, stops, claims), d.span(time.Millisecond, time.Second), 0)
	p.has(who, crashes, asks, d.span(time.Millisecond, 200*time.Millisecond), 0)
	p.has(who, pick(d, loses, cuts, cuts, putsBack, putsBack), pick(d, starts, asks, judges), d.span(time.Millisecond, 30*time.Second), 0)
}

// forgetsABeginning: a fresh session takes over and fails, too, and what clawd knows of how it was begun goes.
func forgetsABeginning(d drawer, p *Plan, who int) {
	s := &p.Weather[0]
	p.Talks[who].At = s.From
	s.To = min(s.From+d.span(time.Second, 10*time.Second), p.Length)
	p.Weather = append(p.Weather, Spell{Agent: s.Agent, From: s.To, To: min(s.To+d.span(30*time.Minute, 12*time.Hour), p.Length), Kind: pick(d, actor.Overloaded, actor.Broken, actor.RateLimited)})
	p.has(who, snaps, pick(d, stops, claims), d.span(time.Millisecond, time.Second), 0)
	p.has(who, pick(d, loses, cuts, loses, putsBack), pick(d, asks, judges), d.span(20*time.Second, 20*time.Minute), 0)
	p.has(who, pick(d, slows, hangs, blinds), pick(d, asks, judges), d.span(time.Second, time.Hour), 0)
}

// losesItsEnd: the session's file is cut back after clawd had it go on.
func losesItsEnd(d drawer, p *Plan, who int) {
	s := &p.Weather[0]
	s.To = min(s.From+d.span(30*time.Second, 10*time.Minute), p.Length)
	p.Talks[who].At = s.From
	for range 2 {
		p.has(who, shrinks, judges, d.span(time.Minute, 3*time.Hour), 0)
	}
}

// hangsOn: its limit is one at which the agent never ends, and somebody goes on beside it. Or a script beside it meets the limit, and it
// works on.
func hangsOn(d drawer, p *Plan, who int) {
	s := &p.Weather[0]
	s.Kind, s.Window, s.Tells = actor.UsedUp, pick(d, detect.Weekly, detect.Model), d.IntN(4) > 0
	s.To = min(s.From+d.span(5*time.Minute, 12*time.Hour), p.Length)
	t := &p.Talks[who]
	t.TTY, t.At = false, s.From+time.Duration(d.Int64N(int64(s.To-s.From)/2+1))
	if d.IntN(3) == 0 && s.From > time.Minute {
		p.has(who, besides, "", t.At, 0)
		before := Spell{Agent: s.Agent, From: s.From - time.Minute, To: s.From, Kind: actor.Silent}
		t.At = before.From + time.Duration(d.Int64N(int64(time.Minute)))
		p.Weather = append(p.Weather, before)
		return
	}
	p.has(who, pick(d, besides, opens, prompts, interrupts, kills), pick(d, stops, claims, takes, starts), d.span(time.Millisecond, 5*time.Minute), d.Int64())
}

// handsOver: another agent takes over, which may come to a limit as well.
func handsOver(d drawer, p *Plan, who int) {
	if who > 0 {
		return
	}
	other := pick(d, slices.DeleteFunc(slices.Clone(played), func(a string) bool { return a <= p.Talks[0].Agent })...)
	p.Talks = append(p.Talks, Talk{Agent: other, Dir: 3, Free: true})
	p.has(0, reloads, "", 0, handedOn<<8)
	if d.IntN(3) == 0 { // and he thinks better of it
		p.has(0, reloads, pick(d, stops, takes, asks, judges), d.span(time.Millisecond, time.Hour), 0)
	}
	if s := d.spell(other, time.Duration(d.Int64N(int64(p.Length))), p.Length); d.IntN(2) == 0 {
		p.Weather = append(p.Weather, s)
	}
}

// startsTwice: another clawd comes up that is about to do the same.
func startsTwice(d drawer, p *Plan, who int) {
	p.has(who, twins, takes, d.span(time.Millisecond, 50*time.Millisecond), 0)
}

// sleepsOverTheContinue: the machine sleeps while the agent is given its time to go on by itself.
func sleepsOverTheContinue(d drawer, p *Plan, who int) {
	s := &p.Weather[0]
	s.Kind, s.Tells, s.Window = actor.UsedUp, true, ""
	s.To = min(s.From+d.span(10*time.Minute, 5*time.Hour), p.Length)
	t := &p.Talks[who]
	t.TTY, t.Tmux, t.At = true, true, s.From+time.Duration(d.Int64N(int64(s.To-s.From)/2+1))
	p.has(who, suspends, "", s.To+time.Minute+time.Duration(d.Int64N(int64(3*time.Minute))), 0)
}

// cancelsWhatRuns: he has clawd's run ended, and what became of it can be read only later.
func cancelsWhatRuns(d drawer, p *Plan, who int) {
	p.has(who, blinds, asks, d.span(time.Millisecond, 5*time.Second), 0)
	p.has(who, cancels, asks, d.span(time.Second, 9*time.Minute), 0)
}

// changesHisMind: he has it resumed, and takes that back at once.
func changesHisMind(d drawer, p *Plan, who int) {
	on := pick(d, stops, stops, claims, judges)
	at := d.span(time.Millisecond, windows[on])
	p.has(who, resumes, on, at, d.Int64())
	p.has(who, cancels, on, at+d.span(time.Millisecond, 100*time.Millisecond), 0)
}

// diesBeforeItsLines: clawd's run dies, and what it had written comes later.
func diesBeforeItsLines(d drawer, p *Plan, who int) {
	p.has(who, late, starts, d.span(time.Millisecond, 2*time.Second), 0)
	p.has(who, late, asks, time.Millisecond, 0)
	p.has(who, crashes, asks, d.span(2*time.Millisecond, 500*time.Millisecond), 0)
}

// typesAndGoes: half a thought stands in the input box for hours.
func typesAndGoes(d drawer, p *Plan, who int) {
	p.Talks[who].TTY, p.Talks[who].Tmux = true, true
	p.has(who, pick(d, halfTypes, halfTypes, scrolls), stops, d.span(time.Millisecond, 20*time.Second), 0)
}

// quitsBesideAScript: he quits the agent while a script of the same folder works, which may go on for long, and closes the terminal.
func quitsBesideAScript(d drawer, p *Plan, who int) {
	if s := &p.Weather[0]; d.IntN(2) == 0 {
		s.To = min(s.From+d.span(10*time.Minute, 3*time.Hour), p.Length)
		p.Talks[who].At = max(s.From, s.To-d.span(time.Minute, 10*time.Minute))
		p.Weather = append(p.Weather, Spell{Agent: s.Agent, From: s.To, To: s.To + d.span(time.Hour, 8*time.Hour), Kind: pick(d, actor.Silent, actor.RateLimited), Tells: true})
		p.has(who, runs, "", s.To+d.span(time.Millisecond, time.Minute), d.Int64())
		p.with(quits, d.span(time.Millisecond, 2*time.Minute), 0)
		p.with(hangsUp, seenIn+d.span(time.Second, time.Hour), 0)
		return
	}
	at := d.span(time.Second, 20*time.Minute)
	p.has((who+1)%len(p.Talks), pick(d, besides, scripts), stops, at, 0)
	p.has(who, quits, stops, at+d.span(time.Millisecond, 3*time.Second), 0)
}

// fallsSilent: the provider takes each prompt after the limit and says nothing, a script's as well.
func fallsSilent(d drawer, p *Plan, who int) {
	if who > 0 {
		return
	}
	s := &p.Weather[0]
	s.To = min(s.From+d.span(time.Minute, 3*time.Hour), p.Length)
	p.Weather = append(p.Weather, Spell{Agent: s.Agent, From: s.To, To: s.To + d.span(2*time.Hour, 8*time.Hour), Kind: actor.Silent})
	for who := range p.Talks {
		p.Talks[who].At = s.From + time.Duration(d.Int64N(int64(s.To-s.From)/2+1))
	}
	p.Items = append(p.Items, Item{What: besides, Who: d.IntN(len(p.Talks)), At: s.To + d.span(time.Millisecond, time.Minute)})
}

// ordersAtTheWrongTime: he gives an order right after a turn has ended whose last lines are late, or while a script fails beside clawd's
// run that has yet to ask, and takes it back.
func ordersAtTheWrongTime(d drawer, p *Plan, who int) {
	t := &p.Talks[who]
	if d.IntN(2) == 0 {
		p.has(who, pick(d, late, lags, lags), "", t.At+d.span(time.Millisecond, 100*time.Millisecond), 0)
		p.has(who, resumes, stops, d.span(time.Millisecond, 5*time.Second), d.Int64())
		p.with(cancels, d.span(time.Millisecond, 5*time.Second), 0)
		return
	}
	at := d.span(50*time.Millisecond, 3*time.Second)
	p.has(who, besides, takes, at, 0)
	p.has(who, cancels, takes, at+d.span(100*time.Millisecond, time.Minute), 0)
}

// diesUnsaid: a fresh session takes over, and its run dies right after it has asked.
func diesUnsaid(d drawer, p *Plan, who int) {
	p.Talks[who].At = p.Weather[0].From
	p.has(who, crashes, asks, d.span(time.Millisecond, 200*time.Millisecond), 0)
}

// goesOnUnread: he goes on right when clawd would, and what he said is on its way to the disk.
func goesOnUnread(d drawer, p *Plan, who int) {
	p.has(who, pick(d, late, lags), pick(d, claims, claims, takes), d.span(time.Millisecond, 2*time.Second), 0)
	p.with(prompts, d.span(time.Millisecond, 100*time.Millisecond), 0)
}

// sitsDown: an agent's terminal is opened beside a headless turn, the first one of its session or a later one, and nothing is said there.
func sitsDown(d drawer, p *Plan, who int) {
	t, s := &p.Talks[who], p.Weather[0]
	t.TTY, t.Tmux, t.Served = false, true, false
	if d.IntN(2) == 0 {
		p.has(who, sits, "", t.At+d.span(time.Millisecond, 20*time.Second), 0)
		return
	}
	t.At = max(0, s.From-d.span(time.Minute, time.Hour))
	p.has(who, sits, "", s.From+d.span(time.Millisecond, time.Minute), 0)
	p.with(besides, d.span(time.Millisecond, time.Minute), 0)
}

// leavesForAServer: his terminal comes and goes while clawd does not run, and after that a server is started that may have all sessions.
func leavesForAServer(d drawer, p *Plan, who int) {
	t := &p.Talks[who]
	if t.TTY, t.Served = true, false; who > 0 || t.Agent != "opencode" {
		leavesUnseen(d, p, who)
		return
	}
	p.has(who, restarts, "", max(0, t.At-d.span(time.Second, time.Minute)), d.Int64())
	p.has(who, pick(d, quits, quits, hangsUp), stops, d.span(time.Second, 10*time.Minute), 0)
	p.Talks = append(p.Talks, Talk{Agent: t.Agent, Dir: 3, Served: true, Free: true, At: t.At + d.span(time.Minute, time.Hour)})
}

// comesLater: while clawd does not run he quits the agent, or goes on in another window and quits that. Somebody's window in the same
// folder, opened later, is closed.
func comesLater(d drawer, p *Plan, who int) {
	t := &p.Talks[who]
	t.TTY = true
	if who > 0 || d.IntN(2) == 0 {
		at := d.span(10*time.Second, 10*time.Minute)
		p.has(who, hangsUp, stops, at, 0)
		p.has(who, restarts, stops, at+d.span(time.Minute, 10*time.Minute), d.Int64())
		p.has(who, prompts, stops, at+d.span(time.Minute, 20*time.Minute), 0)
		p.with(quits, d.span(time.Minute, 20*time.Minute), 0)
		return
	}
	p.has(who, restarts, "", max(0, t.At-d.span(time.Second, time.Minute)), d.Int64())
	p.has(who, quits, stops, d.span(time.Second, 2*time.Minute), 0)
	p.has(len(p.Talks), hangsUp, stops, d.span(10*time.Minute, 3*time.Hour), 0)
	p.Talks = append(p.Talks, Talk{Agent: t.Agent, Dir: t.Dir, TTY: true, Shell: true, Free: true, At: t.At + d.span(time.Minute, 20*time.Minute)})
}

// opensWhatEnded: what stopped in a script is opened in a terminal, after it was taken back or given up.
func opensWhatEnded(d drawer, p *Plan, who int) {
	p.Talks[who].TTY = false
	p.has(who, cancels, stops, d.span(time.Second, time.Hour), 0)
	p.with(pick(d, opens, opens, loses, cuts), d.span(time.Second, time.Hour), 0)
	p.with(pick(d, quits, opens, restarts, hangsUp), d.span(time.Second, time.Hour), 0)
}
