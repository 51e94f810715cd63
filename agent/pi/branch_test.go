package pi

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// TestBranchLeft: /tree goes back to an older place, and leaves a summary of the branch there: its user has gone on from a turn that failed,
// and from its prompt. A summary below the newest record leaves nothing.
func TestBranchLeft(t *testing.T) {
	summary := func(parent string) string {
		return `{"type":"branch_summary","id":"a0000010","parentId":` + parent + `,"timestamp":"2026-11-22T12:16:00.000Z","fromId":"a0000005","summary":"s"}` + "\n"
	}
	second := strings.NewReplacer("a0000005", "a0000012", "a0000004", "a0000011", "a0000003", "a0000010").Replace
	for what, c := range map[string]struct {
		more, prompt string
		want         detect.Reason
	}{
		"left":                      {summary(`"a0000003"`), "", detect.Interrupted},
		"left for the beginning":    {summary("null"), "", detect.Interrupted},
		"left for its prompt":       {summary(`"a0000004"`), "x", detect.Interrupted},
		"below the newest":          {summary(`"a0000005"`), "x", detect.RateLimit},
		"failed from there, too":    {summary(`"a0000003"`) + second(asked+failed) + "\n", "x", detect.RateLimit},
		"a label, which says less":  {strings.Replace(summary(`"a0000003"`), "branch_summary", "label", 1), "x", detect.RateLimit},
		"a model, chosen elsewhere": {strings.Replace(summary(`"a0000003"`), "branch_summary", "model_change", 1), "x", detect.RateLimit},
	} {
		p, s := session(t, begun+failed+"\n")
		first, err := agenttest.Read(t.Context(), p, s, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := verdict(t, p, s, detect.Gone); got.Reason != detect.RateLimit {
			t.Fatalf("before: %+v", got)
		}
		put(t, s.Path, c.more)
		got, _ := verdict(t, p, s, detect.Gone)
		text, err := p.LastPrompt(t.Context(), s)
		if got.State != detect.Stopped || got.Reason != c.want || text != c.prompt || err != nil {
			t.Errorf("%s: %s %s %s; the last prompt is %q, %v", what, got.State, got.Reason, got.Key, text, err)
		}
		if late, err := agenttest.Read(t.Context(), p, s, first.Cursor); err != nil || c.want == detect.Interrupted && len(late.Events) == 0 {
			t.Errorf("%s, the last look: %+v, %v", what, late.Events, err)
		}
	}
}
