package copilot

import (
	"io"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// refused is what a run prints that does not find its session.
const refused = "Error: No session, task, or name matched '"

// noInput is what a run prints that got no prompt.
const noInput = "No prompt provided."

// Output reads what `copilot --output-format json` printed, with stderr among it. The prompt comes first, and may come after
// its request: a run that was killed before it printed anything may have asked. Only one that says why it ended, or
// that ended in order, has not. A last line that was cut proves nothing and is left out.
func (c *Copilot) Output(r io.Reader, each func(agent.Said)) (agent.Output, error) {
	o := printed{Printed: agent.Printed{Each: each}, c: c}
	out, err := o.Read(r, func(l agent.Line) {
		if text, ok := l.Words(); ok {
			o.line(text)
		}
	})
	out.Mute = !out.Began && !o.over
	return out, err
}

// printed is a run's output, so far.
type printed struct {
	agent.Printed
	c *Copilot
	// over: it says why it ended, or that it did.
	over     bool
	answered bool // the newest prompt
}

// event is what is looked at in a line, beside what a record has.
type event struct {
	record
	SessionID string `json:"sessionId"` // result
	ExitCode  int    `json:"exitCode"`
}

func (o *printed) line(line []byte) {
	switch {
	case len(line) == 0:
		return
	case line[0] != '{':
		text := string(line)
		o.Out.Refused = o.Out.Refused || strings.HasPrefix(text, refused)
		o.NoInput(strings.HasPrefix(text, noInput))
		o.over = o.over || strings.HasPrefix(text, "Error: ")
		o.Say(agent.Said{Kind: agent.SaidNote, Text: text})
		return
	}
	var e event
	if agent.Unmarshal(line, &e) != nil {
		return
	}
	switch at, err := time.Parse(time.RFC3339, e.Timestamp); {
	case err != nil:
		return
	case e.Type == "result":
		o.result(&e)
		return
	default:
		e.at = at
	}
	if o.Out.Began = true; e.Agent == "" {
		o.event(&e)
	}
}

// result is the last line of a run that ended in order.
func (o *printed) result(e *event) {
	o.over = true
	if agent.IsUUID(e.SessionID) {
		o.Out.Session = e.SessionID
		o.Say(agent.Said{Kind: agent.SaidOpened, Session: e.SessionID})
	}
	if e.ExitCode == 0 && o.answered {
		o.Say(agent.Said{Kind: agent.SaidDone})
	}
}

func (o *printed) event(e *event) {
	if agent.IsUUID(e.ID) {
		o.Out.Messages = append(o.Out.Messages, e.ID)
	}
	d := &e.Data
	switch e.Type {
	case typePrompt:
		o.Out.Prompts++
		o.Out.Failed, o.answered = false, false
	case typeAnswer:
		o.answered = len(d.Requests) == 0
		for _, t := range d.Requests {
			o.Say(agent.Said{Kind: agent.SaidTool, Text: t.Name})
		}
		if d.Content != "" {
			o.Say(agent.Said{Kind: agent.SaidText, Message: d.MessageID, Text: d.Content})
		}
	case typeDone:
		o.answered = true
	case typeToolEnd:
		if d.Error.Code == "denied" {
			o.Out.Denials++
		}
	case typeInfo:
		if d.InfoType == autoSwitch { // it goes on after a limit
			o.Out.Failed = false
			o.Say(agent.Said{Kind: agent.SaidRetry, Text: d.InfoType})
		}
	case "assistant.turn_retry":
		o.Say(agent.Said{Kind: agent.SaidRetry, Text: d.Reason})
	case typeError:
		o.failed(e)
	}
}

func (o *printed) failed(e *event) {
	o.Out.Failed, o.answered = true, false
	s := agent.Said{Kind: agent.SaidFailed, Text: e.Data.Message}
	zones := []*time.Location{time.UTC, o.c.zone} // of which version it is, is not printed
	if stop, ok := e.Data.failure(e.at, zones).Stop(e.at); ok {
		stop.Evidence.Source = "output"
		s.Stop = &stop
	}
	o.Say(s)
}
