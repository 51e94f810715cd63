package gemini

import (
	"errors"
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

func TestRoot(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		cfg  agent.Config
		want string
	}{
		{nil, agent.Config{}, "/h/.gemini/tmp"},
		{map[string]string{"GEMINI_CLI_HOME": "/g"}, agent.Config{}, "/g/.gemini/tmp"},
		{map[string]string{"GEMINI_CLI_HOME": "/g"}, agent.Config{ConfigDir: "/c"}, "/c/tmp"},
		{nil, agent.Config{Env: map[string]string{"GEMINI_CLI_HOME": "/e"}}, "/e/.gemini/tmp"},
	} {
		g := New(agent.Env{Home: "/h", Getenv: func(n string) string { return c.env[n] }}, c.cfg)
		if got := g.Folders(); len(got) != 1 || got[0].Path != c.want || got[0].Depth != 2 {
			t.Errorf("folders %v, want %s", got, c.want)
		}
	}
	if g := New(agent.Env{}, agent.Config{}); g.Folders() != nil {
		t.Errorf("without a home folder: %v", g.Folders())
	} else if all, err := g.Scan(t.Context(), ""); err != nil || all != nil {
		t.Errorf("without a home folder: %v, err %v", all, err)
	}
}

func TestCommand(t *testing.T) {
	if got := New(agent.Env{}, agent.Config{}).Command(); got != "gemini" {
		t.Errorf("command %q", got)
	}
	if got := New(agent.Env{}, agent.Config{Command: "/opt/g"}).Command(); got != "/opt/g" {
		t.Errorf("configured command %q", got)
	}
}

func TestOutput(t *testing.T) {
	const df = "df27f882-915a-4c0a-b1cb-cb0029659a4c"
	for _, c := range []struct {
		name, out string
		want      agent.Output
	}{
		{"nothing", "", agent.Output{}},
		{"finished", `{"type":"init","session_id":"` + df + `","model":"auto"}` + "\n" + `{"type":"result","status":"success"}` + "\n", agent.Output{Began: true, Session: df}},
		{"cut in mid line", `{"type":"init","session_id":"` + df, agent.Output{}},
		{"failed", `{"type":"init","session_id":"` + df + `"}` + "\nAttempt 1 failed: x\n" + `{"type":"result","status":"error","error":{"type":"unknown","message":"x"}}`,
			agent.Output{Began: true, Session: df, Failed: true}},
		{"unknown id", "Error resuming session: Invalid session identifier \"1\".\n  Searched for sessions in /h.\n  Use --list-sessions to see available sessions, then use --resume {number}, --resume {uuid}, or --resume latest.\n",
			agent.Output{Refused: true, Failed: true}},
		{"other folder", "YOLO mode is enabled. All tool calls will be automatically approved.\nError resuming session: No previous sessions found for this project.", agent.Output{Refused: true, Failed: true}},
		{"a new session instead", "No previous sessions found for this project.\n" + `{"type":"init","session_id":"` + df + `"}` + "\n", agent.Output{Began: true, Session: df}},
		{"no prompt", "No input provided via stdin. Input can be provided by piping data into gemini or using the --prompt option.\n", agent.Output{Failed: true, NoInput: true}},
		{"no key", "Ripgrep is not available. Falling back to GrepTool.\nWhen using Gemini API, you must specify the GEMINI_API_KEY environment variable.\nUpdate your environment and try again (no reload needed if using .env)!\n",
			agent.Output{Failed: true}},
		{"no project", "When using Vertex AI, you must specify either:\n• GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION environment variables.\n• GOOGLE_API_KEY environment variable (if using express mode).\nUpdate your environment and try again (no reload needed if using .env)!\n",
			agent.Output{Failed: true}},
		{"never logged in", "Please set an Auth method in your /h/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA\n",
			agent.Output{Failed: true}},
		{"logged in otherwise than its administrator wants", "The enforced authentication type is 'oauth-personal', but the current type is 'gemini-api-key'. Please re-authenticate with the correct type.\n",
			agent.Output{Failed: true}},
		{"broken settings", "\x1b[31mError in /h/.gemini/settings.json: Unterminated string in JSON at position 137 (line 1 column 138)\nPlease fix the configuration file(s) and try again.\x1b[0m\n",
			agent.Output{Failed: true}},
		{"a folder that is not trusted", "\x1b[31mGemini CLI is not running in a trusted directory. To proceed, either use `--skip-trust`, or trust this directory.\x1b[0m\n", agent.Output{Failed: true}},
		{"a red answer", "\x1b[31mError in main.go\x1b[0m\n", agent.Output{Began: true}},
		{"no Node", "/usr/bin/env: ‘node’: No such file or directory\n", agent.Output{Failed: true}},
		{"no Node, on a Mac", "env: node: No such file or directory\n", agent.Output{Failed: true}},
		{"an older Node", "file:///x/gemini.js:12\nimport { a } from 'node:util';\n         ^\nSyntaxError: The requested module 'node:util' does not provide an export named 'a'\n    at x\n\nNode.js v16.20.2\n",
			agent.Output{}},
		{"an answer like it", "file:///x/gemini.js:12\nis where it fails.\n", agent.Output{Began: true}},
		{"an older Node dies at work", `{"type":"init","session_id":"` + df + `"}` + "\nfile:///x/gemini.js:12\nError: x\nNode.js v16.20.2\n", agent.Output{Began: true, Session: df}},
		{"id taken", "Error starting session: Session ID \"" + df + "\" already exists. Use --resume to resume it, or provide a different ID.\n", agent.Output{Failed: true}},
		{"not there in a headless run", `{"type":"init","session_id":"` + df + `"}` + "\n" + `{"type":"tool_result","status":"error","error":{"type":"tool_not_registered"}}` + "\n",
			agent.Output{Began: true, Session: df, Denials: 1}},
		{"json", "{\n  \"session_id\": \"" + df + "\",\n  \"response\": \"done\",\n  \"stats\": {\n    \"a\": 1\n  }\n}\n", agent.Output{Began: true, Session: df}},
		{"json, failed", "Error when talking to Gemini API Full report available at: /tmp/x.json E: x\n    at y {\n  status: 429\n}\n{\n  \"session_id\": \"" + df + "\",\n  \"error\": {\n    \"code\": 429\n  }\n}\n",
			agent.Output{Began: true, Session: df, Failed: true}},
		{"text", "All done.\n", agent.Output{Began: true}},
		{"text, failed", "An unexpected critical error occurred:[object Object]\n", agent.Output{Began: true, Failed: true}},
		{"an answer that quotes a refusal", `{"type":"init","session_id":"` + df + `"}` + "\nError resuming session: Invalid session identifier\n", agent.Output{Began: true, Session: df, Failed: true}},
		{"a foreign id", `{"type":"init","session_id":"../../x"}` + "\n", agent.Output{Began: true}},
	} {
		got, err := over(t.TempDir(), procs{}).Output(strings.NewReader(c.out), nil)
		if d := cmp.Diff(c.want, got); d != "" || err != nil {
			t.Errorf("%s (-want +got), err %v:\n%s", c.name, err, d)
		}
	}
}

