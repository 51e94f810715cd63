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
	m := copied{a: a, words: opencode.New(agent.Env{}, agent.Config{}), at: at, zone: zone}
	if stop, ok := a.Message(text, at, zone); ok {
		if tail := goesOn.FindStringIndex(text); tail != nil && stop.State == detect.Retrying { // what came last counts
			if last, ok := Message(a, text[strings.LastIndex(text[:tail[1]], "\n"):], at, zone); ok && last.State == detect.Stopped {
				return last, true
			}
		}
		return m.times(stop, text), true
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

// block is what stands together on a screen.
type block struct {
	mark  string   // the sign before it; empty: there is none
	text  string   // its lines, as one
	glued string   // the same, without a blank where a line ends in the middle of a word
	lines []string // each alone
	next  bool     // it follows right on what its user typed
}

// add puts a line to the block. indented: blanks stood before it.
func (b *block) add(line string, indented bool) {
	blank := " "
	if last := b.lines[len(b.lines)-1]; !indented && len(last) >= narrowest && inWord.MatchString(last+"\n"+line) {
		blank = ""
	}
	b.text, b.glued, b.lines = b.text+" "+line, b.glued+blank+line, append(b.lines, line)
}

// narrowest is the width below which no screen cuts a line.
const narrowest = 60

// error tells whether an agent shows it as an error, or it begins as one does.
func (b block) error() bool {
	return errorMark.MatchString(b.mark) || b.next || begins.MatchString(b.text) || headOf(b.text) != "" || again.MatchString(b.text) ||
		server.MatchString(b.text) && !person.MatchString(b.text) || slices.ContainsFunc(b.lines, attempt.MatchString)
}

var (
	frame = lazyregexp.New(`^[\s│┃|╭╰╮╯─━]+|[\s│┃|╭╰╮╯─━]+$`)
	sign  = lazyregexp.New(`^([⎿✗✕✖✘×■●•⏺✦⚠ℹ◇└❌📝]\x{fe0f}?)\s*`)
	typed = lazyregexp.New(`^[❯›>]\s`)
	// piece is a line of a string as Node.js shows a long one.
	piece  = lazyregexp.New(`^'(.*)'(?: \+|,)?$`)
	inWord = lazyregexp.New(`\pL\n\p{Ll}`)
	// errorMark are the signs that agents put before their own errors.
	errorMark = lazyregexp.New(`^[✗✕✖✘×■⚠❌]`)
	// answerMark are those before what the model says or does.
	answerMark = lazyregexp.New(`^[●•⏺✦]`)
	// noticeMark are those before what it says beside an error.
	noticeMark = lazyregexp.New(`^[ℹ⚠]`)
	// chrome is what an agent offers below its error.
	chrome = lazyregexp.New(`^ (?:/[a-z-]+ |\(|https?:|Warning: |Error Code: )`)
	// head is a name before an error, of a class, a program or a gateway.
	head = lazyregexp.New(`^(?:(?:0 )?\[(?:[\w./:-]{1,60}|[A-Z]\w+ Error)\]:? |Please run /login · |Rate limit exceeded: |(?:Too Many Requests|Bad Request|Unauthorized|Forbidden|Payment Required|Internal Server Error|Bad Gateway|Service Unavailable)[:.]? |` +
		`(?:[\w.]*(?:Error|Exception)|ResourceExhausted|RESOURCE_EXHAUSTED|(?:[A-Z][\w.-]* (?:[\w.-]+ ){0,3})?(?i:error|failed)(?: code| event| occurred)?(?: during \w+)?|API Error|[Uu]ndefined|Reason|HTTP|Last error|Failed after \d+ attempts, Last error|` +
		`[Ss]tream disconnected before completion|Error from provider \([^)]{1,40}\)|The model returned the following errors|(?:[A-Z][\w.-]* ){1,4}returned [45]\d\d|` +
		`[A-Z]\w+ (?:Go )?API rate/quota limit|\w+\.\w+)(?: \([45]\d\d\))?(?: \w+=\S+?)*(?: - | ?[—–]+ ?|[:：] ?)|API Error \()`)
	// server is how Copilot says, in the languages of its editor, what the server has answered.
	server = lazyregexp.New(`(?i)(?:\b(?:server error|erro do servidor|error del servidor|erreur (?:du )?serveur|errore del server|serverfehler|sunucu hatası|błąd serwera|chyba serveru)|ошибка сервера|サーバー ?エラー|服务器错误|伺服器錯誤|서버 오류) ?[:：] ?`)
	// person is how a person's sentence begins.
	person = lazyregexp.New(`^(?i:I|we|the|it|this|that|these|those|my|our|a|an|when|if|you|your|user|they|then|and|but|so|got|getting|here|see|note|log|output|prompt|why|how|after|before|is)\b`)
	// bracket is what Gemini and qwen-code put around an error.
	bracket = lazyregexp.New(`^\[API Error: ([^\n]+)\](?: Please wait .*)?$`)
	status  = lazyregexp.New(`^(?:(?i:error )?(?:status(?: code)?|HTTP|code:?) )?\(?([45]\d\d)(?:\b|_)\)?(?: status code \(no body\))?(?: - |[:,·]? *)`)
	lower   = lazyregexp.New(`^[a-z]`)
	inHead  = lazyregexp.New(`\b([45]\d\d)\b`)
	// said is a provider's sentence, as JSON or as Python writes it.
	said = lazyregexp.New(`["'](?:message|error|errorMessage)["'] ?: ?(?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)')`)
	code = lazyregexp.New(`["'](?:type|code|status)["'] ?: ?["']?([\w.]+)|[:：] ?[a-z]+(?:_[a-z]+)+$`)
	// begins is how an error begins that a program prints.
	begins = lazyregexp.New(`^(?:(?:HTTP )?\(?[45]\d\d\b|\d{4}: |["'][45]\d\d |\{.{0,40}["'](?:error|message|type)["']|["']?(?:error|message|errorMessage|responseBody|data|type|stopReason)["']? ?: ?["'{\[]|["'][^"']{1,300}.{0,100}["'] "(?:type|code)": ?"\w+_error")`)
	// again is the agent's word that it goes on by itself.
	again = lazyregexp.New(`(?i)^.{0,200}\b(?:retrying|reconnecting)\b(?: \w+){0,3}(?: ?[#\d./…]+){0,3}(?: in \S+)?(?: \([^()]{0,40}esc to interrupt\).*)?[.…)\]]*$`)
	// goesOn is a line that ends with it.
	goesOn = lazyregexp.New(`(?is)^.*\b(?:retrying|reconnecting)\b[^\n]{0,80}(?:\.\.\.|…|\))\s*\n\s*(?:[^\s└]|$)`)
	// attempt is one that failed, before the agent tries again.
	attempt = lazyregexp.New(`^(?:[✗✕✖✘×] *)?Attempt \d+ failed\b.*\bRetrying\b`)
)

// blocks are those of a screen.
func blocks(text string) (all []block) {
	after, open := false, false
	for raw := range strings.Lines(text) {
		raw = strings.TrimRight(raw, "\r\n")
		line := frame.ReplaceAllString(raw, "")
		if p := piece.FindStringSubmatch(line); p != nil && open {
			line = strings.TrimSpace(p[1])
		}
		m := sign.FindStringSubmatch(line)
		switch {
		case line == "":
			open = false
		case typed.MatchString(line):
			after, open = true, false
		case m != nil && m[1] == "└" && open && again.MatchString(all[len(all)-1].text): // why it tries again
			all[len(all)-1].add(line[len(m[0]):], true)
		case m != nil:
			// Below a tool's call that sign stands before what the tool printed.
			answers := m[1] == "⎿" && (after || len(all) == 0)
			all, after, open = append(all, newBlock(m[1], line[len(m[0]):], answers)), false, true
		case open:
			all[len(all)-1].add(line, raw != line && !strings.HasPrefix(raw, line))
		default:
			all, after, open = append(all, newBlock("", line, after)), false, true
		}
	}
	return all
}

func newBlock(mark, line string, next bool) block {
	return block{mark: mark, text: line, glued: line, lines: []string{line}, next: next}
}

// windows are the names of plans' windows.
var windows = []struct {
	window detect.Window
	name   *lazyregexp.Regexp
}{
	{detect.FiveHour, lazyregexp.New(`(?i)\b5[- ]hour\b`)},
	{detect.Daily, lazyregexp.New(`(?i)\bdaily\b|\bTPD\b|\bper day\b|>= 1d\b`)},
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

// block reads one, also without what the agent offers below its error.
func (m copied) block(b block) (detect.Stop, bool) {
	retrying := detect.Stop{State: detect.Retrying, At: m.at}
	if again.MatchString(b.text) {
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
	if said := server.FindStringIndex(b.text); said != nil {
		if stop, ok := m.read(b.text[said[1]:], nil); ok {
			return stop, true
		}
	}
	stop, ok := m.read(b.text, b.lines[1:])
	if b.glued != b.text && (!ok || stop.Evidence.Source == "") { // in words
		if by, known := m.read(b.glued, nil); known {
			stop, ok = by, true
		}
	}
	if !ok && chrome.MatchString(strings.TrimPrefix(b.text, b.lines[0])) {
		stop, ok = m.read(b.lines[0], nil)
	}
	return stop, ok
}

// peel takes off what stands before an error. number is the status in it.
func peel(text string) (number int, layers []string) {
	layers = []string{text}
	for range 12 {
		rest := text
		if m := bracket.FindStringSubmatch(rest); m != nil {
			rest = m[1]
		} else if name := headOf(rest); name != "" {
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
	return number, layers
}

// read takes an error apart, and takes the innermost words that are known. more are lines in which another may stand.
func (m copied) read(text string, more []string) (detect.Stop, bool) {
	number, layers := peel(text)
	text = layers[len(layers)-1]
	for _, l := range more {
		if headOf(l) != "" {
			_, inner := peel(l)
			layers = append(layers, inner[1:]...)
		}
	}
	codes := code.FindAllString(text, -1)
	for _, s := range sentences(layers[0]) {
		layers = append(layers, s)
		if n := status.FindStringSubmatch(s); n != nil {
			layers = append(layers, s[len(n[0]):])
		}
	}
	for _, l := range slices.Backward(layers) {
		if stop, ok := m.known(number, l); ok {
			return stop, true
		}
	}
	why := detect.Reason("")
	if number != 0 || strings.Contains(text, "error") {
		why = byCode(strings.Join(codes, " "))
	}
	if why == "" && number != 0 {
		why = detect.FromStatus(number)
	}
	return detect.Stop{State: detect.Stopped, Reason: why, Status: number, At: m.at}, why != ""
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
