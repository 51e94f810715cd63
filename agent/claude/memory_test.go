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