func TestFilesAndBeside(t *testing.T) {
	g, home, s := world(t)
	chats := filepath.Join(home, "tmp", "demo", "chats")
	sub := filepath.Join(chats, toolID)
	put(t, filepath.Join(sub, "33333333-0000-4000-8000-000000000003.jsonl"), headLine("33333333-0000-4000-8000-000000000003"))
	if got, err := g.Files(s["tool"]); err != nil || !slices.Equal(got, []string{s["tool"].Path, sub}) {
		t.Errorf("files %q, err %v", got, err)
	}
	all, err := g.Scan(t.Context(), "")
	if err != nil || len(all) != 2 {
		t.Errorf("a sub-agent's session is listed: %v, err %v", all, err)
	}
	if got := g.Beside(s["tool"], backID); got != s["back"] {
		t.Errorf("beside: %+v, want %+v", got, s["back"])
	}
	// A session that does not exist yet is found when it has begun a turn.
	const id = "44444444-0000-4000-8000-000000000004"
	b := g.Beside(s["tool"], id)
	if _, err := agenttest.Read(t.Context(), g, b, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session without a file: %v", err)
	}
	put(t, filepath.Join(chats, "session-2026-11-21T00-20-44444444.jsonl"), headLine(id))
	if _, err := agenttest.Read(t.Context(), g, b, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session without a turn: %v", err)
	}
	add(t, filepath.Join(chats, "session-2026-11-21T00-20-44444444.jsonl"), promptLine("u9", "2026-11-21T00:20:00Z", "go"))
	if got, err := agenttest.Read(t.Context(), g, b, ""); err != nil || len(got.Events) != 1 || got.Events[0].ID != "u9" {
		t.Errorf("a session with a turn: %+v, err %v", got.Events, err)
	}
}

// TestOnlyAStubIsLeft: the agent deleted the session, and only the second file of its id is there. It
// must not be taken for the session.
func TestOnlyAStubIsLeft(t *testing.T) {
	g, home := recorded(t, "bug-resume-deletes-1-resume")
	s := named(t, g, "93f117e1")
	b, err := agenttest.Read(t.Context(), g, s, "")
	must(t, err)
	must(t, os.Remove(s.Path))
	if got, err := agenttest.Read(t.Context(), g, s, b.Cursor); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stub was read: %+v, err %v", got, err)
	}
	stub := s
	stub.Path = filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-23-93f117e1.jsonl")
	if got, err := agenttest.Read(t.Context(), g, stub, ""); err != nil || len(got.Events) != 0 {
		t.Errorf("a stub tells %+v, err %v", got.Events, err)
	}
}

