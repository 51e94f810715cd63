package qwen

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
	unsettled := []detect.State{detect.Running, detect.Retrying, detect.Asking, detect.Stopped}
	for name, want := range map[string]detect.Stop{
		"429-knobs":             {State: detect.Stopped, Reason: detect.RateLimit},
		"zai-1308":              {State: detect.Stopped, Reason: detect.UsageLimit},
		"stream-cut":            {State: detect.Stopped, Reason: detect.Network},
		"tool-then-finish":      {State: detect.Stopped, Reason: detect.Completed},
		"tui-esc-in-tool":       {State: detect.Stopped, Reason: detect.Interrupted},
		"tui-429-gives-up":      {State: detect.Stopped, Reason: detect.Completed},
		"old-500":               {State: detect.Stopped, Reason: detect.ServerError},
		"sigterm-in-retry-wait": {State: detect.Running, CouldBe: unsettled},
		"429-no-header":         {State: detect.Running, CouldBe: unsettled},
	} {
		t.Run(name, func(t *testing.T) {
			source := recorded(t)[name][0]
			agenttest.Run(t, func(t *testing.T) (agent.Agent, agenttest.Fixture) { return fixture(t, source, want) })
		})
	}
}

func fixture(t *testing.T, source string, want detect.Stop) (agent.Agent, agenttest.Fixture) {
	root := t.TempDir()
	q := over(root, agenttest.Procs{}, agent.Config{})
	id, _ := idOf(source)
	s := fileOf(root, id)
	all := linesOf(t, source)
	f := agenttest.Fixture{Session: s, Changed: s.Path, Want: whole(t, all, want)}
	for _, line := range all {
		f.Steps = append(f.Steps, func(t *testing.T) { put(t, s.Path, line) })
	}
	usage := filepath.Join(source[:strings.Index(source, "/projects/")], usageFile)
	if _, err := os.Stat(usage); err == nil && (want.Reason == detect.RateLimit || want.Reason == detect.UsageLimit || want.Reason == detect.Network) {
		f.Steps = append(f.Steps, func(t *testing.T) { put(t, filepath.Join(root, usageFile), strings.Join(linesOf(t, usage), "")) })
	}
	f.Unknown = func(t *testing.T) {
		put(t, s.Path, `{"uuid":"x","type":"tea_break","timestamp":"2026-11-22T12:06:27.824Z","minutes":5}`+"\n")
	}
	f.Broken = func(t *testing.T) { put(t, s.Path, "{\"type\":\"user\",\"message\":\x00\x00\n") }
	f.Replace = func(t *testing.T) {
		put(t, s.Path+".new", strings.Join(all, ""))
		if err := os.Rename(s.Path+".new", s.Path); err != nil {
			t.Fatal(err)
		}
	}
	return q, f
}

// whole completes what is wanted by what the newest record of the conversation says: its id, time and place.
func whole(t *testing.T, all []string, want detect.Stop) detect.Stop {
	t.Helper()
	off, first := 0, ""
	for _, line := range all {
		r, err := parse([]byte(strings.TrimSpace(line)))
		if err != nil {
			t.Fatal(err)
		}
		note := r.event()
		if r.Type != "system" || note != nil && note.main() && (note.Name == apiError || note.Name == apiResponse) {
			if note == nil {
				first = ""
			} else if first == "" && note.Name == apiError {
				first = r.ID
			}
			want.Key, want.At = r.ID, r.at
			want.Evidence = detect.Evidence{Offset: int64(off), Field: "open"}
		}
		off += len(line)
	}
	said := detect.Evidence{Source: source, Offset: want.Evidence.Offset, Field: fieldText}
	switch want.Reason {
	case detect.RateLimit:
		want.Key, want.ResetAt, want.Status, want.Evidence = "ended:"+first, want.At.Add(20e9), 429, said
	case detect.UsageLimit:
		want.Key, want.ResetAt, want.Status, want.Evidence, want.Window = "ended:"+first, at("2026-11-22T13:30:05Z"), 429, said, detect.FiveHour
	case detect.Network:
		want.Key, want.Evidence = "ended:"+want.Key, said
		want.Evidence.Field = apiResponse
	case detect.ServerError:
		want.Key, want.Status, want.Evidence = "ended:"+first, 500, said
	case detect.Completed:
		want.Evidence.Field = "answer"
	case detect.Interrupted:
		want.Evidence.Field = "interrupt"
	default:
		if all := len(all); all < 5 {
			want.Evidence.Field = "prompt"
		}
	}
	return want
}

