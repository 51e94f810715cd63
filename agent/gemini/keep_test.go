package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

const resumed = "bug-resume-deletes-1-resume" // two files of one session: the older one holds it

func chatFiles(t *testing.T, home string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, "tmp", "demo", "chats", "*"))
	must(t, err)
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	return names
}

// TestSpare: what makes the agent's next start delete a session goes, and nothing else.
func TestSpare(t *testing.T) {
	g, home := recorded(t, resumed)
	s := named(t, g, "93f117e1")
	chats := filepath.Join(home, "tmp", "demo", "chats")
	// A session without a turn is its own and only file; another one cannot be read.
	put(t, filepath.Join(chats, "session-2026-11-21T00-30-33333333.jsonl"), headLine("33333333-0000-4000-8000-000000000003"))
	put(t, filepath.Join(chats, "session-2026-11-21T00-30-93f117e1.jsonl"), "{")
	put(t, filepath.Join(chats, "notes.txt"), "x")
	if before := chatFiles(t, home); len(before) != 5 {
		t.Fatalf("before: %q", before)
	}
	must(t, g.Spare(t.Context(), s))
	want := "notes.txt session-2026-11-21T00-22-93f117e1.jsonl session-2026-11-21T00-30-33333333.jsonl session-2026-11-21T00-30-93f117e1.jsonl"
	if got := strings.Join(chatFiles(t, home), " "); got != want {
		t.Errorf("after: %s\nwant:  %s", got, want)
	}
}

// TestSpareWaits: not while the agent may be at work in the project.
func TestSpareWaits(t *testing.T) {
	_, home := recorded(t, resumed)
	for name, p := range map[string]agent.Procs{
		"a process of the agent": procs{All: []agent.Proc{{PID: 7}}, Args: map[int][]string{7: {"node", "/usr/bin/gemini"}}, Dirs: map[int]string{7: "/home/dev/work/demo"}},
		"no list of processes":   procs{Err: agent.ErrNoProcs},
	} {
		g := over(home, p)
		must(t, g.Spare(t.Context(), named(t, g, "93f117e1")))
		if got := chatFiles(t, home); len(got) != 2 {
			t.Errorf("%s: %q is left", name, got)
		}
	}
	g := over(home, procs{})
	if err := g.Spare(t.Context(), detect.Session{ID: "x", Path: filepath.Join(home, "tmp", "demo", "chats", "x")}); err == nil {
		t.Error("a session that is none")
	}
}

func TestRestore(t *testing.T) {
	const more = `{"id":"m9","timestamp":"2026-11-21T00:24:00.000Z","type":"gemini","content":"and more"}` + "\n"
	for _, c := range []struct {
		name   string
		change func(path, stub string)
		done   bool
		want   string // behind the copy
	}{
		{"it is there", func(string, string) {}, false, ""},
		{"it went on", func(path, _ string) { add(t, path, more) }, false, more},
		{"only the stub is left", func(path, _ string) { must(t, os.Remove(path)) }, true, ""},
		{"all is gone", func(path, stub string) { must(t, os.Remove(path)); must(t, os.Remove(stub)) }, true, ""},
		{"it has become a stub", func(path, stub string) { must(t, os.Rename(stub, path)) }, true, ""},
		{"written on after it was deleted", func(path, _ string) { put(t, path, more) }, true, more},
	} {
		g, home := recorded(t, resumed)
		s := named(t, g, "93f117e1")
		text, err := os.ReadFile(s.Path)
		must(t, err)
		copied := filepath.Join(t.TempDir(), filepath.Base(s.Path))
		put(t, copied, string(text))
		c.change(s.Path, filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-23-93f117e1.jsonl"))
		done, err := g.Restore(t.Context(), s, copied)
		got, rerr := os.ReadFile(s.Path)
		if err != nil || rerr != nil || done != c.done || string(got) != string(text)+c.want {
			t.Errorf("%s: done %v, %d bytes, want %d; %v, %v", c.name, done, len(got), len(text)+len(c.want), err, rerr)
		}
		for _, f := range chatFiles(t, home) {
			if strings.HasPrefix(f, ".") {
				t.Errorf("%s: %s is left", c.name, f)
			}
		}
		if b, err := agenttest.Read(t.Context(), over(home, procs{}), s, ""); err != nil || len(b.Events) == 0 {
			t.Errorf("%s: it cannot be read: %v", c.name, err)
		}
	}
}

// TestRestoreNothing: a copy without a turn brings nothing back.
func TestRestoreNothing(t *testing.T) {
	g, home := recorded(t, resumed)
	s := named(t, g, "93f117e1")
	stub := filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-23-93f117e1.jsonl")
	must(t, os.Remove(s.Path))
	for _, from := range []string{stub, filepath.Join(t.TempDir(), "none")} {
		if done, err := g.Restore(t.Context(), s, from); done || err != nil {
			t.Errorf("%s: done %v, err %v", from, done, err)
		}
	}
	if _, err := os.Lstat(s.Path); err == nil {
		t.Error("something was written")
	}
}
