package gemini

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestTraps(t *testing.T) {
	const badID = "77777777-0000-4000-8000-000000000007"
	for _, ext := range []string{".jsonl", ".json"} {
		t.Run(ext, func(t *testing.T) {
			agenttest.Traps(t, func(t *testing.T) (agent.Agent, agenttest.Trap) {
				home := filepath.Join(t.TempDir(), "home")
				chats := filepath.Join(home, "tmp", "demo", "chats")
				good := detect.Session{Agent: Name, ID: toolID, Path: filepath.Join(chats, "session-2026-11-21T00-10-"+toolID[:8]+".jsonl")}
				put(t, good.Path, toolText())
				folder := filepath.Join(home, "tmp", "bad")
				content := func(id string) string {
					if ext == ".json" {
						return strings.TrimSuffix(strings.TrimSpace(headLine(id)), "}") + `,"messages":[]}`
					}
					return strings.ReplaceAll(toolText(), toolID, id)
				}
				return over(home, procs{}), agenttest.Trap{
					Good: good, Folder: folder,
					Bad:     detect.Session{Agent: Name, ID: badID, Path: filepath.Join(folder, "chats", "session-2026-11-21T00-20-77777777"+ext)},
					Content: content(badID),
					Plant: func(t *testing.T, id string) detect.Session {
						short := id[:min(8, len(id))]
						s := detect.Session{Agent: Name, ID: id, Path: filepath.Join(folder, "chats", "session-2026-11-21T00-20-"+short+ext)}
						if base := "session-2026-11-21T00-20-" + short + ext; filepath.Base(s.Path) == base && !strings.Contains(base, "\x00") {
							put(t, s.Path, content(id))
						}
						return s
					},
					Roots: []string{home, filepath.Join(home, "tmp"), filepath.Join(home, "tmp", "demo"), chats},
				}
			})
		})
	}
}

func TestStrangeRecords(t *testing.T) {
	agenttest.Records(t, func(t *testing.T) (agent.Agent, agenttest.Sink) {
		home := filepath.Join(t.TempDir(), "home")
		s := detect.Session{Agent: Name, ID: toolID, Path: filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-10-"+toolID[:8]+".jsonl")}
		add(t, s.Path, headLine(toolID)+promptLine("u1", "2026-11-21T00:10:01Z", "x"))
		return over(home, procs{}), agenttest.Sink{Session: s, Huge: 100 << 20,
			Put:     func(t *testing.T, record []byte) { add(t, s.Path, string(record)+"\n") },
			Failure: `{"id":"e1","timestamp":"2026-11-21T00:10:02Z","type":"error","content":"[API Error: You have exhausted your daily quota on this model.]","tokens":{"total":12}}`,
			End:     strings.TrimSpace(answerLine("g9", "2026-11-21T00:10:03Z", "y", ""))}
	})
}
