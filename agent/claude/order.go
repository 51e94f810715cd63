package claude

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// reach bounds how many lines a beginning may stand behind its end.
const reach = 64

var attachment = []byte(`"type":"attachment"`)

// inverted finds the end of a turn that stands before its beginning: the terminal of 2.1.197 now and
// then writes the failure first, and only then the prompt that it answers, with what is attached to
// it. Which came first the lines' own parents tell. Likewise the summary that its user ordered stands behind the line that says so,
// and begins no turn. False: the file's newest event is its newest line.
func (c *Claude) inverted(ctx context.Context, s detect.Session) (detect.Event, bool, error) {
	var newest, end detect.Event
	parents := map[string]string{}
	left := reach
	err := tail.Newest(ctx, s.Path, func(line []byte, off int64) bool {
		left--
		var l struct {
			UUID   string `json:"uuid"`
			Parent string `json:"parentUuid"`
		}
		if json.Unmarshal(line, &l) == nil && l.UUID != "" {
			parents[l.UUID] = l.Parent
		}
		r, ok := c.matters(line, s)
		if !ok {
			return left > 0
		}
		e, ok := c.event(r, off)
		switch {
		case !ok || e.Kind == detect.KindRetry || e.Kind == detect.KindSelfResume || e.Kind == detect.KindAside:
		case newest.ID == "" && e.Kind != detect.KindPrompt && e.Kind != detect.KindToolResult:
			return false
		case newest.ID == "":
			newest = e
		case r.compacted() && r.UUID == newest.Parent:
			end = e
			return false
		case !e.At.After(newest.At):
			return false
		case above(parents, e.Parent, newest.ID):
			end = e
			end.Parent = newest.ID // which an attachment may stand between
			return false
		}
		return left > 0
	})
	return end, end.ID != "", err
}

// above tells whether the line with the id stands above another in the tree of the conversation,
// whose parent is given.
func above(parents map[string]string, parent, id string) bool {
	for range reach {
		if parent == id {
			return true
		}
		next, ok := parents[parent]
		if !ok {
			return false
		}
		parent = next
	}
	return false
}

// mayInvert tells whether a line may complete a beginning that came late.
func mayInvert(line []byte) bool { return bytes.Contains(line, attachment) }
