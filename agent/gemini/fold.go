package gemini

import (
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// ask is a request to the model that has no answer yet. Its ID is that of the record it ended with,
// and names the stop when the request fails: the agent takes the record out of its own view of the
// session then, and asks again under another id.
type ask struct {
	ID    string    `json:"i"`
	At    time.Time `json:"t"`
	Off   int64     `json:"o"`
	Calls []string  `json:"c,omitempty"` // tool calls whose results it brought; none: a prompt
	Hash  string    `json:"h,omitempty"` // of the prompt
	// Other: another process has opened the session since. Only the one that asked takes back.
	Other bool `json:"x,omitempty"`

	Back    time.Time `json:"b,omitzero"`  // when its prompt was taken back: it failed
	BackOff int64     `json:"bo,omitzero"` // where that stands
	Empty   bool      `json:"e,omitempty"` // nothing was left then: the session cannot be resumed
	Said    string    `json:"s,omitempty"` // what was said of its failure
}

const (
	saidUnknown = "u" // that it failed
	saidReport  = "r" // why, by a report
	saidRecord  = "w" // why, by a record of the session, which counts more
)

// state is what must be known of the lines before a cursor.
type state struct {
	Ask  *ask   `json:"a,omitempty"`
	Last string `json:"l,omitempty"` // id of the newest event
	// LastAt is its time.
	LastAt time.Time `json:"t,omitzero"`
	Call   string    `json:"c,omitempty"` // newest tool call of the session
	Cut    bool      `json:"k,omitempty"` // the user cancelled that one
	First  bool      `json:"f,omitempty"` // the first prompt was told
	Heads  int       `json:"n,omitempty"` // headers before the first prompt
	Owed   bool      `json:"w,omitempty"` // the beginning was never read: first prompt and folder are not told
	Checks bool      `json:"m,omitempty"` // a checkpoint stands in the file
	Said   string    `json:"s,omitempty"` // hash of the newest prompt
}

// bare: the old files, and those of lines up to 0.40, have no checkpoints. Nothing is taken back in them, and a tool's result stands
// in its call's record alone.
func (f *fold) bare() bool { return f.whole || !f.Checks && !f.Owed }

// hosted: for a program that drives it over its stdin, such as an editor, the agent writes its header twice. A terminal and a
// headless run write it once before the first prompt.
const hosted = 2

// fold turns records into events. Keys come from the records as they stand in the file: what the
// agent later takes back, replaces or leaves out changes no key.
type fold struct {
	state
	g     *Gemini
	b     *agent.Batch
	each  func(detect.Event)
	s     detect.Session
	whole bool // one of the old files, which are rewritten whole: nothing is taken back in them
}

func (f *fold) emit(e detect.Event) {
	f.Last, f.LastAt = e.ID, e.At
	f.each(e)
}

// line takes one line of a JSONL file.
func (f *fold) line(raw []byte, off int64) {
	l, err := parse(raw)
	switch {
	case err != nil:
		f.b.Skip(err.Error(), 1)
	case l.SessionID != "" && l.ProjectHash != "":
		f.Heads = min(f.Heads+1, hosted)
		f.other() // what follows a second one is its view of the machine, not of the session
	case l.RewindTo != "":
		f.interrupt(detect.Event{At: f.LastAt, Offset: off})
	case l.Set != nil:
		if l.Set.SessionID != "" {
			f.other()
		}
		if l.Set.Messages != nil {
			f.Checks = true
			f.checkpoint(*l.Set.Messages, timeOf(l.Set.LastUpdated), off)
		}
	case l.Type != "":
		f.message(&l.message, off)
	default:
		f.strange(&l.message, off)
	}
}

// strange tells of a record that this clawd does not know, which may say that the session went on, or that its user stopped it.
func (f *fold) strange(m *message, off int64) {
	f.each(agent.Strange(m.ID, m.at(), off))
}

// other notes that another process has opened the session.
func (f *fold) other() {
	if f.Ask != nil {
		f.Ask.Other = true
	}
}

// checkpoint takes a list of messages that replaces all before. One that lacks the open prompt says
// that its request failed. A tool's result is never taken back: a list without it was compressed.
func (f *fold) checkpoint(list []message, at time.Time, off int64) {
	if f.Ask == nil || f.Ask.Other || len(f.Ask.Calls) > 0 || !f.Ask.Back.IsZero() {
		return
	}
	for i := range list {
		if list[i].ID == f.Ask.ID {
			return
		}
	}
	if at.IsZero() {
		at = f.Ask.At
	}
	f.Ask.Back, f.Ask.BackOff, f.Ask.Empty = at, off, !holdsTurn(list)
}

// message takes one record of the conversation.
func (f *fold) message(m *message, off int64) {
	if !m.named() {
		f.strange(m, off)
		f.b.Skip(errNamed.Error(), 1)
		return
	}
	e := detect.Event{ID: m.ID, At: m.at(), Offset: off}
	switch m.Type {
	case "user":
		f.user(m, e)
	case "gemini":
		f.gemini(m, e)
	case "info":
		// The agent's own word for Esc and Ctrl-C; the other infos are for its user.
		if strings.HasPrefix(textOf(parts(m.Content)), "Request cancelled") {
			f.b.Info.Interactive = true
			f.interrupt(e)
		}
	case "error":
		f.b.Info.Interactive = true
		f.failed(textOf(parts(m.Content)), e)
	case "warning":
	default:
		f.strange(m, off)
	}
}

func (f *fold) user(m *message, e detect.Event) {
	list := parts(m.Content)
	if ids := responses(list); len(ids) > 0 {
		if f.Ask == nil && f.Cut && ids[len(ids)-1] == f.Call {
			e.Kind = detect.KindInterrupt
			f.emit(e)
			return
		}
		f.Call, f.Cut = ids[len(ids)-1], false
		f.Ask = &ask{ID: m.ID, At: e.At, Off: e.Offset, Calls: ids}
		e.Kind = detect.KindToolResult
		f.emit(e)
		return
	}
	text := textOf(list)
	if local(text) || strings.HasPrefix(text, shellRun) {
		return
	}
	f.takenBack(reportNone) // what comes behind a new prompt speaks of that one
	e.Kind, e.Hash = detect.KindPrompt, detect.HashText(m.said())
	e.Meta, f.Said = e.Hash == f.Said && m.hooked(), e.Hash
	if !f.First {
		f.b.Info.Interactive = f.b.Info.Interactive || f.Heads == hosted && !f.Owed
		f.First, f.b.Info.FirstPrompt = true, e.Hash
	}
	f.Ask = &ask{ID: m.ID, At: e.At, Off: e.Offset, Hash: e.Hash}
	f.emit(e)
}

func (f *fold) gemini(m *message, e detect.Event) {
	f.Ask = nil
	if m.Model != "" {
		f.b.Info.Model = m.Model
	}
	if m.Tokens.Total > 0 {
		f.b.Info.Tokens = m.Tokens.Total
	}
	ended, cancelled := m.tools()
	ids := m.calls()
	if len(ids) > 0 {
		f.Call, f.Cut = ids[len(ids)-1], cancelled
	}
	if cancelled {
		e.Kind = detect.KindInterrupt
		f.emit(e)
		return
	}
	e = m.answer(e)
	f.emit(e)
	if f.bare() && ended { // these versions do not write the results down apart
		f.Ask = &ask{ID: m.ID, At: e.At, Off: e.Offset, Calls: ids}
		e.Kind, e.ToolCall = detect.KindToolResult, false
		f.emit(e)
	}
}

// interrupt: the user stopped the request, or went back behind it.
// Its event has the id of what it ended, so that a stop that is known is told to be the user's.
func (f *fold) interrupt(e detect.Event) {
	switch {
	case f.Ask != nil:
		e.ID = f.Ask.ID
	case f.Last != "":
		e.ID = f.Last
	default:
		return
	}
	f.Ask = nil
	e.Kind = detect.KindInterrupt
	f.emit(e)
}

// failed takes the record in which the terminal UI shows an error. It speaks of the open request
// when that was taken back, or when it is the error of a request; others come from commands and
// extensions, or speak of what another process did.
func (f *fold) failed(text string, e detect.Event) {
	if f.Ask == nil || f.Ask.Other || f.Ask.Said == saidRecord || f.Ask.Back.IsZero() && !strings.HasPrefix(text, apiError) {
		return
	}
	why := f.g.explain(text, "", e.At)
	why.Source, why.Field = "transcript", "type"
	if why.Reason == detect.Unknown { // 0.47 and 0.54 show no more of a stream that was cut
		if r, found := f.g.report(f.s, f.Ask, f.Call); found == reportSure {
			why = f.g.explain(r.message, r.class, e.At)
			why.Source, why.Field = "report", "error.message"
		}
	}
	e.ID = f.Ask.ID
	f.tell(e, why)
	f.Ask.Said = saidRecord
}

func (f *fold) tell(e detect.Event, why *detect.Failure) {
	why.NotResumable = f.Ask.Empty
	e.Kind, e.Failure = detect.KindFailure, why
	f.emit(e)
}

// settle is how long after a request was taken back its reason may still come: the report and the
// terminal UI's record are written right after it (seen: 1 to 400 ms).
const settle = 3 * time.Second

// end looks, behind the last record, for the reason of a failure that no record tells.
//
// A request that is not taken back may simply go on: it failed only when a report says so. (A prompt
// is always taken back, except where a file is bare.)
func (f *fold) end() {
	a := f.Ask
	if a == nil || a.Said == saidRecord || a.Said == saidReport || a.Back.IsZero() && len(a.Calls) == 0 && !f.bare() {
		return
	}
	r, found := f.g.report(f.s, a, f.Call)
	if found == reportSure {
		e := detect.Event{ID: a.ID, At: r.at, Offset: a.Off}
		if !a.Back.IsZero() {
			e.At, e.Offset = a.Back, a.BackOff
		}
		why := f.g.explain(r.message, r.class, e.At)
		why.Source, why.Field = "report", "error.message"
		f.tell(e, why)
		a.Said = saidReport
		return
	}
	if age := f.g.now().Sub(a.Back); age >= settle || age < 0 {
		f.takenBack(found)
	}
}

// takenBack says that the open request failed for a reason that is not known.
func (f *fold) takenBack(reports found) {
	a := f.Ask
	if a == nil || a.Back.IsZero() || a.Said != "" {
		return
	}
	note := "the agent took the prompt back, so its request failed; why is not written down"
	if reports == reportUnsure {
		note += ", and no error report is surely of this session"
	}
	f.tell(detect.Event{ID: a.ID, At: a.Back, Offset: a.BackOff},
		&detect.Failure{Reason: detect.Unknown, Source: "transcript", Field: "$set.messages", Notes: []string{note}})
	a.Said = saidUnknown
}
