package codex

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// item takes what went to the model or came from it. What a person typed is told by an event of
// its own; the user messages here hold much that the agent adds.
func (f *fold) item(r *record, line []byte, off int64) {
	p := &r.Payload
	switch {
	case p.Type == "message" && p.Role == "assistant", p.Type == "web_search_call", p.Type == "image_generation_call":
		f.emit(detect.Event{Kind: detect.KindAnswer, Msg: p.ID}, r, line, off)
		f.carry.Said, f.carry.Asks = !f.carry.Open && p.Type == "message", false
	case strings.HasSuffix(p.Type, "_output"):
		f.emit(detect.Event{Kind: detect.KindToolResult}, r, line, off)
		f.carry.Said, f.carry.Asks = false, !f.carry.Open
	case strings.HasSuffix(p.Type, "_call"):
		f.emit(detect.Event{Kind: detect.KindAnswer, Msg: p.ID, ToolCall: true}, r, line, off)
		f.carry.Said, f.carry.Asks = false, false
	default:
		f.carry.Shell = f.carry.Shell || f.carry.Quiet && p.Role == "user" && bytes.Contains(line, shellResult)
		return
	}
	f.carry.Failure = nil // whatever it was, the turn went on
}

// userShell is the source of a command that its user runs.
const userShell = "user_shell"

// shellResult begins what the model is told of such a command with its next prompt. 0.104 to 0.144 write no other record of it.
var shellResult = []byte(`"text":"<user_shell_command>\n`)

// event takes what the agent says of the turn itself. It wrote turn_* for task_* for some time.
func (f *fold) event(r *record, line []byte, off int64) {
	p := &r.Payload
	switch p.Type {
	case "task_started", "turn_started":
		f.carry = f.carry.ended()
		f.carry.Open, f.carry.Turns = true, true
		if agent.IsUUID(p.TurnID) {
			f.carry.Turn = p.TurnID
		}
		if p.Attribution.Trigger != "" { // who drives the session now
			f.carry.Headless = p.Attribution.Trigger == "exec"
		}
		// A command of the shell that its user runs (!ls) is a turn of its own, and asks no model. Nobody is
		// named as its cause, and up to 0.158 as that of no turn, so such a turn counts from what comes in it.
		if f.carry.Quiet = p.Attribution.Trigger == "" && (p.Attribution.TurnID != "" || !f.carry.Headless); !f.carry.Quiet {
			f.emit(detect.Event{Kind: detect.KindOpen}, r, line, off)
		}
	case "task_complete", "turn_complete":
		f.complete(r, line, off)
	case "turn_aborted":
		if f.ofShell() {
			return
		}
		f.end(detect.Event{Kind: detect.KindInterrupt}, r, line, off)
	case "thread_rolled_back":
		f.rolledBack(r, line, off)
	case "user_message":
		f.prompt(p.Message, r, line, off)
	case "exec_command_end":
		source, _ := word(p.Source)
		f.carry.Shell = f.carry.Shell || f.carry.Quiet && source == userShell
	case "item_completed":
		f.carry.Shell = f.carry.Shell || f.carry.Quiet && p.Item.Source == userShell
		if p.Item.Type == "UserMessage" && (p.ThreadID == "" || p.ThreadID == f.s.ID) {
			f.prompt(p.Item.Content.text(), r, line, off)
		}
	case "token_count":
		f.tokens(r, line, off)
	case "thread_settings_applied": // a resume may have changed the provider
		setIf(&f.b.Info.Provider, p.Settings.Provider)
	case "error":
		f.failed(r, line, off)
	}
}

// added is how texts begin that the agent puts on the user's side by itself.
var added = []string{"<environment_context>", "<user_instructions>", "<turn_aborted>", "<permissions instructions>", "<skills_instructions>",
	"<collaboration_mode>", "<subagent_notification>", "<user_shell_command>", "# AGENTS.md instructions for "}

func isAdded(text string) bool {
	for _, a := range added {
		if strings.HasPrefix(text, a) {
			return true
		}
	}
	return false
}

// prompt takes what a person asked. Some versions write it in two forms, one after the other.
func (f *fold) prompt(text string, r *record, line []byte, off int64) {
	hash := detect.HashText(text)
	if isAdded(text) || f.carry.Asked == hash {
		return
	}
	if !f.carry.Open {
		f.carry = f.carry.ended()
	}
	f.emit(detect.Event{Kind: detect.KindPrompt, Hash: hash}, r, line, off)
	f.carry.Asked, f.carry.Prompted, f.carry.Asks = hash, true, !f.carry.Open
	if f.carry.Head && f.b.Info.FirstPrompt == "" {
		f.b.Info.FirstPrompt = hash
	}
}

