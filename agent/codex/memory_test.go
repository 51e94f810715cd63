package codex

import (
	"fmt"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func inDir(dir string) (agent.Agent, detect.Session) {
	return over(dir, procTable{}, agent.Config{}), rolloutOf(dir, sid)
}

func TestHugeLineMemory(t *testing.T) {
	agenttest.HugeLine(t, inDir, meta+asked, ending+"\n")
}

func TestManyLinesMemory(t *testing.T) {
	agenttest.ManyLines(t, inDir, meta+asked, func(n int) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-21T00:22:12Z","ordinal":%d,"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"y"}]}}`+"\n", n)
	})
}
