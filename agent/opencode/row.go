package opencode

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// message is one row of the table message, or one JSON file under storage/message.
type message struct {
	ID      string
	Row     int64 // rowid; 0: from a JSON file
	Created int64 // unix milliseconds, as the other times
	Updated int64
	Data    data
	Bad     bool   // its data could not be understood
	Strange bool   // its role is none that we know, or its place is not known
	Of      int    // so many messages its session had when it was read; 0: from a database
	Parts   []part // in order; loaded for rows that are looked at closely
}

// data is what clawd reads of message.data. Everything else in it is left alone.
type data struct {
	Role       string          `json:"role"`
	ParentID   string          `json:"parentID"`
	ProviderID string          `json:"providerID"`
	ModelID    string          `json:"modelID"`
	Finish     string          `json:"finish"`
	Summary    json.RawMessage `json:"summary"` // true: a compaction; an object in user rows
	Agent      flexText        `json:"agent"`
	Model      rowModel        `json:"model"`   // of user rows
	Variant    flexText        `json:"variant"` // of user rows up to 1.3
	Tools      json.RawMessage `json:"tools"`   // of user rows: what this prompt alone may use
	System     flexText        `json:"system"`  // of user rows: its own system prompt
	Error      *rowError       `json:"error"`
	Time       struct {
		Created   float64 `json:"created"`
		Completed float64 `json:"completed"`
	} `json:"time"`
	Tokens struct {
		Input  float64 `json:"input"`
		Output float64 `json:"output"`
		Cache  struct {
			Read  float64 `json:"read"`
			Write float64 `json:"write"`
		} `json:"cache"`
	} `json:"tokens"`
}

// rowError is message.data.error.
type rowError struct {
	Name string `json:"name"`
	Data struct {
		Message    string            `json:"message"`
		StatusCode int               `json:"statusCode"`
		Retryable  bool              `json:"isRetryable"`
		Headers    map[string]string `json:"responseHeaders"`
		Body       string            `json:"responseBody"`
	} `json:"data"`
}

// part is what clawd reads of part.data.
type part struct {
	Type      string   `json:"type"`
	Text      string   `json:"text"`
	Synthetic flexBool `json:"synthetic"` // text that opencode wrote itself
	Auto      flexBool `json:"auto"`      // of a compaction that nobody asked for
	Status    string   `json:"status"`    // of a tool: pending, running, completed, error
	Err       string   `json:"err"`       // of a tool: the beginning of its error
	Updated   int64    `json:"-"`         // unix milliseconds
}

// rowModel is message.data.model of a user row. Other shapes give an empty one.
type rowModel struct {
	ProviderID, ModelID, Variant string
}

// UnmarshalJSON takes any JSON.
func (r *rowModel) UnmarshalJSON(v []byte) error {
	var m struct {
		ProviderID flexText `json:"providerID"`
		ModelID    flexText `json:"modelID"`
		Variant    flexText `json:"variant"`
	}
	if json.Unmarshal(v, &m) == nil {
		*r = rowModel{string(m.ProviderID), string(m.ModelID), string(m.Variant)}
	}
	return nil
}

// flexText is empty for anything but a text.
type flexText string

// UnmarshalJSON takes any JSON.
func (f *flexText) UnmarshalJSON(v []byte) error {
	var s string
	if json.Unmarshal(v, &s) != nil {
		s = ""
	}
	*f = flexText(s)
	return nil
}

// flexBool also takes the 0 and 1 that SQLite makes of a JSON boolean.
type flexBool bool

func (b *flexBool) UnmarshalJSON(v []byte) error {
	*b = flexBool(string(v) == "true" || string(v) == "1")
	return nil
}

var errRole = errors.New("role is neither user nor assistant")

// parseData reads message.data. The error never quotes it; it is errRole for a kind of message that
// nobody knows.
func parseData(b []byte) (data, error) {
	var d data
	if err := json.Unmarshal(b, &d); err != nil {
		return data{}, errors.New("it is not the JSON that opencode writes")
	}
	switch d.Role {
	case "user", "assistant":
		return d, nil
	case "":
		return data{}, errors.New("it names no role")
	}
	return d, errRole
}

// millis turns unix milliseconds into a time; nonsense gives the zero time.
func millis(ms float64) time.Time {
	if !(ms > 0 && ms < 253402300800000) { // the year 10000
		return time.Time{}
	}
	return detect.Clamp(time.UnixMilli(int64(ms)))
}

