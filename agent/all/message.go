package all

import (
	_ "embed"
	"slices"
	"strconv"
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
	if stop, ok := a.Message(text, at, zone); ok {
		return stop, true
	}
	m := copied{a: a, words: opencode.New(agent.Env{}, agent.Config{}), at: at, zone: zone}
	all := blocks(strings.ReplaceAll(text, "’", "'"))
	for _, b := range slices.Backward(all) { // what came last counts
		switch {
		case b.error():
		case answerMark.MatchString(b.mark): // it went on
			return detect.Stop{}, false
		case len(all) == 1: // it may be one without a sign
			return copiedWords().Match(b.text, at, zone)
		default:
			continue
		}
		stop, ok := m.read(b.text)
		if !ok && chrome.MatchString(strings.TrimPrefix(b.text, b.first)) {
			stop, ok = m.read(b.first)
		}
		if ok {
			return stop, true
		}
	}
	return detect.Stop{}, false
}

// block is what stands together on a screen.
type block struct {
	mark  string // the sign before it; empty: there is none
	text  string // its lines, as one
	first string // its first line
	next  bool   // it follows right on what its user typed
}

// error tells whether an agent shows it as an error, or it begins as one does.
func (b block) error() bool {
	return errorMark.MatchString(b.mark) || b.next || begins.MatchString(b.text) || headOf(b.text) != "" || again.MatchString(b.text)
}

var (
	frame = lazyregexp.New(`^[\s│┃|╭╰╮╯─━]+|[\s│┃|╭╰╮╯─━]+$`)
	sign  = lazyregexp.New(`^([⎿✗✕✖✘×■●•⏺✦⚠ℹ◇└❌📝]\x{fe0f}?)\s*`)
	typed = lazyregexp.New(`^[❯›>]\s`)
	// errorMark are the signs that agents put before their own errors.
	errorMark = lazyregexp.New(`^[✗✕✖✘×■⚠❌]`)
	// answerMark are those before what the model says or does.
	answerMark = lazyregexp.New(`^[●•⏺✦]`)
	// chrome is what an agent offers below its error.
	chrome = lazyregexp.New(`^ (?:/[a-z-]+ |\(|https?:|Warning: |Error Code: )`)
	// head is a name before an error, of a class, a program or a gateway.
	head = lazyregexp.New(`^(?:\[[\w.-]{1,60}\]:? |(?:Too Many Requests|Bad Request|Unauthorized|Forbidden|Payment Required|Internal Server Error|Bad Gateway|Service Unavailable)[:.]? |` +
		`(?:[\w.]*(?:Error|Exception)|(?:[A-Z][\w.-]* (?:[\w.-]+ ){0,3})?(?i:error|failed)(?: code| event)?(?: during \w+)?|API Error|[Uu]ndefined|Reason|HTTP|Last error|Failed after \d+ attempts, Last error|` +
		`[Ss]tream disconnected before completion|Error from provider \([^)]{1,40}\)|The model returned the following errors|(?:[A-Z][\w.-]* ){1,4}returned [45]\d\d|` +
		`[A-Z]\w+ (?:Go )?API rate/quota limit|\w+\.\w+)(?: \([45]\d\d\))?(?: - |[:：] ?)|API Error \()`)
	// person is how a person's sentence begins.
	person = lazyregexp.New(`^(?i:I|we|the|it|this|that|these|those|my|our|a|an|when|if|you|your|user|they|then|and|but|so|got|getting|here|see|note|log|output|prompt|why|how|after|before|is)\b`)
	status = lazyregexp.New(`^(?:(?i:error )?(?:status(?: code)?|HTTP|code:?) )?\(?([45]\d\d)(?:\b|_)\)?(?: status code \(no body\))?(?: - |[:,·]? *)`)
	lower  = lazyregexp.New(`^[a-z]`)
	inHead = lazyregexp.New(`\b([45]\d\d)\b`)
	// said is a provider's sentence, as JSON or as Python writes it.
	said = lazyregexp.New(`["'](?:message|error|errorMessage)["'] ?: ?(?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)')`)
	code = lazyregexp.New(`["'](?:type|code|status)["'] ?: ?["']?([\w.]+)`)
	// begins is how an error begins that a program prints.
	begins = lazyregexp.New(`^(?:(?:HTTP )?\(?[45]\d\d\b|\d{4}: |["'][45]\d\d |\{.{0,40}["'](?:error|message|type)["']|["']?(?:error|message|errorMessage|responseBody|type)["']? ?: ?["'{])`)
	// again is the agent's word that it goes on by itself.
	again = lazyregexp.New(`(?i)^.{0,200}\b(?:retrying|reconnecting)\b(?: \w+){0,3}(?: ?[#\d./]+)?(?: in \S+)?[.…)\]]*$`)
)

// blocks are those of a screen.
func blocks(text string) (all []block) {
	after, open := false, false
	for line := range strings.Lines(text) {
		line = frame.ReplaceAllString(strings.TrimRight(line, "\r\n"), "")
		m := sign.FindStringSubmatch(line)
		switch {
		case line == "":
			open = false
		case typed.MatchString(line):
			after, open = true, false
		case m != nil:
			// Below a tool's call that sign stands before what the tool printed.
			answers := m[1] == "⎿" && (after || len(all) == 0)
			all, after, open = append(all, block{mark: m[1], text: line[len(m[0]):], first: line[len(m[0]):], next: answers}), false, true
		case open:
			b := &all[len(all)-1]
			b.text += " " + line
		default:
			all, after, open = append(all, block{text: line, first: line, next: after}), false, true
		}
	}
	return all
}

