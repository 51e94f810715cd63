package codex

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// follower is what a daemon keeps of a session.
type follower struct {
	class  detect.Classifier
	cursor agent.Cursor
}

// read does one step.
func (f *follower) read(t *testing.T, c *Codex, s detect.Session) {
	b, err := agenttest.Read(t.Context(), c, s, f.cursor)
	if err != nil {
		t.Fatal(err)
	}
	if b.Anew {
		*f = follower{}
	}
	agenttest.CheckEvents(t, b.Events)
	for _, e := range b.Events {
		if e.At.IsZero() && e.Kind != detect.KindStrange {
			t.Fatalf("an event without a time: %+v", e)
		}
		f.class.Feed(e)
	}
	f.cursor = b.Cursor
}

// FuzzRollout: whatever stands in a rollout, nothing panics, every event has a name, and reading it
// in two portions says what reading it whole does.
func FuzzRollout(f *testing.F) {
	for _, name := range []string{"exec-json-usage-limit", "exec-json-0.80-tool-ok", "tui-0.120-usage-limit", "tui-waiting-approval"} {
		var short []byte // long seeds take the fuzzer a minute each to make shorter
		for _, line := range linesOf(f, rollouts(f, name)[0]) {
			if len(line) < 800 {
				short = append(short, line...)
			}
		}
		f.Add(short, len(short)/2)
		for _, year := range []string{"2025", "2027"} { // the clock was set between an error and the end of its turn
			head, end, _ := bytes.Cut(short, []byte(`"payload":{"type":"error"`))
			f.Add(slices.Concat(head, []byte(`"payload":{"type":"error"`), bytes.ReplaceAll(end, []byte(`"timestamp":"2026`), []byte(`"timestamp":"`+year))), len(head))
		}
	}
	f.Add([]byte(`{"timestamp":"2026-11-21T00:22:09Z","type":"event_msg","payload":{"type":"task_complete","error":{"message":1,"codex_error_info":{"a":{"b":[]}}}}}`+"\n"), 3)
	f.Add([]byte(`{"timestamp":"2026-11-21T00:22:09Z","type":"event_msg","payload":{"type":"token_count","info":{},"rate_limits":{"primary":{"used_percent":1e309}}}}`+"\n"), 0)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		root := t.TempDir()
		c := over(root, procTable{}, agent.Config{})
		s := rolloutOf(root, sid)
		cut = min(max(cut, 0), len(text))
		var bit, all follower
		put(t, s.Path, string(text[:cut]))
		bit.read(t, c, s)
		put(t, s.Path, string(text[cut:]))
		bit.read(t, c, s)
		all.read(t, c, s)
		if d := cmp.Diff(all.class.Stop(), bit.class.Stop()); d != "" {
			t.Errorf("verdict (-whole +portions):\n%s", d)
		}
		maybe, cursor, err := c.Tail(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if stop := all.class.Stop(); stop.IsStop() && !maybe {
			t.Errorf("Tail hides a stop: %s", stop.Reason)
		}
		if !maybe {
			if b, err := agenttest.Read(t.Context(), c, s, cursor); err != nil || b.Anew || len(b.Events) != 0 {
				t.Errorf("reading on from Tail's cursor: %+v, %v", b, err)
			}
		}
		if _, err := c.LastPrompt(t.Context(), s); err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(string(text)) {
			c.Message(line, at, nil)
		}
	})
}

// FuzzPacked reads compressed rollouts: whatever a file holds, it is read whole or refused, and at once.
func FuzzPacked(f *testing.F) {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"exec-json-usage-limit", "exec-json-0.80-tool-ok", "tui-0.120-usage-limit", "tui-waiting-approval"} {
		whole := []byte(strings.Join(linesOf(f, rollouts(f, name)[0]), ""))
		z := e.EncodeAll(whole, nil)
		f.Add(z)
		f.Add(z[:len(z)/2])
		f.Add(append(slices.Clone(z), z...)) // two frames
	}
	f.Fuzz(func(t *testing.T, z []byte) {
		root := t.TempDir()
		c := over(root, procTable{}, agent.Config{})
		s := rolloutOf(root, sid)
		s.Path += ".zst"
		put(t, s.Path, string(z))
		b, err := agenttest.Read(t.Context(), c, s, "")
		again, err2 := agenttest.Read(t.Context(), c, s, "")
		if (err == nil) != (err2 == nil) || err == nil && !cmp.Equal(b.Events, again.Events) {
			t.Errorf("not the same twice: %v, %v", err, err2)
		}
		if err != nil { // what came before the error counts for nothing
			return
		}
		var all detect.Classifier
		for _, e := range b.Events {
			all.Feed(e)
		}
		if maybe, _, err := c.Tail(t.Context(), s); err == nil && !maybe && all.Stop().IsStop() {
			t.Errorf("Tail hides a stop: %s", all.Stop().Reason)
		}
	})
}
