package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// head is what only the first lines of a transcript tell.
type head struct {
	wanted  bool
	created time.Time
	prompt  string // hash of the first prompt of a person
}

var timeKey = []byte(`timestamp"`)

// line takes the time of creation from the first line that has a time of its own, of whatever
// type: in a fork the copied records are older than the file, its queue line before them is not.
func (h *head) line(line []byte) {
	if !h.wanted || !h.created.IsZero() || !bytes.Contains(line, timeKey) {
		return
	}
	var r struct {
		Timestamp time.Time `json:"timestamp"`
	}
	if json.Unmarshal(line, &r) == nil {
		h.created = detect.Clamp(r.Timestamp)
	}
}

func (h *head) event(e detect.Event) {
	if h.wanted && h.prompt == "" && e.Kind == detect.KindPrompt && !e.Meta {
		h.prompt = e.Hash
	}
}

// readHead reads the first lines of a transcript of which a later part was read first.
func readHead(ctx context.Context, s detect.Session) (head, error) {
	r, err := tail.Open(s.Path, "")
	if err != nil {
		return head{}, err
	}
	defer r.Close()
	f := fold{c: &Claude{zone: time.UTC}, s: s, b: new(agent.Batch), each: func(detect.Event) {}, folder: filepath.Base(filepath.Dir(s.Path))}
	f.head.wanted = true
	err = jsonl.Each(ctx, r, headMax, func(line []byte, off int64) bool {
		f.line(line, off)
		return f.head.created.IsZero() || f.head.prompt == ""
	})
	if err != nil {
		return head{}, err
	}
	return f.head, nil
}
