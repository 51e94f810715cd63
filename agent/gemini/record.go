package gemini

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// line is one line of a session's file: a header, a change, a message, or a step back.
type line struct {
	message
	SessionID   string `json:"sessionId"`
	ProjectHash string `json:"projectHash"`
	LastUpdated string `json:"lastUpdated"`
	Set         *struct {
		SessionID   string     `json:"sessionId"`
		LastUpdated string     `json:"lastUpdated"`
		Messages    *[]message `json:"messages"`
	} `json:"$set"`
	RewindTo string `json:"$rewindTo"`
}

// message is one record of the conversation, as far as clawd looks at it.
type message struct {
	ID        string          `json:"id"`
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"` // user, gemini, info, error, warning
	Content   json.RawMessage `json:"content"`
	Shown     json.RawMessage `json:"displayContent"` // of a prompt to which a hook has added, or that one made: what its user prompted
	Model     string          `json:"model"`
	Tokens    struct {
		Total int64 `json:"total"`
	} `json:"tokens"`
	ToolCalls []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	} `json:"toolCalls"`
}

var errNamed = errors.New("a message has no id or no time")

// parse reads a line.
func parse(b []byte) (*line, error) {
	l := new(line)
	if b, ok := agent.Object(b); !ok || agent.Record(b, l) != nil {
		return nil, agent.ErrShape
	}
	return l, nil
}

func timeOf(s string) time.Time {
	t, _ := time.Parse(time.RFC3339, s)
	return detect.Clamp(t)
}

func (m *message) at() time.Time { return timeOf(m.Timestamp) }

// named: a record that an event can be made of has a name and a time.
func (m *message) named() bool { return m.ID != "" && len(m.ID) <= 128 && !m.at().IsZero() }

type part struct {
	Text     string `json:"text"`
	Response *struct {
		ID string `json:"id"`
	} `json:"functionResponse"`
}

// parts gives the content of a message; a bare string is one text.
func parts(content json.RawMessage) []part {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []part{{Text: text}}
	}
	var list []part
	if agent.Unmarshal(content, &list) != nil {
		return nil
	}
	return list
}

func textOf(list []part) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.Text)
	}
	return b.String()
}

// said gives what the user prompted, without what hooks have added: one at the session's start before it, one at each prompt behind it.
func (m *message) said() string {
	text := textOf(parts(m.Shown))
	if text == "" {
		text = textOf(parts(m.Content))
	}
	if rest, ok := strings.CutPrefix(text, hookMark); ok {
		if _, said, _ := strings.Cut(rest, hookEnd); strings.TrimSpace(said) != "" {
			return said
		}
	}
	return text
}

// hookMark and hookEnd stand around what a hook has added. In it are no such signs.
const (
	hookMark = "<hook_context>"
	hookEnd  = "</hook_context>"
)

// hooked tells whether a hook made a prompt, which goes on with what was prompted before. That of a command that its user defined has
// other words than he gave, too.
func (m *message) hooked() bool {
	shown := textOf(parts(m.Shown))
	return shown != "" && !strings.HasPrefix(textOf(parts(m.Content)), shown) && !strings.HasPrefix(shown, "/")
}

// responses gives the ids of the tool calls whose results a message brings.
func responses(list []part) []string {
	var ids []string
	for _, p := range list {
		if p.Response != nil {
			ids = append(ids, p.Response.ID)
		}
	}
	return ids
}

const contextMark = "<session_context>"

// local tells a command of the terminal UI, which the model never sees, and the description of the
// machine, which the agent puts before each conversation.
func local(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, contextMark) || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "?")
}

// shellRun is how a record begins that the agent writes for a command of the shell that its user runs
// (!ls): the model reads it with the next prompt.
const shellRun = "I ran the following shell command:\n```sh\n"

// turn tells whether a message is part of a conversation that the agent would resume: its own rule.
func (m *message) turn() bool {
	switch m.Type {
	case "user":
		list := parts(m.Content)
		return len(responses(list)) > 0 || !local(textOf(list))
	case "gemini":
		return len(m.ToolCalls) > 0 || textOf(parts(m.Content)) != ""
	}
	return false
}

func holdsTurn(all []message) bool {
	for i := range all {
		if all[i].turn() {
			return true
		}
	}
	return false
}

// tools says how the tool calls of an answer stand: none is open any more, and all were cancelled by
// the user.
func (m *message) tools() (ended, cancelled bool) {
	ended, cancelled = len(m.ToolCalls) > 0, len(m.ToolCalls) > 0
	for _, c := range m.ToolCalls {
		ended = ended && (c.Status == "success" || c.Status == "error" || c.Status == "cancelled")
		cancelled = cancelled && c.Status == "cancelled"
	}
	return ended, cancelled
}

func (m *message) calls() []string {
	ids := make([]string, 0, len(m.ToolCalls))
	for _, c := range m.ToolCalls {
		ids = append(ids, c.ID)
	}
	return ids
}

// answer is the event of a record of the model. One without text is the first form of a tool call:
// the record is written again when the tool has ended.
func (m *message) answer(e detect.Event) detect.Event {
	e.Kind = detect.KindAnswer
	e.ToolCall = len(m.ToolCalls) > 0 || strings.TrimSpace(textOf(parts(m.Content))) == ""
	e.Done = !e.ToolCall
	return e
}
