package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRecordIsCut: the texts of a long record are cut where they are long, and stay different.
func TestRecordIsCut(t *testing.T) {
	read := func(line string) (v struct {
		A, B string
		C    []string
	}) {
		t.Helper()
		if err := Record([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	long := strings.Repeat(`\"x\\\n`, 200_000)
	one, other := read(`{"a":"`+long+`y","b":"short","c":["`+long+`"]}`), read(`{"a":"`+long+`z","b":"short"}`)
	plain := strings.Repeat("\"x\\\n", longText/4)
	if one.B != "short" || len(one.A) > longText+64 || len(one.C[0]) > longText+64 || !strings.HasPrefix(one.A, plain[:longText/2]) || one.A == other.A {
		t.Errorf("%d, %d bytes, %q", len(one.A), len(one.C[0]), one.B)
	}
	const unit = len(`\"x\\\n`)
	n := longRecord / unit / 2
	if small := read(`{"a":"` + long[:n*unit] + `"}`); len(small.A) != 4*n || len(small.A) <= longText {
		t.Errorf("a record that is not long was cut: %d bytes", len(small.A))
	}
	for _, bad := range []string{`{"a":"` + long + "\x00" + `"}`, `{"a":"` + long + `\q"}`, `{"a":"` + long} {
		if Record([]byte(bad), new(struct{})) == nil {
			t.Errorf("read, though the end of its text is no JSON: %q", bad[len(bad)-10:])
		}
	}
}

// TestBrief: what is cut is valid JSON of the same shape, whatever escapes it holds at the cut.
func TestBrief(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{`\\`, `\"`, `\u00e4`, `\ud83d\ude00`, "ä", "x", `\n`, `,`, `{`, `]`}), 1, 12).Draw(t, "pieces")
		text := strings.Repeat("x", rapid.IntRange(longText-40, longText).Draw(t, "before")) + strings.Repeat(strings.Join(pieces, ""), 100)
		line := `{"k":"` + text + `","":["` + text + `"],"n":[1,true,null]}`
		if !json.Valid([]byte(line)) {
			t.Fatal("no JSON to begin with")
		}
		got := brief([]byte(line))
		var v struct {
			K string
			L []string `json:""`
			N []any
		}
		if err := json.Unmarshal(got, &v); err != nil || len(v.N) != 3 || len(got) >= len(line) && len(text) > longText+64 {
			t.Fatalf("%v: %d of %d bytes", err, len(got), len(line))
		}
		var whole struct{ K string }
		if err := json.Unmarshal([]byte(line), &whole); err != nil {
			t.Fatal(err)
		}
		if at := len(v.K) - 64; v.K != whole.K && (at < longText/8 || !strings.HasPrefix(strings.ToValidUTF8(whole.K, "?"), strings.TrimRight(strings.ToValidUTF8(v.K[:at], "?"), "?\ufffd"))) {
			t.Fatalf("another text: %.40q", v.K[at:])
		}
	})
}
