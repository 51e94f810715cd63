package actor

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// Resume is copilot [options] --resume=ID --prompt=TEXT, or a session under a given id and stdin.
func (c *Copilot) Resume(plan resume.Plan, environ []string, out io.Writer, now time.Time) (Session, error) {
	id, resumed := option(plan.Argv, "--resume")
	if !resumed {
		id, _ = option(plan.Argv, "--session-id")
	}
	prompt, ok := option(plan.Argv, "--prompt")
	if !ok {
		prompt = strings.TrimSpace(string(plan.Stdin))
	}
	s := Start{Dir: plan.Dir}
	if slices.ContainsFunc(plan.Argv, func(a string) bool { return a == copilotAllows || a == "--allow-all" }) {
		s.Mode = copilotAllows
	}
	p := c.spawn(id, s, plan.Argv[1:], slices.Concat(plan.Env, environ), now)
	p.out, p.by, p.pilots = out, Clawd, slices.Contains(plan.Argv, "--autopilot")
	_, err := os.Stat(p.path)
	switch known := err == nil; {
	case !known && resumed:
		p.say(now, fill(copilotSaysNone, "sid", id))
		return p, p.exit(now, 1, false)
	case !known:
		err = p.take(now)
	default: // an id that is given for a new session does for an old one, too
		err = p.open(now)
	}
	if err != nil {
		return nil, err
	}
	if resumed && c.Away > 0 && c.w.Rand.IntN(c.Away) == 0 {
		p.say(now, copilotSaysAway)
		p.shutdown(now)
		return p, p.exit(now, 1, false)
	}
	return p, p.Prompt(prompt, Clawd, now)
}

// open takes an old session up: what it says, and in which mode. What it was allowed stands nowhere.
func (p *copilot) open(now time.Time) error {
	shared, err := p.others()
	if err != nil {
		return err
	}
	if err := p.take(now); err != nil {
		return err
	}
	call, err := p.read()
	if err != nil {
		return err
	}
	p.opened, p.told = true, true
	text := "false"
	if shared {
		text = "true"
	}
	p.puts(now, copilotResume, "shared", text)
	if call != "" && !shared { // its process was killed over a tool, which is not run again
		if p.headless() {
			p.since = p.last
		}
		p.puts(now, copilotCutRan, "call", call)
		p.last = p.tree
		p.puts(now, copilotWarns)
	}
	return nil
}

// read takes over what stands in the session's file, and gives the tool call that has no result.
func (p *copilot) read() (call string, err error) {
	b, err := os.ReadFile(p.path)
	for l := range bytes.Lines(b) {
		var r struct {
			Type  string `json:"type"`
			ID    string `json:"id"`
			Agent string `json:"agentId"`
			Data  struct {
				Call string `json:"toolCallId"`
				Mode string `json:"newMode"`
			} `json:"data"`
		}
		if json.Unmarshal(l, &r) != nil {
			continue
		}
		if p.tree = r.ID; r.Agent != "" {
			continue
		}
		switch r.Type {
		case "session.mode_changed":
			p.pilots = r.Data.Mode == "autopilot"
		case "tool.execution_start":
			call = r.Data.Call
		case "user.message", "assistant.message", "session.error", "session.task_complete":
			p.last = r.ID
		case "tool.execution_complete":
			p.last, call = r.ID, ""
		case "abort":
			if !p.c.void[r.ID] {
				p.last, call = r.ID, ""
			}
		}
	}
	return call, err
}

// aside fills in what is printed and stands in no file.
func (p *copilot) aside(now time.Time, template string) string {
	tree := p.tree
	l := p.line(now, template)
	p.tree = tree
	return l
}

// say prints a little later, as lines come to the disk: a process that is killed right when it asks has done neither.
func (p *copilot) say(now time.Time, text string) {
	if p.out == nil {
		return
	}
	if p.says = append(p.says, text...); p.saysAt.IsZero() {
		p.saysAt = now.Add(p.lag)
	}
}

func (p *copilot) speak() {
	if p.out != nil && len(p.says) > 0 {
		_, _ = p.out.Write(p.says) // a reader that is gone is none of its business
	}
	p.says, p.saysAt = nil, time.Time{}
}

// Next does what is due, and prints.
func (p *copilot) Next(now time.Time) (time.Time, error) {
	at, err := p.process.Next(now)
	if !p.saysAt.IsZero() && !p.saysAt.After(now) {
		p.speak()
	}
	if !p.saysAt.IsZero() && (at.IsZero() || p.saysAt.Before(at)) {
		at = p.saysAt
	}
	return at, err
}
