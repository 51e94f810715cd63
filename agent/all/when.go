package all

import (
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// nextTry is where an agent says that it goes on by itself, and when.
var nextTry = lazyregexp.New(`(?i)\b(?:retrying|reconnecting|trying again|next (?:try|retry|attempt))\b(?:\.\.\.|…)?(?: [#(]?\d+/\d+[;,:)]?)?(?: \w+){0,3}? ((?:in|after) ~?\d(?s:.*))`)

// times takes over a time, and a plan's window, that the text around an error names.
func (m copied) times(stop detect.Stop, text string) detect.Stop {
	switch {
	case stop.State == detect.Retrying:
		if next := m.nextTry(text); !next.IsZero() {
			stop.SelfResumeAt = next
		} else if stop.SelfResumeAt.IsZero() {
			stop.SelfResumeAt = m.resetIn(text, "")
		}
	case stop.State != detect.Stopped:
	case stop.Reason == detect.RateLimit && perDay.MatchString(text): // Google names the quota beside its sentence
		stop.Reason, stop.Window = detect.UsageLimit, detect.Daily
	case stop.Reason == detect.UsageLimit || stop.Reason == detect.Billing:
		if stop.Window == "" {
			stop.Window = windowIn(text)
		}
	}
	limited := stop.Reason == detect.UsageLimit || stop.Reason == detect.RateLimit || stop.Reason == detect.Overloaded
	if stop.State == detect.Stopped && limited && stop.ResetAt.IsZero() {
		stop.ResetAt = m.resetIn(text, stop.Window)
	}
	return stop
}

// asked is a wait that a provider has asked for, as an agent says that it is too long.
var asked = lazyregexp.New(`(?i)\brequested (?:an? )?(\d{1,10} ?(?:ms|s)) (?:wait|delay|retry delay)\b`)

var perDay = lazyregexp.New(`\w+PerDay\w*|\bon (?:tokens|requests) per day\b`)

// nextTry is when the agent itself says that it asks again, the newest of several times; zero: it does not say.
func (m copied) nextTry(text string) time.Time {
	for rest := text; ; {
		at := nextTry.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		rest = rest[at[2]:]
		if last := nextTry.MatchString(rest); last { // of several, the newest counts
			continue
		}
		if r, ok := detect.ParseReset("retry "+rest, m.at, m.zone); ok {
			return r.At
		}
	}
	return time.Time{}
}

// resetIn is the end of a limit as a text names it, in fields, in words, or in words of another language.
func (m copied) resetIn(text string, w detect.Window) time.Time {
	if r, ok := detect.ResetField(text, m.at, w); ok {
		return r.At
	}
	if r, ok := detect.ParseReset(text, m.at, m.zone); ok {
		return r.At
	}
	if w := asked.FindStringSubmatch(text); w != nil {
		if r, ok := detect.ParseReset("retry in "+w[1], m.at, m.zone); ok {
			return r.At
		}
	}
	return m.abroad(text)
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
