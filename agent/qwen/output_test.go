package qwen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func printedBy(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "output", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestOutput: what recorded runs printed, stderr and stdout in one file.
func TestOutput(t *testing.T) {
	for name, w := range map[string]agent.Output{
		"429-knobs":          {Began: true, Failed: true, Session: "6fc3ac74-61d2-44e5-b5b2-44c3ace483eb"},
		"429-no-header":      {Began: true, Session: "c81fa70f-da09-4422-b997-17c708f41f17"}, // it was killed
		"finished":           {Began: true, Session: "4c426ca2-9874-4a0a-850f-a223693f72e3"},
		"tool-then-finish":   {Began: true, Session: "5fedfda1-131d-4d30-b0c3-e5d84b3594f0"},
		"old-401":            {Began: true, Failed: true, Session: "131f2f63-53cf-4bab-992e-d35a6302f29a"},
		"old-stream-cut":     {Began: true, Failed: true, Session: "744d6233-ad22-45d2-aaad-8a7c4f78cc38"},
		"old-429-v0.23.3":    {Began: true, Failed: true, Session: "87a31879-6bf8-46a8-8273-77d8e4376c74"},
		"old-finished":       {Began: true, Session: "6c3112b4-eb3c-439d-bc8f-5c7bbe629562"},
		"sigterm-mid-stream": {Began: true, Session: "0017111f-b529-4f13-9ef3-ce92fc45aec3"},
		"zai-1308":           {Began: true, Failed: true, Session: "916c4718-53a7-42ee-bb9a-522985232750"},
		"no-key":             {Failed: true}, // it ended before it opened a session
		"kill-at-request":    {Began: true, Session: "1ff85ae0-3ae4-4fd2-a244-896e15fecfc5"},
	} {
		got, err := over(t.TempDir(), agenttest.Procs{}, agent.Config{}).Output(strings.NewReader(printedBy(t, name)), nil)
		if d := cmp.Diff(w, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
	}
}

func TestSaid(t *testing.T) {
	q := over(t.TempDir(), agenttest.Procs{}, agent.Config{})
	for name, want := range map[string][]string{
		"finished":        {"opened 4c426ca2-9874-4a0a-850f-a223693f72e3", "usage 1200 12 0 0 - 0s false", "text All done.", "done All done."},
		"old-401":         {"opened 131f2f63-53cf-4bab-992e-d35a6302f29a", "failed auth "},
		"old-429-v0.23.3": {"opened 87a31879-6bf8-46a8-8273-77d8e4376c74", "failed rate_limit "},
		"old-finished":    {"opened 6c3112b4-eb3c-439d-bc8f-5c7bbe629562", "usage 1200 12 0 0 - 0s false", "text All done.", "done All done."},
		"429-no-header":   {"retry Retrying in 60s (attempt 1/10): [API Err", "note Retrying provider attempt (0 buffered to", "retry Retrying in 120s (attempt 2/10): [API Er", "opened c81fa70f-da09-4422-b997-17c708f41f17"},
		"no-key":          {"failed auth "},
	} {
		if d := cmp.Diff(want, agenttest.Said(t, q, printedBy(t, name))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	all := agenttest.Said(t, q, printedBy(t, "429-knobs"))
	if last := all[len(all)-1]; last != "failed rate_limit  in 0s" || strings.Contains(strings.Join(all, "|"), "text") {
		t.Errorf("%q", all)
	}
	all = agenttest.Said(t, q, printedBy(t, "old-stream-cut"))
	if last := all[len(all)-1]; last != "failed network " {
		t.Errorf("%q", all)
	}
}

// TestQuotedError: an answer that begins like an error of the agent's is one, unless the run ends with an error.
func TestQuotedError(t *testing.T) {
	q := over(t.TempDir(), agenttest.Procs{}, agent.Config{})
	opened := `{"type":"system","subtype":"init","session_id":"` + sid + `","qwen_code_version":"0.24.4"}` + "\n"
	answer := `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"[API Error: 401 is what you saw]"}]}}` + "\n"
	for end, want := range map[string]int{
		`{"type":"result","subtype":"success","result":"[API Error: 401 is what you saw]"}`:                             1,
		`{"type":"assistant","message":{"id":"n","content":[{"type":"text","text":"More."}]}}`:                          2,
		`{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[API Error: 401 x]"}}`: 0,
	} {
		texts := 0
		for _, s := range agenttest.Said(t, q, opened+answer+end+"\n") {
			if strings.HasPrefix(s, "text ") {
				texts++
			}
		}
		if texts != want {
			t.Errorf("%s: %d texts, want %d", end, texts, want)
		}
	}
}

// TestOutputTorn: half a line says nothing, words inside of a run refuse nothing, and what the model says is no error.
func TestOutputTorn(t *testing.T) {
	q := over(t.TempDir(), agenttest.Procs{}, agent.Config{})
	opened := `{"type":"system","subtype":"init","session_id":"` + sid + `","qwen_code_version":"0.24.4"}` + "\n"
	for text, want := range map[string]agent.Output{
		`{"type":"system","subtype":"init"`: {},
		opened:                              {Began: true, Session: sid},
		opened + "No saved session found with ID " + sid + "\n":                                                                {Began: true, Session: sid},
		"No saved session found with ID " + sid + ". Run `qwen --resume`":                                                      {Refused: true},
		`No saved session found with title "` + sid + `".`:                                                                     {Refused: true},
		`{"type":"system","subtype":"init","session_id":"../x"}` + "\n":                                                        {Began: true},
		opened + `{"type":"result","subtype":"success","is_error":false,"result":"[API Error: 401 quoted]"}` + "\n":            {Began: true, Session: sid},
		opened + `{"type":"result","subtype":"error_max_turns","is_error":true}` + "\n":                                        {Began: true, Session: sid, Failed: true},
		opened + `{"type":"result","subtype":"success","permission_denials":[{"tool_name":"write_file"}]}` + "\n":              {Began: true, Session: sid, Denials: 1},
		`{"type":"system","subtype":"init","session_id":"` + sid + `","parent_tool_use_id":"call_1"}` + "\n":                   {},
		opened + `{"type":"assistant","message":{"content":[{"type":"text","text":"No saved session found with ID"}]}}` + "\n": {Began: true, Session: sid},
	} {
		got, err := q.Output(strings.NewReader(text), nil)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", text, err, d)
		}
	}
}
