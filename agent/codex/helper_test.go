package codex

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// procTable is a process table of our own.
type procTable = agenttest.Procs

// over gives the agent over a folder, in the zone of the recordings, with no locks held.
func over(root string, procs agent.Procs, cfg agent.Config, vars ...string) *Codex {
	cfg.ConfigDir = root
	env := map[string]string{"TZ": "UTC"}
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

const recordings = "../../testdata/codex"

// rollouts gives the rollouts of a recorded case, oldest first.
func rollouts(t testing.TB, name string) []string {
	t.Helper()
	m, err := filepath.Glob(filepath.Join(recordings, name, "home/sessions/*/*/*/rollout-*.jsonl"))
	if err != nil || len(m) == 0 {
		t.Fatalf("%s has no rollout, err %v", name, err)
	}
	return m
}

// cases are all recorded cases.
func cases(t testing.TB) []string {
	t.Helper()
	m, err := filepath.Glob(filepath.Join(recordings, "*/home"))
	if err != nil || len(m) < 100 {
		t.Fatalf("%d recorded cases, err %v", len(m), err)
	}
	var names []string
	for _, p := range m {
		names = append(names, filepath.Base(filepath.Dir(p)))
	}
	return names
}

// copied puts the agent's folder of a case into one of its own, since the modes of a checkout are
// not the agent's.
func copied(t testing.TB, name string) string {
	t.Helper()
	root := t.TempDir()
	from := filepath.Join(recordings, name, "home")
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		put(t, filepath.Join(root, rel), string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// sessionAt names the session of a rollout.
func sessionAt(t testing.TB, path string) detect.Session {
	t.Helper()
	id, _, ok := idOf(filepath.Base(path))
	if !ok {
		t.Fatalf("%s is no rollout", path)
	}
	return detect.Session{Agent: "codex", ID: id, Path: path}
}

const day = "sessions/2026/11/21"

// recorded gives the agent over a copy of a case, and its session; of several the newest.
func recorded(t testing.TB, name string) (*Codex, detect.Session) {
	t.Helper()
	root := copied(t, name)
	all := rollouts(t, name)
	return over(root, procTable{}, agent.Config{}), sessionAt(t, filepath.Join(root, day, filepath.Base(all[len(all)-1])))
}

// linesOf gives the lines of a file, each with its newline.
func linesOf(t testing.TB, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(b)))
}

// verdict reads a session whole and asks who holds it, unless blind.
func verdict(t testing.TB, c *Codex, s detect.Session, blind bool) (detect.Stop, agenttest.Batch) {
	t.Helper()
	b, err := agenttest.Read(t.Context(), c, s, "")
	if err != nil {
		t.Fatal(err)
	}
	var cl detect.Classifier
	for _, e := range b.Events {
		cl.Feed(e)
	}
	if !blind {
		holders, err := c.Live(t.Context(), s, b.Info)
		if err != nil {
			t.Fatal(err)
		}
		cl.Feed(detect.Event{Kind: detect.KindHolder, Holder: &holders[0]})
	}
	return cl.Stop(), b
}
