package pi

import (
	"io"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// refusals are what a run prints that does not find its session. What it finds in another folder it would copy, and
// asks for that; with an empty stdin it then ends.
var refusals = []string{"No session found matching '", "Session found in different project: "}

// Output reads what `pi --mode json` printed, with stderr among it. The session's header comes before anything is
// asked; a run has begun with agent_start. Its exit code says nothing of a failure, so how it ended is
// what its last message says. A last line that was cut proves nothing and is left out.
func (p *Pi) Output(r io.Reader, each func(agent.Said)) (agent.Output, error) {
	o := printed{Printed: agent.Printed{Each: each}, p: p}
	out, err := o.Read(r, func(l agent.Line) {
		if text, ok := l.Words(); ok {
			o.line(text)
		}
	})
	if err == nil {
		o.end()
	}
	return out, err
}

// printed is a run's output, so far.
type printed struct {
	agent.Printed
	p    *Pi
	last *message // of the model
	now  string   // names the one that is being made
}

// outputEvent is what is looked at in a line of --mode json.
type outputEvent struct {
	Type    string  `json:"type"`
	ID      string  `json:"id"` // session
	Message message `json:"message"`
	Tool    string  `json:"toolName"`
	Error   string  `json:"errorMessage"` // auto_retry_start
	Update  struct {
		Type  string `json:"type"`
		Delta string `json:"delta"`
	} `json:"assistantMessageEvent"`
}

func (o *printed) line(line []byte) {
	switch {
	case len(line) == 0:
		return
	case line[0] != '{':
		text := string(line)
		for _, r := range refusals {
			o.Out.Refused = o.Out.Refused || strings.HasPrefix(text, r)
		}
		o.Say(agent.Said{Kind: agent.SaidNote, Text: text})
		return
	}
	var e outputEvent
	if agent.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Type {
	case "session":
		if idForm.MatchString(e.ID) {
			o.Out.Session = e.ID
			o.Say(agent.Said{Kind: agent.SaidOpened, Session: e.ID})
		}
	case "agent_start":
		o.Out.Began = true
	case "message_start":
		if o.now = e.Message.name(); o.now != "" && e.Message.Role == "user" { // its record comes before its end is printed
			o.Out.Messages = append(o.Out.Messages, o.now)
		}
	case "message_update":
		if e.Update.Type == "text_delta" {
			o.Say(agent.Said{Kind: agent.SaidPiece, Message: o.now, Text: e.Update.Delta})
		}
	case "message_end":
		o.message(&e.Message)
	case "tool_execution_start":
		o.Say(agent.Said{Kind: agent.SaidTool, Text: e.Tool})
	case "auto_retry_start":
		o.Say(agent.Said{Kind: agent.SaidRetry, Text: e.Error})
	}
}

func (o *printed) message(m *message) {
	if m.Role != "assistant" {
		return
	}
	o.last = m
	o.Out.Failed = failedWith(m.StopReason)
	if name := m.name(); name != "" {
		o.Out.Messages = append(o.Out.Messages, name)
	}
	if c := m.Usage.Cost.Total; c != nil {
		o.Out.CostUSD += *c
	}
	for _, b := range blocks(m.Content) {
		if b.Type == "text" && b.Text != "" && !o.Out.Failed {
			o.Say(agent.Said{Kind: agent.SaidText, Message: m.name(), Text: b.Text})
		}
	}
	if m.Usage.tokens() > 0 {
		o.Say(agent.Said{Kind: agent.SaidUsage, Usage: agent.Usage{InputTokens: m.Usage.Input, OutputTokens: m.Usage.Output,
			CacheCreationTokens: m.Usage.CacheWrite, CacheReadTokens: m.Usage.CacheRead, CostUSD: m.Usage.Cost.Total}})
	}
}

func failedWith(stopReason string) bool {
	return stopReason == "error" || stopReason == "aborted" || stopReason == "length"
}

// end says how the run ended.
func (o *printed) end() {
	switch {
	case o.Each == nil || o.last == nil:
	case o.last.StopReason == "stop":
		o.Say(agent.Said{Kind: agent.SaidDone})
	case o.Out.Failed:
		failed := agent.Said{Kind: agent.SaidFailed, Text: o.last.Error}
		if failed.Text == "" {
			failed.Text = "the answer ended with " + o.last.StopReason
		}
		e, _ := o.p.event(&record{at: o.p.now(), Message: *o.last}, 0)
		var c detect.Classifier
		c.Feed(e)
		if s := c.Stop(); s.State == detect.Stopped {
			s.Evidence.Source = "output"
			failed.Stop = &s
		}
		o.Say(failed)
	}
}
