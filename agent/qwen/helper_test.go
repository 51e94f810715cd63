package qwen

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

const (
	recordings = "../../testdata/qwen"
	sid        = "6fc3ac74-61d2-44e5-b5b2-44c3ace483eb"
	other      = "6fc3ac74-61d2-44e5-b5b2-44c3ace40000"
	work       = "/home/dev/work/demo"
	folder     = "-home-dev-work-demo"
)

// made gives a record in the form of 0.24: its id, its time of day, its type and what else it has.
func made(id, clock, kind, rest string) string {
	return `{"uuid":"` + id + `","parentUuid":null,"sessionId":"` + sid + `","timestamp":"2026-11-22T` + clock + `Z","type":"` + kind +
		`","provenance":"x","cwd":"` + work + `","version":"0.24.4"` + rest + "}\n"
}

func note(id, clock, name, rest string) string {
	return made(id, clock, "system", `,"subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"`+name+`","prompt_id":"`+sid+
		`########0","model":"demo-1","auth_type":"openai"`+rest+`}}`)
}

const limitText = "429 Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s."

func limited(id, clock string) string {
	return note(id, clock, apiError, `,"status_code":429,"error_type":"RateLimitError","error_message":"`+limitText+`"`)
}

func prompted(id, clock, text string) string {
	return made(id, clock, "user", `,"message":{"role":"user","parts":[{"text":"`+text+`"}]}`)
}

// Lines of a session.
var (
	asked    = prompted("p1", "12:13:03.673", "Say hello")
	begun    = asked + strings.Replace(made("s1", "12:13:03.801", "system", `,"subtype":"attribution_snapshot"`), `"parentUuid":null`, `"parentUuid":"p1"`, 1)
	shown    = made("s2", "12:13:03.900", "system", `,"subtype":"file_history_snapshot"`)
	failing  = limited("e1", "12:13:07.866")
	answered = note("r1", "12:13:20.100", apiResponse, `,"status_code":200`)
	said     = made("a1", "12:13:20.101", "assistant", `,"model":"demo-1","message":{"role":"model","parts":[{"text":"All done."}]},"usageMetadata":{"totalTokenCount":1212}`)
	called   = made("a1", "12:13:20.101", "assistant", `,"model":"demo-1","message":{"role":"model","parts":[{"functionCall":{"name":"run_shell_command"}}]},"usageMetadata":{"totalTokenCount":1212}`)
	gave     = made("t1", "12:13:21.000", "tool_result", `,"message":{"role":"user","parts":[{"functionResponse":{}}]},"toolCallResult":{"status":"success"}`)
)

// over gives the agent over a folder, in the zone of the recordings.
func over(root string, procs agent.Procs, cfg agent.Config, vars ...string) *Qwen {
	cfg.ConfigDir = root
	env := map[string]string{"TZ": "UTC"}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return New(agent.Env{Home: filepath.Dir(root), Getenv: func(n string) string { return env[n] }, Procs: procs}, cfg)
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// endedAt has a run of the session end by itself.
func endedAt(t testing.TB, root, when string) {
	t.Helper()
	ranAt(t, root, "2026-11-22T12:13:00Z", when)
}

// ranAt has one begin and end.
func ranAt(t testing.TB, root, began, when string) {
	t.Helper()
	ms := func(when string) string { return strconv.FormatInt(at(when).UnixMilli(), 10) }
	put(t, filepath.Join(root, usageFile), `{"version":1,"sessionId":"`+sid+`","timestamp":`+ms(when)+`,"startTime":`+ms(began)+"}\n")
}

// fileOf names the file of a session.
func fileOf(root, id string) detect.Session {
	return detect.Session{Agent: Name, ID: id, Path: filepath.Join(root, "projects", folder, "chats", id+ext)}
}

// session gives the agent over a new folder with one session.
func session(t testing.TB, text string) (*Qwen, detect.Session) {
	t.Helper()
	root := t.TempDir()
	s := fileOf(root, sid)
	put(t, s.Path, text)
	return over(root, agenttest.Procs{}, agent.Config{}), s
}

// recorded lists the session files of all recorded cases, by case.
func recorded(t testing.TB) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(recordings, "*/home/projects/*/chats/*"+ext))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d recorded sessions, err %v", len(files), err)
	}
	cases := map[string][]string{}
	for _, f := range files {
		name, _, _ := strings.Cut(strings.TrimPrefix(f, recordings+"/"), "/")
		cases[name] = append(cases[name], f)
	}
	return cases
}

func linesOf(t testing.TB, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(b)))
}

// copied gives the agent over a copy of the folder of a recorded case, and one of its sessions.
func copied(t testing.TB, path string) (*Qwen, detect.Session) {
	t.Helper()
	root := filepath.Join(t.TempDir(), ".qwen")
	home := path[:strings.Index(path, "/home/")+len("/home")]
	if err := agent.CopyTree(home, root); err != nil {
		t.Fatal(err)
	}
	id, _ := idOf(path)
	return over(root, agenttest.Procs{}, agent.Config{}), fileOf(root, id)
}

// verdict reads a session whole; h is what is known of its holder.
func verdict(t testing.TB, q *Qwen, s detect.Session, h detect.Liveness) (detect.Stop, agenttest.Batch) {
	t.Helper()
	b, err := agenttest.Read(t.Context(), q, s, "")
	if err != nil {
		t.Fatal(err)
	}
	var c detect.Classifier
	for _, e := range b.Events {
		c.Feed(e)
	}
	c.Feed(detect.Event{Kind: detect.KindHolder, Holder: &detect.Holder{Liveness: h, Kind: detect.Headless, Why: "test"}})
	return c.Stop(), b
}

func at(text string) time.Time {
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return when
}

func rename(t testing.TB, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
