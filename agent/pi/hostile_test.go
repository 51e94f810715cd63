package pi

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
	const badID = "01a1fb7b-6333-7ac0-a72a-77777777bad0"
	text := begun + ended + "\n"
	for name, folderOf := range map[string]func(root string) string{
		"project": func(root string) string { return filepath.Join(root, "sessions", "--home-dev-work-other--") },
		"same":    nil,
	} {
		t.Run(name, func(t *testing.T) {
			agenttest.Traps(t, func(t *testing.T) (agent.Agent, agenttest.Trap) {
				root := t.TempDir()
				good := fileOf(root, sid)
				put(t, good.Path, text)
				dir := filepath.Join(root, "sessions", "--home-dev-work-bad--")
				if folderOf != nil {
					dir = folderOf(root)
				}
				at := func(id string) detect.Session {
					return detect.Session{Agent: "pi", ID: id, Path: filepath.Join(dir, "2026-11-22T12-06-27-824Z_"+id+ext)}
				}
				content := func(id string) string { return strings.ReplaceAll(text, sid, id) }
				return over(root, procTable{}, agent.Config{}), agenttest.Trap{
					Good: good, Folder: dir, Bad: at(badID), Content: content(badID),
					Roots: []string{root, filepath.Join(root, "sessions"), filepath.Dir(good.Path)},
				}
			})
		})
	}
}

// TestStrangeIDs: users give ids of their own, and the agent takes few characters for one.
func TestStrangeIDs(t *testing.T) {
	p, good := session(t, begun+ended+"\n")
	for _, id := range []string{"--help", "-c", "..", "../../etc/passwd", "a b", "x;touch y", "$(id)", "`id`", "a\nb", "\x1b[2J", "a\u202eb", "\xff\xfe",
		"a/../x", "ends-", ".hidden", strings.Repeat("a", 129), ""} {
		s := detect.Session{Agent: "pi", ID: id, Path: filepath.Join(filepath.Dir(good.Path), "2026-11-22T12-06-27-824Z_"+id+ext)}
		if !strings.ContainsAny(id, "/\x00") {
			put(t, s.Path, begun)
		}
		if b, err := agenttest.Read(t.Context(), p, s, ""); err == nil || len(b.Events) > 0 {
			t.Errorf("%q was read", id)
		}
		if _, err := p.Live(t.Context(), s, detect.Info{}); err == nil && id != "" {
			t.Errorf("holders of %q were looked for", id)
		}
	}
	all, err := p.Scan(t.Context(), "")
	if told := agenttest.Refused(t, err); len(all) != 1 || len(told) < 14 {
		t.Errorf("listed %+v, told of %q", all, told)
	}
	for _, id := range []string{"nightly", "my-task_1.2", "a", "7"} {
		s := detect.Session{Agent: "pi", ID: id, Path: filepath.Join(filepath.Dir(good.Path), "2026-11-22T12-06-27-824Z_"+id+ext)}
		put(t, s.Path, strings.ReplaceAll(begun, sid, id)+ended+"\n")
		if b, err := agenttest.Read(t.Context(), p, s, ""); err != nil || len(b.Events) != 2 {
			t.Errorf("%q: %d events, %v", id, len(b.Events), err)
		}
	}
}

