package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// procs is a process table of our own.
type procs = agenttest.Procs

// over gives the agent over a folder as if it were ~/.gemini, with tmp beside it as the temporary
// folder.
func over(home string, p agent.Procs, vars ...string) *Gemini {
	env := map[string]string{"TMPDIR": filepath.Join(filepath.Dir(home), "tmp")}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return New(agent.Env{Home: filepath.Dir(home), Getenv: func(n string) string { return env[n] }, Procs: p, Zone: time.UTC},
		agent.Config{ConfigDir: home})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func add(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
}

const recordings = "../../testdata/gemini"

// recorded copies a recording into a folder of its own, since the modes of the ones in the
// repository may be refused, and opens it.
func recorded(t testing.TB, name string) (*Gemini, string) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join(recordings, name))))
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chmod(path, 0o600)
		}
		return err
	}))
	home := filepath.Join(dir, "home")
	return over(home, procs{}), home
}

// named gives the session of a scan whose id begins with short.
func named(t testing.TB, g *Gemini, short string) detect.Session {
	t.Helper()
	all, err := g.Scan(t.Context(), "")
	must(t, err)
	for _, x := range all {
		if strings.HasPrefix(x.Session.ID, short) {
			return x.Session
		}
	}
	t.Fatalf("no session %s among %d", short, len(all))
	return detect.Session{}
}

// verdict reads a session whole.
func verdict(t testing.TB, g *Gemini, s detect.Session, live detect.Liveness) (detect.Stop, agenttest.Batch) {
	t.Helper()
	b, err := agenttest.Read(t.Context(), g, s, "")
	must(t, err)
	var c detect.Classifier
	for _, e := range b.Events {
		c.Feed(e)
	}
	c.Feed(detect.Event{Kind: detect.KindHolder, Holder: &detect.Holder{Liveness: live}})
	return c.Stop(), b
}
