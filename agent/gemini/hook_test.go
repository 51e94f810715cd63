package gemini

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// hookedLine is a prompt as 0.61 records it where a hook of its user's had a word in it.
func hookedLine(id, at, shown, parts string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"user","content":[%s],"displayContent":[{"text":%q}]}`+"\n", id, at, parts, shown)
}

const added = `{"text":"do it"},{"text":"<hook_context>whisper</hook_context>"}`

// TestHookedPrompt: a hook that adds to a prompt changes nothing in what its user said, and one that has the turn go on is nobody's prompt.
func TestHookedPrompt(t *testing.T) {
	answer := answerLine("g1", "2026-11-21T00:10:02Z", "done", "")
	said := detect.HashText("do it")
	for _, c := range []struct {
		name, second string
		hash         string
		meta         bool
	}{
		{"added to", hookedLine("u2", "2026-11-21T00:10:03Z", "do it", added), said, false},
		{"gone on", hookedLine("u2", "2026-11-21T00:10:03Z", "do it", `{"text":"Run the tests, too."}`), said, true},
		{"a command of the user's, again", hookedLine("u2", "2026-11-21T00:10:03Z", "/fix", `{"text":"Mend it."}`), detect.HashText("/fix"), false},
		{"added to at the start", promptLine("u2", "2026-11-21T00:10:03Z", "<hook_context>whisper</hook_context>\n\ndo it"), said, false},
		{"added to at the start and here", hookedLine("u2", "2026-11-21T00:10:03Z", "<hook_context>whisper</hook_context>\n\ndo it",
			`{"text":"<hook_context>whisper</hook_context>\n\ndo it"},{"text":"<hook_context>whisper</hook_context>"}`), said, false},
		{"another one, added to", hookedLine("u2", "2026-11-21T00:10:03Z", "more", `{"text":"more"},{"text":"<hook_context>whisper</hook_context>"}`), detect.HashText("more"), false},
	} {
		g, _, s := world(t)
		first := hookedLine("u1", "2026-11-21T00:10:01Z", "do it", added)
		if c.hash == detect.HashText("/fix") {
			first = hookedLine("u1", "2026-11-21T00:10:01Z", "/fix", `{"text":"Mend it."}`)
		}
		put(t, s["tool"].Path, headLine(toolID)+first+answer+c.second)
		b, err := agenttest.Read(t.Context(), g, s["tool"], "")
		must(t, err)
		var prompts []detect.Event
		for _, e := range b.Events {
			if e.Kind == detect.KindPrompt {
				prompts = append(prompts, e)
			}
		}
		if len(prompts) != 2 || prompts[0].Meta || prompts[1].Hash != c.hash || prompts[1].Meta != c.meta {
			t.Errorf("%s: %+v", c.name, prompts)
		}
	}
	g, _, s := world(t)
	put(t, s["tool"].Path, headLine(toolID)+hookedLine("u1", "2026-11-21T00:10:01Z", "do it", added))
	if text, err := g.LastPrompt(t.Context(), s["tool"]); err != nil || text != "do it" {
		t.Errorf("last prompt %q, %v", text, err)
	}
}

// TestHookedReport: what a hook has added stands behind the prompt in the report of its failure.
func TestHookedReport(t *testing.T) {
	g, _, s := world(t)
	put(t, s["back"].Path, headLine(backID)+fmt.Sprintf(contextLine, "2026-11-21T00:10:00Z")+hookedLine("u1", "2026-11-21T00:10:01Z", "do it", added)+
		fmt.Sprintf(contextLine, "2026-11-21T00:10:05.000Z"))
	put(t, filepath.Join(g.reports, reportName("00-10-05-012")), report("demo", "TerminalQuotaError", "You have exhausted your daily quota on this model.", added))
	if stop, _ := verdict(t, g, s["back"], detect.HolderUnknown); stop.Reason != detect.UsageLimit {
		t.Errorf("reason %q, notes %q", stop.Reason, stop.Notes)
	}
}
