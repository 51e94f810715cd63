package claude

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestTraps(t *testing.T) {
	agenttest.Traps(t, func(t *testing.T) (agent.Agent, agenttest.Trap) {
		root := t.TempDir()
		good := session(root, sid)
		put(t, good.Path, prompt(1, "x")+answer(2, "y"))
		folder := filepath.Join(root, "projects", "-bad")
		return over(root, table{}, agent.Config{}), agenttest.Trap{
			Good: good, Folder: folder,
			Bad:     detect.Session{Agent: "claude", ID: id(7), Path: filepath.Join(folder, id(7)+".jsonl")},
			Content: strings.ReplaceAll(prompt(1, "x")+answer(2, "y"), sid, id(7)),
			Plant: func(t *testing.T, id string) detect.Session {
				s := detect.Session{Agent: "claude", ID: id, Path: filepath.Join(folder, id+".jsonl")}
				if name := id + ".jsonl"; len(name) <= 255 && filepath.Base(s.Path) == name && !strings.Contains(name, "\x00") {
					put(t, s.Path, prompt(1, "x"))
				}
				return s
			},
			Roots: []string{root, filepath.Join(root, "projects"), filepath.Join(root, "sessions"), filepath.Dir(good.Path)},
		}
	})
}

func TestStrangeRecords(t *testing.T) {
	agenttest.Records(t, func(t *testing.T) (agent.Agent, agenttest.Sink) {
		root := t.TempDir()
		s := session(root, sid)
		put(t, s.Path, prompt(1, "x"))
		return over(root, table{}, agent.Config{}), agenttest.Sink{Session: s, Huge: 100 << 20,
			Put: func(t *testing.T, record []byte) { put(t, s.Path, string(record)+"\n") },
			Failure: strings.TrimSpace(failed(2, limitSentence, map[string]any{"error": "rate_limit", "apiErrorStatus": 429,
				"quotaLimits": map[string]any{"status": "rejected", "resetsAt": 1795226940, "rateLimitType": "five_hour"}})),
			End: strings.TrimSpace(answer(3, "y"))}
	})
}
