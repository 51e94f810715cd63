package claude

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// record is one line of a transcript, as far as clawd looks at it.
type record struct {
	Type             string          `json:"type"`
	Subtype          string          `json:"subtype"`
	UUID             string          `json:"uuid"`
	Parent           string          `json:"parentUuid"`
	Timestamp        string          `json:"timestamp"`
	SessionID        string          `json:"sessionId"`
	CWD              string          `json:"cwd"`
	Version          string          `json:"version"`
	Entrypoint       string          `json:"entrypoint"`
	PermissionMode   string          `json:"permissionMode"`
	Level            string          `json:"level"`
	IsSidechain      bool            `json:"isSidechain"`
	IsMeta           bool            `json:"isMeta"`
	IsCompactSummary bool            `json:"isCompactSummary"`
	IsAPIError       bool            `json:"isApiErrorMessage"`
	Error            json.RawMessage `json:"error"` // a word in assistant lines, an object in system/api_error
	APIError         string          `json:"apiError"`
	APIErrorType     string          `json:"apiErrorType"`
	APIErrorStatus   int             `json:"apiErrorStatus"`
	ErrorDetails     string          `json:"errorDetails"`
	RetryInMs        float64         `json:"retryInMs"`
	Quota            *quota          `json:"quotaLimits"`
	Content          json.RawMessage `json:"content"` // of system lines
	AgentSetting     string          `json:"agentSetting"`
	QuerySource      string          `json:"querySource"`
	ShapeHash        string          `json:"shapeHash"`
	ContinuedIn      string          `json:"continuedInSessionId"`
	Compact          struct {
		Trigger string `json:"trigger"`
	} `json:"compactMetadata"`
	Origin struct {
		Kind string `json:"kind"`
	} `json:"origin"`
	Shape struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	} `json:"shape"`
	Params struct {
		Model  string `json:"model"`
		Output struct {
			Effort string `json:"effort"`
		} `json:"output_config"`
	} `json:"params"`
	Attachment struct {
		Type    string   `json:"type"`
		Added   []string `json:"addedNames"`
		Removed []string `json:"removedNames"`
	} `json:"attachment"`
	Message struct {
		ID         string          `json:"id"`
		Model      string          `json:"model"`
		StopReason string          `json:"stop_reason"`
		Content    json.RawMessage `json:"content"`
		Usage      struct {
			Input  int64 `json:"input_tokens"`
			Made   int64 `json:"cache_creation_input_tokens"`
			Cached int64 `json:"cache_read_input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`

	at time.Time
}

type quota struct {
	Status   string  `json:"status"`
	ResetsAt float64 `json:"resetsAt"`
	Type     string  `json:"rateLimitType"`
}

const synthetic = "<synthetic>"

// continuedIn is the type of the record with which its user moved the conversation to a session in the background. The agent itself
// does not go on with the old one from there (claude --continue). It has no id of its own, and gets that of the other session.
const continuedIn = "continued-in"

var typeKey = []byte(`type"`)

// mayMatter is a cheap look that spares the parser 90 KB lines of bookkeeping: somewhere in the
// line stands a key "type" with a value that matters. It may be wrong that way, never the other.
func mayMatter(line []byte) bool {
	for {
		i := bytes.Index(line, typeKey)
		if i < 0 {
			return false
		}
		line = line[i+len(typeKey):]
		v := bytes.TrimLeft(line, " \t:")
		for _, t := range []string{`"user"`, `"assistant"`, `"system"`, `"permission-mode"`,
			`"api-request"`, `"api-request-shape"`, `"agent-setting"`, `"deferred_tools_delta"`, `"` + continuedIn + `"`} {
			if bytes.HasPrefix(v, []byte(t)) {
				return true
			}
		}
	}
}

// parse reads a line.
func parse(line []byte) (*record, error) {
	r := new(record)
	if agent.Record(line, r) != nil {
		return nil, agent.ErrShape
	}
	at, _ := time.Parse(time.RFC3339, r.Timestamp)
	r.at = detect.Clamp(at)
	if r.Type == continuedIn && r.ContinuedIn != "" {
		r.UUID = continuedIn + ":" + r.ContinuedIn
	}
	return r, nil
}

// named: a record that an event can be made of has a name and a time.
func (r *record) named() bool { return r.UUID != "" && len(r.UUID) <= 64 && !r.at.IsZero() }

// failed: the record in which the agent itself says that a turn failed.
func (r *record) failed() bool {
	return r.Type == "assistant" && r.Message.Model == synthetic && r.IsAPIError
}

// compacted: its user had room made, by /compact or in the menu of /rewind. That is possible only between two turns, and no
// turn follows: the summary below it waits for the next prompt. A turn that makes room by itself goes on behind it.
func (r *record) compacted() bool {
	return r.Subtype == "compact_boundary" && r.Compact.Trigger == "manual"
}

func (r *record) headless() bool { return strings.HasPrefix(r.Entrypoint, "sdk-") }

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

func has(list []block, kind string) bool {
	for _, b := range list {
		if b.Type == kind {
			return true
		}
	}
	return false
}

func textOf(list []block) string {
	var texts []string
	for _, b := range list {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// event translates a record of the conversation; false: it says nothing of the session's state.
func (c *Claude) event(r *record, offset int64) (detect.Event, bool) {
	e := detect.Event{ID: r.UUID, Parent: r.Parent, At: r.at, Offset: offset, Headless: r.headless()}
	switch r.Type {
	case "user":
		return userEvent(e, r)
	case "assistant":
		return c.assistantEvent(e, r)
	case "system":
		return c.systemEvent(e, r)
	case continuedIn:
		e.Kind = detect.KindInterrupt
		return e, true
	}
	return e, false
}

// coarse are the reasons of which a text may know better. Each record of the agent has one: where it is not found, the record
// is of a form that nobody knows.
var coarse = map[detect.Reason]bool{detect.RateLimit: true, detect.ServerError: true, detect.InvalidRequest: true}

// local is how lines begin that a command of the terminal left; the model is not asked.
var local = []string{"<command-name>", "<command-message>", "<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>"}

// localMeta is how lines begin that the agent itself adds for such a command, /rename and /context: the
// model reads them with the next prompt.
var localMeta = []string{"<system-reminder>", "## Context Usage\n"}

func userEvent(e detect.Event, r *record) (detect.Event, bool) {
	list := blocks(r.Message.Content)
	if has(list, "tool_result") {
		e.Kind = detect.KindToolResult
		return e, true
	}
	text := textOf(list)
	if len(list) == 1 && !r.IsMeta && (text == "[Request interrupted by user]" || text == "[Request interrupted by user for tool use]") && interruptLine(r) {
		e.Kind = detect.KindInterrupt
		return e, true
	}
	for _, p := range local {
		if strings.HasPrefix(text, p) {
			return e, false
		}
	}
	for _, p := range localMeta {
		if r.IsMeta && strings.HasPrefix(text, p) {
			e.Kind = detect.KindAside
			return e, true
		}
	}
	e.Kind, e.Hash = detect.KindPrompt, detect.HashText(text)
	// A summary is written by the agent, whoever asked to compact.
	e.Meta = r.IsMeta || r.IsCompactSummary || r.Origin.Kind != "" && r.Origin.Kind != "human"
	return e, true
}

// interruptLine: a person can type the very words of the marker. A typed prompt is a bare string
// and says where it comes from; the marker is a list of one block and does not.
func interruptLine(r *record) bool {
	return bytes.HasPrefix(bytes.TrimSpace(r.Message.Content), []byte("[")) && r.Origin.Kind == ""
}

func (c *Claude) assistantEvent(e detect.Event, r *record) (detect.Event, bool) {
	e.Msg = r.Message.ID
	switch {
	case r.failed():
		text := textOf(blocks(r.Message.Content))
		e.Kind, e.Failure = detect.KindFailure, failure(r, text, c.zone)
		if text == "" && coarse[e.Failure.Reason] {
			e.Failure.Reason, e.Failure.RetryAfter = detect.Unknown, nil
		}
	case r.Message.Model == synthetic || r.IsAPIError:
		// "No response requested.", or the shown part of an answer that the user broke off.
		return e, false
	default:
		e.Kind = detect.KindAnswer
		// Answers are long, and most say in stop_reason or by a word that is not there what they are.
		e.ToolCall = r.Message.StopReason == "tool_use" ||
			bytes.Contains(r.Message.Content, []byte("tool_use")) && has(blocks(r.Message.Content), "tool_use")
		e.Done = !e.ToolCall && (r.Message.StopReason == "end_turn" || r.Message.StopReason == "stop_sequence")
	}
	return e, true
}

func (c *Claude) systemEvent(e detect.Event, r *record) (detect.Event, bool) {
	switch r.Subtype {
	case "compact_boundary":
		e.Kind, e.Done = detect.KindAnswer, true
		return e, r.compacted()
	case "api_error":
		e.Kind = detect.KindRetry
		if ms := r.RetryInMs; ms >= 0 && ms <= float64(longestRetry/time.Millisecond) {
			e.Next = e.At.Add(time.Duration(ms) * time.Millisecond)
		}
		return e, true
	case "informational":
		var text string
		if !r.announces() || json.Unmarshal(r.Content, &text) != nil {
			return e, false
		}
		next, done, ok := selfResume(text, r.at, c.zone)
		e.Kind, e.Next, e.Done = detect.KindSelfResume, next, done
		return e, ok
	}
	return e, false
}

// longestRetry bounds a single wait: the agent's own watchdog waits 6 h at most.
const longestRetry = 6 * time.Hour

// longestArmed is how far off the agent arms its own continue.
const longestArmed = 24 * time.Hour

// announces: at these levels the agent speaks of its own continue. That it will not come after all is a warning.
func (r *record) announces() bool { return r.Level == "notice" || r.Level == "warning" }

// goalRetry: a goal asks again after 1, 5 and 15 min, each longer by up to a fifth that chance decides.
var goalRetry = lazyregexp.New(`^Goal still active\b.* retrying in (\d{1,3}) min\b`)

// selfResume reads the notices about the agent's own continue at a usage limit. next: when it
// will go on, zero when it dropped that; done: the user dropped it.
func selfResume(text string, at time.Time, zone *time.Location) (next time.Time, done, ok bool) {
	text = flat(detect.Plain(text))
	row, ok := notices().Find(text)
	switch {
	case !ok:
		return time.Time{}, false, false
	case row.State == detect.Retrying:
		// Without a usable time it is armed all the same; until its own longest wait is over,
		// doing nothing is right.
		next = at.Add(longestArmed)
		if m := goalRetry.FindStringSubmatch(text); m != nil {
			minutes, _ := strconv.Atoi(m[1])
			return at.Add(time.Duration(minutes) * time.Minute * 6 / 5), false, true
		}
		if r, found := detect.ParseReset(text, at, namedZone(text, zone)); found && r.At.Before(next) {
			next = r.At
		}
		return next, false, true
	case row.State == detect.Running:
		return at, false, true
	}
	return time.Time{}, row.Reason == detect.Interrupted, true
}
