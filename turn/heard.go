package turn

import (
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

const (
	// answerMax bounds an answer; beyond it the output is no use.
	answerMax = 64 << 20
	// wordsMax bytes are kept of an error's text.
	wordsMax = 8 << 10
)

// heard is what a run said, as far as it counts in the end.
type heard struct {
	pass    func(agent.Said)
	open    func(id string)
	answer  strings.Builder
	message string // whose text the answer is
	long    bool   // the answer is over its bound
	worked  bool   // the model said something
	ended   agent.SaidKind
	last    agent.LastWords
	usage   agent.Usage
	used    bool
}

func (h *heard) hear(s agent.Said) {
	switch s.Kind {
	case agent.SaidOpened:
		h.open(s.Session)
	case agent.SaidText:
		h.worked = true
		if s.Message != h.message {
			h.message = s.Message
			h.answer.Reset()
		}
		if h.long = h.long || h.answer.Len()+len(s.Text) > answerMax; !h.long {
			h.answer.WriteString(s.Text)
		}
	case agent.SaidTool:
		h.worked = true
	case agent.SaidUsage:
		h.usage = add(h.usage, s.Usage)
		h.used = true
	case agent.SaidDone:
		h.ended = s.Kind
		if s.Text != "" {
			h.answer.Reset()
			h.answer.WriteString(s.Text)
		}
	case agent.SaidFailed:
		h.ended = s.Kind
	}
	h.last.Hear(s)
	h.pass(s)
}

// note is the newest of the plain lines in one.
func (h *heard) note() string { return words(h.last.Notes()) }

// words is an agent's own text as it stands in an error: one line without control characters. Its caller
// sees what the agent would have shown, paths and hosts too.
func words(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(strings.TrimSpace(detect.Unstyled(text[:min(len(text), wordsMax)])))
}

// add sums what was used. Figures of a whole session replace what they contain.
func add(a, b agent.Usage) agent.Usage {
	if b.Whole {
		return b
	}
	a.InputTokens += b.InputTokens
	a.OutputTokens += b.OutputTokens
	a.CacheCreationTokens += b.CacheCreationTokens
	a.CacheReadTokens += b.CacheReadTokens
	a.API += b.API
	if b.CostUSD != nil {
		sum := *b.CostUSD
		if a.CostUSD != nil {
			sum += *a.CostUSD
		}
		a.CostUSD = &sum
	}
	return a
}

// less takes what a session had cost before off the figures of a run.
func less(u agent.Usage, usd float64, api time.Duration) agent.Usage {
	if u.CostUSD != nil {
		rest := max(0, *u.CostUSD-usd)
		u.CostUSD = &rest
	}
	u.API = max(0, u.API-api)
	return u
}

// since takes what a session had used before off the figures of the whole session.
func since(u, before agent.Usage) agent.Usage {
	if !u.Whole || before.Whole {
		return u
	}
	u.InputTokens = max(0, u.InputTokens-before.InputTokens)
	u.OutputTokens = max(0, u.OutputTokens-before.OutputTokens)
	u.CacheCreationTokens = max(0, u.CacheCreationTokens-before.CacheCreationTokens)
	u.CacheReadTokens = max(0, u.CacheReadTokens-before.CacheReadTokens)
	u.Whole = false
	return u
}
