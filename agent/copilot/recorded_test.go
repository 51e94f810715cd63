package copilot

import (
	"encoding/json"
	"math/rand/v2"
	"os"
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
		"global":               {State: detect.Stopped, Reason: detect.UsageLimit, Window: detect.FiveHour},
		"weekly":               {State: detect.Stopped, Reason: detect.UsageLimit, Window: detect.Weekly},
		"weekly-held":          {State: detect.Stopped, Reason: detect.Completed},
		"e503":                 {State: detect.Stopped, Reason: detect.Overloaded},
		"tui-esc-only":         {State: detect.Stopped, Reason: detect.Interrupted},
		"subagent-429":         {State: detect.Stopped, Reason: detect.Completed},
		"sigkill-only-v1.0.65": {State: detect.Running, CouldBe: []detect.State{detect.Running, detect.Retrying, detect.Asking, detect.Stopped}},
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
	c := over(root, procTable{}, agent.Config{})
	s := fileOf(root, idOf(source))
	f := agenttest.Fixture{Session: s, Changed: s.Path, Want: whole(t, all, want)}
	for _, line := range all {
		f.Steps = append(f.Steps, func(t *testing.T) { put(t, s.Path, line) })
	}
	f.Unknown = func(t *testing.T) {
		put(t, s.Path, `{"type":"tea.break","data":{"minutes":5},"id":"00000000-0000-4000-8000-000000000099","timestamp":"2026-11-22T12:06:27.824Z","parentId":null}`+"\n")
	}
	f.Broken = func(t *testing.T) { put(t, s.Path, "{\"type\":\"session.error\",\"data\":\x00\x00\n") }
	f.Replace = func(t *testing.T) {
		put(t, s.Path+".new", strings.Join(all, ""))
		if err := os.Rename(s.Path+".new", s.Path); err != nil {
			t.Fatal(err)
		}
	}
	return c, f
}

// whole completes what is wanted by what the deciding record says: its id, time and place.
func whole(t *testing.T, all []string, want detect.Stop) detect.Stop {
	t.Helper()
	kind, source, field := typePrompt, "", "prompt"
	switch want.Reason {
	case detect.UsageLimit:
		kind, source, field, want.Status = typeError, "transcript", fieldCode, 429
	case detect.Overloaded:
		kind, source, field, want.Status = typeError, "transcript", fieldStatus, 503
	case detect.Completed:
		kind, field = typeAnswer, "answer"
	case detect.Interrupted:
		kind, field = typeAbort, "interrupt"
	default:
	}
	off := 0
	for _, line := range all {
		r, err := parse([]byte(strings.TrimSpace(line)))
		if err != nil {
			t.Fatal(err)
		}
		if r.Type == kind && r.Agent == "" {
			want.Key, want.At = r.ID, r.at
			want.Evidence = detect.Evidence{Source: source, Offset: int64(off), Field: field}
		}
		off += len(line)
	}
	switch want.Window {
	case detect.FiveHour:
		want.ResetAt, want.ResetMinute = want.At.Add(2*60*60e9), true
	case detect.Weekly:
		want.ResetAt, want.ResetMinute = at("2026-11-24T15:06:00Z"), true
	default:
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
				s := fileOf(root, idOf(path))
				grow := agenttest.Growth(s.Path, strings.Join(linesOf(t, path), ""), 1)
				return agenttest.Recording{Name: name, Session: s,
					Open:  func() agent.Agent { return over(root, procTable{}, agent.Config{}) },
					Steps: func(r *rand.Rand) []func(t *testing.T) { return grow(r) }}
			})
		}
	}
	agenttest.Pieces(t, 2, all)
}

// TestNoFalseStart: no line of a recorded run makes a stop that the agent itself went on after.
func TestNoFalseStart(t *testing.T) {
	for name, files := range recorded(t) {
		for _, path := range files {
			c, s := copied(t, path)
			b, err := agenttest.Read(t.Context(), c, s, "")
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range b.Events {
				if e.Kind == detect.KindFailure && i+1 < len(b.Events) && b.Events[i+1].Kind != detect.KindPrompt && name != "tui-weekly-auto" {
					t.Errorf("%s: a failure that the agent itself went on after: %s", name, e.ID)
				}
			}
		}
	}
}

// TestKilledRequests: 28 runs were killed right after a trigger. In 22 the prompt is on disk, and counts as given, whether
// or not its request left.
func TestKilledRequests(t *testing.T) {
	c, s := copied(t, recorded(t)["kill-sweep2"][0])
	b, err := agenttest.Read(t.Context(), c, s, "")
	if err != nil {
		t.Fatal(err)
	}
	prompts := slices.DeleteFunc(b.Events, func(e detect.Event) bool { return e.Kind != detect.KindPrompt })
	if len(prompts) != 23 {
		t.Errorf("%d prompts", len(prompts))
	}
}

// TestInfo: what a resume is to bring back.
func TestInfo(t *testing.T) {
	c, s := copied(t, recorded(t)["resume-ok"][0])
	_, b := verdict(t, c, s, detect.Gone)
	i := b.Info
	if i.Provider != github || i.Model != "gpt-5.4" || i.Setup.Effort != "medium" || i.Dir != work || i.Untold || i.Interactive || i.Tokens != 1212 || i.Version != "1.0.102" ||
		!i.Created.Equal(at("2026-11-22T12:10:38.904Z")) || i.FirstPrompt != detect.HashText("say one") {
		t.Errorf("%+v", i)
	}
	if b, err := json.Marshal(i); err != nil || strings.Contains(string(b), "say one") {
		t.Errorf("%s, %v", b, err)
	}
	for name, want := range map[string]detect.Info{
		"tui-ok":        {Interactive: true, Provider: github},
		"tui-resume":    {Interactive: true, Provider: github},
		"autopilot":     {Mode: autopilot, Provider: github},
		"ok-byok-byok":  {Provider: byok},
		"resume-newkey": {Provider: byok},
		// A change of the model stands in a session of GitHub's and in one of a provider of its user's own: it tells of no payer.
		"r429-byok-v1.0.65": {},
	} {
		c, s := copied(t, recorded(t)[name][0])
		_, b := verdict(t, c, s, detect.Gone)
		if i := b.Info; i.Interactive != want.Interactive || i.Mode != want.Mode || i.Provider != want.Provider {
			t.Errorf("%s: %+v", name, i)
		}
	}
}

// TestPremium: each prompt that the agent gives itself in autopilot is told, and is not its user's.
func TestPremium(t *testing.T) {
	c, s := copied(t, recorded(t)["autopilot"][0])
	b, err := agenttest.Read(t.Context(), c, s, "")
	if err != nil {
		t.Fatal(err)
	}
	own, user := 0, 0
	for _, e := range b.Events {
		switch {
		case e.Kind == detect.KindPrompt && e.Meta:
			own++
		case e.Kind == detect.KindPrompt:
			user++
		}
	}
	if own != 2 || user != 1 {
		t.Errorf("%d of the agent's own, %d of its user's", own, user)
	}
}
