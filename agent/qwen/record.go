package qwen

import (
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// record is one line of a session, as far as clawd looks at it.
type record struct {
	ID         string `json:"uuid"`
	Parent     string `json:"parentUuid"`
	Timestamp  string `json:"timestamp"`
	Type       string `json:"type"`
	Subtype    string `json:"subtype"`
	Provenance string `json:"provenance"` // from 0.24 on
	CWD        string `json:"cwd"`
	Version    string `json:"version"`
	Model      string `json:"model"`
	Message    struct {
		Parts []part `json:"parts"`
	} `json:"message"`
	Usage *struct { // an answer that was stopped or cut has none
		Total int64 `json:"totalTokenCount"`
	} `json:"usageMetadata"`
	Result struct {
		Status string `json:"status"`
	} `json:"toolCallResult"`
	Payload struct {
		Event uiEvent `json:"uiEvent"`
		Shown string  `json:"displayText"` // of a prompt to which a hook has added: what its user prompted
	} `json:"systemPayload"`

	at time.Time
}

type part struct {
	Text    *string `json:"text"`
	Thought bool    `json:"thought"`
	Call    *struct {
		Name string `json:"name"`
	} `json:"functionCall"`
}

// uiEvent is what the agent notes of one request or one tool.
type uiEvent struct {
	Name     string `json:"event.name"`
	PromptID string `json:"prompt_id"`
	Subagent string `json:"subagent_name"`
	Model    string `json:"model"`
	Auth     string `json:"auth_type"`
	Status   int    `json:"status_code"`
	Type     string `json:"error_type"`
	Message  string `json:"error_message"`
	Error    string `json:"error"`  // what 0.12 has as error_message; its status_code is a word
	Outcome  string `json:"status"` // of a tool
	Decision string `json:"decision"`
}

const (
	apiError    = "qwen-code.api_error"
	apiResponse = "qwen-code.api_response"
	toolCall    = "qwen-code.tool_call"
)

// rewind is the subtype with which a person took turns back (Esc twice, /rewind): the record hangs below what stood before them, and what
// is between the two in the file is no part of the conversation any more.
const rewind = "rewind"

// parse reads a line.
func parse(line []byte) (*record, error) {
	r := new(record)
	if agent.Record(line, r) != nil {
		return nil, agent.ErrShape
	}
	at, _ := time.Parse(time.RFC3339, r.Timestamp)
	r.at = detect.Clamp(at)
	if e := &r.Payload.Event; e.Message == "" && e.Status == 0 {
		e.Message = e.Error
		if code := statusLead.FindString(e.Error); code != "" {
			e.Status, _ = strconv.Atoi(code[:3])
		}
	}
	return r, nil
}

// statusLead is how the error of a request begins that was answered.
var statusLead = lazyregexp.New(`^[45]\d\d `)

// named: a record that an event can be made of has a name and a time.
func (r *record) named() bool { return r.ID != "" && len(r.ID) <= 64 && !r.at.IsZero() }

// old: a version wrote it that does not say where a record comes from. A newer one may say so in another way.
func (r *record) old() bool {
	return r.Provenance == "" && r.Version != "" && !agent.AtLeast(r.Version, 0, 24)
}

// asked: a person wrote it, or a program in his place, and not the agent itself.
func (r *record) asked() bool {
	return r.Type == "user" && r.Provenance != "system" && r.Subtype != "notification" && r.Subtype != "cron"
}

// text gives the texts of a message without the model's thoughts, and without what a hook has added to a prompt.
func (r *record) text() string {
	if r.Payload.Shown != "" {
		return r.Payload.Shown
	}
	var texts []string
	for _, p := range r.Message.Parts {
		if p.Text != nil && !p.Thought {
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// toolName is a name that is worth to be kept.
var toolName = lazyregexp.New(`^[A-Za-z][\w.-]{0,99}$`)

// calls gives the tools that an answer calls; any: it calls one, whatever its name.
func (r *record) calls() (names []string, any bool) {
	for _, p := range r.Message.Parts {
		if p.Call == nil {
			continue
		}
		if any = true; toolName.MatchString(p.Call.Name) {
			names = append(names, p.Call.Name)
		}
	}
	return names, any
}

// event is the agent's note, if the record is one.
func (r *record) event() *uiEvent {
	if r.Type != "system" || r.Subtype != "ui_telemetry" {
		return nil
	}
	return &r.Payload.Event
}

// inMain is in the ids of the prompts of a conversation itself: those of sub-agents have one "#", those of side requests
// (a title, a suggestion, a compression) none.
const inMain = "########"

// oldHeadless are the ids of prompts of headless runs of 0.15.
var oldHeadless = lazyregexp.New(`^[0-9a-f]{10,16}$`)

// main: it is of the conversation itself.
func (e *uiEvent) main() bool {
	return e.Subagent == "" && (strings.Contains(e.PromptID, inMain) || e.old())
}

func (e *uiEvent) old() bool { return oldHeadless.MatchString(e.PromptID) }
