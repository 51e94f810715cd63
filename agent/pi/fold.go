package pi

import (
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
)

// carry is what a place in the middle of a session needs of the lines before it. It is part of the cursor, so
// that reading in portions says what reading the whole does.
type carry struct {
	Owed     bool          `json:"o,omitempty"` // the lines before were never read
	Last     string        `json:"l,omitempty"` // id of the newest record
	Prompted bool          `json:"p,omitempty"` // the first prompt was told
	Errors   int           `json:"n,omitempty"` // in a row
	Edits    bool          `json:"e,omitempty"` // this version says by a record that it means to ask again
	Held     *detect.Event `json:"h,omitempty"` // an error at the end that such a record may still follow
	Text     string        `json:"u,omitempty"` // Held.Failure.Text
	Erred    string        `json:"r,omitempty"` // id of the newest message, if it is an error
	Effort   string        `json:"t,omitempty"`
	Bound    bool          `json:"b,omitempty"` // see detect.Setup
	Shape    string        `json:"s,omitempty"` // see shapeTools
	Tools    []string      `json:"x,omitempty"`
}

// What the records tell of the tools that a session has (detect.Options.Shape); empty: nothing.
const (
	shapeTools  = "tools"  // which they are
	shapeBranch = "branch" // the session went back to an older place, and only the agent can tell
)

// maxTools bounds the names that a file can make clawd keep.
const maxTools = 500

// fold collects the records of one Read.
type fold struct {
	p     *Pi
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
	case "session":
		if r.ID == f.s.ID {
			setIf(&f.b.Info.Dir, r.CWD)
			f.b.Info.Created = r.at
		}
		return
	case "message", "context_edit", "model_change", "thinking_level_change", "branch_summary":
	default:
		f.follow(r)
		return
	}
	if !r.named() {
		f.b.Skip("a record has no id or no time", 1)
		return
	}
	back := f.carry.Last != "" && r.Parent != f.carry.Last
	f.follow(r)
	switch r.Type {
	case "branch_summary":
		if back {
			f.left(r, off)
		}
	case "message":
		f.message(r, off)
	case "context_edit":
		f.edit(r, off)
	case "model_change":
		f.model(r.Provider, r.ModelID)
	case "thinking_level_change":
		f.carry.Effort = r.Level
	}
}

func setIf(dst *string, v string) {
	if v != "" {
		*dst = v
	}
}

// follow notes that a record does not hang below the one before it: its user went back in the session, or two
// processes wrote.
func (f *fold) follow(r *record) {
	if r.ID == "" || len(r.ID) > 64 {
		return
	}
	if f.carry.Shape != "" && f.carry.Last != "" && r.Parent != f.carry.Last {
		f.carry.Shape, f.carry.Tools = shapeBranch, nil
	}
	f.carry.Last = r.ID
}

func (f *fold) model(provider, model string) {
	if provider != "" && model != "" {
		f.b.Info.Provider, f.b.Info.Model = provider, model
	}
}

func (f *fold) message(r *record, off int64) {
	m := &r.Message
	if m.Role == "system" {
		f.system(m)
		return
	}
	e, ok := f.p.event(r, off)
	if !ok {
		return
	}
	f.tell()
	f.carry.Erred = ""
	switch e.Kind {
	case detect.KindPrompt:
		f.carry.Errors = 0
		if !f.carry.Prompted {
			f.carry.Prompted, f.b.Info.FirstPrompt = true, e.Hash
		}
	case detect.KindAnswer:
		f.carry.Errors = 0
		if n := m.Usage.tokens(); n > 0 {
			f.b.Info.Tokens = n
		}
		if e.ToolCall {
			f.b.Info.Use(used(m.Content)...)
		}
	case detect.KindFailure:
		f.model(m.Provider, m.Model)
		f.failed(e, m)
		return
	default:
	}
	if m.Role == "assistant" {
		f.model(m.Provider, m.Model)
	}
	f.each(e)
}