func (m *message) created() time.Time {
	if t := millis(m.Data.Time.Created); !t.IsZero() {
		return t
	}
	return millis(float64(m.Created))
}

func (m *message) completed() time.Time { return millis(m.Data.Time.Completed) }

// at is when the row said what it says now.
func (m *message) at() time.Time {
	if t := m.completed(); !t.IsZero() {
		return t
	}
	return m.created()
}

func (m *message) compaction() bool { return string(m.Data.Summary) == "true" }

// pendingEnd: the request of this row has neither ended nor failed.
func (m *message) pendingEnd() bool {
	return m.Data.Role == "assistant" && m.completed().IsZero() && m.Data.Error == nil
}

// runningTool tells whether a tool call of the row has begun and not ended: it works, or it waits
// for a permission; nothing on disk says which.
func (m *message) runningTool() bool {
	for _, p := range m.Parts {
		if p.Type == "tool" && (p.Status == "running" || p.Status == "pending") {
			return true
		}
	}
	return false
}

// lastPart is when a part of the row was last written; zero without parts.
func (m *message) lastPart() time.Time {
	var newest int64
	for _, p := range m.Parts {
		newest = max(newest, p.Updated)
	}
	return millis(float64(newest))
}

// rejection is how opencode records that a permission was refused. Refused with a comment, it
// goes on by itself and writes another text.
const rejection = "The user rejected permission to use this specific tool call."

func (m *message) rejected() bool {
	for i := len(m.Parts) - 1; i >= 0; i-- {
		if p := m.Parts[i]; p.Type == "tool" {
			return p.Status == "error" && p.Err == rejection
		}
	}
	return false
}

// prompt is the text of a user row as a person gave it; meta: opencode wrote the row itself,
// around a compaction.
func (m *message) prompt() (text string, meta bool) {
	var own, written bool
	for _, p := range m.Parts {
		switch {
		case p.Type == "compaction":
			written = true
		case p.Type != "text":
		case bool(p.Synthetic):
			written = true
		case !own:
			text, own = p.Text, true
		default:
			text += "\n" + p.Text
		}
	}
	return text, written && !own
}

// shellRan begins what opencode writes for the model about a command that its user ran with "!". No model is
// asked for it.
const shellRan = "The following tool was executed by the user"

// shell tells whether the row stands for a command that its user ran.
func (m *message) shell() bool {
	ran := false
	for _, p := range m.Parts {
		if p.Type == "text" {
			if !bool(p.Synthetic) || !strings.HasPrefix(p.Text, shellRan) {
				return false
			}
			ran = true
		}
	}
	return ran
}

// unwritten: opencode has made the row of a prompt and is yet to write its text, which says whose it is. began is when the
// session did: a copy of a session has rows with the times of those that they copy.
func (m *message) unwritten(began time.Time) bool {
	return isUser(*m) && len(m.Parts) == 0 && (time.Since(m.created()).Abs() < writing || time.Since(began).Abs() < writing)
}

// writing is how long a text may take to come.
const writing = 5 * time.Second

func (m *message) tokens() int64 {
	t := m.Data.Tokens
	n := t.Input + t.Output + t.Cache.Read + t.Cache.Write
	if !(n > 0 && n < 1e15) {
		return 0
	}
	return int64(n)
}

func (m *message) model() string {
	if m.Data.ProviderID == "" || m.Data.ModelID == "" {
		return ""
	}
	return m.Data.ProviderID + "/" + m.Data.ModelID
}

// setup is what the prompt of a user row ran with.
func (m *message) setup() detect.Setup {
	d := &m.Data
	s := detect.Setup{Role: string(d.Agent), Effort: cmp.Or(d.Model.Variant, string(d.Variant))}
	if d.Model.ProviderID != "" && d.Model.ModelID != "" {
		s.Model = d.Model.ProviderID + "/" + d.Model.ModelID
	}
	tools := strings.TrimSpace(string(d.Tools))
	s.Bound = d.System != "" || tools != "" && tools != "{}" && tools != "null"
	return s
}

// hash of a prompt's text; empty for none.
func hash(text string) string {
	if text == "" {
		return ""
	}
	return detect.HashText(text)
}
