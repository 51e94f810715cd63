package pi

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

const (
	recordings = "../../testdata/pi"
	sid        = "01a20326-8ceb-7456-afe1-3a907daf8eab"
	other      = "01a20326-8ceb-7456-afe1-3a907daf0000"
	work       = "/home/dev/work/demo"
	folder     = "--home-dev-work-demo--"
)

// Lines of a session, in the form of 1.5.
const (
	header = `{"type":"session","version":3,"id":"` + sid + `","timestamp":"2026-11-22T12:06:27.824Z","cwd":"` + work + `"}` + "\n"
	setup  = `{"type":"model_change","id":"a0000001","parentId":null,"timestamp":"2026-11-22T12:06:28.700Z","provider":"anthropic","modelId":"claude-sonnet-4-5"}` + "\n" +
		`{"type":"thinking_level_change","id":"a0000002","parentId":"a0000001","timestamp":"2026-11-22T12:06:28.700Z","thinkingLevel":"high"}` + "\n"
	system = `{"type":"message","id":"a0000003","parentId":"a0000002","timestamp":"2026-11-22T12:06:28.800Z","message":{"role":"system","content":"",` +
		`"sections":{"preamble":"You are a coding assistant running inside pi, a coding agent harness."},"toolsAdded":[{"name":"read"},{"name":"bash"}]}}` + "\n"
	asked  = `{"type":"message","id":"a0000004","parentId":"a0000003","timestamp":"2026-11-22T12:06:28.900Z","message":{"role":"user","content":[{"type":"text","text":"x"}]}}` + "\n"
	failed = `{"type":"message","id":"a0000005","parentId":"a0000004","timestamp":"2026-11-22T12:06:29.300Z","message":{"role":"assistant","content":[],"provider":"anthropic","model":"claude-sonnet-4-5",` +
		`"stopReason":"error","timestamp":1795349188980,"errorMessage":"429: {\"message\":\"Rate limit reached for demo-1. Please try again in 20s.\",\"code\":\"rate_limit_exceeded\"}"}}`
	edited = `{"type":"context_edit","id":"a0000006","parentId":"a0000005","timestamp":"2026-11-22T12:06:29.301Z","targetId":"a0000005","replacement":null}`
	ended  = `{"type":"message","id":"a0000009","parentId":"a0000004","timestamp":"2026-11-22T12:06:31.300Z","message":{"role":"assistant","content":[{"type":"text","text":"y"}],` +
		`"provider":"anthropic","model":"claude-sonnet-4-5","stopReason":"stop","timestamp":1795349188990,"usage":{"input":1200,"output":12}}}`
	begun = header + setup + system + asked
)

// procTable is a process table of our own.
type procTable = agenttest.Procs

// over gives the agent over a folder, in the zone of the recordings.
func over(root string, procs agent.Procs, cfg agent.Config, vars ...string) *Pi {
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

// fileOf names the file of a session.
func fileOf(root, id string) detect.Session {
	return detect.Session{Agent: "pi", ID: id, Path: filepath.Join(root, "sessions", folder, "2026-11-22T12-06-27-824Z_"+id+ext)}
}

// session gives the agent over a new folder with one session.
func session(t testing.TB, text string) (*Pi, detect.Session) {
	t.Helper()
	root := t.TempDir()
	s := fileOf(root, sid)
	put(t, s.Path, text)
	return over(root, procTable{}, agent.Config{}), s
}

// recorded lists the session files of all recorded cases, by case.
func recorded(t testing.TB) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(recordings, "*/home/sessions/*/*"+ext))
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

// verdict reads a session whole; h is what is known of its holder.
func verdict(t testing.TB, p *Pi, s detect.Session, h detect.Liveness) (detect.Stop, agenttest.Batch) {
	t.Helper()
	b, err := agenttest.Read(t.Context(), p, s, "")
	if err != nil {
		t.Fatal(err)
	}
	var c detect.Classifier
	for _, e := range b.Events {
		c.Feed(e)
	}
	c.Feed(detect.Event{Kind: detect.KindHolder, Holder: &detect.Holder{Liveness: h, Why: "test"}})
	return c.Stop(), b
}

func at(text string) time.Time {
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return when
}
