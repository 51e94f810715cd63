package copilot

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
	recordings = "../../testdata/copilot"
	sid        = "b0c163a0-fd32-46b8-aaac-ffbba617a120"
	other      = "b0c163a0-fd32-46b8-aaac-ffbba617a121"
	work       = "/home/dev/work/demo"
)

// Lines of a session, in the form of 1.0.102.
const (
	started = `{"type":"session.start","data":{"sessionId":"` + sid + `","version":1,"producer":"copilot-agent","copilotVersion":"1.0.102","context":{"cwd":"` + work + `"}},` +
		`"id":"00000000-0000-4000-8000-000000000001","timestamp":"2026-11-22T12:06:24.859Z","parentId":null}` + "\n" +
		`{"type":"session.model_change","data":{"source":"startup","newModel":"claude-sonnet-4.6","reasoningEffort":"medium"},"id":"00000000-0000-4000-8000-000000000002",` +
		`"timestamp":"2026-11-22T12:06:25.268Z","parentId":"00000000-0000-4000-8000-000000000001"}` + "\n"
	asked = `{"type":"user.message","data":{"content":"say done","messageId":"m1"},"id":"00000000-0000-4000-8000-000000000003","timestamp":"2026-11-22T12:06:25.428Z",` +
		`"parentId":"00000000-0000-4000-8000-000000000002"}` + "\n"
	system = `{"type":"system.message","data":{"role":"system","content":"You are the GitHub Copilot CLI. You are running in non-interactive mode and have no way"},` +
		`"id":"00000000-0000-4000-8000-000000000004","timestamp":"2026-11-22T12:06:25.430Z","parentId":"00000000-0000-4000-8000-000000000003"}` + "\n"
	failed = `{"type":"session.error","data":{"errorType":"rate_limit","message":"You've reached your weekly rate limit. Please wait for your limit to reset on November 24, 2026 at 3:06 PM or switch to auto model to continue.",` +
		`"statusCode":429,"errorCode":"user_weekly_rate_limited","eligibleForAutoSwitch":true},"id":"00000000-0000-4000-8000-000000000005","timestamp":"2026-11-22T12:06:25.599Z",` +
		`"parentId":"00000000-0000-4000-8000-000000000004"}`
	aborted = `{"type":"abort","data":{"reason":"user_initiated"},"id":"00000000-0000-4000-8000-000000000006","timestamp":"2026-11-22T12:08:52.879Z","parentId":"00000000-0000-4000-8000-000000000005"}`
	resumed = `{"type":"session.resume","data":{"selectedModel":"claude-sonnet-4.6","context":{"cwd":"` + work + `"},"alreadyInUse":true},"id":"00000000-0000-4000-8000-000000000007",` +
		`"timestamp":"2026-11-22T12:08:00.879Z","parentId":"00000000-0000-4000-8000-000000000005"}` + "\n"
	again = `{"type":"user.message","data":{"content":"continue","messageId":"m2"},"id":"00000000-0000-4000-8000-000000000008","timestamp":"2026-11-22T12:08:01.428Z",` +
		`"parentId":"00000000-0000-4000-8000-000000000007"}` + "\n"
	ended = `{"type":"assistant.message","data":{"messageId":"a1","content":"done","toolRequests":[]},"id":"00000000-0000-4000-8000-000000000009","timestamp":"2026-11-22T12:09:01.428Z",` +
		`"parentId":"00000000-0000-4000-8000-000000000008"}`
	begun = started + asked + system
)

type procTable = agenttest.Procs

// over gives the agent over a folder, in the zone of the recordings, with no locks held.
func over(root string, procs agent.Procs, cfg agent.Config, vars ...string) *Copilot {
	cfg.ConfigDir = root
	env := map[string]string{"TZ": "Europe/Rome"}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	c := New(agent.Env{Home: filepath.Dir(root), Getenv: func(n string) string { return env[n] }, Procs: procs}, cfg)
	c.locks = func() ([]byte, error) { return nil, nil }
	return c
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
	return detect.Session{Agent: "copilot", ID: id, Path: filepath.Join(root, state, id, events)}
}

// session gives the agent over a new folder with one session.
func session(t testing.TB, text string) (*Copilot, detect.Session) {
	t.Helper()
	root := t.TempDir()
	s := fileOf(root, sid)
	put(t, s.Path, text)
	return over(root, procTable{}, agent.Config{}), s
}

// recorded lists the transcripts of all recorded cases, by case.
func recorded(t testing.TB) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(recordings, "*/home", state, "*", events))
	if err != nil || len(files) < 150 {
		t.Fatalf("%d recorded sessions, err %v", len(files), err)
	}
	cases := map[string][]string{}
	for _, f := range files {
		name, _, _ := strings.Cut(strings.TrimPrefix(f, recordings+"/"), "/")
		cases[name] = append(cases[name], f)
	}
	return cases
}

func idOf(path string) string { return filepath.Base(filepath.Dir(path)) }

func linesOf(t testing.TB, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(b)))
}

// copied gives the agent over a copy of a recorded session.
func copied(t testing.TB, path string) (*Copilot, detect.Session) {
	t.Helper()
	root := t.TempDir()
	s := fileOf(root, idOf(path))
	put(t, s.Path, strings.Join(linesOf(t, path), ""))
	return over(root, procTable{}, agent.Config{}), s
}

// verdict reads a session whole; h is what is known of its holder.
func verdict(t testing.TB, c *Copilot, s detect.Session, h detect.Liveness) (detect.Stop, agenttest.Batch) {
	t.Helper()
	b, err := agenttest.Read(t.Context(), c, s, "")
	if err != nil {
		t.Fatal(err)
	}
	var cl detect.Classifier
	for _, e := range b.Events {
		cl.Feed(e)
	}
	cl.Feed(detect.Event{Kind: detect.KindHolder, Holder: &detect.Holder{Liveness: h, Why: "test"}})
	return cl.Stop(), b
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
