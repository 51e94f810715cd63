package detect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// Messages is a table of the texts with which one agent reports its own failures, first match
// first. Each agent keeps its own in messages.tsv.
type Messages []Message

// Message is one row of the table.
type Message struct {
	State  State  // Stopped, Retrying, Asking; Running: this text is no stop, whatever comes below
	Reason Reason // of a stop
	// Spend: the text is about money, so it is Billing unless it names a plan's reset time.
	Spend   bool
	Window  Window
	Pattern *regexp.Regexp
	Example string // verbatim; this row is the first that matches it
}

// spendWord is the reason of rows whose Spend is set.
const spendWord = "usage_limit|billing"

// ParseMessages reads a table: a row a line, four columns apart by tabs, # begins a comment. A line
// "@name", a tab and a piece of a pattern lets the patterns below say @name@ for it.
//
//	reason   a Reason, retrying, asking, none, or usage_limit|billing (see Message.Spend)
//	window   a Window, or empty
//	pattern  RE2, without regard to case, matched from the first character of Plain(text) on. A
//	         group named "window" may tell the window (5-hour, session, daily, weekly, monthly);
//	         one named "model", when it is not empty, says that it is a model's; an empty one named
//	         "end" stands where the sentence ends of which the rest is only looked at: see End
//	example  verbatim, with \n for a newline
func ParseMessages(table string) (Messages, error) {
	var m Messages
	pieces := []string{} // name, piece, ... for a Replacer
	n := 0
	for line := range strings.Lines(table) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, piece, ok := strings.Cut(line, "\t"); ok && strings.HasPrefix(name, "@") {
			pieces = append(pieces, name+"@", strings.NewReplacer(pieces...).Replace(piece))
			continue
		}
		row, err := parseRow(line, strings.NewReplacer(pieces...))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		m = append(m, row)
	}
	return m, nil
}

// MustMessages is ParseMessages for tables that are part of the program.
func MustMessages(table string) Messages {
	m, err := ParseMessages(table)
	if err != nil {
		panic("messages.tsv: " + err.Error())
	}
	return m
}

func parseRow(line string, pieces *strings.Replacer) (Message, error) {
	f := strings.Split(line, "\t")
	if len(f) != 4 {
		return Message{}, fmt.Errorf("%d columns, want reason, window, pattern and example", len(f))
	}
	row := Message{State: Stopped, Reason: Reason(f[0]), Window: Window(f[1]), Example: strings.ReplaceAll(f[3], `\n`, "\n")}
	switch f[0] {
	case string(Retrying), string(Asking), formerly:
		row.Reason = ""
		if err := row.State.UnmarshalText([]byte(f[0])); err != nil {
			return Message{}, err
		}
	case "none":
		row.State, row.Reason = Running, ""
	case spendWord:
		row.Reason, row.Spend = UsageLimit, true
	default:
		if !slices.Contains(Reasons, row.Reason) {
			return Message{}, fmt.Errorf("%q is not a reason", f[0])
		}
	}
	if w := row.Window; w != "" && !slices.Contains([]Window{FiveHour, Daily, Weekly, Monthly, Model}, w) {
		return Message{}, fmt.Errorf("%q is not a window", f[1])
	}
	var err error
	row.Pattern, err = regexp.Compile(`(?i)\A(?:` + pieces.Replace(f[2]) + `)`)
	return row, err
}

// Find gives the first row whose pattern fits; text is Plain. The row's Window is what its groups
// tell about this text.
func (m Messages) Find(text string) (Message, bool) {
	if len(m) == 0 || len(text) > longFound {
		return m.find(text)
	}
	of := question{&m[0], text}
	found.Lock()
	a, known := found.answers[of]
	found.Unlock()
	if known {
		return a.row, a.fits
	}
	a.row, a.fits = m.find(text)
	found.Lock()
	defer found.Unlock()
	if found.answers == nil || len(found.answers) >= mostFound {
		found.answers = map[question]answer{}
	}
	found.answers[of] = a
	return a.row, a.fits
}

const (
	longFound = 2 << 10 // bytes of a text that is kept
	mostFound = 128     // texts that are
)

// found are texts that were met lately. An agent that tries again writes the same one hundreds of times, each look at its file
// may meet all of them, and tens of patterns are tried on each.
var found struct {
	sync.Mutex
	answers map[question]answer
}

type question struct {
	table *Message // its first row
	text  string
}

