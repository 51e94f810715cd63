package codex

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// TestOutput: what recorded runs printed, stdout and stderr in one file.
func TestOutput(t *testing.T) {
	for name, w := range map[string]agent.Output{
		"exec-json-ok":                          {Began: true, Messages: []string{"item_0", "item_1"}},
		"exec-json-usage-limit":                 {Began: true, Failed: true, Messages: []string{"item_0"}},
		"exec-json-429-small":                   {Began: true, Messages: []string{"item_0", "item_1"}}, // two errors that it got over
		"exec-json-0.80-usage-limit":            {Began: true, Failed: true},
		"exec-json-resume-id-after-usage-limit": {Began: true, Messages: []string{"item_0", "item_1"}},
		"exec-json-refused":                     {Began: true, Messages: []string{"item_0"}},
		"exec-plain-usage-limit":                {Began: true},
		"exec-plain-429-small":                  {Began: true},
		"exec-resume-unknown-id":                {Refused: true},
		"exec-resume-not-a-repo":                {},
		"exec-resume-while-open":                {},
		"exec-resume-last-no-prompt":            {},
	} {
		var all string
		for _, f := range []string{"stderr", "stdout"} {
			b, err := os.ReadFile(filepath.Join(recordings, name, f))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			all += string(b)
		}
		if w.Began {
			m := rollouts(t, name)
			w.Session = sessionAt(t, m[len(m)-1]).ID
		}
		got, err := over(t.TempDir(), procTable{}, agent.Config{}).Output(strings.NewReader(all), nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(w, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestOutputTorn: half a line says nothing, and words inside of a run refuse nothing.
func TestOutputTorn(t *testing.T) {
	c := over(t.TempDir(), procTable{}, agent.Config{})
	if o, err := c.Output(strings.NewReader(`{"type":"thread.started","thread_id":"`+sid), nil); err != nil || o.Began {
		t.Errorf("half a line: %+v, %v", o, err)
	}
	long := `{"type":"item.completed","item":{"id":"item_9","text":"` + strings.Repeat("x", 17<<20) + `"}}`
	text := `{"type":"thread.started","thread_id":"` + sid + `"}` + "\n" + long + "\nError: no rollout found for thread id " + sid + "\n" +
		`{"type":"turn.failed","error":1}` + "\n" + `{"type":"turn.started"}`
	o, err := c.Output(strings.NewReader(text), nil)
	if d := cmp.Diff(agent.Output{Began: true, Session: sid}, o); d != "" || err != nil {
		t.Errorf("%s%v", d, err)
	}
}

func TestPlaces(t *testing.T) {
	home := t.TempDir()
	given := t.TempDir()
	for _, w := range []struct {
		cfg  agent.Config
		env  string
		want string
	}{
		{agent.Config{}, "", filepath.Join(home, ".codex")},
		{agent.Config{}, given, given},
		{agent.Config{ConfigDir: given}, home, given},
	} {
		c := New(agent.Env{Home: home, Getenv: func(n string) string {
			if n == "CODEX_HOME" {
				return w.env
			}
			return ""
		}}, w.cfg)
		f := c.Folders()
		if len(f) != 3 || f[0] != (agent.Folder{Path: filepath.Join(w.want, "sessions"), Depth: 3}) || f[2].Path != filepath.Join(w.want, "thread-writer-locks") {
			t.Errorf("folders %+v, want them in %s", f, w.want)
		}
	}
	c := over(given, procTable{}, agent.Config{Command: "/opt/codex"})
	if c.Name() != "codex" || c.Command() != "/opt/codex" || over(given, nil, agent.Config{}).Command() != "codex" {
		t.Error("name or command")
	}
	// Who pays: a login where one lies, else a key of the environment.
	account := func(vars ...string) string {
		return strings.TrimPrefix(over(given, nil, agent.Config{}, vars...).Account(detect.Info{}), "codex:"+given+":openai:")
	}
	got := []string{account(), account("OPENAI_API_KEY=x"), ""}
	put(t, filepath.Join(given, "auth.json"), "never read")
	got = append(got[:2], account("OPENAI_API_KEY=x"), account("CODEX_API_KEY=x"))
	if d := cmp.Diff([]string{"login", "key", "login", "login"}, got); d != "" {
		t.Error(d)
	}
	if a, b := c.Account(detect.Info{Provider: "fake"}), c.Account(detect.Info{}); a == b {
		t.Error("two providers share one account")
	}
}

// TestBeside: a new session lies in the folder of its own day.
func TestBeside(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	s := rolloutOf(root, sid)
	next := filepath.Join(root, "sessions/2026/11/20", "rollout-2026-11-20T19-22-09-"+other+".jsonl") // local time is behind
	put(t, next, meta)
	if got := c.Beside(s, other); got.Path != next || got.ID != other {
		t.Errorf("%+v", got)
	}
	const none = "01a1fb7b-62e3-75f2-ab13-67f557d17c30"
	got := c.Beside(s, none)
	if id, _, ok := idOf(filepath.Base(got.Path)); !ok || id != none {
		t.Errorf("%+v", got)
	}
	if _, err := agenttest.Read(t.Context(), c, got, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session without a file: %v", err)
	}
	if f, err := c.Files(s); err == nil {
		t.Errorf("files of a session that is gone: %q", f)
	}
}
