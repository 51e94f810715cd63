package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// The log of a person at a terminal: every kind of value that a line has reads as what it is.
func TestConsoleValues(t *testing.T) {
	var out bytes.Buffer
	log := zerolog.New(console(&out, false))
	log.Info().Str("event", "session_stopped").Bool("dry_run", false).Int("attempt", 2).Float64("wait_s", 1.5).Any("retry_after_s", nil).
		Strs("notes", []string{"a", "b"}).Time("at", time.Unix(0, 0).UTC()).Dict("evidence", zerolog.Dict().Str("source", "transcript").Int("offset", 7)).
		Str("project", "/a\x1b[2J\u202eb").Msg("it stopped")
	for _, want := range []string{"it stopped", "event=session_stopped", "dry_run=false", "attempt=2", "wait_s=1.5", "retry_after_s=null", `notes=["a","b"]`,
		"at=" + time.Unix(0, 0).Format(time.DateTime), `evidence={"offset":7,"source":"transcript"}`, `project="/a\x1b[2J\u202eb"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
	if strings.ContainsAny(out.String(), "\x1b\u202e") {
		t.Errorf("a terminal would act on %q", out.String())
	}
}
