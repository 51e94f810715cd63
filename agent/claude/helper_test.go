package claude

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// cases are the recorded runs of the real agent.
const cases = "../../testdata/claude"

// table is a process table of our own.
type table = agenttest.Procs

// over gives the agent over a folder, in the zone of the recordings.
func over(root string, procs agent.Procs, cfg agent.Config, vars ...string) *Claude {
	cfg.ConfigDir = root
	env := map[string]string{"TZ": "Europe/Rome"}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return New(agent.Env{Home: filepath.Dir(root), Getenv: func(n string) string { return env[n] }, Procs: procs}, cfg)
}

const sid = "0a8d26f8-e126-4d05-8111-000000000001"

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

// session names the transcript of id in the folder of /home/dev/work/demo.
func session(root, id string) detect.Session {
	return detect.Session{Agent: "claude", ID: id, Path: filepath.Join(root, "projects", "-home-dev-work-demo", id+".jsonl")}
}

// lines gives the lines of a recording up to and with the record named upto; "-": all.
func lines(t testing.TB, path, upto string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range bytes.Lines(b) {
		out = append(out, string(line))
		var r struct {
			UUID string `json:"uuid"`
		}
		if json.Unmarshal(line, &r) == nil && upto != "-" && r.UUID == upto {
			return out
		}
	}
	if upto != "-" {
		t.Fatalf("%s has no record %s", path, upto)
	}
	return out
}

// recorded copies a recording into a folder of its own, since the ones of the repository may have
// modes that the agent refuses.
func recorded(t testing.TB, root, path, upto string) detect.Session {
	t.Helper()
	s := detect.Session{Agent: "claude", ID: strings.TrimSuffix(filepath.Base(path), ".jsonl")}
	s.Path = filepath.Join(root, "projects", filepath.Base(filepath.Dir(path)), filepath.Base(path))
	put(t, s.Path, strings.Join(lines(t, path, upto), ""))
	return s
}

// verdict reads a session whole.
func verdict(t testing.TB, c *Claude, s detect.Session, h *detect.Holder) (detect.Stop, agenttest.Batch) {
	t.Helper()
	b, err := agenttest.Read(t.Context(), c, s, "")
	if err != nil {
		t.Fatal(err)
	}
	var cl detect.Classifier
	for _, e := range b.Events {
		cl.Feed(e)
	}
	if h != nil {
		cl.Feed(detect.Event{Kind: detect.KindHolder, Holder: h})
	}
	return cl.Stop(), b
}
