package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// reach bounds how many lines a beginning may stand behind its end.
const reach = 64

var attachment = []byte(`"type":"attachment"`)

// inverted finds the end of a turn that stands before its beginning: the terminal of 2.1.197 now and
// then writes the failure first, and only then the prompt that it answers, with what is attached to
// it. Which came first the lines' own parents tell. False: the file's newest event is its newest line.
func (c *Claude) inverted(ctx context.Context, s detect.Session) (detect.Event, bool, error) {
	b, err := tail.OpenBack(s.Path)
	if err != nil {
		return detect.Event{}, false, err
	}
	defer b.Close()
	var newest detect.Event
	parents := map[string]string{}
	for range reach {
		line, off, err := b.Prev()
		if errors.Is(err, io.EOF) || errors.Is(err, tail.ErrFar) {
			return detect.Event{}, false, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return detect.Event{}, false, err
		}
		if line = trim(line); !whole(line) {
			continue
		}
		var l struct {
			UUID   string `json:"uuid"`
			Parent string `json:"parentUuid"`
		}
		if json.Unmarshal(line, &l) == nil && l.UUID != "" {
			parents[l.UUID] = l.Parent
		}
		if !mayMatter(line) {
			continue
		}
		r, err := parse(line)
		if err != nil || r.IsSidechain || r.SessionID != s.ID || !r.named() {
			continue
		}
		e, ok := c.event(r, off)
		switch {
		case !ok || e.Kind == detect.KindRetry || e.Kind == detect.KindSelfResume:
		case newest.ID == "" && e.Kind != detect.KindPrompt && e.Kind != detect.KindToolResult:
			return detect.Event{}, false, nil
		case newest.ID == "":
			newest = e
		case !e.At.After(newest.At):
			return detect.Event{}, false, nil
		case above(parents, e.Parent, newest.ID):
			return e, true, nil
		}
	}
	return detect.Event{}, false, nil
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
