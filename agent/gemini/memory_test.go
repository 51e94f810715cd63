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

func TestLongLineMemory(t *testing.T) {
	agenttest.LongLine(t, inDir, headLine(toolID)+promptLine("u1", "2026-11-21T00:10:01Z", "x"), map[string]func(string) string{
		"answer": func(text string) string { return answerLine("g1", clock, text, "") },
		"prompt": func(text string) string { return promptLine("u2", clock, text) },
		"result": func(text string) string {
			return fmt.Sprintf(`{"id":"f2","timestamp":%q,"type":"user","content":[{"functionResponse":{"id":"call_1","response":{"output":%q}}}]}`+"\n", clock, text)
		},
		"error": func(text string) string {
			return promptLine("u2", clock, "y") + fmt.Sprintf(`{"id":"e1","timestamp":%q,"type":"error","content":%q}`+"\n", clock, apiError+text)
		},
		"checkpoint": func(text string) string {
			return promptLine("u2", clock, "y") + fmt.Sprintf(`{"$set":{"messages":[{"id":"u1","timestamp":%q,"type":"user","content":[{"text":%q}]}],"lastUpdated":%q}}`+"\n", clock, text, clock)
		},
	})
}

func TestRace(t *testing.T) {
	agenttest.Race(t, TestSuiteLines, TestSuiteRewritten, TestSuiteBroken, TestLongLineMemory)
}
