package qwen

import (
	"testing"
	"time"
)

// TestRunsAreOver: a run that ended by itself is told by its times, unless these have come again.
func TestRunsAreOver(t *testing.T) {
	for _, c := range []struct {
		name string
		runs runs
		at   int64
		want bool
	}{
		{"none", nil, 5, false},
		{"within", runs{{1, 10}}, 5, true},
		{"before it began", runs{{6, 10}}, 5, false},
		{"after its end", runs{{1, 4}}, 5, false},
		{"the older one of two", runs{{1, 10}, {11, 20}}, 5, true},
		{"two at once", runs{{4, 8}, {1, 10}}, 5, true},
		{"the clock was set back since", runs{{1, 10}, {-20, -10}}, 5, false},
		{"and it goes on behind that", runs{{1, 10}, {-20, -10}, {2, 6}}, 5, true},
	} {
		if got := c.runs.over(time.UnixMilli(c.at)); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
