package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/internal/transcript"
)

// TestZoneChanges: clawd's user travels, and his machine's time zone with him. What an agent prints from then on is in the new one.
func TestZoneChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	zone := filepath.Join(w.root, "zone")
	goes := func(to string) {
		t.Helper()
		rules, err := os.ReadFile(filepath.Join("/usr/share/zoneinfo", to))
		if err != nil {
			t.Skip(err)
		}
		w.write(zone, string(rules))
	}
	goes("Europe/Rome")
	w.configures("")
	d := w.startInside(append(namespace(t, "mount --bind "+zone+" /etc/localtime"), "env", "-u", "TZ"))
	d.await("daemon_started")
	goes("America/New_York")
	w.until("a restart", func() bool { return len(d.events("daemon_started")) == 2 })
	if e := d.await("config_reloaded"); e["ok"] != true || !slices.Equal(e["restart_for"].([]any), []any{"time zone"}) {
		t.Errorf("%v", e)
	}
	id, at := uuid.NewString(), time.Now()
	w.write(w.transcript(id), transcript.Prompt("", id, w.project, "say done", false, at)+transcript.Asked(id)+
		transcript.Failure("", id, w.project, at, "You've hit your 5-hour limit · resets 3:07pm", `"error":"rate_limit","apiErrorStatus":429`))
	e := d.await("session_stopped")
	reset, err := time.Parse(time.RFC3339, fmt.Sprint(e["reset_at"]))
	there, _ := time.LoadLocation("America/New_York") // where there is none, so is no file of it
	if in := reset.In(there); err != nil || in.Hour() != 15 || in.Minute() != 7 {
		t.Errorf("it resets at %s there: %v", in, e)
	}
	d.stop()
}
