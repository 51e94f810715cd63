package pi

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// record is one line of a session, as far as clawd looks at it.
type record struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Parent    string  `json:"parentId"`
	Timestamp string  `json:"timestamp"` // when it was written
	CWD       string  `json:"cwd"`       // session
	Provider  string  `json:"provider"`  // model_change
	ModelID   string  `json:"modelId"`
	Level     string  `json:"thinkingLevel"` // thinking_level_change
	Name      string  `json:"name"`          // session_info
	Target    string  `json:"targetId"`      // context_edit
	Message   message `json:"message"`

	at time.Time
}

// message is what went to the model or came from it. The same stands in the events that a run prints.
type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	StopReason string          `json:"stopReason"`
	Raw        string          `json:"rawStopReason"` // the provider's word
	Error      string          `json:"errorMessage"`
	Provider   string          `json:"provider"`
	Model      string          `json:"model"`
	Time       int64           `json:"timestamp"` // of the request, in ms
	Usage      usage           `json:"usage"`
	// Of role system, from 0.86 on: what changed in the prompt and in the tools that are offered.
	Sections struct {
		Preamble string `json:"preamble"`
		Addendum string `json:"addendum"`
	} `json:"sections"`
	Added   []tool `json:"toolsAdded"`
	Removed []tool `json:"toolsRemoved"`
}

type tool struct {
	Name string `json:"name"`
}

type usage struct {
	Input      int64 `json:"input"` // without the cached ones
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Cost       struct {
		Total *float64 `json:"total"` // the list price, also of what a plan pays
	} `json:"cost"`
}

func (u usage) tokens() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// parse reads a line.
func parse(line []byte) (*record, error) {
	r := new(record)
	if agent.Record(line, r) != nil {
		return nil, agent.ErrShape
	}
	at, _ := time.Parse(time.RFC3339, r.Timestamp)
	r.at = detect.Clamp(at)
	return r, nil
}

// named: a record that an event can be made of has a name and a time.
func (r *record) named() bool { return r.ID != "" && len(r.ID) <= 64 && !r.at.IsZero() }

// known tells whether a version that clawd knows, up to 1.6.0, writes such a record.
func (r *record) known() bool {
	switch r.Type {
	case "message":
		switch r.Message.Role {
		case "user", "assistant", "toolResult", "system", "custom", "bashExecution", "branchSummary", "compactionSummary":
			return true
		}
	case "session", "context_edit", "model_change", "thinking_level_change", "usage", "compaction", "branch_summary", "custom", "custom_message",
		"label", "session_info":
		return true
	}
	return false
}

// name names an answer of the model or a prompt, which its run prints without the id of its record.
func (m *message) name() string {
	if m.Role != "assistant" && m.Role != "user" || m.Time == 0 {
		return ""
	}
	return m.Role + ":" + strconv.FormatInt(m.Time, 10)
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Name string `json:"name"` // of a tool
}

// blocks gives the content of a message; a bare string is one text block.
func blocks(content json.RawMessage) []block {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var list []block
	if agent.Unmarshal(content, &list) != nil {
		return nil
	}
	return list
}

func textOf(content json.RawMessage) string {
	var texts []string
	for _, b := range blocks(content) {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// used gives the tools that an answer calls.
func used(content json.RawMessage) (names []string) {
	for _, b := range blocks(content) {
		if b.Type == "toolCall" && toolName.MatchString(b.Name) {
			names = append(names, b.Name)
		}
	}
	return names
}

// event translates a message; false: it says nothing of the session's state. An error is told as a failure,
// whether or not the agent means to ask again.
func (p *Pi) event(r *record, off int64) (detect.Event, bool) {
	m := &r.Message
	e := detect.Event{ID: r.ID, Parent: r.Parent, At: r.at, Offset: off, Msg: m.name()}
	switch m.Role {
	case "user":
		e.Kind, e.Hash = detect.KindPrompt, detect.HashText(textOf(m.Content))
	case "toolResult":
		e.Kind = detect.KindToolResult
	case "assistant":
		switch m.StopReason {
		case "stop":
			e.Kind, e.Done = detect.KindAnswer, true
		case "aborted": // by its user, by a signal, or by the end of its terminal: the record is the same
			e.Kind = detect.KindInterrupt
		case "error", "length":
			e.Kind, e.Failure = detect.KindFailure, p.failure(m, r.at)
		default:
			e.Kind, e.ToolCall = detect.KindAnswer, m.StopReason == "toolUse"
		}
	default:
		return e, false
	}
	return e, true
}
