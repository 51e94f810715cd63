package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// noInput is what a run prints that got no prompt within half a second.
const noInput = "No input provided via stdin."

// Output reads what a run printed, in any of the agent's formats, with stderr among it. stream-json
// begins with an init event; json ends in an object over several lines; text says nothing of itself,
// so any line but the known ones before a session counts as a begun session.
func (g *Gemini) Output(r io.Reader, each func(agent.Said)) (agent.Output, error) {
	p := printed{Printed: agent.Printed{Each: each}, g: g}
	out, err := p.Read(r, func(l agent.Line) {
		p.line(l.Text, l.Whole)
		p.Out.Began = p.Out.Began || l.Long
	})
	out.Began = out.Began || p.trace && !p.died
	return out, err
}

type printed struct {
	agent.Printed
	g      *Gemini
	object []byte // an object over several lines, so far
	steps  int    // of the model, between tools
	class  string // of the error that was dumped last, and how long it says to wait
	delay  time.Duration
	trace  bool // its words begin where Node says in which file it failed
	died   bool // and end with Node's own last line: the program was never loaded
}

var (
	// refusals are what a run prints that does not find the session that it is to resume. Without the
	// first words it goes on with a new one.
	refusals = []string{"Error resuming session: Invalid session identifier", "Error resuming session: No previous sessions found"}
	// mistakes end a run before it opens a session, too.
	mistakes = []string{"Error starting session: Session ID ", noInput, "Gemini CLI is not running in a trusted directory.", "Please fix the configuration file(s) and try again.",
		"When using Gemini API, you must specify ", "When using Vertex AI, you must specify ", "Please set an Auth method in your ", "The enforced authentication type is '"}
	// failures end a run that had opened one.
	failures = []string{"An unexpected critical error occurred:", "Error when talking to Gemini API"}
	// before are further lines that may come before a session is opened.
	before = []string{"  Searched for sessions in ", "  Use --list-sessions to see", "No previous sessions found for this project.",
		"Update your environment and try again", "• GOOGLE_", "YOLO mode is enabled.", "Loaded cached credentials.", "[STARTUP] ", "Ripgrep is not available. Falling back to GrepTool.",
		"Warning: Basic terminal detected", "Warning: 256-color support not detected.", "Warning: True color (24-bit) support not detected."}
)

func (p *printed) line(b []byte, whole bool) {
	switch {
	case p.object != nil:
		p.object = append(p.object, b...)
		if string(b) == "}" || len(p.object) > agent.OutputMax {
			p.event(p.object)
			p.object = nil
		}
	case string(b) == "{":
		p.object = []byte{'{'}
	case len(b) > 0 && b[0] == '{':
		if whole || json.Valid(b) {
			p.event(b)
		}
	case len(bytes.TrimSpace(b)) > 0:
		p.text(string(b))
	}
}

