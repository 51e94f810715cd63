package agenttest

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Body is an answer of a provider that ends a turn: a line of testdata/vocab/bodies.tsv.
type Body struct {
	Provider string
	Status   int
	Headers  map[string]string
	Reason   detect.Reason
	Window   detect.Window
	Written  Part      // where the end of the wait is written
	Until    time.Time // the end of the wait; zero: none is written
	At       time.Time // when it was sent
	Gaps     []string  // agents whose record clawd misreads
	Source   string
	Text     string
}

// Part of an answer, from the least to the most that an agent writes down of one.
type Part int

const (
	OnlyStatus Part = iota
	Sentence        // the provider's own sentence, too
	WholeBody       // the body as it was sent, too
	Everything      // the headers, too
)

var parts = map[string]Part{"message": Sentence, "body": WholeBody, "header": Everything}

// sent is when an answer without an instant of its own was sent.
var sent = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Bodies reads the list, which is the same for all agents.
func Bodies(t *testing.T, path string) []Body {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []Body
	n := 0
	for line := range strings.Lines(string(raw)) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(line, "\t", 10)
		if len(f) != 10 {
			t.Fatalf("%s:%d: %d columns, want 10", path, n, len(f))
		}
		b := Body{Provider: f[0], Reason: detect.Reason(f[3]), Window: detect.Window(f[4]), At: sent, Gaps: strings.Fields(f[7]), Source: f[8], Text: f[9]}
		if b.Status, err = strconv.Atoi(f[1]); err != nil || !slices.Contains(detect.Reasons, b.Reason) || b.Source == "" || b.Text == "" {
			t.Fatalf("%s:%d: a status, a reason, a source and a body are needed", path, n)
		}
		b.Headers = map[string]string{"content-type": "application/json"}
		for h := range strings.SplitSeq(f[2], "; ") {
			if name, value, ok := strings.Cut(h, ": "); ok {
				b.Headers[name] = value
			}
		}
		if f[6] != "" {
			b.At = instant(t, f[6])
		}
		where, until, _ := strings.Cut(f[5], " ")
		b.Written = parts[where]
		if wait, err := time.ParseDuration(until); err == nil {
			b.Until = b.At.Add(wait)
		} else if until != "" {
			b.Until = instant(t, until)
		}
		if (b.Written == OnlyStatus) != b.Until.IsZero() {
			t.Fatalf("%s:%d: %q is no place and time", path, n, f[5])
		}
		all = append(all, b)
	}
	return all
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Sentence is what the provider says in the body, where it is JSON of the usual forms.
func (b Body) Sentence() (string, bool) {
	var said struct {
		Message string `json:"message"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(b.Text), &said) != nil {
		return b.Text, false
	}
	if said.Error.Message != "" {
		return said.Error.Message, true
	}
	return said.Message, said.Message != ""
}

// Recorder is one way in which an agent writes down an answer.
type Recorder struct {
	Agent     string   // as the list of gaps has it
	Providers []string // those that the agent can talk to
	// Read gives what clawd makes of the agent's record of an answer, and which part of it the record has.
	// The zero Stop: the agent makes no such record of it.
	Read func(b Body) (detect.Stop, Part)
}

// CheckBodies holds clawd to what each answer means, as far as the agent writes it down.
func CheckBodies(t *testing.T, path string, r Recorder) {
	asked := 0
	for _, b := range Bodies(t, path) {
		if !slices.Contains(r.Providers, b.Provider) {
			continue
		}
		stop, has := r.Read(b)
		if stop.State == "" {
			continue
		}
		asked++
		wrong, known := b.wrong(stop, has), slices.Contains(b.Gaps, r.Agent)
		switch {
		case wrong == "" && known:
			t.Errorf("clawd reads this now: take %s out of its gaps, and lower mostBodyGaps: %s", r.Agent, b.Text)
		case wrong != "" && !known:
			t.Errorf("%s %d is %s: %s", b.Provider, b.Status, wrong, b.Text)
		}
	}
	if asked == 0 {
		t.Error("no answer of any provider")
	}
}

// wrong tells how a verdict misses what the answer means; empty: it does not.
func (b Body) wrong(stop detect.Stop, has Part) string {
	reason, window := b.Reason, b.Window
	if has == OnlyStatus {
		reason, window = detect.FromStatus(b.Status), ""
	}
	var until time.Time
	if b.Written <= has && limited(reason) {
		until = b.Until
	}
	got := stop.ResetAt
	if got.IsZero() && stop.RetryAfter != nil && limited(stop.Reason) {
		got = stop.At.Add(*stop.RetryAfter)
	}
	switch {
	case stop.State != detect.Stopped || stop.Reason != reason:
		return string(reason) + ", and was read as " + string(stop.State) + " " + string(stop.Reason)
	case stop.Window != window:
		return "of the window " + strconv.Quote(string(window)) + ", and was read as " + strconv.Quote(string(stop.Window))
	case got.Sub(until).Abs() > time.Second:
		return "over at " + until.Format(time.RFC3339) + ", and was read as " + got.Format(time.RFC3339)
	}
	return ""
}

func limited(r detect.Reason) bool { return r == detect.RateLimit || r == detect.UsageLimit }
