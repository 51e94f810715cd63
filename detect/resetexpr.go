package detect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// expr is a time as a text gives it; ParseReset lists the forms.
type expr struct {
	epoch    float64
	span     time.Duration
	coarse   bool // the span counts in minutes or longer
	spans    int
	clock    bool // hour, minute and second are set
	h, m, s  int
	seconds  bool // the clock names a second
	wrong    string
	year     int
	month    time.Month
	day      int
	weekday  string
	tomorrow int // days from the record's own; with relative
	relative bool
	zone     string
	last     time.Duration // unit of the span's newest part
	lead     string        // the small word before the first part
}

var (
	reToken = lazyregexp.New(`\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?|\d+(?:\.\d+)?|[+-]\d{1,2}(?::?\d{2})?\b|` +
		`[A-Za-z]+(?:/[\w+-]+)+|[A-Za-z]+|\S`)
	fillers = words("at on by in after the of and for about around approximately approx until till from again be will is de ~ , : ( [ -")
	units   = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	ones    = words("a an one")
)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// unit gives the length that a word names.
func unit(word string) (time.Duration, bool) {
	switch w := strings.TrimSuffix(strings.ToLower(word), "s"); w {
	case "milli", "millisecond", "msec":
		return time.Millisecond, true
	case "second", "sec":
		return time.Second, true
	case "minute", "min":
		return time.Minute, true
	case "hour", "hr":
		return time.Hour, true
	case "day":
		return 24 * time.Hour, true
	case "week", "wk":
		return 7 * 24 * time.Hour, true
	}
	d, ok := units[strings.ToLower(word)]
	return d, ok
}

func monthOf(word string) (time.Month, bool) {
	for m := time.January; m <= time.December; m++ {
		if name := m.String(); strings.EqualFold(word, name) || strings.EqualFold(word, name[:3]) || strings.EqualFold(word, "sept") && m == time.September {
			return m, true
		}
	}
	return 0, false
}

// abroad are months as dates of other languages have them. They count between a day and the rest of a date alone, for some
// are English words.
var abroad = map[string]time.Month{
	"ene": time.January, "gen": time.January, "fev": time.February, "abr": time.April, "avr": time.April, "mai": time.May, "mag": time.May, "maggio": time.May,
	"giu": time.June, "juin": time.June, "lug": time.July, "juil": time.July, "ago": time.August, "set": time.September, "settembre": time.September,
	"out": time.October, "okt": time.October, "ott": time.October, "dez": time.December, "dic": time.December,
}

// monthAfter tells whether a month follows a day, also behind the word that Portuguese and Spanish put between them.
func monthAfter(next func(int) string) bool {
	word := next(1)
	if word == "de" {
		word = next(2)
	}
	_, ok := monthOf(word)
	return ok || abroad[word] != 0
}

func weekdayOf(word string) (string, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := d.String()
		if strings.EqualFold(word, name) || len(word) >= 3 && len(word) <= 5 && strings.HasPrefix(strings.ToLower(name), strings.ToLower(word)) {
			return name, true
		}
	}
	return "", false
}

// readExpr reads the time that stands at the beginning of a text. False: none does.
func readExpr(text string) (expr, bool) {
	var x expr
	tokens := reToken.FindAllString(text, 32)
	for found := false; len(tokens) > 0; {
		n := x.take(tokens)
		switch {
		case n > 0:
			found = true
		case fillers[strings.ToLower(tokens[0])]:
			n = 1
			if !found {
				x.lead = strings.ToLower(tokens[0])
			}
		case found && tokens[0] == ")":
			n = 1
		default:
			return x, found
		}
		tokens = tokens[n:]
	}
	return x, x.spans > 0 || x.clock || x.epoch != 0 || x.wrong != "" || x.month != 0 || x.weekday != "" || x.relative
}

// take reads one part of a time and gives the number of its tokens; 0: there is none.
func (x *expr) take(t []string) int {
	if x.epoch != 0 {
		return 0
	}
	next := func(i int) string {
		if i < len(t) {
			return strings.ToLower(t[i])
		}
		return ""
	}
	if n := x.takeSpan(t, next); n > 0 || x.spans > 0 {
		return n
	}
	if n := x.takeClock(t[0], next(1)); n > 0 {
		return n
	}
	if n := x.takeDate(t[0], next); n > 0 {
		return n
	}
	return x.takeZone(t, next)
}

