package pi

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

// TestOutput: what recorded runs printed, stderr and stdout in one file. The exit code was 0 in all but those that were
// refused and the one that was killed.
func TestOutput(t *testing.T) {
	for name, w := range map[string]agent.Output{
		"429-no-header":          {Began: true, Failed: true, Session: "01a20326-91ab-7307-9322-680d6244d5e5"},
		"codex-usage-limit-plus": {Began: true, Failed: true, Session: "01a20326-ede6-76ed-a72e-ae19cde0b0c6"},
		"tool-then-finish":       {Began: true, Session: "01a20326-8fa3-718b-967c-6d8be1d35db3", CostUSD: 0.002448},
		"resume-session-id":      {Began: true, Session: "01a20327-a0ca-749d-8b30-4ef281ba8352", CostUSD: 0.001224},
		"old-429-no-header":      {Began: true, Failed: true, Session: "01a20328-e673-7071-b8b8-3581f6d50ef0"},
		"old-finished":           {Began: true, Session: "01a20328-e687-7139-9dc3-c7c363ab1fba", CostUSD: 0.001224},
		"sigterm-mid-stream":     {Began: true, Session: "01a20327-768d-709c-a240-2a211f9ab997"},
		"resume-unknown-id":      {Refused: true},
		"resume-id-other-cwd":    {Refused: true},
		"no-key":                 {Session: "01a20327-58e7-7068-9cd3-73aebce583de"}, // it ended before it asked
	} {
		got, err := over(t.TempDir(), procTable{}, agent.Config{}).Output(strings.NewReader(printedBy(t, name)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if w.Began != (len(got.Messages) > 0) { // the prompt at least
			t.Errorf("%s: messages %q", name, got.Messages)
		}
		got.Messages = nil
		if d := cmp.Diff(w, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestOutputNames: an answer, and a prompt, has one name in what its run prints and in the session.
func TestOutputNames(t *testing.T) {
	p, s := copied(t, recorded(t)["tool-then-finish"][0])
	_, b := verdict(t, p, s, detect.Gone)
	got, err := p.Output(strings.NewReader(printedBy(t, "tool-then-finish")), nil)
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for _, e := range b.Events {
		if e.Kind == detect.KindAnswer || e.Kind == detect.KindPrompt {
			if answers++; !slices.Contains(got.Messages, e.Msg) {
				t.Errorf("%q is not among %q", e.Msg, got.Messages)
			}
		}
	}
	if answers != 3 {
		t.Errorf("%d prompts and answers", answers)
	}
}

func TestSaid(t *testing.T) {
	p := over(t.TempDir(), procTable{}, agent.Config{})
	for name, want := range map[string][]string{
		"resume-session-id": {"opened 01a20327-a0ca-749d-8b30-4ef281ba8352", "piece All done.", "text All done.", "usage 1200 12 0 0 0.0012239999999999998 0s false", "done"},
		"old-429-no-header": {"opened 01a20328-e673-7071-b8b8-3581f6d50ef0", "retry 429 Rate limit reached for demo-1 in org", "retry 429 Rate limit reached for demo-1 in org",
			"retry 429 Rate limit reached for demo-1 in org", "failed rate_limit  in 0s"},
		"codex-usage-limit-plus": {`note Warning: Model "gpt-5.4" not found for p`, "opened 01a20326-ede6-76ed-a72e-ae19cde0b0c6", "failed usage_limit  in 2h5m0s"},
		"resume-unknown-id":      {"note No session found matching '01234567-89ab"},
	} {
		if d := cmp.Diff(want, agenttest.Said(t, p, printedBy(t, name))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	all := agenttest.Said(t, p, printedBy(t, "tool-then-finish"))
	if !slices.Contains(all, "tool bash") || all[len(all)-1] != "done" {
		t.Errorf("%q", all)
	}
}

// TestOutputTorn: half a line says nothing, and words inside of a run refuse nothing.
func TestOutputTorn(t *testing.T) {
	p := over(t.TempDir(), procTable{}, agent.Config{})
	for text, want := range map[string]agent.Output{
		`{"type":"agent_start"`:                                        {},
		`{"type":"session","id":"` + sid + `"}` + "\n":                 {Session: sid},
		`{"type":"agent_start"}` + "\nNo session found matching 'x'\n": {Began: true},
		"No session found matching 'x'":                                {Refused: true},
		`{"type":"session","id":"../x"}` + "\n":                        {},
		`{"type":"message_end","message":{"role":"assistant","stopReason":"length","timestamp":1}}` + "\n":  {Failed: true, Messages: []string{"assistant:1"}},
		`{"type":"message_end","message":{"role":"user","content":"No session found matching 'x'"}}` + "\n": {},
	} {
		got, err := p.Output(strings.NewReader(text), nil)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", text, err, d)
		}
	}
}