func TestLastPrompt(t *testing.T) {
	for name, want := range map[string][2]string{
		"resume-05-still-limited": {"df27f882", "continue"}, "429-daily-after-tool-sj": {"45552893", "read the readme"},
		"429-daily-sj": {"b01f28de", "say hi"}, "old20-429-daily-text": {"23d08343", "say hi"}, "tui-daily": {"bd61be13", "please continue"},
	} {
		g, _ := recorded(t, name)
		if got, err := g.LastPrompt(t.Context(), named(t, g, want[0])); err != nil || got != want[1] {
			t.Errorf("%s: %q, err %v", name, got, err)
		}
	}
	g, _, s := world(t)
	add(t, s["tool"].Path, promptLine("u5", "2026-11-21T00:20:00Z", strings.Repeat("é", 5000)))
	if got, err := g.LastPrompt(t.Context(), s["tool"]); err != nil || got != strings.Repeat("é", 4096) {
		t.Errorf("%d bytes, err %v", len(got), err)
	}
}

func TestAccount(t *testing.T) {
	home := filepath.Join(t.TempDir(), ".gemini")
	if got := over(home, procs{}, "GEMINI_API_KEY=x").Account(detect.Info{}); got != "gemini:"+home+":key" {
		t.Errorf("with a key: %q", got)
	}
	put(t, filepath.Join(home, "oauth_creds.json"), "")
	if got := over(home, procs{}, "GEMINI_API_KEY=x").Account(detect.Info{}); got != "gemini:"+home+":login" {
		t.Errorf("with a login: %q", got)
	}
}

// TestRefused: nothing but a regular file of this user, named as the agent names it, is read.
func TestRefused(t *testing.T) {
	g, home, s := world(t)
	chats := filepath.Join(home, "tmp", "demo", "chats")
	path := s["back"].Path
	must(t, os.Symlink(path, filepath.Join(chats, "session-2026-11-21T00-59-11111111.jsonl")))
	must(t, os.Symlink(chats, filepath.Join(home, "tmp", "demo", "linked")))
	must(t, os.Symlink(filepath.Join(home, "tmp", "demo"), filepath.Join(home, "tmp", "link")))
	put(t, filepath.Join(chats, "session-2026-11-21T00-59-55555555.jsonl"), backText()) // newer, with turns
	put(t, filepath.Join(chats, "session-2026-11-21T00-59-66666666.jsonl"), "not a header\n")
	put(t, filepath.Join(home, "tmp", "demo", "copies", filepath.Base(path)), backText())
	all, err := g.Scan(t.Context(), "")
	if refused := agenttest.Refused(t, err); len(refused) != 3 || len(all) != 2 {
		t.Errorf("%d sessions, refused %q: %+v", len(all), refused, all)
	}
	if got := all[slices.IndexFunc(all, func(x agent.Touched) bool { return strings.HasPrefix(x.Session.ID, "11111111") })].Session; got.Path != path {
		t.Errorf("a file that is named as another session's was listed: %s", got.Path)
	}
	for _, bad := range []detect.Session{
		{ID: backID, Path: filepath.Join(chats, "session-2026-11-21T00-59-11111111.jsonl")},
		{ID: backID, Path: filepath.Join(home, "tmp", "link", "chats", filepath.Base(path))},
		{ID: backID, Path: filepath.Join(home, "tmp", "demo", "linked", filepath.Base(path))},
		{ID: backID, Path: filepath.Join(home, "tmp", "demo", "copies", filepath.Base(path))},
		{ID: backID, Path: filepath.Join(home, "session-2026-11-21T00-10-11111111.jsonl")},
		{ID: backID, Path: s["tool"].Path},
		{ID: "11111111-0000-4000-8000-00000000000G", Path: path},
		{ID: "11111111-0000-4000-8000-000000000009", Path: path},
	} {
		if b, err := agenttest.Read(t.Context(), g, bad, ""); err == nil {
			t.Errorf("%+v was read: %+v", bad, b)
		}
	}
	must(t, os.Chmod(path, 0o666))
	if _, err := agenttest.Read(t.Context(), g, s["back"], ""); err == nil {
		t.Error("a file that everybody can write was read")
	}
}

// TestProjectDir: a folder is believed only when its hash stands in the session.
func TestProjectDir(t *testing.T) {
	g, home, s := world(t)
	read := func() string {
		b, err := agenttest.Read(t.Context(), g, s["tool"], "")
		must(t, err)
		return b.Info.Dir
	}
	if got := read(); got != "" {
		t.Errorf("told by nothing: %q", got)
	}
	put(t, filepath.Join(home, "projects.json"), `{"projects":{"/home/dev/work/demo":"demo-7","/x":"demo"}}`)
	if got := read(); got != "/home/dev/work/demo" {
		t.Errorf("by the list: %q", got)
	}
	put(t, filepath.Join(home, "tmp", "demo", ".project_root"), "/home/dev/work/other")
	if got := read(); got != "/home/dev/work/demo" {
		t.Errorf("by a file of another project: %q", got)
	}
	put(t, filepath.Join(home, "tmp", "demo", ".project_root"), "/home/dev/work/demo\n")
	must(t, os.Remove(filepath.Join(home, "projects.json")))
	if got := read(); got != "/home/dev/work/demo" {
		t.Errorf("by its own file: %q", got)
	}
}
