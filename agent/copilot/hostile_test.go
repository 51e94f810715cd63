package copilot

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
	const badID = "b0c163a0-fd32-46b8-aaac-ffbba617bad0"
	text := begun + ended + "\n"
	agenttest.Traps(t, func(t *testing.T) (agent.Agent, agenttest.Trap) {
		root := t.TempDir()
		good := fileOf(root, sid)
		put(t, good.Path, text)
		bad := fileOf(root, badID)
		return over(root, procTable{}, agent.Config{}), agenttest.Trap{
			Good: good, Folder: filepath.Dir(bad.Path), Bad: bad, Content: strings.ReplaceAll(text, sid, badID),
			Roots: []string{root, filepath.Join(root, state)},
		}
	})
}

// TestStrangeIDs: only a UUID names a session.
func TestStrangeIDs(t *testing.T) {
	c, good := session(t, begun+ended+"\n")
	for _, id := range []string{"--help", "..", "a b", "x;touch y", "$(id)", "a\nb", "\x1b[2J", strings.ToUpper(sid), sid + "x", "", ".session-operation-locks"} {
		s := detect.Session{Agent: "copilot", ID: id, Path: filepath.Join(filepath.Dir(filepath.Dir(good.Path)), id, events)}
		put(t, s.Path, begun)
		if b, err := agenttest.Read(t.Context(), c, s, ""); err == nil || len(b.Events) > 0 {
			t.Errorf("%q was read", id)
		}
		if _, err := c.Live(t.Context(), s, detect.Info{}); err == nil {
			t.Errorf("holders of %q were looked for", id)
		}
	}
	all, err := c.Scan(t.Context(), "")
	if err != nil || len(all) != 1 || all[0].Session != good {
		t.Errorf("listed %+v, %v", all, err)
	}
}

// TestElsewhere: a session's file counts in its own folder among the sessions alone.
func TestElsewhere(t *testing.T) {
	c, good := session(t, begun+ended+"\n")
	root := filepath.Dir(filepath.Dir(filepath.Dir(good.Path)))
	for _, path := range []string{filepath.Join(root, events), filepath.Join(root, state, events), filepath.Join(root, state, other, events),
		filepath.Join(root, state, sid, "files", events), filepath.Join(t.TempDir(), state, sid, events)} {
		put(t, path, begun)
		if _, err := agenttest.Read(t.Context(), c, detect.Session{Agent: "copilot", ID: sid, Path: path}, ""); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

// TestLinkedFolder: the agent's own folder may be a link, and none below.
func TestLinkedFolder(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	s := fileOf(root, sid)
	put(t, filepath.Join(outside, events), begun+ended+"\n")
	if err := os.MkdirAll(filepath.Join(root, state), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Dir(s.Path)); err != nil {
		t.Fatal(err)
	}
	c := over(root, procTable{}, agent.Config{})
	for _, hint := range []string{"", filepath.Dir(s.Path), s.Path} {
		all, err := c.Scan(t.Context(), hint)
		if told := agenttest.Refused(t, err); len(all) != 0 || !slices.Equal(told, []string{filepath.Dir(s.Path)}) {
			t.Errorf("hint %q: listed %+v, told of %q", hint, all, told)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(filepath.Dir(filepath.Dir(fileOf(root, other).Path))), link); err != nil {
		t.Fatal(err)
	}
	put(t, fileOf(root, other).Path, strings.ReplaceAll(begun, sid, other)+ended+"\n")
	through := over(link, procTable{}, agent.Config{})
	if all, err := through.Scan(t.Context(), filepath.Join(link, state, other)); err != nil || len(all) != 1 {
		t.Errorf("through a link: %+v, %v", all, err)
	}
}

func TestStrangeRecords(t *testing.T) {
	for kind, line := range map[string]string{"failure": failed, "system": strings.TrimSpace(system), "abort": aborted, "resume": strings.TrimSpace(resumed),
		"tool":  `{"type":"tool.execution_complete","data":{"toolCallId":"x","success":false,"error":{"code":"denied"}},"id":"00000000-0000-4000-8000-00000000000a","timestamp":"2026-11-22T12:06:29.300Z","parentId":null}`,
		"pause": `{"type":"session.info","data":{"infoType":"rate_limit_pause","message":"x"},"id":"00000000-0000-4000-8000-00000000000a","timestamp":"2026-11-22T12:06:29.300Z","parentId":null}`} {
		t.Run(kind, func(t *testing.T) {
			agenttest.Records(t, func(t *testing.T) (agent.Agent, agenttest.Sink) {
				c, s := session(t, begun)
				return c, agenttest.Sink{Session: s, Huge: map[string]int{"failure": 100 << 20}[kind],
					Put:     func(t *testing.T, record []byte) { put(t, s.Path, string(record)+"\n") },
					Failure: line, End: ended}
			})
		})
	}
}

func inDir(dir string) (agent.Agent, detect.Session) {
	return over(dir, procTable{}, agent.Config{}), fileOf(dir, sid)
}

func TestHugeLineMemory(t *testing.T) { agenttest.HugeLine(t, inDir, begun, ended+"\n") }

func TestManyLinesMemory(t *testing.T) {
	agenttest.ManyLines(t, inDir, begun, func(n int) string {
		return fmt.Sprintf(`{"type":"assistant.message","data":{"content":"","toolRequests":[{"name":"bash"}]},"id":"00000000-0000-4000-8000-%012x","timestamp":"2026-11-22T12:06:31.300Z","parentId":null}`+"\n", n)
	})
}

func TestLongLineMemory(t *testing.T) {
	lines := map[string]func(string) string{}
	for name, record := range map[string]string{
		"answer":  `"assistant.message","data":{"content":%q,"toolRequests":[]}`,
		"call":    `"assistant.message","data":{"content":"","toolRequests":[{"name":"bash","arguments":{"command":%q}}]}`,
		"result":  `"tool.execution_complete","data":{"result":{"content":%q}}`,
		"prompt":  `"user.message","data":{"content":%q}`,
		"failure": `"session.error","data":{"errorType":"query","message":%q}`,
	} {
		lines[name] = func(text string) string {
			return fmt.Sprintf(`{"type":`+record+`,"id":"00000000-0000-4000-8000-00000000000b","timestamp":"2026-11-22T12:06:31.300Z","parentId":null}`+"\n", text)
		}
	}
	agenttest.LongLine(t, inDir, begun, lines)
}

func TestRace(t *testing.T) { agenttest.Race(t, TestConformance, TestLongLineMemory) }

// FuzzSession reads strangers' sessions.
func FuzzSession(f *testing.F) {
	agenttest.FuzzSession(f, inDir, begun, failed, aborted, resumed, ended, asked)
}
