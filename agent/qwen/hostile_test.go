package qwen

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func TestTraps(t *testing.T) {
	const badID = "01a1fb7b-6333-4ac0-a72a-77777777bad0"
	text := begun + answered + said
	agenttest.Traps(t, func(t *testing.T) (agent.Agent, agenttest.Trap) {
		root := t.TempDir()
		good := fileOf(root, sid)
		put(t, good.Path, text)
		project := filepath.Join(root, "projects", "-home-dev-work-bad")
		at := func(id string) detect.Session {
			return detect.Session{Agent: Name, ID: id, Path: filepath.Join(project, "chats", id+ext)}
		}
		return over(root, agenttest.Procs{}, agent.Config{}), agenttest.Trap{
			Good: good, Folder: project, Bad: at(badID), Content: strings.ReplaceAll(text, sid, badID),
			Plant: func(t *testing.T, id string) detect.Session {
				s := at(id)
				if !strings.ContainsAny(id, "/\x00") && id != "" && len(id) < 200 {
					put(t, s.Path, text)
				}
				return s
			},
			Roots: []string{root, filepath.Join(root, "projects"), filepath.Dir(good.Path), filepath.Dir(filepath.Dir(good.Path))},
		}
	})
}

// TestTrapFolders: the agent's own folder may be a link, and none below it.
func TestTrapFolders(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	s := fileOf(root, sid)
	put(t, filepath.Join(outside, filepath.Base(s.Path)), begun)
	if err := os.MkdirAll(filepath.Dir(filepath.Dir(s.Path)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Dir(s.Path)); err != nil {
		t.Fatal(err)
	}
	q := over(root, agenttest.Procs{}, agent.Config{})
	for _, hint := range []string{"", filepath.Dir(s.Path), s.Path} {
		all, err := q.Scan(t.Context(), hint)
		if told := agenttest.Refused(t, err); len(all) != 0 || !slices.Equal(told, []string{filepath.Dir(s.Path)}) {
			t.Errorf("hint %q: listed %+v, told of %q", hint, all, told)
		}
	}
	for _, path := range []string{filepath.Join(root, sid+ext), filepath.Join(root, "projects", sid+ext), filepath.Join(root, "projects", "a", sid+ext),
		filepath.Join(root, "projects", "a", "subagents", sid+ext), filepath.Join(root, "projects", "a", "b", "chats", sid+ext)} {
		put(t, path, begun)
		if _, err := agenttest.Read(t.Context(), q, detect.Session{Agent: Name, ID: sid, Path: path}, ""); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

// "qwen serve" keeps a file of its own beside a session.
func TestLedger(t *testing.T) {
	q, s := session(t, begun)
	put(t, strings.TrimSuffix(s.Path, ext)+ledger, "{}\n")
	if all, err := q.Scan(t.Context(), ""); err != nil || len(all) != 1 || all[0].Session != s {
		t.Errorf("%+v, %v", all, err)
	}
	put(t, strings.TrimSuffix(s.Path, ext)+".other"+ext, "{}\n")
	if _, err := q.Scan(t.Context(), ""); err == nil {
		t.Error("a file of another name is not told")
	}
}

func TestStrangeRecords(t *testing.T) {
	for kind, line := range map[string]string{"failure": failing, "prompt": asked, "answer": called, "result": gave, "response": answered} {
		t.Run(kind, func(t *testing.T) {
			agenttest.Records(t, func(t *testing.T) (agent.Agent, agenttest.Sink) {
				q, s := session(t, begun)
				return q, agenttest.Sink{Session: s, Huge: map[string]int{"failure": 100 << 20}[kind],
					Put:     func(t *testing.T, record []byte) { put(t, s.Path, string(record)+"\n") },
					Failure: strings.TrimSpace(line), End: strings.TrimSpace(answered) + "\n" + strings.TrimSpace(said)}
			})
		})
	}
}

func inDir(dir string) (agent.Agent, detect.Session) {
	return over(dir, agenttest.Procs{}, agent.Config{}), fileOf(dir, sid)
}

func TestHugeLineMemory(t *testing.T) { agenttest.HugeLine(t, inDir, begun, answered+said) }

func TestManyLinesMemory(t *testing.T) {
	agenttest.ManyLines(t, inDir, begun, func(n int) string { return answered + strings.Replace(called, `"a1"`, fmt.Sprintf(`"a%d"`, n), 1) })
}

func TestLongLineMemory(t *testing.T) {
	lines := map[string]func(string) string{}
	for name, line := range map[string]string{
		"answer":  said,
		"call":    strings.Replace(called, `"name":"run_shell_command"`, `"name":"write_file","args":{"content":"All done."}`, 1),
		"result":  strings.Replace(gave, `"functionResponse":{}`, `"functionResponse":{"response":{"output":"All done."}}`, 1),
		"prompt":  strings.Replace(asked, "Say hello", "All done.", 1),
		"failure": strings.Replace(failing, limitText, "All done.", 1),
	} {
		lines[name] = func(text string) string { return strings.Replace(line, `"All done."`, fmt.Sprintf("%q", text), 1) }
	}
	agenttest.LongLine(t, inDir, begun, lines)
}

func TestRace(t *testing.T) { agenttest.Race(t, TestConformance, TestLongLineMemory) }

// FuzzSession reads strangers' sessions.
func FuzzSession(f *testing.F) {
	agenttest.FuzzSession(f, inDir, begun, failing, called, gave, answered+said, asked)
}
