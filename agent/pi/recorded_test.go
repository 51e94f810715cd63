package pi

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// The verdicts on all recorded runs are compared with the truth in internal/accuracy. Here the suite that every
// agent must pass reads some of them in all ways.

func TestConformance(t *testing.T) {
	for name, want := range map[string]detect.Stop{
		"429-no-header":          {State: detect.Stopped, Reason: detect.RateLimit},
		"codex-usage-limit-plus": {State: detect.Stopped, Reason: detect.UsageLimit},
		"tool-then-finish":       {State: detect.Stopped, Reason: detect.Completed},
		"tui-esc-in-tool":        {State: detect.Stopped, Reason: detect.Interrupted},
		"old-429-no-header":      {State: detect.Stopped, Reason: detect.RateLimit},
		"sigterm-in-retry-wait":  {State: detect.Running, CouldBe: []detect.State{detect.Running, detect.Retrying, detect.Asking, detect.Stopped}},
	} {
		t.Run(name, func(t *testing.T) {
			source := recorded(t)[name][0]
			all := linesOf(t, source)
			agenttest.Run(t, func(t *testing.T) (agent.Agent, agenttest.Fixture) { return fixture(t, source, all, want) })
		})
	}
}

func fixture(t *testing.T, source string, all []string, want detect.Stop) (agent.Agent, agenttest.Fixture) {
	root := t.TempDir()
	p := over(root, procTable{}, agent.Config{})
	id, _ := idOf(filepath.Base(source))
	s := detect.Session{Agent: "pi", ID: id, Path: filepath.Join(root, "sessions", folder, filepath.Base(source))}
	f := agenttest.Fixture{Session: s, Changed: s.Path, Want: whole(t, source, want)}
	for _, line := range all {
		f.Steps = append(f.Steps, func(t *testing.T) { put(t, s.Path, line) })
	}
	f.Unknown = func(t *testing.T) {
		put(t, s.Path, `{"type":"tea_break","timestamp":"2026-11-22T12:06:27.824Z","minutes":5}`+"\n")
	}
	f.Broken = func(t *testing.T) { put(t, s.Path, "{\"type\":\"message\",\"message\":\x00\x00\n") }
	f.Replace = func(t *testing.T) {
		put(t, s.Path+".new", strings.Join(all, ""))
		if err := os.Rename(s.Path+".new", s.Path); err != nil {
			t.Fatal(err)
		}
	}
	return p, f
}

// whole completes what is wanted by what the last record says: its id, time and place.
func whole(t *testing.T, source string, want detect.Stop) detect.Stop {
	t.Helper()
	all := linesOf(t, source)
	last := all[len(all)-1]
	r, err := parse([]byte(strings.TrimSpace(last)))
	if err != nil {
		t.Fatal(err)
	}
	want.Key, want.At = r.ID, r.at
	want.Evidence = detect.Evidence{Source: "transcript", Offset: int64(len(strings.Join(all, "")) - len(last)), Field: fieldText}
	switch want.Reason {
	case detect.RateLimit:
		want.ResetAt, want.Status = r.at.Add(20e9), 429
	case detect.UsageLimit:
		want.ResetAt, want.ResetMinute = r.at.Add(125*60e9), true
	case detect.Completed:
		want.Evidence.Source, want.Evidence.Field = "", "answer"
	case detect.Interrupted:
		want.Evidence.Source, want.Evidence.Field = "", "interrupt"
	default:
		want.Evidence.Source, want.Evidence.Field = "", "open"
	}
	return want
}

