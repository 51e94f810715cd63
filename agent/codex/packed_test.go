package codex

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// TestPackedMemory: of a compressed rollout one line is held, and only one such rollout is read at a time.
func TestPackedMemory(t *testing.T) {
	c, plain := recorded(t, "exec-json-usage-limit")
	s := detect.Session{Agent: "codex", ID: plain.ID, Path: plain.Path + ".zst"}
	filler := `{"type":"compacted","payload":"` + strings.Repeat("x", 100<<10) + "\"}\n"
	pack(t, s.Path, []byte(strings.Repeat(filler, packedMax/len(filler))))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b, err := agenttest.Read(t.Context(), c, s, "")
	runtime.ReadMemStats(&after)
	if err != nil || b.Skipped > 0 {
		t.Errorf("%+v, %v", b, err)
	}
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 48 {
		t.Errorf("%d MB were taken in all", took)
	}
	if err := os.Remove(s.Path); err != nil { // pack appends
		t.Fatal(err)
	}
	pack(t, s.Path, []byte(strings.Repeat("y", tail.MaxLine+1)+"\n"+filler+strings.Repeat("y", tail.MaxLine)+"\n"))
	if b, err := agenttest.Read(t.Context(), c, s, ""); err != nil || b.Skipped != 2 || b.Problem != "a line is not a whole JSON object" {
		t.Errorf("%+v, %v", b, err)
	}
	r, err := open(s.Path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if unpacking.TryLock() {
		unpacking.Unlock()
		t.Error("another one could be read meanwhile")
	}
}

// TestRefusedOnce: a compressed rollout that cannot be read is not unpacked again until it is another one.
func TestRefusedOnce(t *testing.T) {
	c, plain := recorded(t, "exec-json-usage-limit")
	for name, bad := range map[string]string{
		"too large": packedText(t, make([]byte, packedMax+2)),
		"rubbish":   "rubbish",
		"cut":       packedText(t, []byte(strings.Repeat(meta, 100)))[:40],
	} {
		t.Run(name, func(t *testing.T) {
			s := detect.Session{Agent: "codex", ID: plain.ID, Path: plain.Path + ".zst"}
			defer os.Remove(s.Path)
			put(t, s.Path, bad)
			_, first := agenttest.Read(t.Context(), c, s, "")
			unpacking.Lock() // who unpacked it now would wait for ever
			_, again := agenttest.Read(t.Context(), c, s, "")
			unpacking.Unlock()
			if first == nil || again == nil || again.Error() != first.Error() {
				t.Errorf("%v, then %v", first, again)
			}
			if err := os.Remove(s.Path); err != nil {
				t.Fatal(err)
			}
			pack(t, s.Path, []byte(meta))
			if _, err := agenttest.Read(t.Context(), c, s, ""); err != nil {
				t.Errorf("another file at its place: %v", err)
			}
		})
	}
}