func hasPrefix(s string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// Without Node nothing is started; one that is older than the program needs fails while it loads it.
var (
	reNoNode = lazyregexp.New(`^\S*\benv: \S*node\S*: `)
	reTrace  = lazyregexp.New(`^(?:file:///|node:internal/)\S+:\d+$`)
	reNode   = lazyregexp.New(`^Node\.js v\d+\.\d+\.\d+$`)
)

// reBroken is a line about a file with settings that is no JSON.
var reBroken = lazyregexp.New(`^Error in [^\n]*/[\w-]+\.json: `)

func (p *printed) text(s string) {
	s = detect.Unstyled(s) // it is red, whatever it is written to
	refused, mistaken := hasPrefix(s, refusals), hasPrefix(s, mistakes) || reBroken.MatchString(s) || reNoNode.MatchString(s)
	p.Out.Refused = p.Out.Refused || refused
	// Other words may come before; only an event shows a session for sure.
	p.Out.NoInput = p.Out.NoInput || strings.HasPrefix(s, noInput) && p.Out.Session == "" && p.steps == 0
	p.Out.Failed = p.Out.Failed || refused || mistaken || hasPrefix(s, failures)
	switch {
	case p.Out.Began, refused, mistaken, hasPrefix(s, before):
	case p.trace, reTrace.MatchString(s):
		p.trace, p.died = true, reNode.MatchString(s)
	default:
		p.Out.Began = true
	}
	if p.Each == nil {
		return
	}
	if m := reDump.FindStringSubmatch(s); m != nil {
		p.class = m[1]
	}
	if m := reDumpDelay.FindStringSubmatch(s); m != nil {
		ms, _ := strconv.ParseInt(m[1], 10, 64)
		p.delay = min(time.Duration(ms)*time.Millisecond, maxDelay)
	}
	if reRetrying.MatchString(s) {
		p.Say(agent.Said{Kind: agent.SaidRetry, Text: s})
		return
	}
	p.Say(agent.Said{Kind: agent.SaidNote, Text: s})
}

// The dump of an error on stderr is the only place that names its class and the wait in milliseconds.
var (
	reDump      = lazyregexp.New(`^Error when talking to Gemini API .*?\b(TerminalQuotaError|RetryableQuotaError|ValidationRequiredError|ModelNotFoundError)\b`)
	reDumpDelay = lazyregexp.New(`^  retryDelayMs: (\d{1,12})(?:\.\d+)?,`)
)

// outputEvent is what is looked at in an event.
type outputEvent struct {
	Type      string          `json:"type"`
	SessionID string          `json:"session_id"`
	Status    string          `json:"status"`
	Role      string          `json:"role"`
	Content   string          `json:"content"`
	Message   string          `json:"message"`
	Tool      string          `json:"tool_name"`
	Error     json.RawMessage `json:"error"`
	Stats     struct {
		Input  int64 `json:"input_tokens"` // the cached ones among them
		Cached int64 `json:"cached"`
		Output int64 `json:"output_tokens"`
	} `json:"stats"`
}

// event reads an event of stream-json, or the object of json.
func (p *printed) event(b []byte) {
	var e outputEvent
	if agent.Unmarshal(b, &e) != nil {
		return
	}
	if e.SessionID != "" {
		p.Out.Began = true
		if agent.IsUUID(e.SessionID) {
			p.Out.Session = e.SessionID
			p.Say(agent.Said{Kind: agent.SaidOpened, Session: e.SessionID})
		}
	}
	switch e.Type {
	case "init":
		p.Out.Began = true
	case "message":
		if e.Role == "assistant" {
			p.Say(agent.Said{Kind: agent.SaidText, Message: strconv.Itoa(p.steps), Text: e.Content})
		}
	case "tool_use":
		p.steps++
		p.Say(agent.Said{Kind: agent.SaidTool, Text: e.Tool})
	case "error":
		p.Say(agent.Said{Kind: agent.SaidNote, Text: e.Message})
	case "result":
		p.Out.Failed = e.Status != "success"
		p.result(&e)
	case "tool_result":
		var why struct {
			Type string `json:"type"`
		}
		if agent.Unmarshal(e.Error, &why) == nil && why.Type == "tool_not_registered" {
			p.Out.Denials++ // what it would have to ask for is not there in a headless run
		}
	case "":
		p.Out.Failed = p.Out.Failed || len(e.Error) > 0 && e.SessionID != ""
	}
}

// result ends the turn. Its error has neither a code nor the time to wait.
func (p *printed) result(e *outputEvent) {
	if p.Each == nil {
		return
	}
	p.Say(agent.Said{Kind: agent.SaidUsage, Usage: agent.Usage{InputTokens: max(0, e.Stats.Input-e.Stats.Cached), CacheReadTokens: e.Stats.Cached, OutputTokens: e.Stats.Output}})
	if e.Status == "success" {
		p.Say(agent.Said{Kind: agent.SaidDone})
		return
	}
	var why struct {
		Message string `json:"message"`
	}
	_ = agent.Unmarshal(e.Error, &why) // there may be none
	failed := agent.Said{Kind: agent.SaidFailed, Text: why.Message}
	if failed.Text == "" {
		// The model's answer was empty, cut off or refused: all that is known of it came as an error event.
		failed.Stop = &detect.Stop{State: detect.Stopped, Reason: detect.ServerError, At: p.g.now(), Evidence: detect.Evidence{Source: "output", Field: "result.status"}}
		failed.Text = "the model's answer was empty or broken off"
	} else {
		f := p.g.read(why.Message, p.class, p.g.now(), p.g.zone)
		if p.delay > 0 && (f.Reason == detect.UsageLimit || f.Reason == detect.RateLimit) {
			f.ResetIn(p.g.now(), p.delay)
			byDelay(f, fmt.Sprintf("\nSuggested retry after %ds", int64(p.delay.Seconds())), p.g.now())
		}
		f.Source, f.Field = "output", "result.error"
		if s, ok := f.Stop(p.g.now()); ok {
			s.State = detect.Stopped
			failed.Stop = &s
		}
	}
	p.Say(failed)
}
