package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

const refusal = "No conversation found with session ID:"

// noInput is what a run prints that got no prompt within three seconds.
const noInput = "Error: Input must be provided either through stdin or as a prompt argument"

// Output reads the stream-json output of a run, with stderr among it. A last line that was cut
// proves nothing and is left out.
func (c *Claude) Output(r io.Reader, each func(agent.Said)) (agent.Output, error) {
	p := printed{Printed: agent.Printed{Each: each}, c: c}
	return p.Read(r, func(l agent.Line) {
		if text, ok := l.Words(); ok {
			p.line(text)
		}
	})
}

// printed is a run's output, so far.
type printed struct {
	agent.Printed
	c *Claude
	// limit is what a rate_limit_event said: it has the second at which the limit ends, the error only a text.
	limit *detect.Stop
	// message is the one that pieces belong to.
	message string
}

// outputRecord is what is looked at in a line of stream-json.
type outputRecord struct {
	Type      string            `json:"type"`
	Subtype   string            `json:"subtype"`
	UUID      string            `json:"uuid"`
	SessionID string            `json:"session_id"`
	Parent    string            `json:"parent_tool_use_id"`
	IsError   bool              `json:"is_error"`
	Errors    []string          `json:"errors"`
	Denials   []json.RawMessage `json:"permission_denials"`
	CostUSD   *float64          `json:"total_cost_usd"`
	APIMs     float64           `json:"duration_api_ms"`
	Result    string            `json:"result"`
	Status    int               `json:"error_status"`
	PlanHeld  bool              `json:"resume_held_for_plan"`
	Usage     struct {
		Input      int64 `json:"input_tokens"`
		Output     int64 `json:"output_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
	} `json:"usage"`
	Event struct {
		Type    string `json:"type"`
		Message struct {
			ID string `json:"id"`
		} `json:"message"`
		Delta struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"delta"`
	} `json:"event"`
	Message struct {
		ID      string `json:"id"`
		Model   string `json:"model"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
			Name string `json:"name"`
		} `json:"content"`
	} `json:"message"`
}

func (p *printed) line(line []byte) {
	o := &p.Out
	if len(line) == 0 {
		return
	}
	if line[0] != '{' {
		o.Refused = o.Refused || bytes.HasPrefix(line, []byte(refusal))
		p.NoInput(bytes.HasPrefix(line, []byte(noInput)))
		p.Say(agent.Said{Kind: agent.SaidNote, Text: string(line)})
		return
	}
	var r outputRecord
	if agent.Unmarshal(line, &r) != nil {
		return
	}
	switch r.Type {
	case "system":
		if r.Subtype != "init" {
			if r.PlanHeld {
				o.Idle = "it is in plan mode (resume_held_for_plan)"
			}
			if r.Subtype == "api_retry" {
				p.Say(agent.Said{Kind: agent.SaidRetry, Text: strings.TrimSpace(fmt.Sprintf("the provider failed (%d); the agent asks again", r.Status))})
			}
			return
		}
		o.Began = true
		p.Say(agent.Said{Kind: agent.SaidOpened, Session: r.SessionID})
	case "assistant", "user":
		for _, id := range []string{r.UUID, r.Message.ID} {
			if id != "" {
				o.Messages = append(o.Messages, id)
			}
		}
		p.said(&r)
	case "stream_event": // --include-partial-messages
		p.piece(&r)
	case "rate_limit_event":
		if p.Each != nil {
			if s, ok := p.c.Message(string(line), time.Now(), nil); ok && s.State == detect.Stopped {
				p.limit = &s
			}
		}
		return
	case "result":
		o.Denials, o.Failed = len(r.Denials), r.IsError
		if r.CostUSD != nil {
			o.CostUSD = *r.CostUSD
		}
		for _, e := range r.Errors {
			o.Refused = o.Refused || strings.HasPrefix(e, refusal)
		}
		p.result(&r, line)
	default:
		return
	}
	if r.SessionID != "" {
		o.Session = r.SessionID
	}
}

// piece tells some words of the model as they come.
func (p *printed) piece(r *outputRecord) {
	switch e := &r.Event; {
	case r.Parent != "":
	case e.Type == "message_start":
		p.message = e.Message.ID
	case e.Type == "content_block_delta" && e.Delta.Type == "text_delta":
		p.Say(agent.Said{Kind: agent.SaidPiece, Message: p.message, Text: e.Delta.Text})
	}
}

// said tells what the model said; not what a sub-agent or the agent itself did.
func (p *printed) said(r *outputRecord) {
	if r.Type != "assistant" || r.Parent != "" || r.Message.Model == "<synthetic>" {
		return
	}
	for _, b := range r.Message.Content {
		switch b.Type {
		case "text":
			p.Say(agent.Said{Kind: agent.SaidText, Message: r.Message.ID, Text: b.Text})
		case "tool_use":
			p.Say(agent.Said{Kind: agent.SaidTool, Text: b.Name})
		}
	}
}

// result ends the turn. Its subtype is "success" for failures of the provider, too.
func (p *printed) result(r *outputRecord, line []byte) {
	if p.Each == nil {
		return
	}
	u := r.Usage
	p.Say(agent.Said{Kind: agent.SaidUsage, Usage: agent.Usage{InputTokens: u.Input, OutputTokens: u.Output,
		CacheCreationTokens: u.CacheWrite, CacheReadTokens: u.CacheRead, CostUSD: r.CostUSD, API: time.Duration(r.APIMs * float64(time.Millisecond))}})
	if !r.IsError && r.Subtype == "success" {
		p.Say(agent.Said{Kind: agent.SaidDone, Text: r.Result})
		return
	}
	failed := agent.Said{Kind: agent.SaidFailed, Text: r.Result}
	if failed.Text == "" {
		failed.Text = strings.Join(append([]string{r.Subtype}, r.Errors...), ": ")
	}
	if s, ok := p.c.Message(string(line), time.Now(), nil); ok && s.State == detect.Stopped {
		if failed.Stop = &s; p.limit != nil && s.Reason == detect.UsageLimit {
			failed.Stop = p.limit
		}
	}
	p.Say(failed)
}
