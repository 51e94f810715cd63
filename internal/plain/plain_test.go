package plain

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

const hostile = "a\x00\x1b[2J\x7f\u0085\u009b2J\u200b\u202e\u2066\u2028\u2029\ufeff\U000e0041\r\nb"

func acts(s string) bool {
	return strings.ContainsAny(s, "\x00\x1b\x7f\u0085\u009b\u200b\u202e\u2066\u2028\u2029\ufeff\U000e0041\r\n")
}

func TestText(t *testing.T) {
	for _, s := range []string{hostile, "a\xff\x9b"} {
		if got := Text(s); acts(got) || !strings.HasPrefix(got, "a") {
			t.Errorf("%q", got)
		}
	}
	if got := Text("\x01 \"a\""); got != `\x01 \"a\"` {
		t.Errorf("what ends in a quote became %s", got)
	}
	for _, s := range []string{"", "/home/Ü/東 x", `say "hi"`, "…"} {
		if got := Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if got := Foreign(strings.Repeat("ü", Most)); len(got) > Most+4 || !strings.HasSuffix(got, "ü…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := json.NewEncoder(JSON(&out)).Encode(map[string]string{"k": hostile + "é"}); err != nil {
		t.Fatal(err)
	}
	if acts(strings.TrimSuffix(out.String(), "\n")) {
		t.Errorf("%q", out.String())
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["k"] != hostile+"é" {
		t.Errorf("%q, %v", back["k"], err)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 attempts", 1: "1 attempt", 2: "2 attempts"} {
		if got := Count(n, "attempt"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLocal(t *testing.T) {
	was := time.Local
	time.Local = time.FixedZone("there", 3600)
	defer func() { time.Local = was }()
	if got := Local("it resets at 2026-11-21T23:10:00Z; or 2026-11-21T23:10:00.5Z."); got != "it resets at 2026-11-22 00:10:00; or 2026-11-22 00:10:00." {
		t.Error(got)
	}
	for _, name := range []string{"/runs/2026-11-21T23:10:00Z", "/2026-11-21T23:10:00Z/x", "cd '/runs/2026-11-21T23:10:00Z' && x", "run-2026-11-21T23:10:00Z", "2026-11-21T23:10:00Z-x", "2026-11-21T23:10:00Z.jsonl",
		"2026-11-21T23:10:00Z_1", "x:2026-11-21T23:10:00Z"} {
		if got := Local(name); got != name {
			t.Errorf("the name %s became %s", name, got)
		}
	}
	for _, said := range []string{"2026-11-21T23:10:00Z", "(2026-11-21T23:10:00Z)", "until 2026-11-21T23:10:00Z, then", `at="2026-11-21T23:10:00Z"`, "2026-11-21T23:10:00Z: x", "2026-11-21T23:10:00Z 2026-11-21T23:10:00Z"} {
		if got := Local(said); strings.Contains(got, "Z") {
			t.Errorf("%s became %s", said, got)
		}
	}
	if got := Local("at 2026-11-21T23:10:00+01:00, 2026-99-21T23:10:00Z"); got != "at 2026-11-21T23:10:00+01:00, 2026-99-21T23:10:00Z" {
		t.Error(got)
	}
}
