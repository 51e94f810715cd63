package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/detect"
)

// mainRequests are the requests of the conversation itself, headless and in a terminal.
var mainRequests = []string{"sdk", "repl_main_thread"}

// option takes in the lines in which the agent, from 2.1.329 on, says what a request was made with.
func (f *fold) option(r *record) {
	i := &f.b.Info
	switch r.Type {
	case "agent-setting":
		setIf(&i.Named, r.AgentSetting)
	case "attachment":
		if r.Attachment.Type == "deferred_tools_delta" {
			i.Change(ownTools("", r.Attachment.Added)...)
			i.Change(ownTools("-", r.Attachment.Removed)...)
		}
	case "api-request-shape":
		if len(r.ShapeHash) > maxHash {
			return
		}
		var names []string
		for _, t := range r.Shape.Tools {
			names = append(names, t.Name)
		}
		f.pending = r.ShapeHash + ":" + strings.Join(ownTools("", names), ",")
		if f.shapes == nil || len(f.shapes) >= maxShapes { // what is forgotten counts as not recorded
			f.shapes = map[string]string{}
		}
		f.shapes[r.ShapeHash] = f.pending
	case "api-request":
		if !slices.Contains(mainRequests, r.QuerySource) || r.ShapeHash == "" || len(r.ShapeHash) > maxHash {
			return
		}
		i.Shape = r.ShapeHash
		if offer, ok := f.shapes[r.ShapeHash]; ok {
			i.Offer = offer
			if f.pending == offer {
				f.pending = ""
			}
		}
		i.Setup = detect.Setup{Model: r.Params.Model, Effort: r.Params.Output.Effort}
	}
}

// ownTools are the agent's own among tools.
func ownTools(sign string, names []string) (own []string) {
	for _, n := range names {
		if toolName.MatchString(n) && len(own) < maxTools {
			own = append(own, sign+n)
		}
	}
	return own
}

const (
	maxHash   = 128
	maxShapes = 100 // a session has a few, and its file may be anybody's work
)

// maxTools: a request has some dozens.
const maxTools = 300

// used gives the agent's own tools that an answer called.
func used(content json.RawMessage) (names []string) {
	for _, b := range blocks(content) {
		if b.Type == "tool_use" {
			names = append(names, b.Name)
		}
	}
	return ownTools("", names)
}