// windows are the names of plans' windows.
var windows = []struct {
	window detect.Window
	name   *lazyregexp.Regexp
}{
	{detect.FiveHour, lazyregexp.New(`(?i)\b5[- ]hour\b`)},
	{detect.Daily, lazyregexp.New(`(?i)\bdaily\b|\bTPD\b|\bper day\b`)},
	{detect.Weekly, lazyregexp.New(`(?i)(?:\b|_)weekly(?:\b|_)`)},
	{detect.Monthly, lazyregexp.New(`(?i)\bmonthly\b`)},
}

// windowIn gives the only window that a text names.
func windowIn(text string) (found detect.Window) {
	for _, w := range windows {
		if !w.name.MatchString(text) {
			continue
		}
		if found != "" {
			return ""
		}
		found = w.window
	}
	return found
}

// headOf gives the name before an error; empty: there is none, or a person writes about it.
func headOf(text string) string {
	if person.MatchString(text) {
		return ""
	}
	return head.FindString(text)
}

// copied reads what was copied.
type copied struct {
	a, words agent.Agent // words knows those of the most providers
	at       time.Time
	zone     *time.Location
}

// read takes an error apart, and takes the innermost words that are known.
func (m copied) read(text string) (detect.Stop, bool) {
	if again.MatchString(text) {
		return detect.Stop{State: detect.Retrying, At: m.at}, true
	}
	number, layers := 0, []string{text}
	for range 12 {
		rest := text
		if name := headOf(rest); name != "" {
			rest = rest[len(name):]
			if n := inHead.FindString(name); n != "" {
				number, _ = strconv.Atoi(n)
			}
		} else if n := status.FindStringSubmatch(rest); n != nil {
			if rest = rest[len(n[0]):]; !lower.MatchString(rest) || len(layers) > 1 { // else it may be a number of anything
				number, _ = strconv.Atoi(n[1])
			}
		}
		if rest = strings.Trim(rest, "\"'` "); rest == text {
			break
		}
		text = rest
		layers = append(layers, rest)
	}
	codes := code.FindAllString(text, -1)
	for _, s := range sentences(text) {
		layers = append(layers, s)
		if n := status.FindStringSubmatch(s); n != nil {
			layers = append(layers, s[len(n[0]):])
		}
	}
	for _, l := range slices.Backward(layers) {
		if stop, ok := m.known(number, l); ok {
			return m.reset(stop, layers[0]), true
		}
	}
	why := detect.Reason("")
	if number != 0 || strings.Contains(text, "error") {
		why = byCode(strings.Join(codes, " "))
	}
	if why == "" && number != 0 {
		why = detect.FromStatus(number)
	}
	if why == "" {
		return detect.Stop{}, false
	}
	return m.reset(detect.Stop{State: detect.Stopped, Reason: why, Status: number, At: m.at}, layers[0]), true
}

// known looks for words in the tables.
func (m copied) known(number int, text string) (detect.Stop, bool) {
	if stop, ok := copiedWords().Match(strings.TrimSpace(text), m.at, m.zone); ok {
		return stop, true
	}
	if stop, ok := m.a.Message(text, m.at, m.zone); ok {
		return stop, true
	}
	if f, ok := detect.Passed(number, text, m.at, m.zone); ok {
		return f.Stop(m.at)
	}
	return m.words.Message(text, m.at, m.zone)
}

// reset takes over a time, and a plan's window, that the rest of the text names.
func (m copied) reset(stop detect.Stop, text string) detect.Stop {
	if stop.Reason == detect.UsageLimit && stop.Window == "" {
		stop.Window = windowIn(text)
	}
	if (stop.Reason == detect.UsageLimit || stop.Reason == detect.RateLimit) && stop.ResetAt.IsZero() {
		if r, ok := detect.ResetField(text, m.at, stop.Window); ok {
			stop.ResetAt = r.At
		} else if r, ok := detect.ParseReset(text, m.at, m.zone); ok {
			stop.ResetAt = r.At
		}
	}
	return stop
}

// sentences are those of the provider in a body, the outermost first; what a sentence holds as a body of its own comes behind it.
func sentences(text string) (all []string) {
	for _, m := range said.FindAllStringSubmatch(text, 20) {
		s := m[1] + m[2]
		if q, err := strconv.Unquote(`"` + s + `"`); err == nil {
			s = q
		}
		all = append(append(all, s), sentences(s)...)
	}
	return all
}

// byCode is what a provider's own names of errors mean, where no words are known.
func byCode(codes string) detect.Reason {
	for _, c := range []struct {
		reason detect.Reason
		words  string
	}{
		{detect.UsageLimit, "usage_limit weekly_rate_limited quota_exhausted"},
		{detect.Billing, "insufficient_quota insufficient_balance billing"},
		{detect.ContextFull, "context_length_exceeded tokens_limit_reached"},
		{detect.RateLimit, "rate_limit"},
		{detect.Overloaded, "overloaded"},
		{detect.Auth, "authentication_error permission_error invalid_api_key"},
		{detect.InvalidRequest, "invalid_request_error"},
	} {
		for w := range strings.FieldsSeq(c.words) {
			if strings.Contains(strings.ToLower(codes), w) {
				return c.reason
			}
		}
	}
	return ""
}
