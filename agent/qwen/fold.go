package qwen

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
)

// carry is what a place in the middle of a session needs of the lines before it. It is part of the cursor, so
// that reading in portions says what reading the whole does.
type carry struct {
	Owed     bool   `json:"o,omitempty"` // the lines before were never read
	Begun    bool   `json:"b,omitempty"` // when the session began was told
	Prompted bool   `json:"p,omitempty"` // the first prompt was told
	Prompt   string `json:"i,omitempty"` // id of the newest prompt
	Driven   driven `json:"d,omitempty"` // how that one was given, or the one before as long as nothing tells
	Whole    bool   `json:"w,omitempty"` // the answer that follows has come to its end
	Rejected bool   `json:"r,omitempty"` // its user did not allow the tool whose result follows
	Tries    int    `json:"n,omitempty"` // that failed, in a row
	Cuts     int    `json:"c,omitempty"` // whole answers without what the model said, in a row
	Series   string `json:"s,omitempty"` // id of the first of them
	Try      *try   `json:"t,omitempty"` // the newest request, which a run may have ended after
}

// driven is how a prompt was given.
type driven string

const (
	untold   driven = ""
	headless driven = "h"
	terminal driven = "t"
)

// try is a request that the agent may follow up with another one: it failed, or its answer did not come to an end.
type try struct {
	ID      string          `json:"i"`
	First   string          `json:"f1"` // of those that it is one stop with
	At      time.Time       `json:"t"`
	Offset  int64           `json:"o"`
	Failure *detect.Failure `json:"f"`
	Text    string          `json:"u,omitempty"` // Failure.Text
}

// fold collects the records of one Read.
type fold struct {
	q     *Qwen
	s     detect.Session
	b     *agent.Batch
	each  func(detect.Event)
	carry carry
}

func (f *fold) line(line []byte, off int64) {
	line, ok := jsonl.Object(f.b, line)
	if !ok {
		return
	}
	r, err := parse(line)
	if err != nil {
		f.b.Skip(err.Error(), 1)
		return
	}
	if !r.known() || !r.named() {
		f.each(agent.Strange(r.ID, r.at, off))
	}
	switch r.Type {
	case "user", "assistant", "tool_result", "system":
	default:
		return
	}
	if !r.named() {
		f.b.Skip("a record has no id or no time", 1)
		return
	}
	i := &f.b.Info
	setIf(&i.Dir, r.CWD)
	setIf(&i.Version, r.Version)
	if !f.carry.Begun {
		f.carry.Begun, i.Created = true, r.at
	}
	e := detect.Event{ID: r.ID, Parent: r.Parent, At: r.at, Offset: off}
	switch r.Type {
	case "user":
		f.prompt(r, e)
	case "assistant":
		f.answer(r, e)
	case "tool_result":
		f.result(r, e)
	case "system":
		f.system(r, e)
	}
}

func setIf(dst *string, v string) {
	if v != "" {
		*dst = v
	}
}

// next begins what follows a record of the conversation itself.
func (f *fold) next() {
	c := &f.carry
	c.Whole, c.Rejected, c.Tries, c.Cuts, c.Series, c.Try = false, false, 0, 0, "", nil
}

func (f *fold) prompt(r *record, e detect.Event) {
	f.next()
	e.Kind, e.Meta, e.Hash = detect.KindPrompt, !r.asked(), detect.HashText(r.text())
	if !e.Meta && r.Subtype == "" { // else it was typed into a turn that ran
		f.carry.Prompt = r.ID
	}
	if !e.Meta && !f.carry.Prompted {
		f.carry.Prompted, f.b.Info.FirstPrompt = true, e.Hash
	}
	f.each(e)
}

// answer takes what the model said. What was stopped before its end has no note of a whole answer before it; 0.15
// writes that one all the same, but no usage.
func (f *fold) answer(r *record, e detect.Event) {
	whole := f.carry.Whole && (!r.old() || r.Usage != nil)
	f.next()
	setIf(&f.b.Info.Model, r.Model)
	names, calls := r.calls()
	f.b.Info.Use(names...)
	if r.Usage != nil && r.Usage.Total > 0 {
		f.b.Info.Tokens = r.Usage.Total
	}
	if e.Kind = detect.KindAnswer; !whole {
		e.Kind = detect.KindInterrupt
	} else {
		e.Done, e.ToolCall = !calls, calls
	}
	f.each(e)
}

// result takes what a tool gave. One that was stopped, or not allowed in a terminal, ends the turn.
func (f *fold) result(r *record, e detect.Event) {
	rejected := f.carry.Rejected
	f.next()
	switch e.Kind = detect.KindToolResult; {
	case r.Result.Status != "cancelled":
	case rejected:
		e.Kind = detect.KindDenied
	default:
		e.Kind = detect.KindInterrupt
	}
	f.each(e)
}

