package claude

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func inDir(dir string) (agent.Agent, detect.Session) {
	return over(dir, table{}, agent.Config{}), session(dir, sid)
}

func TestHugeLineMemory(t *testing.T) {
	agenttest.HugeLine(t, inDir, prompt(1, "x"), answer(2, "y"))
}

func TestManyLinesMemory(t *testing.T) {
	agenttest.ManyLines(t, inDir, prompt(1, "x"), func(n int) string { return answer(n, "y") })
}

func TestLongLineMemory(t *testing.T) {
	agenttest.LongLine(t, inDir, prompt(1, "x"), map[string]func(string) string{
		"answer":  func(text string) string { return answer(2, text) },
		"prompt":  func(text string) string { return prompt(2, text) },
		"failure": func(text string) string { return failed(2, text, nil) },
		"result": func(text string) string {
			return rec("user", 2, map[string]any{"message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "content": text}}}, "toolUseResult": "x"})
		},
	})
}

func TestRace(t *testing.T) { agenttest.Race(t, TestConformance, TestLongLineMemory) }
