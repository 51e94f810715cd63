package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// fill takes in message.data; nil or empty: it was not even JSON.
func (m *message) fill(raw []byte) {
	d, err := parseData(raw)
	m.Data = d
	m.Strange = errors.Is(err, errRole)
	m.Bad = err != nil && !m.Strange
}

func (m *message) addPart(raw []byte, updated int64) {
	p := part{Updated: updated}
	if json.Unmarshal(raw, &p) == nil {
		m.Parts = append(m.Parts, p)
	}
}

// said is what decides about the meaning of a row, in one short string. opencode also writes
// rows again for other reasons (a user row when the summary of its changes is ready).
func (m *message) said() string {
	if m.Data.Role == "user" {
		text, meta := m.prompt()
		return "user:" + hash(text) + ":" + strconv.FormatBool(meta)
	}
	var b strings.Builder
	b.WriteString(m.Data.Finish)
	b.WriteByte(':')
	b.WriteString(strconv.FormatInt(int64(max(0, min(m.Data.Time.Completed, 1e15))), 10))
	if m.Data.Error != nil {
		b.WriteString(":" + m.Data.Error.Name)
	}
	if m.Bad {
		b.WriteString(":bad")
	}
	if m.runningTool() {
		b.WriteString(":tool")
	}
	if m.rejected() {
		b.WriteString(":rejected")
	}
	return b.String()
}

// event turns a message that is not Strange into one event.
func (r *reader) event(m *message) detect.Event {
	e := detect.Event{ID: m.ID, Parent: m.Data.ParentID, At: m.at(), Offset: m.Row}
	switch {
	case m.Bad:
		// There is a newer record, and nobody can tell what it says. What came before it must
		// not look like the end of the session.
		e.Kind = detect.KindOpen
	case m.Data.Role == "user":
		text, meta := m.prompt()
		e.Kind, e.Hash, e.Meta = detect.KindPrompt, hash(text), meta
	default:
		e.Msg = m.ID
		r.answer(m, &e)
	}
	return e
}

func (r *reader) answer(m *message, e *detect.Event) {
	d := &m.Data
	done := !m.completed().IsZero()
	switch {
	case d.Error != nil && d.Error.Name == "MessageAbortedError":
		e.Kind = detect.KindInterrupt
	case d.Error != nil:
		e.Kind, e.Failure = detect.KindFailure, failure(d.Error, e.At, r.zone, r.source)
	case !done:
		e.Kind, e.ToolCall = detect.KindOpen, m.runningTool()
	case d.Finish == "stop" || d.Finish == "length":
		e.Kind, e.Done = detect.KindAnswer, true
	case d.Finish == "tool-calls" && m.rejected():
		e.Kind = detect.KindDenied
	case d.Finish == "tool-calls":
		e.Kind, e.ToolCall = detect.KindAnswer, true
	case d.Finish == "unknown":
		// opencode takes a cut stream for an answer without an end and asks again at once.
		e.Kind = detect.KindOpen
	case d.Finish == "" && len(m.Parts) == 0:
		// Esc, Ctrl-C, an abort call or a hang-up while opencode waited to ask again.
		e.Kind = detect.KindInterrupt
	case d.Finish == "":
		e.Kind, e.ToolCall = detect.KindOpen, m.runningTool()
	case d.Finish == "content-filter":
		e.Kind = detect.KindFailure
		e.Failure = &detect.Failure{Reason: detect.InvalidRequest, Source: r.source, Field: "finish"}
	default:
		e.Kind = detect.KindFailure
		e.Failure = &detect.Failure{Reason: detect.Unknown, Source: r.source, Field: "finish", Text: detect.Redact("finish " + d.Finish)}
	}
}

// fromCompaction corrects the event of a finished compaction: when opencode began it by itself,
// the turn goes on after it.
func (r *reader) fromCompaction(ctx context.Context, st store, m *message, e *detect.Event) error {
	if !e.Done || !m.compaction() {
		return nil
	}
	asked := message{ID: m.Data.ParentID}
	if err := st.parts(ctx, &asked, false); err != nil {
		return err
	}
	for _, p := range asked.Parts {
		if p.Type == "compaction" && bool(p.Auto) {
			e.Kind, e.Done = detect.KindOpen, false
		}
	}
	return nil
}

// A provider whose stream is cut makes opencode ask again and again, without a pause or an end.
const (
	loopLength = 5
	loopSpan   = time.Minute
)

// loop adds a failure when the newest answers of one prompt all ended as "unknown" within a
// minute. It is named by the first row that made it a loop, so that it stays the same stop while
// the rows go on.
func (r *reader) loop(ctx context.Context, st store, last *message) error {
	if last.Data.Role != "assistant" || last.Data.Error != nil || last.Data.Finish != "unknown" && !last.pendingEnd() {
		return nil
	}
	tail, err := st.newest(ctx, loopLength+1)
	if err != nil {
		return err
	}
	if n := len(tail); n > 0 && tail[n-1].pendingEnd() {
		tail = tail[:n-1]
	}
	if len(tail) < loopLength {
		return nil
	}
	tail = tail[len(tail)-loopLength:]
	for i := range tail {
		if tail[i].Data.Finish != "unknown" || tail[i].Data.ParentID != last.Data.ParentID {
			return nil
		}
	}
	if tail[loopLength-1].created().Sub(tail[0].created()) > loopSpan {
		return nil
	}
	m, ok, err := st.unknowns(ctx, last.Data.ParentID, loopLength)
	if err != nil || !ok {
		return err
	}
	r.events = append(r.events, detect.Event{
		Kind: detect.KindFailure, ID: m.ID, Parent: m.Data.ParentID, Msg: m.ID, At: m.at(), Offset: m.Row,
		Failure: &detect.Failure{Reason: detect.Network, Source: r.source, Field: "finish", Notes: []string{
			"the provider cuts every answer short, and opencode asks again without a pause",
		}},
	})
	return nil
}

// headlessRules tells whether a session carries the rules that `opencode run` gives to sessions
// it creates: nobody is there to be asked.
func headlessRules(permission []byte) bool {
	var rules []struct {
		Permission string `json:"permission"`
		Action     string `json:"action"`
	}
	if json.Unmarshal(permission, &rules) != nil {
		return false
	}
	for _, r := range rules {
		if r.Permission == "question" && r.Action == "deny" {
			return true
		}
	}
	return false
}
