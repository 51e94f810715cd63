package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/state"
)

// A store that was cut off (a full disk, a bad copy): it is moved aside with one clear line, what
// was fired is known from its mark, and the next session is resumed.
func TestTruncatedStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "die after init", "succeed")
	id, _ := w.limited()
	once := filepath.Join(w.root, "once")
	if err := os.Mkdir(once, 0o700); err != nil {
		t.Fatal(err)
	}
	w.start("CLAWD_CRASH_AT=T4.before", "CLAWD_CRASH_ONCE="+once).ended(false)
	if err := os.Truncate(filepath.Join(w.state, "clawd", "clawd.db"), 9000); err != nil {
		t.Fatal(err)
	}
	d := w.start()
	d.await("daemon_started")
	d.await("session_held")
	w.limited()
	w.until("the next one is resumed", func() bool { return len(d.events("resume_succeeded")) > 0 })
	d.stop()
	if len(d.events("state_damaged")) != 1 || len(w.starts()) != 2 {
		t.Errorf("%d starts; log:\n%s", len(w.starts()), d.log)
	}
	if rec := w.ledger().sessions[id]; rec.Phase != state.Held {
		t.Errorf("phase %s, want held", rec.Phase)
	}
}
