package all

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/opencode"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

//go:embed copied.tsv
var table string

// copiedWords are what the agents' own tables lack: forms that come through gateways and forks.
var copiedWords = sync.OnceValue(func() detect.Messages { return detect.MustMessages(table) })

// Message reads a text that a person copied from an agent's screen or log, written at a time in a zone: as the agent's own words, else
// as what is left of them without the signs, boxes and line breaks of a screen, and without the names of classes and gateways that
// pass a provider's error on. A text that only speaks of an error is taken apart no further. False: it tells of none.
func Message(a agent.Agent, text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	m := copied{a: a, words: opencode.New(agent.Env{}, agent.Config{}), at: at, zone: zone}
	if waits.MatchString(text) {
		return m.times(detect.Stop{State: detect.Retrying, At: at}, text), true
	}
	for place.MatchString(text) { // the agent's own error may stand below
		_, text, _ = strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	}
	if strings.TrimSpace(text) == "" {
		return detect.Stop{}, false
	}
	if stop, ok := a.Message(text, at, zone); ok {
		if last := goesOn.FindStringIndex(text); last != nil && stop.State == detect.Retrying { // what came last counts
			if stop, ok := Message(a, text[strings.LastIndex(text[:last[1]], "\n"):], at, zone); ok && stop.State == detect.Stopped {
				return stop, true
			}
		}
		return m.times(m.finer(stop, text), text), true
	}
	if inner := unquoted(text); inner != text {
		return Message(a, inner, at, zone)
	}
	if elsewhere.MatchString(text) && !model.MatchString(text) {
		return detect.Stop{}, false
	}
	all := blocks(strings.ReplaceAll(text, "’", "'"))
	for i, b := range slices.Backward(all) { // what came last counts
		stop, ok := detect.Stop{}, false
		switch {
		case b.error():
			stop, ok = m.block(b)
		case answerMark.MatchString(b.mark): // it went on
			return detect.Stop{}, false
		case len(all) == 1: // it may be one without a sign
			stop, ok = copiedWords().Match(b.text, at, zone)
		}
		if !ok {
			continue
		}
		if stop = m.times(stop, b.text); i > 0 && noticeMark.MatchString(all[i-1].mark) && stop.Reason == detect.UsageLimit && stop.Window == "" {
			stop.Window = windowIn(all[i-1].text)
		}
		return stop, true
	}
	return detect.Stop{}, false
}

// wraps are what people put around a text that they pass on: marks of a list, and quotes around the whole.
var wraps = []*lazyregexp.Regexp{
	lazyregexp.New(`^\s*[-*] +(\S[^\n]*(?:\n[^\n-][^\n]*)*)$`), lazyregexp.New("(?s)^\\s*`+([^`]+)`+\\s*$"), lazyregexp.New(`(?s)^\s*\*\*(.+)\*\*\s*$`),
	lazyregexp.New(`^[✕✗✖×] (\[API Error: .+\]) \w{1,12}$`), lazyregexp.New(`(?s)^\s*"\s*([■✕✗×A-Z][^"]*(?:\{.*\}[^"]*)?)"\s*$`), lazyregexp.New(`(?s)^\s*“([^”]+)”\s*$`), lazyregexp.New(`^> ([^\n]+)$`),
}

// unquoted takes one of them off.
func unquoted(text string) string {
	for _, w := range wraps {
		if m := w.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return text
}

// copied reads what was copied.
type copied struct {
	a, words agent.Agent // words knows those of the most providers
	at       time.Time
	zone     *time.Location
}

// block reads one, also without what the agent offers below its error.
func (m copied) block(b block) (detect.Stop, bool) {
	retrying := detect.Stop{State: detect.Retrying, At: m.at}
	if again.MatchString(b.text) || again.MatchString(b.lines[len(b.lines)-1]) || reconnects.MatchString(b.text) {
		return retrying, true
	}
	if slices.ContainsFunc(b.lines, attempt.MatchString) {
		for _, l := range slices.Backward(b.lines) {
			if attempt.MatchString(l) {
				return retrying, true
			}
			if stop, ok := m.known(0, l); ok { // it gave up
				return stop, true
			}
		}
	}
	if stop, ok := m.a.Message(b.text, m.at, m.zone); ok {
		return m.finer(stop, b.text), true
	}
	if said := server.FindStringIndex(b.text); said != nil {
		if stop, ok := m.read(b.text[said[1]:], nil, true); ok {
			return stop, true
		}
	}
	stop, ok := m.read(b.text, b.lines, !b.log)
	if b.glued != b.text && (!ok || stop.Evidence.Source == "") { // in words
		if by, known := m.read(b.glued, nil, !b.log); known {
			stop, ok = by, true
		}
	}
	if !ok && chrome.MatchString(strings.TrimPrefix(b.text, b.lines[0])) {
		stop, ok = m.read(b.lines[0], nil, !b.log)
	}
	return stop, ok
}

// finer takes over what a provider's own sentence says, where the agent's word goes by no more than a status or a kind.
func (m copied) finer(stop detect.Stop, text string) detect.Stop {
	switch stop.Reason {
	case detect.InvalidRequest, detect.Auth, detect.ServerError, detect.RateLimit:
	default:
		return stop
	}
	text = strings.Join(strings.Fields(text), " ")
	_, layers := peel(text)
	for _, s := range append(layers[1:], sentences(text)...) {
		by, ok := copiedWords().Match(s, m.at, m.zone)
		if !ok {
			f, known := detect.Passed(0, s, m.at, m.zone)
			if !known {
				continue
			}
			by, _ = f.Stop(m.at)
		}
		switch by.Reason {
		case detect.Auth:
			if stop.Reason != detect.InvalidRequest {
				continue
			}
		case detect.ContextFull, detect.Billing, detect.UsageLimit, detect.Overloaded, detect.Network:
		default:
			continue
		}
		by.Status = stop.Status
		return by
	}
	if stop.Status == tooLarge {
		stop.Reason = detect.ContextFull
	}
	return stop
}

// tooLarge is the status of a request that an agent made too large; what it sends is its context.
const tooLarge = 413