// system takes the agent's own notes. The first note below a prompt tells a headless run, and a note of the files that
// may be put back follows it in a terminal alone.
func (f *fold) system(r *record, e detect.Event) {
	switch r.Subtype {
	case "attribution_snapshot":
		if r.Parent == f.carry.Prompt && f.carry.Prompt != "" {
			f.carry.Driven = headless
		}
	case "file_history_snapshot":
		f.carry.Driven = terminal
	case rewind: // whatever failed, its user has answered it
		f.next()
		e.Kind = detect.KindInterrupt
		f.each(e)
	}
	note := r.event()
	if note == nil || !note.main() {
		return
	}
	switch note.Name {
	case toolCall:
		f.carry.Rejected = note.Outcome == "cancelled" && note.Decision == "reject"
	case apiResponse:
		f.by(r, note)
		f.carry.Whole = true
		f.carry.Cuts++
		f.open(e.ID, e, f.unanswered(note))
	case apiError:
		f.by(r, note)
		f.failed(r, note, e)
	}
}

// by takes over who was asked, and in 0.15 from where.
func (f *fold) by(r *record, note *uiEvent) {
	setIf(&f.b.Info.Model, note.Model)
	setIf(&f.b.Info.Provider, note.Auth)
	if !r.old() {
		return
	}
	if f.carry.Driven = terminal; note.old() {
		f.carry.Driven = headless
	}
}

// open tells of a request that is not the last one while its run lives. When that has ended by itself, it was.
func (f *fold) open(first string, e detect.Event, why *detect.Failure) {
	f.carry.Try = &try{ID: e.ID, First: first, At: e.At, Offset: e.Offset, Failure: why, Text: why.Text}
	e.Kind = detect.KindOpen
	f.each(e)
}

// unanswered is what it means that a run has ended after the note of an answer that is not there: its stream was
// cut or empty each time. With fewer tries only the run's output tells, such as a context that no compression made room in.
func (f *fold) unanswered(note *uiEvent) *detect.Failure {
	why := &detect.Failure{Reason: detect.Unknown, Source: source, Field: note.Name}
	if f.carry.Cuts >= cutsInARow {
		why.Reason = detect.Network
	}
	return why
}

// cutsInARow is how often the agent asks when an answer does not come to its end.
const cutsInARow = 5

// failed takes an error, after which the agent may ask again.
func (f *fold) failed(r *record, note *uiEvent, e detect.Event) {
	c := &f.carry
	if note.Status == 0 && note.Message == aborted {
		f.next()
		e.Kind = detect.KindInterrupt
		f.each(e)
		return
	}
	why := f.q.failure(note, r.at)
	c.Whole = false
	c.Cuts = 0
	c.Tries++
	fails := func(id string) {
		e.ID, e.Kind, e.Failure = id, detect.KindFailure, why
		f.each(e)
	}
	if c.Series == "" {
		c.Series = e.ID
	}
	switch {
	case final(note):
		f.next()
		fails(e.ID)
	case f.typed():
		// All tries are one stop. The agent does not say when it asks again.
		fails(gaveUp + c.Series)
		e.Kind, e.Failure, e.Next = detect.KindSelfResume, nil, r.at.Add(pause(note, c.Tries))
		f.each(e)
	case note.old() && (c.Tries%triesInARow == 0 && !throttled(note) || c.Tries == triesInAll):
		fails(gaveUp + c.Series)
	default:
		f.open(c.Series, e, why)
		e.Kind = detect.KindRetry
		f.each(e)
	}
}

// gaveUp is in the name of a stop after some tries, whose first one follows. It has a name of its own, for whoever took a request for
// one that was stopped learns better, and one name, for a session that stopped headless may be opened in a terminal, and read anew.
const gaveUp = "ended:"

// aborted is the error of a request that its user stopped, in 0.15.
const aborted = "Request was aborted."

// inTerminal: the session was last driven in a terminal, or once was, which a file beside it tells.
func (f *fold) inTerminal() bool {
	if f.carry.Driven == terminal {
		return true
	}
	_, err := os.Lstat(strings.TrimSuffix(f.s.Path, ext) + ".runtime.json")
	return err == nil
}

// typed: the newest prompt was given in a terminal. A headless run stays one when somebody opens its session beside it.
func (f *fold) typed() bool { return f.carry.Driven != headless && f.inTerminal() }

// end tells what is known of the whole, and the failure with which a run has ended by itself.
func (f *fold) end(ctx context.Context) {
	i := &f.b.Info
	i.Interactive = f.inTerminal()
	i.Untold = !i.Interactive && f.carry.Driven == untold
	t := f.carry.Try
	if t == nil || f.typed() {
		return
	}
	// What cannot be read tells of no end, and a scan says why.
	if runs, err := f.q.ended(ctx, f.s.ID); err != nil || !runs.over(t.At) {
		return
	}
	f.carry.Try = nil
	t.Failure.Text = t.Text
	f.each(detect.Event{Kind: detect.KindFailure, ID: gaveUp + t.First, Parent: t.ID, At: t.At, Offset: t.Offset, Failure: t.Failure})
}
