package gemini

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func inDir(dir string) (agent.Agent, detect.Session) {
	home := filepath.Join(dir, "home")
	return over(home, procs{}), detect.Session{Agent: Name, ID: toolID, Path: filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-10-"+toolID[:8]+".jsonl")}
}

const clock = "2026-11-21T00:10:03Z"

func TestHugeLineMemory(t *testing.T) {
	agenttest.HugeLine(t, inDir, headLine(toolID)+promptLine("u1", "2026-11-21T00:10:01Z", "x"), answerLine("g1", clock, "y", ""))
}

func TestManyLinesMemory(t *testing.T) {
	agenttest.ManyLines(t, inDir, headLine(toolID)+promptLine("u1", "2026-11-21T00:10:01Z", "x"), func(n int) string {
		return answerLine(fmt.Sprint("g", n), clock, "y", "")
	})
}
