package actor

import (
	"bytes"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clawd-project/clawd/agent"
)

// called: a tool that nobody allows is asked for in a terminal, and refused where nobody is there.
func (p *copilot) called(now time.Time) {
	p.used = true
	p.call, p.sub, p.denied = "call_"+draw(p.w.Rand, "0123456789", 9), "", false
	p.puts(now, copilotUsage)
	if p.c.Subs > 0 && p.w.Rand.IntN(p.c.Subs) == 0 {
		p.answer.Asks = false
		p.delegates(now)
		return
	}
	p.shows(now, copilotAnswer, "answer", uuid(p.w.Rand), "calls", fill(copilotBash, "call", p.call))
	p.last = p.tree
	p.shows(now, copilotBashRuns)
	allowed := p.start.Mode == copilotAllows
	p.answer.Asks = p.answer.Asks && !allowed && !p.headless()
	p.denied = !allowed && p.headless()
	if p.answer.Asks || p.denied {
		p.wants = uuid(p.w.Rand)
		p.puts(now, copilotAsks)
	}
	if p.denied {
		p.puts(now, copilotMay, "kind", "denied-no-approval-rule-and-could-not-request-from-user", "source", "unattended_fallback")
		p.answer.Tool = time.Millisecond
	}
}

// delegates to a sub-agent, whose lines stand among the session's own.
func (p *copilot) delegates(now time.Time) {
	p.shows(now, copilotAnswer, "answer", uuid(p.w.Rand), "calls", fill(copilotTask, "call", p.call))
	p.last = p.tree
	p.shows(now, copilotTaskRuns)
	p.sub = uuid(p.w.Rand)
	p.aids(now, copilotSubStarts)
	p.aids(now, copilotSubIs)
	p.aids(now, copilotPrompt, "text", `"look"`, "sent", `"look"`, "how", fill(copilotSubTyped, "msg", p.message, "sid", p.id), "task", uuid(p.w.Rand))
	p.aids(now, copilotSystem, "text", quote("As a sub-agent, complete your parent's task yourself"))
	p.aids(now, copilotSubTurn)
}

// aids puts a record of the sub-agent.
func (p *copilot) aids(now time.Time, template string, pairs ...string) {
	l := p.line(now, template+copilotSub, pairs...)
	p.put(now, l)
	p.say(now, l)
}

func (p *copilot) returned(now time.Time) {
	switch {
	case p.sub != "":
		p.aids(now, copilotSubOver)
		p.aids(now, copilotSubLimited, "text", quote("You've hit your session rate limit. Please wait for your limit to reset in 2 hours or switch to auto model to continue."+copilotLearn))
		p.aids(now, copilotSubFails)
		p.shows(now, copilotFailedRan, "text", `"429 x"`, "code", "failure")
	case p.denied:
		p.shows(now, copilotFailedRan, "text", `"Permission denied because no interactive user response was available."`, "code", "denied")
	default:
		p.shows(now, copilotBashRan)
	}
	p.last, p.call, p.sub = p.tree, "", ""
	p.shows(now, copilotOver)
	p.turn++
	p.shows(now, copilotTurn)
}

// Hung tells whether it waits for ever for an answer that nobody can give.
func (p *copilot) Hung() bool { return !p.ended && p.headless() && p.asks }

// Asks tells whether the question about another model lies over its input box.
func (p *copilot) Asks() bool { return !p.ended && !p.headless() && p.asks }

// Draft is a prompt that its user has taken back, and that stands in the input box again.
func (p *copilot) Draft() (text string) {
	text, p.draft = p.draft, ""
	return text
}

// Write says how the next lines come to the disk. It writes whole lines with one call, so none is torn.
func (p *copilot) Write(w Writing) {
	if w != Torn {
		p.process.Write(w)
	}
}

// Do is what a person or the machine does to it.
func (p *copilot) Do(m Move, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	switch m {
	case Crash:
		return p.exit(now, 137, true)
	case Interrupt, Terminate, Hangup, Quit:
		return p.ends(m, now)
	case Approve:
		if p.phase != question {
			return ErrCannot
		}
		p.puts(now, copilotMay, "kind", "approved", "source", "user")
		p.enter(tooling, now.Add(orSecond(p.answer.Tool)))
		return nil
	case Dismiss:
		if p.Asks() {
			p.asks = false
			return nil
		}
	}
	return ErrCannot
}

