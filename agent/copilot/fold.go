package copilot

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// carry is what a place in the middle of a session needs of the lines before it. It is part of the cursor, so
// that reading in portions says what reading the whole does.
type carry struct {
	Owed     bool     `json:"o,omitempty"` // the lines before were never read
	Version  string   `json:"v,omitempty"` // of the agent that began the session
	Resumed  bool     `json:"r,omitempty"` // by another process, whose version is not recorded
	Prompted bool     `json:"p,omitempty"` // the first prompt was told
	Open     bool     `json:"t,omitempty"` // a turn is under way
	Told     bool     `json:"k,omitempty"` // how the session is driven is known
	Headless bool     `json:"h,omitempty"`
	Effort   string   `json:"e,omitempty"`
	Recent   []string `json:"n,omitempty"` // ids of the newest records
	Before   []string `json:"b,omitempty"` // the same, when the newest process came
}

// recentMax records are remembered: what a process writes while it ends hangs below one of its last.
const recentMax = 8

// Whose quota a session uses.
const (
	github = "copilot"
	byok   = "byok" // a provider of the user's own
)

// fold collects the records of one Read.
type fold struct {
	c     *Copilot
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
	switch {
	case err != nil:
		f.b.Skip(err.Error(), 1)
		return
	case r.Agent != "": // a sub-agent's: how it ended, the session's own lines tell
		return
	}
	f.learn(r)
	if !r.known() || !r.named() && r.Type != typeStart {
		f.each(agent.Strange(r.ID, r.at, off))
	}
	if e, ok := f.c.event(r, off, f.zones()); ok {
		if !r.named() {
			f.b.Skip("a record has no id or no time", 1)
			return
		}
		f.tell(e, r)
	}
	if agent.IsUUID(r.ID) {
		f.carry.Recent = append(f.carry.Recent, r.ID)
		f.carry.Recent = slices.Clone(f.carry.Recent[max(0, len(f.carry.Recent)-recentMax):])
	}
}

// tell gives an event, unless it is the end of a process that does not do the work any more: one that waits
// after its failure says when it is ended that its user ended it, also when another one has gone on since.
func (f *fold) tell(e detect.Event, r *record) {
	open := &f.carry.Open
	switch e.Kind {
	case detect.KindInterrupt:
		if r.Type != typeCleared && (!*open || slices.Contains(f.carry.Before, r.Parent)) {
			return
		}
		*open = false
	case detect.KindFailure:
		*open = false
	case detect.KindAnswer:
		*open = !e.Done
	case detect.KindPrompt:
		*open = true
		if !f.carry.Prompted {
			f.carry.Prompted, f.b.Info.FirstPrompt = true, e.Hash
		}
	case detect.KindSelfResume:
	case detect.KindToolResult:
		if !*open { // of a tool that its user has run, or that has outlived the turn
			return
		}
	default:
		*open = true
	}
	e.Headless = f.carry.Headless
	f.each(e)
}

// learn takes over what a record tells of the session as a whole.
func (f *fold) learn(r *record) {
	i, d := &f.b.Info, &r.Data
	switch r.Type {
	case typeStart:
		if d.SessionID != f.s.ID {
			return
		}
		i.Created = r.at
		f.carry.Version = agent.Cut(d.Version, versionMax)
		f.opened(d)
	case typeResume:
		f.carry.Resumed, f.carry.Before = true, f.carry.Recent
		f.opened(d)
	case typeModel:
		f.model(d.NewModel, d.Effort)
	case typeMode:
		setIf(&i.Mode, d.NewMode)
	case typeSystem:
		f.carry.Told, f.carry.Headless = true, r.headless()
	case typeUsage:
		i.Tokens = d.Usage.Input + d.Usage.Output
		if d.Usage.Byok != nil {
			i.Provider = map[bool]string{true: byok, false: github}[*d.Usage.Byok]
		}
	case typeError:
		if d.Eligible != nil {
			i.Provider = github
		}
	case typeAnswer:
		for _, t := range d.Requests {
			if toolName.MatchString(t.Name) {
				i.Use(t.Name)
			}
		}
	}
}

// toolName is what is kept of the tools that a session has used.
var toolName = lazyregexp.New(`^[A-Za-z][\w.-]{0,99}$`)

// versionMax bounds what a file can make clawd keep.
const versionMax = 64

// opened takes over how a process began or went on.
func (f *fold) opened(d *data) {
	setIf(&f.b.Info.Dir, d.Context.CWD)
	f.model(d.Selected, d.Effort)
}

func (f *fold) model(name, effort string) {
	if name != "" {
		f.b.Info.Model, f.carry.Effort = name, agent.Cut(effort, versionMax)
	}
}

func setIf(dst *string, v string) {
	if v != "" {
		*dst = v
	}
}

// utc is from when on the agent writes the dates of limits in UTC. Before, it wrote them in its own zone. Neither names it.
var utc = []int{1, 0, 75}

// zones are those in one of which a date of the session's newest process is meant.
func (f *fold) zones() []*time.Location {
	switch {
	case agent.AtLeast(f.carry.Version, utc...):
		return utcOnly
	case f.carry.Version != "" && !f.carry.Resumed:
		return []*time.Location{f.c.zone}
	}
	return []*time.Location{time.UTC, f.c.zone}
}

// end tells what is known of the whole.
func (f *fold) end() {
	i := &f.b.Info
	i.Version = f.carry.Version
	i.Interactive, i.Untold = f.carry.Told && !f.carry.Headless, !f.carry.Told
	i.Setup = detect.Setup{Effort: f.carry.Effort}
}
