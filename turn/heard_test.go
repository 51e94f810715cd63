package turn

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

func TestHeard(t *testing.T) {
	text := func(message, text string) agent.Said {
		return agent.Said{Kind: agent.SaidText, Message: message, Text: text}
	}
	for name, c := range map[string]struct {
		said []agent.Said
		want string
	}{
		"pieces":          {[]agent.Said{text("m1", "All "), text("m1", "done.")}, "All done."},
		"the last answer": {[]agent.Said{text("m1", "I look."), {Kind: agent.SaidTool}, text("m2", "Done."), {Kind: agent.SaidDone}}, "Done."},
		"as repeated":     {[]agent.Said{text("m1", "Do"), {Kind: agent.SaidDone, Text: "Done."}}, "Done."},
	} {
		h := heard{pass: func(agent.Said) {}}
		for _, s := range c.said {
			h.hear(s)
		}
		if got := h.answer.String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	h := heard{pass: func(agent.Said) {}}
	h.hear(text("m", strings.Repeat("x", answerMax/2)))
	h.hear(text("m", strings.Repeat("x", answerMax)))
	if !h.long || h.answer.Len() > answerMax {
		t.Errorf("an answer of %d bytes is kept", h.answer.Len())
	}
}

func TestAdd(t *testing.T) {
	one, two := 1.0, 2.0
	sum := add(add(agent.Usage{}, agent.Usage{InputTokens: 1, CostUSD: &one}), agent.Usage{InputTokens: 2, CostUSD: &two})
	if sum.InputTokens != 3 || *sum.CostUSD != 3 || one != 1 {
		t.Errorf("%+v", sum)
	}
	if whole := add(sum, agent.Usage{InputTokens: 10, Whole: true}); whole.InputTokens != 10 {
		t.Errorf("%+v", whole)
	}
}

// Codex tells what the whole session used.
func TestSince(t *testing.T) {
	whole := agent.Usage{InputTokens: 3600, OutputTokens: 102, CacheReadTokens: 50, Whole: true}
	for name, c := range map[string]struct{ before, want agent.Usage }{
		"a new session":       {agent.Usage{}, agent.Usage{InputTokens: 3600, OutputTokens: 102, CacheReadTokens: 50}},
		"a third turn":        {agent.Usage{InputTokens: 2400, OutputTokens: 68, CacheReadTokens: 60}, agent.Usage{InputTokens: 1200, OutputTokens: 34}},
		"nobody knows before": {agent.Usage{Whole: true}, whole},
	} {
		if got := since(whole, c.before); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if one := (agent.Usage{InputTokens: 7}); since(one, agent.Usage{InputTokens: 3}) != one {
		t.Error("the figures of one turn were changed")
	}
}
