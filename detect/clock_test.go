package detect

import (
	"encoding/json"
	"testing"
	"time"
)

func TestClamp(t *testing.T) {
	for in, want := range map[string]string{
		"2026-11-21T01:00:00+01:00": "2026-11-21T00:00:00Z",
		"9999-12-31T23:59:59-23:59": "2199-12-31T00:00:00Z", // the year 10000 in UTC
		"0000-01-01T00:00:00+10:00": "1970-01-01T00:00:00Z",
		"0001-01-01T00:00:00Z":      "0001-01-01T00:00:00Z",
	} {
		at, err := time.Parse(time.RFC3339, in)
		if err != nil {
			t.Fatal(err)
		}
		got := Clamp(at)
		if _, err := json.Marshal(got.Add(24 * time.Hour)); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s: %v, want %s, err %v", in, got, want, err)
		}
	}
}