// tokens takes the count that comes with an answer, its limits before it and its tokens behind it.
//
// Up to 0.80 no record ends a turn: there an answer without a tool call ends it, and the count says
// that it came whole; and limits that are used up end it, unless an answer comes after all.
func (f *fold) tokens(r *record, line []byte, off int64) {
	p := &r.Payload
	if p.Limits != nil {
		f.carry.Quota = p.Limits.quota()
	}
	if f.carry.Asks && f.carry.Quota.blocks() {
		f.emit(detect.Event{Kind: detect.KindFailure, Failure: silent(f.carry.Quota, r.at)}, r, line, off)
		f.carry.Asks = false
		return
	}
	if p.Info == nil {
		return
	}
	if p.Info.Last.Total > 0 {
		f.b.Info.Tokens = p.Info.Last.Total
	}
	if f.carry.Said && !f.carry.Open {
		f.emit(detect.Event{Kind: detect.KindAnswer, Done: true}, r, line, off)
		f.carry = f.carry.ended()
	}
}

// failed takes an error that stands before the end of its turn. Terminals of about 0.120 write it,
// and their end of the turn does not say that it failed.
func (f *fold) failed(r *record, line []byte, off int64) {
	switch name, _ := word(r.Payload.turnError.Info); name {
	case "thread_rollback_failed", "active_turn_not_steerable":
		return // of a command beside the turn
	}
	if !f.carry.Open && (f.carry.Turns || agent.AtLeast(f.carry.Version, 0, 81)) {
		return // of something beside the turns
	}
	fail := f.c.failure(&r.Payload.turnError, f.carry.Quota, r.at)
	if !f.carry.Open {
		f.emit(detect.Event{Kind: detect.KindFailure, Failure: fail}, r, line, off)
		f.carry = f.carry.ended()
		return
	}
	f.carry.Failure, f.carry.Text = fail, fail.Text
}

// complete takes the end of a turn, good or bad.
func (f *fold) complete(r *record, line []byte, off int64) {
	p := &r.Payload
	if p.Error == nil && f.ofShell() {
		return
	}
	done := detect.Event{Kind: detect.KindAnswer, Done: true}
	fail := func(x *detect.Failure) { f.end(detect.Event{Kind: detect.KindFailure, Failure: x}, r, line, off) }
	switch {
	case p.Error != nil:
		fail(f.c.failure(p.Error, f.carry.Quota, r.at))
	case len(p.LastMessage) > 0 && !bytes.Equal(p.LastMessage, []byte("null")):
		f.end(done, r, line, off)
	case f.carry.Failure != nil:
		fail(f.carry.Failure)
	case r.Ordinal != nil || agent.AtLeast(f.carry.Version, 0, 145) || !f.carry.Prompted:
		// Versions that tell errors tell none; or nobody asked, and it was a task of the agent's own.
		f.end(done, r, line, off)
	default:
		fail(silent(f.carry.Quota, r.at))
	}
}

// ofShell ends a turn in which nothing was but a command of the shell: the turn before it stays the last.
func (f *fold) ofShell() bool {
	if !f.carry.Quiet || !f.carry.Shell {
		return false
	}
	f.carry.Turn = ""
	f.carry = f.carry.ended()
	return true
}

// rolledBack takes the user's word that the last turn, however it ended, is not to count.
func (f *fold) rolledBack(r *record, line []byte, off int64) {
	if f.carry.Open {
		return // the agent refuses it in mid turn
	}
	e := detect.Event{Kind: detect.KindInterrupt}
	if f.carry.Ended != "" { // the turn's own name stands for its end
		e.ID = f.carry.Ended + "/" + strconv.FormatInt(off, 10)
	}
	f.emit(e, r, line, off)
	f.carry = f.carry.ended()
}

// end adds the last event of a turn, which has the turn's own name.
func (f *fold) end(e detect.Event, r *record, line []byte, off int64) {
	e.ID = f.carry.Turn
	if agent.IsUUID(r.Payload.TurnID) {
		e.ID = r.Payload.TurnID
	}
	f.emit(e, r, line, off)
	f.carry.Turn = e.ID
	f.carry = f.carry.ended()
}
