package detect

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// Reset is the time at which a limit ends.
type Reset struct {
	At     time.Time // UTC
	Minute bool      // names a whole minute, so the reset may come up to 59 s later
	Notes  []string  // in words: what was clamped or could not be used
}

const (
	// justPassed: an agent that prints a time of day at 3:40:02 may name 3:40, and a slow one
	// 3:39. Ten minutes back is still "now"; further back it is tomorrow's.
	justPassed = 10 * time.Minute
	// longestWindow bounds every reset time. No known window is longer than a month; a weekly
	// one may be cut down further by its window.
	longestWindow = 32 * 24 * time.Hour
)

// longest gives the longest believable wait of a window.
func (w Window) longest() time.Duration {
	switch w {
	case FiveHour, Daily, Weekly, Model:
		return 8 * 24 * time.Hour
	}
	return longestWindow
}

// clamp bounds t to [at-justPassed, at+longest]. A time far in the past says nothing, so it
// becomes at itself.
func clamp(t, at time.Time, longest time.Duration) (time.Time, []string) {
	switch {
	case t.Sub(at) > longest:
		return at.Add(longest).UTC(), []string{fmt.Sprintf("the reset time %s is absurdly late and was cut to %s after the stop", t.UTC().Format(time.RFC3339), longest)}
	case at.Sub(t) > justPassed:
		return at.UTC(), []string{fmt.Sprintf("the reset time %s lies before the stop and was taken as passed", t.UTC().Format(time.RFC3339))}
	}
	return t.UTC(), nil
}

// anchorless is what a reset time is worth in a record without a time of its own: nothing, for it
// cannot be bounded.
var anchorless = Reset{Notes: []string{"the record has no time, so the reset time in it cannot be checked"}}

// EpochReset reads a Unix time in seconds or milliseconds. It gives false for zero, negative and
// non-finite numbers, and where at is zero.
func EpochReset(epoch float64, at time.Time, w Window) (Reset, bool) {
	if math.IsNaN(epoch) || math.IsInf(epoch, 0) || epoch <= 0 {
		return Reset{}, false
	}
	if at.IsZero() {
		return anchorless, false
	}
	if epoch >= 1e11 { // seconds reach 1e11 in the year 5138, milliseconds did in 1973
		epoch /= 1000
	}
	if epoch > 1e11 {
		epoch = 1e11
	}
	t, notes := clamp(time.Unix(int64(epoch), 0), at, w.longest())
	return Reset{At: t, Notes: notes}, true
}

var (
	// reLead is what stands before a time: the first group where the text speaks of the limit itself,
	// the second where only a span can follow.
	reLead = lazyregexp.New(`(?i)\b(?:(resets?|resetting|refresh(?:es|ing)?|renews?)|try(?:ing)? again|retry(?:ing)?(?: [\w ]{0,20}\(?\d+/\d+)?|` +
		`continu(?:e|es|ing)(?: automatically)?|(?:available|back|access|usable)(?: again)?|wait(?:ing)?|until|lifted|lifts|expires?|ends|resum(?:e|es|ing)|(in|after))\b:?`)
	// reBeijing is how z.ai and Zhipu name the reset of a plan, in English and Chinese: in the time of
	// Beijing, wherever the user is.
	reBeijing = lazyregexp.New(`(?i)(?:\blimit will reset at|将[在于]) ?(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\s*重置|[^\w\s:+-]|\s*$)`)
	// reField is a provider's wait in the JSON of its error.
	reField = lazyregexp.New(`(?i)\bretry[_-]?after(?:[_-]?(ms|millis|milliseconds)|[_-]?(?:s|secs?|seconds))?\\?["']?\s*[:=]\s*\\?["']?(\d{1,12}(?:\.\d+)?)(?:\\?["',}\s]|s\b|$)`)
	reEpoch = lazyregexp.New(`\|(\d{10,13})\s*$`)
	reDotM  = lazyregexp.New(`(?i)\b([ap])\.m\.`)
)

