package opencode

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

var reColor = lazyregexp.New(`\x1b\[[0-9;]*m`)

// reNotFound is a line of the error with which 1.2 to 1.14 say that they do not know a session, and 1.1 that it has no file.
var reNotFound = lazyregexp.New(`^message: "(?:Session not found: |Resource not found: [^"]*/storage/session/[^"/]*/)ses_[A-Za-z0-9]{20,40}(?:\.json)?",$`)

// Output reads the JSON lines of `run --format json`, and the errors in words that may stand
// between them.
func (*OpenCode) Output(r io.Reader, each func(agent.Said)) (agent.Output, error) {
	p := printed{Printed: agent.Printed{Each: each}}
	return p.Read(r, func(l agent.Line) {
		if !l.Long {
			p.line(bytes.TrimSpace(l.Text))
		}
	})
}

// printed is a run's output, so far.
type printed struct {
	agent.Printed
	said string // id of the message whose text came last
}

// outputLine is what is looked at in a line.
type outputLine struct {
	Type    string   `json:"type"`
	Session string   `json:"sessionID"`
	Error   rowError `json:"error"`
	Part    struct {
		Message   string  `json:"messageID"`
		Text      string  `json:"text"`
		Synthetic bool    `json:"synthetic"`
		Tool      string  `json:"tool"`
		Reason    string  `json:"reason"`
		Cost      float64 `json:"cost"`
		Tokens    struct {
			Input     int64 `json:"input"`
			Output    int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
		State struct {
			Status string `json:"status"`
			Error  string `json:"error"`
		} `json:"state"`
	} `json:"part"`
}

func (p *printed) line(line []byte) {
	var l outputLine
	if agent.Unmarshal(line, &l) != nil || l.Type == "" {
		text := strings.TrimSpace(reColor.ReplaceAllString(string(line), ""))
		p.Out.Refused = p.Out.Refused || text == "Error: Session not found" || reNotFound.MatchString(text)
		if text != "" {
			p.Say(agent.Said{Kind: agent.SaidNote, Text: text})
		}
		return
	}
	if idForm.MatchString(l.Session) {
		if p.Out.Session != l.Session {
			p.Say(agent.Said{Kind: agent.SaidOpened, Session: l.Session})
		}
		p.Out.Began, p.Out.Session = true, l.Session
	}
	if m := l.Part.Message; m != "" && !slices.Contains(p.Out.Messages, m) {
		p.Out.Messages = append(p.Out.Messages, m)
	}
	p.Out.Failed = p.Out.Failed || l.Type == "error"
	if l.Type == "step_finish" {
		p.Out.CostUSD += l.Part.Cost // of this step alone
	}
	if l.Type == "tool_use" && l.Part.State.Status == "error" && l.Part.State.Error == rejection {
		p.Out.Denials++
	}
	p.tell(&l)
}

// tell passes a line on. A turn may go on after an error (a full context that is compacted), so the
// last word counts.
func (p *printed) tell(l *outputLine) {
	switch l.Type {
	case "text":
		if l.Part.Synthetic {
			return
		}
		text := l.Part.Text
		if p.said == l.Part.Message {
			text = "\n" + text
		}
		p.said = l.Part.Message
		p.Say(agent.Said{Kind: agent.SaidText, Message: l.Part.Message, Text: text})
	case "tool_use":
		p.Say(agent.Said{Kind: agent.SaidTool, Text: l.Part.Tool})
	case "step_finish":
		t, cost := l.Part.Tokens, l.Part.Cost
		p.Say(agent.Said{Kind: agent.SaidUsage, Usage: agent.Usage{InputTokens: t.Input, OutputTokens: t.Output + t.Reasoning,
			CacheCreationTokens: t.Cache.Write, CacheReadTokens: t.Cache.Read, CostUSD: &cost}})
		if l.Part.Reason == "stop" || l.Part.Reason == "length" {
			p.Say(agent.Said{Kind: agent.SaidDone})
		}
	case "error":
		if p.Each == nil {
			return
		}
		failed := agent.Said{Kind: agent.SaidFailed, Text: l.Error.Data.Message}
		if failed.Text == "" {
			failed.Text = l.Error.Name
		}
		f := failure(&l.Error, time.Now(), nil, "output")
		if s, ok := f.Stop(time.Now()); ok {
			s.State = detect.Stopped
			failed.Stop = &s
		}
		p.Say(failed)
	}
}