func (p *copilot) ends(m Move, now time.Time) error {
	switch {
	case p.headless() && m == Quit:
		return ErrCannot
	case p.headless():
		return p.signaled(m, now)
	case m == Interrupt:
		return p.escapes(now)
	case m == Quit: // by Ctrl-C, and once more
		p.cancels(now, "user_initiated")
	}
	p.shutdown(now)                 // a terminal that goes leaves no word of the turn
	p.stays = p.w.Rand.IntN(4) == 0 // it exits before it has removed its lock
	return p.exit(now, 0, false)
}

// signaled ends a headless process. It says that its user has ended the turn, also where that was over: of one that waits for
// ever not even the last line comes every time.
func (p *copilot) signaled(m Move, now time.Time) error {
	reason := "user_initiated"
	if m == Terminate && !p.asks {
		reason = "user_abort"
	}
	ends := true
	switch {
	case p.asks:
		p.shows(now, copilotAbort, "reason", reason)
		p.c.void[p.tree] = true
		ends = p.w.Rand.IntN(17) >= 8
		p.say(now, fill(copilotSaysResult, "at", stamp(now), "sid", p.id, "code", "1"))
	case p.phase != idle:
		p.cancels(now, reason)
		p.say(now, copilotSaysEnded)
	}
	if ends {
		p.shutdown(now)
	}
	p.stays = p.w.Rand.IntN(6) > 0
	return p.exit(now, 0, false)
}

// cancels ends the turn, for its user.
func (p *copilot) cancels(now time.Time, reason string) {
	if p.phase == idle {
		return
	}
	p.shows(now, copilotOver)
	if p.phase == question {
		p.puts(now, copilotMayNone)
		reason = "user_initiated"
	}
	p.shows(now, copilotAbort, "reason", reason)
	p.last, p.call, p.ask = p.tree, "", nil
	p.enter(idle, time.Time{})
}

// escapes is Esc in a terminal, twice. Before the first word of an answer it takes the prompt back.
func (p *copilot) escapes(now time.Time) error {
	p.asks = false
	silent := p.phase == retrying || p.phase == asking && p.w.Rand.IntN(2) == 0
	if silent && p.turn == 0 && p.step == 0 {
		return p.rewinds(now)
	}
	p.cancels(now, "user_abort")
	return nil
}

// rewinds has a shorter file take the place of the session's, in which the prompt never stood.
func (p *copilot) rewinds(now time.Time) error {
	p.writing = Whole
	if err := p.flush(now); err != nil {
		return err
	}
	b, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	if i := bytes.Index(b, []byte(`"id":"`+p.prompt+`"`)); i >= 0 {
		b = b[:bytes.LastIndexByte(b[:i], '\n')+1]
	}
	b = append(b, p.line(now, copilotRewound+copilotTail)...)
	if err := replaceAt(p.path+".tmp", b, now); err != nil {
		return err
	}
	p.told = p.told && !p.first
	p.ask.Unkept = true
	p.last, p.draft, p.ask = p.before, p.text, nil
	p.enter(idle, time.Time{})
	return os.Rename(p.path+".tmp", p.path)
}

// Screen is what the terminal shows of the question about another model; without rows: it is not open.
func (p *copilot) Screen() agent.Screen {
	if !p.Asks() {
		return agent.Screen{}
	}
	rows := []string{" ✗ You've reached your weekly rate limit. Please wait for your limit to reset or switch to auto model to continue.", "", "╭" + strings.Repeat("─", 78) + "╮"}
	for _, l := range []string{"Switch to auto mode?", strings.Repeat("─", 76), "You've been rate limited on the current model.", "", "❯ 1. Yes", "  2. Yes (always)", "  3. No (Esc)", "", "↑/↓ to navigate · enter to select · esc to cancel"} {
		rows = append(rows, "│ "+l+strings.Repeat(" ", 77-utf8.RuneCountInString(l))+"│")
	}
	return agent.Screen{Rows: append(rows, "╰"+strings.Repeat("─", 78)+"╯"), Cols: 120, Row: 7, Col: 2}
}
