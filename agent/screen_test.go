package agent

import (
	"slices"
	"testing"
)

func TestCells(t *testing.T) {
	for line, want := range map[string][]string{
		"": nil, "ab": {"a", "b"}, "日a": {"日", "", "a"}, "e\u0301t": {"e\u0301", "t"}, "\u0301": {"\u0301"}, "─┃": {"─", "┃"},
	} {
		if got := Cells(line); !slices.Equal(got, want) {
			t.Errorf("%q: %q", line, got)
		}
	}
}