// ParseReset finds the reset time in the text with which an agent reported its own failure. It is
// anchored to at, when that record was written; zone counts where the text names none. False:
// there is no usable time in it; Notes then say why, if there was an unusable one.
//
// A time stands behind a word such as "resets" or "try again", with at most small words between:
//
//	3am · 3:09 p.m. (Europe/Rome) · 15:00 UTC+2 · noon · midnight PT
//	Nov 24, 1:09am · 24 Nov 2026 15:00 · Nov 25th, 2026 1:13 AM · 4:00 AM Friday Apr 24 · tomorrow at 9am · 10 de dez. de 2026, 11:52
//	2026-11-24T01:09:00Z · 2026-11-24 01:09 UTC · 1795190400 (s or ms since 1970, also "…|1795190400")
//	2h13m · 2 days 21 hours · 1.5 hours · 19h14m47s · 28ms · less than a minute · an hour
func ParseReset(text string, at time.Time, zone *time.Location) (Reset, bool) {
	text = reDotM.ReplaceAllString(strings.Join(strings.Fields(Plain(text)), " "), "${1}m")
	if zone == nil {
		zone = time.Local
	}
	if m := reEpoch.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64)
		return EpochReset(n, at, "")
	}
	if m := reBeijing.FindStringSubmatch(text); m != nil && !at.IsZero() {
		if t, err := time.ParseInLocation(time.DateTime, m[1]+" "+m[2], beijing); err == nil {
			t, notes := clamp(t, at, longestWindow)
			return Reset{At: t, Notes: notes}, true
		}
	}
	var unusable Reset
	leads := reLead.FindAllStringSubmatchIndex(text, -1)
	for _, own := range []bool{true, false} { // what is said of the limit itself comes before "try again"
		for _, m := range leads {
			x, ok := readExpr(text[m[1]:])
			if !ok || (m[2] >= 0) != own || m[4] >= 0 && x.spans == 0 {
				continue
			}
			r, ok := x.at(at, zone)
			if ok && at.IsZero() {
				r, ok = anchorless, false
			}
			if ok {
				return r, true // of several, the first belongs to the limit that the text begins with
			}
			if unusable.Notes == nil {
				unusable = r
			}
		}
	}
	if d, ok := RetryAfterField(text); ok && !at.IsZero() {
		return Reset{At: at.Add(d).UTC()}, true
	}
	return unusable, false
}

var beijing = time.FixedZone("UTC+8", 8*3600)

// RetryAfterField reads the field retry_after in the JSON of a provider's error; seconds, unless its
// name says milliseconds. A date is none.
func RetryAfterField(text string) (time.Duration, bool) {
	m := reField.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return 0, false
	}
	if m[1] != "" {
		n /= 1000
	}
	return ParseRetryAfter(strconv.FormatFloat(n, 'f', -1, 64), time.Time{})
}

// ParseRetryAfter reads a Retry-After header: seconds, also with a fraction, or an HTTP-date. The
// result counts from at. Negative, past and non-finite values give false; the longest is 32 days.
func ParseRetryAfter(value string, at time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		if math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
			return 0, false
		}
		if n > longestWindow.Seconds() {
			return longestWindow, true
		}
		return time.Duration(n * float64(time.Second)), true
	}
	// GMT to the letter: Go takes a zone that it does not know for one without an offset.
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if t, err := time.Parse(layout, value); err == nil {
			d := t.Sub(at)
			return min(d, longestWindow), d > 0
		}
	}
	return 0, false
}

// FromStatus is what an HTTP status alone says.
func FromStatus(status int) Reason {
	switch {
	case status == 429:
		return RateLimit
	case status == 529 || status == 503:
		return Overloaded
	case status >= 500 && status <= 599:
		return ServerError
	case status == 408, status == 499: // nginx: the client closed the request
		return Network
	case status == 401 || status == 403:
		return Auth
	case status == 402:
		return Billing
	case status >= 400 && status <= 499:
		return InvalidRequest
	}
	return Unknown
}