type answer struct {
	row  Message
	fits bool
}

func (m Messages) find(text string) (Message, bool) {
	for _, row := range m {
		hit := row.Pattern.FindStringSubmatch(text)
		if hit == nil {
			continue
		}
		for i, name := range row.Pattern.SubexpNames() {
			switch {
			case hit[i] == "":
			case name == "model":
				row.Window = Model
			case name == "window" && row.Window != Model:
				row.Window = windowWords[strings.ToLower(hit[i])]
			}
		}
		return row, true
	}
	return Message{}, false
}

// windowWords are how agents name windows.
var windowWords = map[string]Window{
	"5-hour": FiveHour, "5 hour": FiveHour, "five-hour": FiveHour, "five hour": FiveHour, "5h": FiveHour, "5 hours": FiveHour, "session": FiveHour,
	"daily": Daily, "day": Daily, "today": Daily, "weekly": Weekly, "week": Weekly, "monthly": Monthly, "month": Monthly, "billing cycle": Monthly,
	"5 小时": FiveHour, "5小时": FiveHour, "每日": Daily, "每天": Daily, "每周": Weekly, "每月": Monthly,
	"7-day": Weekly, "7 day": Weekly, "seven-day": Weekly, "seven day": Weekly, "7d": Weekly,
}

// End is where the sentence that the row knows ends in a text that it fits: what is behind it may be
// anything.
func (m Message) End(text string) int {
	hit := m.Pattern.FindStringSubmatchIndex(text)
	if hit == nil {
		return 0
	}
	if i := m.Pattern.SubexpIndex("end"); i >= 0 && hit[2*i] >= 0 {
		return hit[2*i]
	}
	return hit[1]
}

// Failure reads a text from the record in which the agent reports its own failure. False: no row
// fits, or the row says that it is none.
func (m Messages) Failure(text string, at time.Time, zone *time.Location) (*Failure, bool) {
	s, ok := m.Match(text, at, zone)
	if !ok || s.State != Stopped {
		return nil, false
	}
	return &Failure{Reason: s.Reason, Window: s.Window, ResetAt: s.ResetAt, ResetMinute: s.ResetMinute, Notes: s.Notes,
		Source: s.Evidence.Source, Field: s.Evidence.Field}, true
}

// Match reads a text that the agent printed as its own at the given time; zone counts where the
// text names none. False: no row fits, or the row says that it is no stop.
func (m Messages) Match(text string, at time.Time, zone *time.Location) (Stop, bool) {
	text = Plain(text)
	row, ok := m.Find(text)
	if !ok || row.State == Running {
		return Stop{State: Running}, false
	}
	s := Stop{State: row.State, Reason: row.Reason, Window: row.Window, At: at, Evidence: Evidence{Source: "message", Field: "text"}}
	if row.Reason != UsageLimit && row.Reason != RateLimit && row.Reason != Overloaded && row.State != Retrying {
		return s, true
	}
	r, found := ParseReset(text, at, zone)
	s.Notes = r.Notes
	switch {
	case found && row.State == Retrying:
		s.SelfResumeAt = r.At
	case found:
		s.ResetAt, s.ResetMinute = r.At, r.Minute
		if t, notes := clamp(r.At, at, row.Window.longest()); len(notes) > 0 {
			s.ResetAt, s.Notes = t, notes
		}
	case row.Spend && len(r.Notes) == 0: // a reset that cannot be read is one all the same
		s.Reason, s.Window = Billing, ""
	}
	return s, true
}

var (
	colors = lazyregexp.New("\x1b\\[[0-9;?]*[ -/]*[@-~]")
	// signs are the many forms of one sign: agents change from one to the other between versions.
	signs = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2018", "'", "\u2019", "'", "\u201c", `"`, "\u201d", `"`,
		"\u2219", "·", "\u2022", "·", "\u22c5", "·", "\u2026", "...", "\u2011", "-", "\t", " ", "\r", "")
)

// Plain takes off what a terminal draws around an agent's sentence (colors, a box, a bullet) and
// makes one of the many forms of blanks, quotes and dots. Lines stay apart.
func Plain(text string) string {
	var lines []string
	for line := range strings.Lines(signs.Replace(colors.ReplaceAllString(text, ""))) {
		line = strings.Trim(line, " \n│|╭╮╰╯─━┌┐└┘┃⎿⏺●■⚠✕✖✗❯\ufe0f")
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
