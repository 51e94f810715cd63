package copilot

import (
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// record is one line of a session, as far as clawd looks at it. The same stands in what a run prints.
type record struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Parent    string `json:"parentId"`
	Agent     string `json:"agentId"` // of a sub-agent
	Timestamp string `json:"timestamp"`
	Data      data   `json:"data"`

	at time.Time
}

type data struct {
	// session.start, session.resume
	SessionID string `json:"sessionId"`
	Version   string `json:"copilotVersion"`
	Context   struct {
		CWD string `json:"cwd"`
	} `json:"context"`
	Selected string `json:"selectedModel"`
	Effort   string `json:"reasoningEffort"` // session.model_change, too
	NewModel string `json:"newModel"`        // session.model_change
	NewMode  string `json:"newMode"`         // session.mode_changed
	InfoType string `json:"infoType"`        // session.info

	// user.message, system.message, assistant.message
	Content      string `json:"content"`
	MessageID    string `json:"messageId"`
	Continuation bool   `json:"isAutopilotContinuation"`
	Requests     []struct {
		Name string `json:"name"`
	} `json:"toolRequests"`
	Request string `json:"requestId"` // permission.requested, permission.completed
	Reason  string `json:"reason"`    // assistant.turn_retry
	Error   struct {
		Code string `json:"code"`
	} `json:"error"` // tool.execution_complete
	ByUser bool   `json:"isUserRequested"` // tool.execution_complete: a command that he has run himself
	Name   string `json:"agentName"`       // subagent.failed

	Failure
	Usage usage `json:"usage"` // session.usage_record
}

// Failure is what a session.error says.
type Failure struct {
	Type     string `json:"errorType"`
	Code     string `json:"errorCode"`
	Status   int    `json:"statusCode"`
	Message  string `json:"message"`
	Eligible *bool  `json:"eligibleForAutoSwitch"` // absent where the user's own provider answered
}

// asksToSwitch tells whether the agent asks its user whether to go on with another model.
func (f *Failure) asksToSwitch() bool { return f.Eligible != nil && *f.Eligible }

type usage struct {
	Input  int64 `json:"inputTokens"`
	Output int64 `json:"outputTokens"`
	Byok   *bool `json:"isByok"`
}

// Kinds of records.
const (
	typeStart    = "session.start"
	typeResume   = "session.resume"
	typeModel    = "session.model_change"
	typeMode     = "session.mode_changed"
	typeInfo     = "session.info"
	typeError    = "session.error"
	typeShutdown = "session.shutdown" // a process has ended in order
	typeDone     = "session.task_complete"
	typeCleared  = "session.context_cleared" // whoever drives the session threw the conversation away
	typeUsage    = "session.usage_record"
	typeSystem   = "system.message"
	typePrompt   = "user.message"
	typeAnswer   = "assistant.message"
	typeToolEnd  = "tool.execution_complete"
	typeAsks     = "permission.requested"
	typeAnswered = "permission.completed"
	typeAbort    = "abort"
	typeSubEnd   = "subagent.failed"
)

// What the agent says that it does after a limit.
const (
	autoSwitch = "auto_mode_switch"   // it goes on with another model
	pause      = "rate_limit_pause"   // it goes on by itself, as its user has given it more to do
	pauseTime  = 2 * time.Minute      // where the provider names none
	pausing    = " before continuing" // behind "for 2 minutes", "until November 24, 2026 at 3:06 PM"
)

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
func (r *record) named() bool { return agent.IsUUID(r.ID) && !r.at.IsZero() }

// event translates a record of the session itself; false: it says nothing of the session's state. What an abort
// means depends on what stands before it.
func (c *Copilot) event(r *record, off int64, zones []*time.Location) (detect.Event, bool) {
	e := detect.Event{ID: r.ID, Parent: r.Parent, At: r.at, Offset: off}
	switch r.Type {
	case typePrompt:
		e.Kind, e.Hash, e.Meta = detect.KindPrompt, detect.HashText(r.Data.Content), r.Data.Continuation
	case typeAnswer:
		e.Kind, e.Msg = detect.KindAnswer, r.Data.MessageID
		e.ToolCall = len(r.Data.Requests) > 0
		e.Done = !e.ToolCall
	case typeDone:
		e.Kind, e.Done = detect.KindAnswer, true
	case typeToolEnd:
		e.Kind = detect.KindToolResult
		return e, !r.Data.ByUser
	case typeError:
		e.Kind, e.Failure = detect.KindFailure, r.Data.failure(r.at, zones)
	case typeInfo:
		return r.info(e)
	case typeAbort, typeCleared:
		e.Kind = detect.KindInterrupt
	default:
		return e, false
	}
	return e, true
}

// info tells whether the agent goes on by itself after a limit.
func (r *record) info(e detect.Event) (detect.Event, bool) {
	switch r.Data.InfoType {
	case autoSwitch:
		e.Kind = detect.KindOpen
		return e, true
	case pause:
		e.Kind, e.Next = detect.KindSelfResume, r.at.Add(pauseTime)
		_, until, _ := strings.Cut(strings.TrimSuffix(r.Data.Message, "."), " pending message")
		if _, wait, ok := strings.Cut(strings.TrimSuffix(until, pausing), " for "); ok {
			until = "resets in " + wait
		}
		if reset, ok := detect.ParseReset(until, r.at, time.UTC); ok {
			e.Next = reset.At
		}
		return e, true
	}
	return e, false
}

// headless is in the prompt that the agent gives its model when nobody is there to be asked.
const headless = "You are running in non-interactive mode"

func (r *record) headless() bool {
	return strings.Contains(agent.Cut(r.Data.Content, headMax), headless)
}

// headMax is how far into the agent's own prompt its words on that stand.
const headMax = 1 << 10
