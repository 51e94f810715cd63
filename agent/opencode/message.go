package opencode

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

//go:embed messages.tsv
var table string

// messages takes some milliseconds to compile, which a process that meets no text need not spend.
var messages = sync.OnceValue(func() detect.Messages { return detect.MustMessages(table) })

var (
	rePrefix = lazyregexp.New(`^([A-Za-z_.]*(?:Error|Exception)|Provider returned error): `)
	// reTries is how the library says that it gave up; what the last try met is behind it.
	reTries = lazyregexp.New(`^AI_RetryError: Failed after \d+ attempts\. Last error: `)
	// reStatus is how gateways put an answer's status before its body or its text.
	reStatus = lazyregexp.New(`^(?:(HTTP|(?:Invalid )?status(?: code)?|Error) )?([45]\d\d)(?: [A-Z][A-Za-z -]{1,40}?)?(?: with message)?: (.+)$`)
	// reCode is how clients put the status alone before it.
	reCode = lazyregexp.New(`^([45]\d\d) (\{.+)$`)
	// reBracket is opencode's word on its own retry, behind the provider's.
	reBracket = lazyregexp.New(`\[retrying\b[^\]]*\]$`)
	reHeaders = lazyregexp.New(`^(\d{3}) headers: ([A-Za-z-]+): (.*)$`)
	// reClause is where another sentence begins in a provider's text.
	reClause = lazyregexp.New(`[:.>] |\n`)
	// reForeign words are those of people who write about such a text, never of a provider.
	reForeign = lazyregexp.New("(?i)\\b(?:I|we|tests?|banner|regex|printed|prints|asserts?|the (?:log|docs|agent|worker|code|function|handler|client))\\b|\"\\)|\";|```")
	// reProvider are the same words in a provider's mouth.
	reProvider = lazyregexp.New(`We recommend upgrading|[Rr]ead the docs: https://`)
)

// plain gives a text as the table wants it.
func plain(text string) string {
	text = strings.ReplaceAll(detect.Plain(text), "\n", " ")
	for {
		text = text[len(reTries.FindString(text)):]
		name := rePrefix.FindStringSubmatch(text)
		if name == nil {
			return text
		}
		if _, ok := messages().Find(name[1]); ok { // this name says what the text behind it does not
			return text
		}
		text = text[len(name[0]):]
	}
}

// answered takes a status off that stands before an answer in a text; 0: there is none.
func answered(text string) (status int, rest string) {
	if m := reCode.FindStringSubmatch(text); m != nil {
		status, _ = strconv.Atoi(m[1])
		return status, m[2]
	}
	m := reStatus.FindStringSubmatch(text)
	if m == nil || m[1] == "" && !strings.HasPrefix(m[3], "{") && !strings.HasPrefix(m[3], "[") {
		return 0, text
	}
	status, _ = strconv.Atoi(m[2])
	return status, m[3]
}

// plainly is what a provider's text means by its first words; empty: that is not known.
func plainly(text string) detect.Reason {
	if row, ok := messages().Find(plain(text)); ok && row.State == detect.Stopped {
		return row.Reason
	}
	return ""
}

// maxClauses is how many sentences of a provider's text are looked at.
const maxClauses = 20

// known is the first row of the table that one of the first sentences fits, and the text from there
// on, plain. The zero Message: none.
func known(text string, most int) (detect.Message, string) {
	for range most {
		clause := plain(text)
		if row, ok := messages().Find(clause); ok && row.State == detect.Stopped {
			return row, clause
		}
		at := reClause.FindStringIndex(text)
		if at == nil {
			break
		}
		text = text[at[1]:]
	}
	return detect.Message{}, ""
}

// meaning is what a provider's text means by any of its sentences, the first that is known: names
// of classes and of gateways may stand before it.
func meaning(text string) detect.Reason {
	row, _ := known(text, maxClauses)
	return row.Reason
}

// Message reads a text that opencode printed as its own failure, the error of a row, or the body of a provider's error.
func (o *OpenCode) Message(text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	if line := strings.TrimSpace(text); strings.HasPrefix(line, `{"name":"`) { // the error of a row
		var e rowError
		if agent.Unmarshal([]byte(line), &e) == nil && e.Data.Message != "" {
			f := failure(&e, at, zone, "message")
			f.Text = ""
			return f.Stop(at)
		}
	}
	text = plain(text)
	e := rowError{Name: "UnknownError"}
	e.Data.Message = text
	if m := reHeaders.FindStringSubmatch(text); m != nil {
		e.Name = "APIError"
		e.Data.StatusCode, _ = strconv.Atoi(m[1])
		e.Data.Headers = map[string]string{m[2]: m[3]}
	}
	status, rest := answered(text)
	whole := json.Valid([]byte(rest)) || !strings.HasPrefix(rest, "{") && !reForeign.MatchString(rest)
	if status != 0 && whole || strings.HasPrefix(text, "{") || e.Data.StatusCode != 0 {
		return bodyMessage(&e, text, at, zone)
	}
	row, _ := messages().Find(text)
	s, ok := messages().Match(text, at, zone)
	switch {
	case !ok || reForeign.MatchString(reProvider.ReplaceAllString(text, "")):
		return detect.Stop{State: detect.Running}, false
	case row.State == detect.Retrying:
		// The provider's own text may name another time.
		s.SelfResumeAt = time.Time{}
		next := strings.ReplaceAll(reBracket.FindString(text), "~", "")
		if r, found := detect.ParseReset(next, at, zone); found {
			s.SelfResumeAt = r.At
		}
	}
	return s, true
}

// bodyMessage goes by the fields of the body, and by the time that its text names.
func bodyMessage(e *rowError, text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	f := failure(e, at, zone, "message")
	f.Field = "text"
	if (f.Reason == detect.UsageLimit || f.Reason == detect.RateLimit) && f.ResetAt.IsZero() {
		if r, ok := detect.ParseReset(text, at, zone); f.RetryAfter != nil {
			f.ResetIn(at, *f.RetryAfter)
		} else if ok {
			f.ResetAt, f.ResetMinute, f.Notes = r.At, r.Minute, r.Notes
		}
	}
	return f.Stop(at)
}