// TestPieces reads every recorded session as it grows.
func TestPieces(t *testing.T) {
	var all []func(t *testing.T) agenttest.Recording
	for name, files := range recorded(t) {
		for _, path := range files {
			all = append(all, func(t *testing.T) agenttest.Recording {
				root := t.TempDir()
				id, _ := idOf(filepath.Base(path))
				s := detect.Session{Agent: "pi", ID: id, Path: filepath.Join(root, "sessions", folder, filepath.Base(path))}
				grow := agenttest.Growth(s.Path, strings.Join(linesOf(t, path), ""), 1)
				return agenttest.Recording{Name: name, Session: s,
					Open:  func() agent.Agent { return over(root, procTable{}, agent.Config{}) },
					Steps: func(r *rand.Rand) []func(t *testing.T) { return grow(r) }}
			})
		}
	}
	agenttest.Pieces(t, 3, all)
}

// TestNoFalseStart: while a process may still go on by itself, no line of a recorded run makes a stop that is resumed,
// but the one that the run ended with. A line that says that the agent asks again comes with the one before it.
func TestNoFalseStart(t *testing.T) {
	for name, files := range recorded(t) {
		for _, path := range files {
			stops := map[string]bool{}
			p, s := copied(t, path)
			b, err := agenttest.Read(t.Context(), p, s, "")
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range b.Events {
				if e.Kind != detect.KindFailure {
					continue
				}
				stops[e.ID] = true
				if i+1 < len(b.Events) && b.Events[i+1].Kind != detect.KindPrompt {
					t.Errorf("%s: a failure that the agent itself went on after: %s", name, e.ID)
				}
			}
			if len(stops) > 2 {
				t.Errorf("%s: %d failures", name, len(stops))
			}
		}
	}
}

// copied gives the agent over a copy of a recorded session.
func copied(t testing.TB, path string) (*Pi, detect.Session) {
	t.Helper()
	root := t.TempDir()
	id, _ := idOf(filepath.Base(path))
	s := detect.Session{Agent: "pi", ID: id, Path: filepath.Join(root, "sessions", folder, filepath.Base(path))}
	put(t, s.Path, strings.Join(linesOf(t, path), ""))
	return over(root, procTable{}, agent.Config{}), s
}

// TestKilledRequests: when the provider has seen the request, the prompt is on disk; 10 of 10 runs, and 10 of 10 resumes
// of each version that were killed then. No record of it means that nothing was asked.
func TestKilledRequests(t *testing.T) {
	for name, want := range map[string]int{"kill-at-request": 1, "kill-at-second-request": 11, "old-kill-at-second-request": 11} {
		p, s := copied(t, recorded(t)[name][0])
		b, err := agenttest.Read(t.Context(), p, s, "")
		if err != nil {
			t.Fatal(err)
		}
		prompts := slices.DeleteFunc(b.Events, func(e detect.Event) bool { return e.Kind != detect.KindPrompt })
		if len(prompts) != want {
			t.Errorf("%s: %d prompts, want %d", name, len(prompts), want)
		}
	}
}

// TestInfo: what a resume is to bring back.
func TestInfo(t *testing.T) {
	p, s := copied(t, recorded(t)["resume-model-and-tools"][0])
	_, b := verdict(t, p, s, detect.Gone)
	i := b.Info
	if tools, told := i.Offered(); !told || !slices.Equal(tools, []string{"bash", "read"}) {
		t.Errorf("tools %q %v", tools, told)
	}
	if i.Provider != "fake" || i.Model != "demo-2" || i.Setup.Effort != "off" || i.Dir != work || i.Setup.Bound || !i.Untold || i.Tokens != 1212 ||
		!i.Created.Equal(at("2026-11-22T12:08:06.073Z")) || i.FirstPrompt != detect.HashText("Say hello") {
		t.Errorf("%+v", i)
	}
	if b, err := json.Marshal(i); err != nil || strings.Contains(string(b), "Say hello") {
		t.Errorf("%s, %v", b, err)
	}
	p, s = copied(t, recorded(t)["old-sigkill-in-tool"][0])
	if _, b = verdict(t, p, s, detect.Gone); b.Info.Shape != "" || !slices.Equal(b.Info.Used, []string{"bash"}) {
		t.Errorf("an old version: %+v", b.Info)
	}
}
