package gemini

import (
	_ "embed"
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

// A table compiles when a text is met: most runs of clawd meet none.
var messages = sync.OnceValue(func() detect.Messages { return detect.MustMessages(table) })

var (
	// reSuggested is the delay that the agent itself puts behind the provider's text.
	reSuggested = lazyregexp.New(`\nSuggested retry after (\d+(?:\.\d+)?)s\b`)
	// reDelay: the text names a span to wait, not a time of day.
	reDelay    = lazyregexp.New(`(?i)\b(?:retry (?:in|after)|resets? (?:in|after)|refreshes in)\b`)
	reRetrying = lazyregexp.New(`Retrying after (\d{1,12})ms`)
)

// Message reads a text that the Gemini CLI printed as its own, or its record of an error.
func (g *Gemini) Message(text string, at time.Time, zone *time.Location) (detect.Stop, bool) {
	if zone == nil {
		zone = g.zone
	}
	if line := strings.TrimSpace(text); strings.HasPrefix(line, `{"`) {
		var r struct { // a record of the session's file
			Type    string  `json:"type"`
			Content *string `json:"content"`
		}
		if agent.Unmarshal([]byte(line), &r) == nil && r.Type == "error" && r.Content != nil {
			f := g.read(*r.Content, "", at, zone)
			f.Source, f.Field = "message", "text"
			return f.Stop(at)
		}
	}
	plain := detect.Plain(text)
	s, ok := messages().Match(plain, at, zone)
	if ok && s.State != detect.Stopped {
		if m := reRetrying.FindAllStringSubmatch(plain, -1); m != nil {
			ms, _ := strconv.ParseInt(m[len(m)-1][1], 10, 64)
			s.SelfResumeAt = at.Add(min(time.Duration(ms)*time.Millisecond, maxDelay)).UTC()
		}
		return s, true
	}
	f := g.read(text, "", at, zone)
	f.Source, f.Field = "message", "text"
	return f.Stop(at)
}

// maxDelay bounds the waits that texts name, as it does the reset times.
const maxDelay = 32 * 24 * time.Hour

// byDelay lets the length of the wait decide between a throttle and a quota that is used up, where
// the text names a wait. A named window stays what it is.
func byDelay(f *detect.Failure, text string, at time.Time) {
	if f.Reason != detect.RateLimit && f.Reason != detect.UsageLimit {
		return
	}
	if m := reSuggested.FindStringSubmatch(text); m != nil {
		if d, ok := detect.ParseRetryAfter(m[1], at); ok {
			f.ResetIn(at, d)
		}
	}
	if f.ResetAt.IsZero() || f.ResetMinute || f.Window != "" || f.RetryAfter == nil && !reDelay.MatchString(strings.ReplaceAll(text, "\n", " ")) {
		return
	}
	switch d := f.ResetAt.Sub(at); {
	case d <= longWait:
		f.Reason = detect.RateLimit
	case d > weekWait && d <= 8*24*time.Hour:
		f.Reason, f.Window = detect.UsageLimit, detect.Weekly
	default:
		f.Reason = detect.UsageLimit
	}
}
