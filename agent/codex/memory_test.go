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

func TestLongLineMemory(t *testing.T) {
	lines := map[string]func(string) string{}
	for name, payload := range map[string]string{
		"answer":  `"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":%q}]}`,
		"result":  `"response_item","payload":{"type":"function_call_output","call_id":"x","output":%q}`,
		"prompt":  `"event_msg","payload":{"type":"user_message","message":%q}`,
		"item":    `"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":%q}]}}`,
		"end":     `"event_msg","payload":{"type":"task_complete","turn_id":"` + turn + `","last_agent_message":%q}`,
		"failure": `"event_msg","payload":{"type":"task_complete","turn_id":"` + turn + `","error":{"message":%q}}`,
	} {
		lines[name] = func(text string) string {
			return fmt.Sprintf(`{"timestamp":"2026-11-21T00:22:12Z","type":`+payload+"}\n", text)
		}
	}
	agenttest.LongLine(t, inDir, meta+asked, lines)
}

func TestRace(t *testing.T) { agenttest.Race(t, TestConformance, TestLongLineMemory) }
