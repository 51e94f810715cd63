package codex

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// outputMax is the longest line of a run's output that is looked at.
const outputMax = 16 << 20

// Output reads what `codex exec --json` printed, with stderr among it; plain output tells the
// session alone. A run has begun with its turn, of which it tells before it asks. A last line that was cut proves nothing and is left out.
func (c *Codex) Output(r io.Reader) (agent.Output, error) {
	var o agent.Output
	br := bufio.NewReaderSize(r, 64<<10)
	var long []byte // a line over the buffer, so far
	skip := false   // the line is over the cap
	for {
		part, err := br.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if skip = skip || len(long)+len(part) > outputMax; skip {
				long = nil
			} else {
				long = append(long, part...)
			}
			continue
		case err == nil:
			if !skip {
				outputLine(&o, bytes.TrimSpace(append(long, part...)))
			}
			long, skip = nil, false
			continue
		case !errors.Is(err, io.EOF):
			return o, err
		}
		// Plain words on stderr may come without a newline; half a JSON line says nothing.
		if last := bytes.TrimSpace(append(long, part...)); !skip && len(last) > 0 && (last[0] != '{' || json.Valid(last)) {
			outputLine(&o, last)
		}
		// A run that opened its session was not refused, whatever else was printed.
		o.Refused = o.Refused && !o.Began
		return o, nil
	}
}

func outputLine(o *agent.Output, line []byte) {
	switch {
	case len(line) == 0:
		return
	case line[0] != '{':
		plainLine(o, string(line))
		return
	}
	var e struct {
		Type   string `json:"type"`
		Thread string `json:"thread_id"`
		Item   struct {
			ID string `json:"id"`
		} `json:"item"`
	}
	var other *json.UnmarshalTypeError
	if err := json.Unmarshal(line, &e); err != nil && !errors.As(err, &other) {
		return
	}
	switch e.Type {
	case "thread.started": // nothing is asked before a turn begins
		if isID(e.Thread) {
			o.Session = e.Thread
		}
	case "turn.started":
		o.Began, o.Failed = true, false
	case "turn.completed":
		o.Failed = false
	case "turn.failed": // "error" alone is also said of what is tried again
		o.Failed = true
	default:
		if strings.HasPrefix(e.Type, "item.") && e.Item.ID != "" && (len(o.Messages) == 0 || o.Messages[len(o.Messages)-1] != e.Item.ID) {
			o.Messages = append(o.Messages, e.Item.ID)
		}
	}
}

// plainLine reads the header of a plain run, which stands before all else, and refusals.
func plainLine(o *agent.Output, line string) {
	if id, ok := strings.CutPrefix(line, "session id: "); ok && !o.Began && isID(id) {
		o.Began, o.Session = true, id
	}
	if strings.HasPrefix(line, "Error: ") && strings.Contains(line, "no rollout found for thread id") {
		o.Refused = true
	}
}
