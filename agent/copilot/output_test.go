package copilot

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func printedBy(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "output", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestOutput: what recorded runs printed, stderr and stdout in one file. What was killed proves nothing before its prompt
// is printed.
func TestOutput(t *testing.T) {
	for name, w := range map[string]agent.Output{
		"ok-json":            {Began: true, Prompts: 1, Session: "896d4074-f0d6-49ac-93a8-0ba931e532e5"},
		"ok-json-v1.0.65":    {Began: true, Prompts: 1, Session: "406b9f96-4fa3-4db9-bd62-5b9d29da2071"},
		"tool-denied":        {Began: true, Prompts: 1, Denials: 1, Session: "e47c674c-227f-4741-b65c-dae18d661560"},
		"autopilot":          {Began: true, Prompts: 3, Session: "db69c5e2-6207-4d6b-ad96-58b00efff997"},
		"weekly":             {Began: true, Prompts: 1, Failed: true, Session: "b0c163a0-fd32-46b8-aaac-ffbba617a120"},
		"weekly-kill-resume": {Began: true, Prompts: 1, Failed: true}, // it waited for ever, and was killed
		"e500":               {Began: true, Prompts: 1, Failed: true, Session: "119e3bf7-0000-0000-0000-000000000000"},
		"resume-429":         {Began: true, Prompts: 1, Session: "2480a330-9ca1-440c-b7a1-0d43b45ea6ac"},
		"subagent-429":       {Began: true, Prompts: 1, Session: "d32bd052-0cdd-4274-af5a-b4ee37030759"},
		"sigkill-only":       {Began: true, Prompts: 1},
		"sigterm":            {Began: true, Prompts: 1},
		"badresume":          {Refused: true},
		"refused":            {}, // it ended before it asked, and says why
		"nologin":            {},
		"ok-text":            {Mute: true}, // none of its events
	} {
		got, err := over(t.TempDir(), procTable{}, agent.Config{}).Output(strings.NewReader(printedBy(t, name)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if w.Began != (len(got.Messages) > 0) {
			t.Errorf("%s: messages %q", name, got.Messages)
		}
		if got.Messages = nil; strings.HasSuffix(w.Session, "-000000000000") {
			got.Session = w.Session
		}
		if d := cmp.Diff(w, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestOutputNames: a record has one name in what its run prints and in the session.
func TestOutputNames(t *testing.T) {
	c, s := copied(t, recorded(t)["tool-denied"][0])
	_, b := verdict(t, c, s, detect.Gone)
	got, err := c.Output(strings.NewReader(printedBy(t, "tool-denied")), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range b.Events {
		if !slices.Contains(got.Messages, e.ID) {
			t.Errorf("%s %s is not among %q", e.Kind, e.ID, got.Messages)
		}
	}
}

func TestSaid(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	for name, want := range map[string][]string{
		"ok-json":   {"text done", "opened 896d4074-f0d6-49ac-93a8-0ba931e532e5", "done"},
		"weekly":    {"failed usage_limit weekly in 26s", "opened b0c163a0-fd32-46b8-aaac-ffbba617a120"},
		"badresume": {"note Error: No session, task, or name matched"},
	} {
		got := agenttest.Said(t, c, printedBy(t, name))
		if name == "badresume" {
			got = got[:1]
		}
		if name == "weekly" {
			got[0] = strings.Join(strings.Fields(got[0])[:3], " ")
			want[0] = "failed usage_limit weekly"
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if all := agenttest.Said(t, c, printedBy(t, "tool-denied")); !slices.Contains(all, "tool bash") || all[len(all)-1] != "done" {
		t.Errorf("%q", all)
	}
	if all := agenttest.Said(t, c, printedBy(t, "e500")); !slices.Contains(all, "retry api_error") || slices.Contains(all, "done") {
		t.Errorf("%q", all)
	}
}

// TestOutputTorn: half a line says nothing, and words inside of a run refuse nothing.
func TestOutputTorn(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	const head = `"timestamp":"2026-11-22T12:06:25.428Z"`
	for text, want := range map[string]agent.Output{
		"":                               {Mute: true},
		`{"type":"user.message",` + head: {Mute: true},
		`{"type":"user.message","data":{"content":"x"},` + head + "}\nError: No session, task, or name matched 'x'\n": {Began: true, Prompts: 1},
		`{"type":"user.message","agentId":"a","data":{"content":"x"},` + head + "}\n":                                 {Began: true},
		`{"type":"session.error","agentId":"a","data":{"errorType":"rate_limit","message":"x"},` + head + "}\n":       {Began: true},
		`{"type":"result",` + head + `,"sessionId":"../x","exitCode":0}` + "\n":                                       {},
		"Error: Failed to load models\n": {},
		"Warning: x\n":                   {Mute: true},
	} {
		got, err := c.Output(strings.NewReader(text), nil)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", text, err, d)
		}
	}
}
