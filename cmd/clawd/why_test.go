package main

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/detect"
)

// Only Claude is kept to the tools that it has used.
func TestWhyUnseenOptions(t *testing.T) {
	for _, name := range []string{"claude", "codex", "gemini"} {
		said := string(explain(daemon.Why{Agent: name, Decision: daemon.WhyDecision{Flags: detect.KnownNot}}))
		if strings.Contains(said, "tools") || !strings.Contains(said, "Nobody saw") {
			t.Errorf("%s: %s", name, said)
		}
	}
}
