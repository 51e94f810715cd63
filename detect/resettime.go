package detect

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
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

// EpochReset reads a Unix time in seconds or milliseconds. It gives false for zero, negative and
// non-finite numbers.
func EpochReset(epoch float64, at time.Time, w Window) (Reset, bool) {
	if math.IsNaN(epoch) || math.IsInf(epoch, 0) || epoch <= 0 {
		return Reset{}, false
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

const number = `\d+(?:\.\d+)? ?(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[dhms])`

var (
	reEpoch = regexp.MustCompile(`\|(\d{10,13})\s*$`)
	reISO   = regexp.MustCompile(`(\d{4}-\d{2}-\d{2})[T ]?(?: at )?(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)? ?(Z|UTC|[+-]\d{2}:\d{2})`)
	// reClock: a date or a weekday, 3pm or 3:45pm or 15:45, and a zone in parentheses; a bare
	// abbreviation counts too, lest its time be taken for one of this zone.
	reClock = regexp.MustCompile(`(?i)\b(?:resets?|continuing automatically|try again)(?: at)? ` +
		`(?:(?:([A-Z][a-z]{2}) (\d{1,2})(?:, (\d{4}))?|((?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun)),? (?:at )?)?` +
		`(?:(\d{1,2})(?::(\d{2}))? ?([ap]m)|(\d{1,2}):(\d{2}))\b` +
		`(?: \(([^)]+)\)| (?-i:(UTC|GMT|[PMCE][SD]?T|CEST|WES?T|EES?T|BST|IST|JST)\b))?`)
	reSpan = regexp.MustCompile(`(?i)\b(?:in|after|resets?):? (` + number + `(?:,? ?(?:and )?` + number + `){0,3}\b|less than a minute)`)
	rePart = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?) ?([dhms])`)
	blanks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2019", "'")
)

// ParseReset finds the reset time in the text with which an agent reported its own failure. The
// time of day is anchored to at, when that record was written; zone counts where the text names
// none. False: there is no usable time in it; Notes then say why, if there was an unusable one.
func ParseReset(text string, at time.Time, zone *time.Location) (Reset, bool) {
	text = strings.Join(strings.Fields(blanks.Replace(text)), " ")
	if m := reEpoch.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64)
		return EpochReset(n, at, "")
	}
	if m := reISO.FindStringSubmatch(text); m != nil {
		z := strings.NewReplacer("UTC", "Z").Replace(m[3])
		t, err := time.Parse("2006-01-02T15:04Z07:00", m[1]+"T"+m[2]+z)
		if err != nil {
			return Reset{Notes: []string{"the reset time in the text is impossible"}}, false
		}
		t, notes := clamp(t, at, longestWindow)
		return Reset{At: t, Minute: true, Notes: notes}, true
	}
	if m := reClock.FindStringSubmatch(text); m != nil {
		return clockReset(m, at, zone)
	}
	if m := reSpan.FindStringSubmatch(text); m != nil {
		d := span(m[1])
		if d > longestWindow {
			return Reset{Notes: []string{"the wait named in the text is absurdly long"}}, false
		}
		return Reset{At: at.Add(d).UTC()}, true
	}
	return Reset{}, false
}

// span adds up "2 days 21 hours", "2h13m", "20s". "less than a minute" is one.
func span(s string) time.Duration {
	if strings.HasPrefix(strings.ToLower(s), "less") {
		return time.Minute
	}
	unit := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}
	sum := 0.0
	for _, m := range rePart.FindAllStringSubmatch(s, -1) {
		n, _ := strconv.ParseFloat(m[1], 64)
		sum += n * float64(unit[strings.ToLower(m[2])])
	}
	return time.Duration(min(sum, float64(longestWindow+1)))
}

func clockReset(m []string, at time.Time, zone *time.Location) (Reset, bool) {
	month, day, year, weekday := m[1], m[2], m[3], m[4]
	if name := m[10] + m[11]; name != "" {
		z, err := loadZone(name)
		if err != nil {
			return Reset{Notes: []string{err.Error()}}, false
		}
		zone = z
	}
	if zone == nil {
		zone = time.Local
	}
	h, min, ok := timeOfDay(m[5:10])
	if !ok {
		return Reset{Notes: []string{fmt.Sprintf("the reset time %d:%02d is impossible", h, min)}}, false
	}
	if month == "" {
		return nextClock(weekday, h, min, at, zone), true
	}
	mon, err := time.Parse("Jan", month)
	d, _ := strconv.Atoi(day)
	t, ok := dated(year, mon.Month(), d, h, min, at, zone)
	if err != nil || !ok {
		return Reset{Notes: []string{fmt.Sprintf("the reset date %s %s is impossible", month, day)}}, false
	}
	t, notes := clamp(t, at, longestWindow)
	return Reset{At: t, Minute: true, Notes: notes}, true
}

// timeOfDay reads the five groups of reClock: hour, minute and am or pm, else hour and minute.
func timeOfDay(m []string) (h, min int, ok bool) {
	if m[2] == "" {
		h, _ = strconv.Atoi(m[3])
		min, _ = strconv.Atoi(m[4])
		return h, min, h < 24 && min < 60
	}
	h, _ = strconv.Atoi(m[0])
	min, _ = strconv.Atoi(m[1])
	if h < 1 || h > 12 || min > 59 {
		return h, min, false
	}
	h %= 12
	if strings.EqualFold(m[2], "pm") {
		h += 12
	}
	return h, min, true
}

// nextClock is the first h:min, of the weekday when one is named, that is not further back than
// justPassed.
func nextClock(weekday string, h, min int, at time.Time, zone *time.Location) Reset {
	y, mo, d := at.In(zone).Date()
	oldest := at.Truncate(time.Minute).Add(-justPassed)
	for off := -1; ; off++ {
		day := time.Date(y, mo, d+off, 0, 0, 0, 0, time.UTC).Weekday().String()
		if weekday != "" && !strings.EqualFold(day[:3], weekday[:3]) {
			continue
		}
		if t := wallTime(y, mo, d+off, h, min, zone); !t.Before(oldest) {
			return Reset{At: t.UTC(), Minute: true}
		}
	}
}

// dated is the given date in its year, or without a year in the one that brings it nearest to at.
// False: there is no such day.
func dated(year string, mon time.Month, d, h, min int, at time.Time, zone *time.Location) (best time.Time, ok bool) {
	first, last := at.In(zone).Year()-1, at.In(zone).Year()+1
	if y, err := strconv.Atoi(year); err == nil {
		first, last = y, y
	}
	for y := first; y <= last; y++ {
		if time.Date(y, mon, d, 0, 0, 0, 0, time.UTC).Day() != d {
			continue
		}
		t := wallTime(y, mon, d, h, min, zone)
		if !ok || t.Sub(at).Abs() < best.Sub(at).Abs() {
			best, ok = t, true
		}
	}
	return best, ok
}

// wallTime is time.Date with a rule where clocks are put forward or back: the later instant. Go
// picks either one there, depending on the zone.
func wallTime(y int, mo time.Month, d, h, min int, zone *time.Location) time.Time {
	naive := time.Date(y, mo, d, h, min, 0, 0, time.UTC)
	var fits, any time.Time
	for _, probe := range []time.Duration{-26 * time.Hour, 0, 26 * time.Hour} {
		_, offset := naive.Add(probe).In(zone).Zone()
		t := naive.Add(-time.Duration(offset) * time.Second)
		if any.IsZero() || t.After(any) {
			any = t
		}
		l := t.In(zone)
		if l.Hour() == naive.Hour() && l.Minute() == naive.Minute() && l.Day() == naive.Day() && t.After(fits) {
			fits = t
		}
	}
	if fits.IsZero() {
		return any
	}
	return fits
}

// loadZone takes IANA names only: an abbreviation means different times in different places, and
// "Local" is not a zone that a text can name.
func loadZone(name string) (*time.Location, error) {
	if name == "UTC" || name == "GMT" {
		return time.UTC, nil
	}
	if !strings.Contains(name, "/") {
		return nil, fmt.Errorf("the time zone %q is not one that can be looked up", Redact(name))
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("the time zone %q is not known", Redact(name))
	}
	return z, nil
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
	case status == 408:
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