// failed takes an error, after which the agent may ask again.
func (f *fold) failed(e detect.Event, m *message) {
	f.carry.Errors++
	f.carry.Erred = e.ID
	switch {
	case f.carry.Edits:
		f.carry.Held, f.carry.Text = &e, e.Failure.Text
	case f.carry.Errors < tries && m.StopReason == "error" && asksAgain(m.Error):
		f.asks(e)
	default:
		f.each(e)
	}
}

// asks tells that the agent means to ask again. That it waits leaves no further record, so when its process
// ends then, whoever ended it cannot be told.
func (f *fold) asks(e detect.Event) {
	e.Kind, e.Failure = detect.KindOpen, nil
	f.each(e)
	e.Kind, e.Msg = detect.KindRetry, ""
	f.each(e)
}

// edit takes the agent's word that it leaves a record out and asks again: before each try of its own, and before
// it makes room in a session that is full.
func (f *fold) edit(r *record, off int64) {
	f.carry.Edits = true
	if r.Target == "" { // which record it leaves out is written in a way that nobody knows
		f.each(agent.Strange(r.ID, r.at, off))
	}
	if f.carry.Erred == "" || f.carry.Erred != r.Target {
		f.tell()
		return
	}
	f.carry.Held, f.carry.Text, f.carry.Erred = nil, "", ""
	f.asks(detect.Event{ID: r.ID, Parent: r.Parent, At: r.at, Offset: off})
}

// left takes the summary of a branch that its user left for an older place (/tree): however that branch ended, he has gone on
// from elsewhere.
func (f *fold) left(r *record, off int64) {
	f.tell()
	f.carry.Errors, f.carry.Erred = 0, ""
	f.each(detect.Event{Kind: detect.KindInterrupt, ID: r.ID, Parent: r.Parent, At: r.at, Offset: off})
}

// tell gives the error that was held back.
func (f *fold) tell() {
	if f.carry.Held != nil {
		f.each(*f.carry.Held)
	}
	f.carry.Held, f.carry.Text = nil, ""
}

// system takes what changed in the prompt and in the tools. Its versions, but for the first one, 0.86, also say that they
// ask again.
func (f *fold) system(m *message) {
	f.carry.Edits = true
	if s := m.Sections; s.Addendum != "" || s.Preamble != "" && !strings.Contains(s.Preamble, ownPreamble) {
		f.carry.Bound = true
	}
	if f.carry.Shape == shapeBranch {
		return
	}
	f.carry.Shape = shapeTools
	has := slices.Clone(f.carry.Tools)
	for _, t := range m.Removed {
		has = slices.DeleteFunc(has, func(n string) bool { return n == t.Name })
	}
	for _, t := range m.Added {
		if !toolName.MatchString(t.Name) || len(has) >= maxTools { // it could not be passed again
			f.carry.Shape, f.carry.Tools = shapeBranch, nil
			return
		}
		if !slices.Contains(has, t.Name) {
			has = append(has, t.Name)
		}
	}
	f.carry.Tools = has
}

// ownPreamble is in the beginning of the prompt unless the user gives his own.
const ownPreamble = " inside pi, a coding agent harness"

// end tells what is known of the whole, and the error at the end if no word that it is tried again can follow.
func (f *fold) end() {
	i := &f.b.Info
	i.Untold = true
	i.Setup = detect.Setup{Effort: f.carry.Effort, Bound: f.carry.Bound}
	if i.Shape = f.carry.Shape; i.Shape == shapeTools {
		i.Offer = shapeTools + ":" + strings.Join(f.carry.Tools, ",")
	}
	if f.carry.Held != nil && settled(f.p.now(), f.carry.Held.At) {
		f.tell()
	}
	var since time.Time
	if f.carry.Held != nil {
		since = f.carry.Held.At
	}
	f.p.mu.Lock()
	defer f.p.mu.Unlock()
	if delete(f.p.held, f.s.Path); !since.IsZero() {
		f.p.held[f.s.Path] = since
	}
}
