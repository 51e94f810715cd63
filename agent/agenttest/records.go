package agenttest

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Sink takes records in the form of one agent, also those that it would never write.
type Sink struct {
	Session detect.Session // it holds a prompt
	Put     func(t *testing.T, record []byte)
	Failure string // a sound record that tells of a failure
	End     string // a sound record that ends the turn well, later than all others
	ByTime  bool   // records are put in order by the times in them
	// Huge is the size of a record that must be passed over, in bytes.
	Huge int
}

var (
	number = regexp.MustCompile(`\b\d+\b`)
	clock  = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]*Z|\b1[0-9]{12}\b`)
)

// strange makes records that no agent writes of a sound one.
func strange(sound string) map[string]string {
	noise := make([]byte, 5000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(11 + r.IntN(245)) // no newline
	}
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	return map[string]string{
		"garbage":             string(noise),
		"garbage in braces":   "{" + string(noise) + "}",
		"NUL bytes":           strings.Repeat("\x00", 5000),
		"behind NUL bytes":    "\x00\x00" + sound,
		"NUL inside":          sound[:len(sound)/2] + "\x00" + sound[len(sound)/2:],
		"deep":                `{"type":"user","role":"user","content":` + deep + "}",
		"deep behind it":      strings.TrimSuffix(sound, "}") + `,"x":` + deep + "}",
		"deep objects":        strings.Repeat(`{"message":`, 100_000) + "1" + strings.Repeat("}", 100_000),
		"half":                sound[:len(sound)/2],
		"half with an end":    sound[:len(sound)/2] + "}",
		"twice":               sound + sound,
		"in a list":           "[" + sound + "]",
		"BOM":                 "\ufeff" + sound,
		"UTF-16":              strings.Join(strings.Split(sound, ""), "\x00"),
		"invalid UTF-8":       strings.ReplaceAll(sound, "e", "\xff"),
		"invalid in values":   strings.ReplaceAll(sound, ":\"", ":\"\xc3\x28"),
		"lone surrogates":     strings.ReplaceAll(sound, ":\"", `:"\ud800`),
		"huge exponents":      number.ReplaceAllString(sound, "1e999999999"),
		"large exponents":     number.ReplaceAllString(sound, "1e300"),
		"negative exponents":  number.ReplaceAllString(sound, "-1e300"),
		"integers out of int": number.ReplaceAllString(sound, "99999999999999999999"),
		"negative numbers":    number.ReplaceAllString(sound, "-1"),
		"the year 10000":      clock.ReplaceAllString(sound, "9999-12-31T23:59:59-23:59"),
		"before year 0":       clock.ReplaceAllString(sound, "0000-01-01T00:00:00+23:59"),
		"the far future":      number.ReplaceAllString(sound, "253402300799999"),
		"keys twice":          "{" + strings.TrimSuffix(strings.TrimPrefix(sound, "{"), "}") + "," + strings.TrimPrefix(sound, "{"),
		"other values first":  `{"type":"x","role":"x","uuid":"","id":"","timestamp":"","time":{},` + strings.TrimPrefix(sound, "{"),
		"other values last":   strings.TrimSuffix(sound, "}") + `,"type":[],"role":{},"uuid":1,"id":{},"timestamp":{},"time":"x","sessionId":[],"error":[],"message":7}`,
		"upper-case keys":     strings.ToUpper(sound),
		"null":                "null",
		"nulls":               regexp.MustCompile(`:"[^"]*"`).ReplaceAllString(sound, ":null"),
		"empty object":        "{}",
		"empty":               "",
		"long id":             regexp.MustCompile(`"(uuid|id)":"`).ReplaceAllString(sound, `"$1":"`+strings.Repeat("../", 1000)),
	}
}

// Records puts records between sound ones that no agent writes. None harms the reader, no time or
// text of them is beyond what can be stored, and what comes after them decides.
func Records(t *testing.T, open func(t *testing.T) (agent.Agent, Sink)) {
	_, x := open(t)
	all := strange(x.Failure)
	if x.Huge > 0 {
		all["huge"] = "huge"
	}
	if x.ByTime {
		delete(all, "the far future") // nothing comes after it
	}
	for name, record := range all {
		t.Run(name, func(t *testing.T) {
			a, x := open(t)
			raw := []byte(record)
			if name == "huge" {
				raw = append(append([]byte(x.Failure[:len(x.Failure)-1]+`,"x":"`), bytes.Repeat([]byte("x"), x.Huge)...), `"}`...)
			}
			var f fold
			f.read(t, a, x.Session)
			x.Put(t, raw)
			b := f.read(t, a, x.Session)
			CheckEvents(t, b.Events)
			if name == "huge" && (b.Skipped != 1 || f.c.Stop().IsStop()) {
				t.Errorf("%d skipped, %+v", b.Skipped, f.c.Stop())
			}
			if strings.IndexFunc(b.Problem, isControl) >= 0 || len(b.Problem) > 300 || b.Skipped > 0 && b.Problem == "" {
				t.Errorf("%d skipped, problem %.300q", b.Skipped, b.Problem)
			}
			if _, _, err := a.Tail(t.Context(), x.Session); err != nil {
				t.Errorf("Tail: %v", err)
			}
			if _, err := a.LastPrompt(t.Context(), x.Session); err != nil {
				t.Errorf("LastPrompt: %v", err)
			}
			x.Put(t, []byte(x.End))
			f.read(t, a, x.Session)
			var whole fold
			whole.read(t, a, x.Session)
			for _, stop := range []detect.Stop{f.c.Stop(), whole.c.Stop()} {
				if stop.Reason != detect.Completed {
					t.Errorf("what came after it does not decide: %+v", stop)
				}
			}
			if all, err := a.Scan(t.Context(), ""); err != nil || len(all) != 1 {
				t.Errorf("Scan: %d sessions, %v", len(all), err)
			}
		})
	}
}

func isControl(r rune) bool { return r < ' ' }