// TestTrapFolders: the agent's own folder may be a link, the one of the sessions as well when the user moved it,
// and none below.
func TestTrapFolders(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	s := fileOf(root, sid)
	name := filepath.Base(s.Path)
	put(t, filepath.Join(outside, name), begun+ended+"\n")
	if err := os.MkdirAll(filepath.Dir(filepath.Dir(s.Path)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Dir(s.Path)); err != nil {
		t.Fatal(err)
	}
	p := over(root, procTable{}, agent.Config{})
	for _, hint := range []string{"", filepath.Dir(s.Path), s.Path} {
		all, err := p.Scan(t.Context(), hint)
		if told := agenttest.Refused(t, err); len(all) != 0 || !slices.Equal(told, []string{filepath.Dir(s.Path)}) {
			t.Errorf("hint %q: listed %+v, told of %q", hint, all, told)
		}
	}
	for _, path := range []string{filepath.Join(outside, name), filepath.Join(root, name), filepath.Join(root, "sessions", "a", "b", name)} {
		if path != filepath.Join(outside, name) {
			put(t, path, begun)
		}
		if _, err := agenttest.Read(t.Context(), p, detect.Session{Agent: "pi", ID: sid, Path: path}, ""); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

func TestStrangeRecords(t *testing.T) {
	for kind, line := range map[string]string{"failure": failed, "system": strings.TrimSpace(system), "edit": edited,
		"result": `{"type":"message","id":"a0000007","parentId":"a0000004","timestamp":"2026-11-22T12:06:29.300Z","message":{"role":"toolResult","toolCallId":"x","content":[{"type":"text","text":"y"}],"isError":false}}`} {
		t.Run(kind, func(t *testing.T) {
			agenttest.Records(t, func(t *testing.T) (agent.Agent, agenttest.Sink) {
				p, s := session(t, begun)
				return p, agenttest.Sink{Session: s, Huge: map[string]int{"failure": 100 << 20}[kind],
					Put:     func(t *testing.T, record []byte) { put(t, s.Path, string(record)+"\n") },
					Failure: line, End: ended}
			})
		})
	}
}

// TestManyTools: a file cannot make clawd keep names without end, or pass on what is no name.
func TestManyTools(t *testing.T) {
	names := func(n int, form string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"name":"`+form+`"}`, i))
		}
		return strings.Replace(system, `{"name":"read"},{"name":"bash"}`, strings.Join(all, ","), 1)
	}
	for what, line := range map[string]string{"many": names(maxTools+1, "t%d"), "an option": names(1, "--yes%d"), "a pattern": names(1, "mcp__*%d"), "a list": names(1, "a,b%d")} {
		p, s := session(t, header+setup+line+asked)
		_, b := verdict(t, p, s, detect.Gone)
		if _, told := b.Info.Offered(); told || b.Info.Shape != shapeBranch || len(b.Cursor) > 1000 {
			t.Errorf("%s: %+v, cursor of %d bytes", what, b.Info.Options, len(b.Cursor))
		}
	}
}

func inDir(dir string) (agent.Agent, detect.Session) {
	return over(dir, procTable{}, agent.Config{}), fileOf(dir, sid)
}

func TestHugeLineMemory(t *testing.T) { agenttest.HugeLine(t, inDir, begun, ended+"\n") }

func TestManyLinesMemory(t *testing.T) {
	agenttest.ManyLines(t, inDir, begun, func(n int) string {
		return fmt.Sprintf(`{"type":"message","id":"%08x","parentId":"a0000004","timestamp":"2026-11-22T12:06:31.300Z","message":{"role":"assistant","content":[{"type":"toolCall","name":"bash"}],"stopReason":"toolUse"}}`+"\n", n)
	})
}

func TestLongLineMemory(t *testing.T) {
	lines := map[string]func(string) string{}
	for name, message := range map[string]string{
		"answer":  `{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":%q}]}`,
		"call":    `{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","name":"write","arguments":{"content":%q}}]}`,
		"result":  `{"role":"toolResult","content":[{"type":"text","text":%q}]}`,
		"prompt":  `{"role":"user","content":[{"type":"text","text":%q}]}`,
		"failure": `{"role":"assistant","stopReason":"error","errorMessage":%q}`,
	} {
		lines[name] = func(text string) string {
			return fmt.Sprintf(`{"type":"message","id":"a0000008","parentId":"a0000004","timestamp":"2026-11-22T12:06:31.300Z","message":`+message+"}\n", text)
		}
	}
	agenttest.LongLine(t, inDir, begun, lines)
}

func TestRace(t *testing.T) { agenttest.Race(t, TestConformance, TestLongLineMemory) }

// FuzzSession reads strangers' sessions.
func FuzzSession(f *testing.F) { agenttest.FuzzSession(f, inDir, begun, failed, edited, ended, asked) }