// number reads digits; ParseFloat alone would take "NaN" and a sign.
func number(token string) (float64, bool) {
	if token == "" || token[0] < '0' || token[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseFloat(token, 64)
	return n, err == nil
}

// add counts one part of a span.
func (x *expr) add(value float64, u time.Duration) {
	if x.spans++; x.spans == 1 {
		x.coarse = true
	}
	x.last = u
	x.coarse = x.coarse && u >= time.Minute && value == float64(int64(value))
	x.span = time.Duration(min(float64(x.span)+value*float64(u), float64(longestWindow+time.Hour)))
}

// takeSpan reads "2 days", "13m", "1h30", "in 2:13", "less than a minute".
func (x *expr) takeSpan(t []string, next func(int) string) int {
	if x.clock || x.month != 0 || x.weekday != "" || x.relative || x.year != 0 {
		return 0
	}
	h, m, colon := strings.Cut(t[0], ":")
	if hours, ok := number(h); ok && colon && x.lead == "in" && !slices.Contains([]string{"am", "pm"}, next(1)) {
		minutes, ok := number(m)
		if !ok {
			return 0
		}
		x.add(hours, time.Hour)
		x.add(minutes, time.Minute)
		return 1
	}
	value, at := 0.0, 0
	switch {
	case next(0) == "less" && next(1) == "than":
		value, at = 1, 2
		if ones[next(2)] {
			at = 3
		}
	case ones[next(0)]:
		value, at = 1, 1
	default:
		var ok bool
		if value, ok = number(t[0]); !ok {
			return 0
		}
		at = 1
	}
	u, ok := unit(next(at))
	switch {
	case !ok && x.last == time.Hour && len(t[0]) <= 2 && value < 60: // 1h30
		x.add(value, time.Minute)
		return at
	case !ok || x.lead == "at" && x.spans == 0: // "at 15h" is a time of day
		return 0
	}
	x.add(value, u)
	return at + 1
}

// takeClock reads "3am", "3:09 pm", "15:00", "noon", and a time since 1970.
func (x *expr) takeClock(token, after string) int {
	if x.clock || x.wrong != "" {
		return 0
	}
	switch strings.ToLower(token) {
	case "noon":
		x.clock, x.h = true, 12
		return 1
	case "midnight":
		x.clock = true
		return 1
	}
	part := strings.Split(token, ":")
	h, err := strconv.Atoi(part[0])
	half := after == "am" || after == "pm"
	if err == nil && len(part) == 1 && after == "h" && x.lead == "at" { // 15h
		if x.clock, x.h = true, h; h > 23 {
			x.wrong = token
		}
		return 2
	}
	switch {
	case err != nil || len(part) == 1 && !half || token[0] == '+' || token[0] == '-':
		if n, ok := number(token); ok && (len(token) == 10 || len(token) == 13) {
			x.epoch = n
			return 1
		}
		return 0
	case len(part) > 1:
		x.m, _ = strconv.Atoi(part[1])
	}
	if len(part) == 3 {
		sec, _, _ := strings.Cut(part[2], ".")
		x.s, _ = strconv.Atoi(sec)
		x.seconds = true
	}
	if x.m > 59 || x.s > 59 || h > 24 || h == 24 && x.m+x.s > 0 || half && (h < 1 || h > 12) {
		x.wrong = token
	}
	if half {
		h %= 12
		if after == "pm" {
			h += 12
		}
	}
	x.clock, x.h = true, h
	if half {
		return 2
	}
	return 1
}

// takeDate reads "Nov 24", "24 Nov", "25th", "2027", "2026-11-24", "Friday", "tomorrow".
func (x *expr) takeDate(token string, next func(int) string) int {
	if m, ok := monthOf(token); ok && x.month == 0 {
		x.month = m
		return 1
	}
	if m := abroad[strings.ToLower(token)]; m != 0 && x.month == 0 && x.day != 0 {
		switch _, digits := number(next(1)); {
		case next(1) == ".":
			x.month = m
			return 2
		case digits, next(1) == "de":
			x.month = m
			return 1
		}
	}
	if w, ok := weekdayOf(token); ok && x.weekday == "" {
		x.weekday = w
		return 1
	}
	switch strings.ToLower(token) {
	case "today", "tonight":
		x.relative = true
		return 1
	case "tomorrow":
		x.relative, x.tomorrow = true, 1
		return 1
	case "t": // between an ISO date and its time
		if x.year != 0 && x.day != 0 && !x.clock {
			return 1
		}
	}
	if d, err := time.Parse(time.DateOnly, token); len(token) == len(time.DateOnly) && x.month == 0 {
		x.year, x.month, x.day = d.Year(), d.Month(), d.Day()
		if err != nil {
			x.wrong, x.month = token, time.January
		}
		return 1
	}
	n, err := strconv.Atoi(token)
	if err != nil || token[0] == '+' || token[0] == '-' {
		return 0
	}
	month := monthAfter(next)
	ordinal := slices.Contains([]string{"st", "nd", "rd", "th"}, next(1))
	switch {
	case len(token) <= 2 && x.day == 0 && ordinal:
		x.day = n
		return 2
	case len(token) <= 2 && x.day == 0 && (x.month != 0 || month):
		x.day = n
		return 1
	case len(token) == 4 && x.day != 0 && x.year == 0:
		x.year = n
		return 1
	}
	return 0
}

// takeZone reads "Europe/Rome", "UTC+2", "PST", "+02:00", and any word in parentheses.
func (x *expr) takeZone(t []string, next func(int) string) int {
	if !x.clock || x.zone != "" {
		return 0
	}
	signed := func(s string) bool { return len(s) > 1 && (s[0] == '+' || s[0] == '-') }
	switch {
	case t[0] == "(" && next(1) != "":
		end := slices.Index(t, ")")
		if end < 2 {
			return 0
		}
		x.zone = strings.Join(t[1:end], "")
		return end + 1
	case signed(t[0]), len(t[0]) > 1 && strings.Contains(t[0], "/"):
		x.zone = t[0]
		return 1
	case t[0] == "UTC" || t[0] == "GMT" || t[0] == "Z":
		x.zone = t[0]
		if signed(next(1)) {
			x.zone += t[1]
			return 2
		}
		return 1
	case zoneNames[t[0]] != "" || zoneHours[t[0]] != 0:
		x.zone = t[0]
		return 1
	}
	return 0
}

// at is the instant that an expression means in a record of the given time.
func (x expr) at(at time.Time, zone *time.Location) (Reset, bool) {
	switch {
	case x.wrong != "":
		return Reset{Notes: []string{fmt.Sprintf("the reset time %s is impossible", Redact(x.wrong))}}, false
	case x.epoch != 0:
		return EpochReset(x.epoch, at, "")
	case x.span > longestWindow:
		return Reset{Notes: []string{"the wait named in the text is absurdly long"}}, false
	case x.spans > 0:
		return Reset{At: at.Add(x.span).UTC(), Minute: x.coarse && x.span > 0}, true
	}
	var notes []string
	if x.zone != "" {
		z, note, err := loadZone(x.zone)
		if err != nil {
			return Reset{Notes: []string{err.Error()}}, false
		}
		if note != "" {
			notes = append(notes, note)
		}
		if z != nil {
			zone = z
		}
	}
	var t time.Time
	switch {
	case x.day != 0 && x.month == 0: // of which month, nobody says
		return Reset{}, false
	case x.day != 0 || x.month != 0:
		var ok bool
		if t, ok = dated(x.year, x.month, x.day, x.h, x.m, at, zone); !ok {
			return Reset{Notes: []string{fmt.Sprintf("the reset date %s %d is impossible", x.month, x.day)}}, false
		}
	case x.relative:
		y, mo, d := at.In(zone).Date()
		t = wallTime(y, mo, d+x.tomorrow, x.h, x.m, zone)
		if !x.clock && x.tomorrow == 0 {
			return Reset{}, false
		}
	case x.clock || x.weekday != "":
		t = nextClock(x.weekday, x.h, x.m, at, zone).Add(time.Duration(x.s) * time.Second)
		return Reset{At: t.UTC(), Minute: !x.seconds, Notes: notes}, true
	default:
		return Reset{}, false
	}
	t, late := clamp(t.Add(time.Duration(x.s)*time.Second), at, longestWindow)
	return Reset{At: t, Minute: !x.seconds, Notes: append(notes, late...)}, true
}
