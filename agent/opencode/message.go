package opencode

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/detect"
)

//go:embed messages.tsv
var table string

// messages takes some milliseconds to compile, which a process that meets no text need not spend.
var messages = sync.OnceValue(func() detect.Messages { return detect.MustMessages(table) })

var (
	rePrefix = regexp.MustCompile(`^(?:Error: |AI_APICallError: |AI_RetryError: |APIError: |UnknownError: |Provider returned error: )+`)
	// reBracket is opencode's word on its own retry, behind the provider's.
	reBracket = regexp.MustCompile(`\[retrying\b[^\]]*\]$`)
	reHeaders = regexp.MustCompile(`^(\d{3}) headers: ([A-Za-z-]+): (.*)$`)
	// reClause is where another sentence begins in a provider's text.
	reClause = regexp.MustCompile(`[:.>] |\n`)
	// reForeign words are those of people who write about such a text, never of a provider.
	reForeign = regexp.MustCompile("(?i)\\b(?:I|we|tests?|banner|regex|printed|prints|asserts?|the (?:log|docs|agent|worker|code|function|handler|client))\\b|\"\\)|\";|```")
)

// plain gives a text as the table wants it.
func plain(text string) string {
	text = strings.ReplaceAll(detect.Plain(text), "\n", " ")
	return rePrefix.ReplaceAllString(text, "")
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

// Message reads a text that opencode printed as its own failure, or the body of a provider's error.
func (o *OpenCode) Message(text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	text = plain(text)
	e := rowError{Name: "UnknownError"}
	e.Data.Message = text
	if m := reHeaders.FindStringSubmatch(text); m != nil {
		e.Name = "APIError"
		e.Data.StatusCode, _ = strconv.Atoi(m[1])
		e.Data.Headers = map[string]string{m[2]: m[3]}
	}
	if strings.HasPrefix(text, "{") || e.Data.StatusCode != 0 {
		return bodyMessage(&e, text, at, zone)
	}
	row, _ := messages().Find(text)
	s, ok := messages().Match(text, at, zone)
	switch {
	case !ok || reForeign.MatchString(text):
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
