package qwen

import (
	"io"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// refusals are what a run prints that does not find its session.
var refusals = []string{"No saved session found with ID ", "No saved session found with title "}

// noInput is what a run prints that got no prompt within half a second.
const noInput = "No input provided via stdin."

// Output reads what `qwen --output-format stream-json` printed, with stderr among it. Its first line comes before
// anything is asked. Its last line tells the usage of the whole session, so that of its messages counts. Up to 0.23.3 it ends with
// success after an error, which is then the whole answer. A last line that was cut proves nothing and is left out.
func (q *Qwen) Output(r io.Reader, each func(agent.Said)) (agent.Output, error) {
	o := printed{Printed: agent.Printed{Each: each}, q: q}
	return o.Read(r, func(l agent.Line) {
		if text, ok := l.Words(); ok {
			o.line(text)
		}
	})
}

// printed is a run's output, so far.
type printed struct {
	agent.Printed
	q   *Qwen
	now string // names the message that is being made
	// held is a text that may be the error with which the run ends, printed like one of the model's.
	held *agent.Said
	old  bool // a version that ends with success after an error
}

// outputEvent is what is looked at in a line of stream-json.
type outputEvent struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	Version string `json:"qwen_code_version"`  // init
	Parent  string `json:"parent_tool_use_id"` // set: a sub-agent's
	Message struct {
		ID      string `json:"id"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
			Name string `json:"name"`
		} `json:"content"`
		Usage usage `json:"usage"` // of the request, in one of its messages
	} `json:"message"`
	Event struct { // with --include-partial-messages
		Type    string `json:"type"`
		Message struct {
			ID string `json:"id"`
		} `json:"message"`
		Delta struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"delta"`
	} `json:"event"`
	IsError bool   `json:"is_error"` // result
	Result  string `json:"result"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
	Denials []struct{} `json:"permission_denials"`
}

type usage struct {
	Input  int64 `json:"input_tokens"` // the cached ones among them
	Output int64 `json:"output_tokens"`
	Cached int64 `json:"cache_read_input_tokens"`
}

// failed is the error with which a run has ended; empty: it has ended well. old: the answer may be an error, too.
func (e *outputEvent) failed(old bool) string {
	switch {
	case e.Error.Message != "":
		return e.Error.Message
	case e.IsError:
		return "the turn ended with " + e.Subtype
	case old && strings.HasPrefix(e.Result, errorLead) || old && strings.HasSuffix(e.Result, cutTail):
		return e.Result[strings.LastIndex(e.Result, errorLead):]
	}
	return ""
}

const (
	errorLead = "[API Error: "
	cutTail   = "[API Error: Model stream ended without a finish reason.]"
)

func (o *printed) line(line []byte) {
	switch {
	case len(line) == 0:
		return
	case line[0] != '{':
		o.text(string(line))
		return
	}
	var e outputEvent
	if agent.Unmarshal(line, &e) != nil || e.Parent != "" {
		return
	}
	if o.held != nil && (e.Type != "result" || e.failed(o.old) == "") {
		o.Say(*o.held)
	}
	o.held = nil
	switch e.Type {
	case "system":
		o.system(&e)
	case "stream_event":
		o.piece(&e)
	case "assistant":
		o.message(&e)
	case "result":
		o.result(&e)
	}
}

func (o *printed) text(text string) {
	for _, r := range refusals {
		o.Out.Refused = o.Out.Refused || strings.HasPrefix(text, r)
	}
	o.NoInput(strings.HasPrefix(text, noInput))
	kind := agent.SaidNote
	if s, ok := messages().Find(text); ok && s.State == detect.Retrying {
		kind = agent.SaidRetry
	}
	o.Say(agent.Said{Kind: kind, Text: text})
}

func (o *printed) system(e *outputEvent) {
	if e.Subtype != "init" {
		return
	}
	o.Out.Began, o.old = true, !agent.AtLeast(e.Version, 0, 23, 4)
	if agent.IsUUID(e.Session) {
		o.Out.Session = e.Session
		o.Say(agent.Said{Kind: agent.SaidOpened, Session: e.Session})
	}
}

func (o *printed) piece(e *outputEvent) {
	switch {
	case e.Event.Type == "message_start":
		o.now = e.Event.Message.ID
	case e.Event.Delta.Type == "text_delta":
		o.Say(agent.Said{Kind: agent.SaidPiece, Message: o.now, Text: e.Event.Delta.Text})
	}
}

func (o *printed) message(e *outputEvent) {
	if u := e.Message.Usage; u.Input+u.Output > 0 {
		o.Say(agent.Said{Kind: agent.SaidUsage, Usage: agent.Usage{InputTokens: max(0, u.Input-u.Cached), CacheReadTokens: u.Cached, OutputTokens: u.Output}})
	}
	for _, b := range e.Message.Content {
		switch {
		case b.Type == "tool_use":
			o.Say(agent.Said{Kind: agent.SaidTool, Text: b.Name})
		case b.Type == "text" && strings.HasPrefix(b.Text, errorLead):
			o.held = &agent.Said{Kind: agent.SaidText, Message: e.Message.ID, Text: b.Text}
		case b.Type == "text" && b.Text != "":
			o.Say(agent.Said{Kind: agent.SaidText, Message: e.Message.ID, Text: b.Text})
		}
	}
}

func (o *printed) result(e *outputEvent) {
	why := e.failed(o.old)
	o.Out.Failed = why != ""
	o.Out.Denials += len(e.Denials)
	if o.Each == nil {
		return
	}
	if why == "" {
		o.Say(agent.Said{Kind: agent.SaidDone, Text: e.Result})
		return
	}
	failed := agent.Said{Kind: agent.SaidFailed, Text: why}
	if s, ok := o.q.Message(why, o.q.now(), o.q.zone); ok && s.State == detect.Stopped {
		s.Evidence = detect.Evidence{Source: "output", Field: "result"}
		failed.Stop = &s
	}
	o.Say(failed)
}
