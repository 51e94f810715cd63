package codex

import (
	"io"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Output reads what `codex exec --json` printed, with stderr among it; plain output tells the
// session alone. A run has begun with its turn, of which it tells before it asks. A last line that was cut proves nothing and is left out.
func (c *Codex) Output(r io.Reader, each func(agent.Said)) (agent.Output, error) {
	p := output{Printed: agent.Printed{Each: each}, c: c}
	return p.Read(r, func(l agent.Line) {
		if text, ok := l.Words(); ok {
			p.line(text)
		}
	})
}

// output is what a run printed, so far.
type output struct {
	agent.Printed
	c *Codex
}

// outputEvent is what is looked at in a line of --json.
type outputEvent struct {
	Type    string `json:"type"`
	Thread  string `json:"thread_id"`
	Message string `json:"message"`
	Item    struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"item"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
	Usage total `json:"usage"`
}

func (p *output) line(line []byte) {
	o := &p.Out
	switch {
	case len(line) == 0:
		return
	case line[0] != '{':
		plainLine(o, string(line))
		p.Say(agent.Said{Kind: agent.SaidNote, Text: string(line)})
		return
	}
	var e outputEvent
	if agent.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Type {
	case "thread.started": // nothing is asked before a turn begins
		if agent.IsUUID(e.Thread) {
			o.Session = e.Thread
			p.Say(agent.Said{Kind: agent.SaidOpened, Session: e.Thread})
		}
	case "turn.started":
		o.Began, o.Failed = true, false
	case "turn.completed":
		o.Failed = false
		p.Say(agent.Said{Kind: agent.SaidUsage, Usage: e.Usage.usage()})
		p.Say(agent.Said{Kind: agent.SaidDone})
	case "turn.failed": // "error" alone is also said of what is tried again
		o.Failed = true
		p.failed(&e, line)
	case "error":
		p.Say(agent.Said{Kind: agent.SaidRetry, Text: e.Message})
	default:
		if strings.HasPrefix(e.Type, "item.") && e.Item.ID != "" {
			if len(o.Messages) == 0 || o.Messages[len(o.Messages)-1] != e.Item.ID {
				o.Messages = append(o.Messages, e.Item.ID)
			}
			p.item(&e)
		}
	}
}

func (p *output) item(e *outputEvent) {
	switch {
	case e.Item.Type == "agent_message" && e.Type == "item.completed":
		p.Say(agent.Said{Kind: agent.SaidText, Message: e.Item.ID, Text: e.Item.Text})
	case e.Item.Type == "agent_message", e.Item.Type == "reasoning", e.Item.Type == "error", e.Type == "item.updated":
	case e.Type == "item.completed": // some have no start
		p.Say(agent.Said{Kind: agent.SaidTool, Text: e.Item.Type})
	}
}

func (p *output) failed(e *outputEvent, line []byte) {
	if p.Each == nil {
		return
	}
	failed := agent.Said{Kind: agent.SaidFailed, Text: e.Error.Message}
	if s, ok := p.c.Message(string(line), time.Now(), nil); ok && s.State == detect.Stopped {
		failed.Stop = &s
	}
	p.Say(failed)
}

// plainLine reads the header of a plain run, which stands before all else, and refusals.
func plainLine(o *agent.Output, line string) {
	if id, ok := strings.CutPrefix(line, "session id: "); ok && !o.Began && agent.IsUUID(id) {
		o.Began, o.Session = true, id
	}
	if strings.HasPrefix(line, "Error: ") && strings.Contains(line, "no rollout found for thread id") {
		o.Refused = true
	}
}
