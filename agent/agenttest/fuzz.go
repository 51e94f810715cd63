package agenttest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// FuzzSession checks a session that is a file of JSON lines: whatever stands in it, nothing panics, every event has a name,
// reading it in two portions says what reading it whole does, and Tail hides no stop but an interruption. open gives an agent over a folder, and
// the session in it; lines are sound records, the first one a beginning.
func FuzzSession(f *testing.F, open func(dir string) (agent.Agent, detect.Session), lines ...string) {
	for _, l := range lines {
		f.Add([]byte(l+"\n"), len(l)/2)
		f.Add(append([]byte(lines[0]+"\n"), l+"\n"...), len(lines[0])+1)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		a, s := open(t.TempDir())
		put := func(text []byte) {
			if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(s.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if _, err := file.Write(text); err != nil {
				t.Fatal(err)
			}
		}
		cut = min(max(cut, 0), len(text))
		var bit, all fold
		put(text[:cut])
		CheckEvents(t, bit.read(t, a, s).Events)
		put(text[cut:])
		CheckEvents(t, bit.read(t, a, s).Events)
		all.read(t, a, s)
		if d := cmp.Diff(all.c.Stop(), bit.c.Stop()); d != "" {
			t.Errorf("verdict (-whole +portions):\n%s", d)
		}
		maybe, _, err := a.Tail(t.Context(), s)
		// An answer that is whole by one sign and broken off by another is left in either way.
		if stop := all.c.Stop(); err != nil || stop.IsStop() && stop.Reason != detect.Interrupted && !maybe {
			t.Errorf("Tail hides a stop: %s, %v", stop.Reason, err)
		}
		if _, err := a.LastPrompt(t.Context(), s); err != nil {
			t.Error(err)
		}
		for line := range bytes.Lines(text) {
			a.Message(string(line), time.Time{}, time.UTC)
		}
	})
}
