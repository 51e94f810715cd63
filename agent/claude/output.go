package claude

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

const refusal = "No conversation found with session ID:"

// Output reads the stream-json output of a run, with stderr among it. A last line that was cut
// proves nothing and is left out.
func (c *Claude) Output(r io.Reader) (agent.Output, error) {
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
	if len(line) == 0 {
		return
	}
	if line[0] != '{' {
		o.Refused = o.Refused || bytes.HasPrefix(line, []byte(refusal))
		return
	}
	var r struct {
		Type      string            `json:"type"`
		Subtype   string            `json:"subtype"`
		UUID      string            `json:"uuid"`
		SessionID string            `json:"session_id"`
		IsError   bool              `json:"is_error"`
		Errors    []string          `json:"errors"`
		Denials   []json.RawMessage `json:"permission_denials"`
		CostUSD   float64           `json:"total_cost_usd"`
		Message   struct {
			ID string `json:"id"`
		} `json:"message"`
	}
	var other *json.UnmarshalTypeError
	if err := json.Unmarshal(line, &r); err != nil && !errors.As(err, &other) {
		return
	}
	switch r.Type {
	case "system":
		if r.Subtype != "init" {
			return
		}
		o.Began = true
	case "assistant", "user":
		for _, id := range []string{r.UUID, r.Message.ID} {
			if id != "" {
				o.Messages = append(o.Messages, id)
			}
		}
	case "result":
		o.Denials, o.Failed, o.CostUSD = len(r.Denials), r.IsError, r.CostUSD
		for _, e := range r.Errors {
			o.Refused = o.Refused || strings.HasPrefix(e, refusal)
		}
	default:
		return
	}
	if r.SessionID != "" {
		o.Session = r.SessionID
	}
}