// TestPieces reads every recorded session as it grows.
func TestPieces(t *testing.T) {
	var all []func(t *testing.T) agenttest.Recording
	for name, files := range recorded(t) {
		for _, path := range files {
			all = append(all, func(t *testing.T) agenttest.Recording {
				q, s := copied(t, path)
				root := q.root
				if err := os.Remove(s.Path); err != nil {
					t.Fatal(err)
				}
				grow := agenttest.Growth(s.Path, strings.Join(linesOf(t, path), ""), 1)
				return agenttest.Recording{Name: name, Session: s,
					Open:  func() agent.Agent { return over(root, agenttest.Procs{}, agent.Config{}) },
					Steps: func(r *rand.Rand) []func(t *testing.T) { return grow(r) }}
			})
		}
	}
	agenttest.Pieces(t, 3, all)
}

// TestNoFalseStart: no line of a recorded headless run makes a stop that is resumed while the run may go on by
// itself.
func TestNoFalseStart(t *testing.T) {
	for name, files := range recorded(t) {
		for _, path := range files {
			q, s := copied(t, path)
			if err := os.Remove(filepath.Join(q.root, usageFile)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			b, err := agenttest.Read(t.Context(), q, s, "")
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range b.Events {
				if e.Kind != detect.KindFailure || e.Failure.Reason == detect.Auth || i+1 >= len(b.Events) {
					continue
				}
				if next := b.Events[i+1].Kind; next != detect.KindPrompt && next != detect.KindSelfResume {
					t.Errorf("%s: a failure that the agent itself went on after: %s, then %s", name, e.ID, next)
				}
			}
		}
	}
}

// TestKilledRequests: the prompt is written a moment after its request is sent: of six runs that were killed within 20 ms
// of it, two had it. Two seconds later all five did, and all five resumes.
func TestKilledRequests(t *testing.T) {
	for name, want := range map[string]int{"kill-at-request": 2, "kill-at-resume-request": 3, "kill-2s-after-request": 11, "kill-before-request": 1} {
		got := 0
		for _, path := range recorded(t)[name] {
			q, s := copied(t, path)
			_, b := verdict(t, q, s, detect.Gone)
			for _, e := range b.Events {
				if e.Kind == detect.KindPrompt {
					got++
				}
			}
		}
		if got != want {
			t.Errorf("%s: %d prompts, want %d", name, got, want)
		}
	}
}

// TestInfo: what a resume is to bring back.
func TestInfo(t *testing.T) {
	q, s := copied(t, recorded(t)["tool-then-429"][0])
	_, b := verdict(t, q, s, detect.Gone)
	i := b.Info
	if i.Provider != "openai" || i.Model != "demo-1" || i.Dir != work || i.Version != "0.24.4" || i.Interactive || i.Untold || i.Tokens != 1212 ||
		i.Created.IsZero() || i.FirstPrompt != detect.HashText("Say hello") || !slices.Equal(i.Used, []string{"run_shell_command"}) {
		t.Errorf("%+v", i)
	}
	if b, err := json.Marshal(i); err != nil || strings.Contains(string(b), "Say hello") {
		t.Errorf("%s, %v", b, err)
	}
	for name, terminal := range map[string]bool{"tui-401": true, "old-tui-429-gives-up": true, "tui-type-while-busy": true, "tui-resume-i": true,
		"old-429-knobs": false, "resume-id": false, "serve-sessions": false} {
		q, s := copied(t, recorded(t)[name][0])
		if _, b := verdict(t, q, s, detect.Gone); b.Info.Interactive != terminal || b.Info.Untold {
			t.Errorf("%s: interactive %v, untold %v", name, b.Info.Interactive, b.Info.Untold)
		}
	}
}
