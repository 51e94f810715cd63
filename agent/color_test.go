package agent_test

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// The color of a text is known where it has one alone, in the cursor's row and the nearest above and below it. Columns count, not runes.
func TestInk(t *testing.T) {
	blue, grey := agent.OfParts(98, 114, 164), agent.OfPalette(8)
	rows := []string{
		"\x1b[31mfar away",
		"\x1b[34mtoo far",
		"\x1b[94mx\x1b[0m", "", "", "", "",
		"\x1b[33m東京 \x1b[90m(hint)",
		"\x1b[38;2;98;114;164mx x\x1b[39m",
		"> \x1b[7mX\x1b[0m\x1b[38;2;98;114;164m blue  blue",
		"\x1b[90mbelow", "\x1b[0m> \x1b[90mfurther", "too far down",
	}
	s := agent.ParseScreen(strings.Join(rows, "\n"), 9, 2, "")
	for _, c := range []struct {
		row, from int
		want      agent.Color
		one       bool
	}{
		{9, 2, blue, true},
		{9, 0, 0, false},
		{9, 20, 0, false},
		{8, 0, blue, true},
		{7, 0, 0, false},
		{7, 4, grey, true},
		{7, 5, grey, true},
		{6, 0, 0, false},
		{2, 0, agent.OfPalette(12), true},
		{0, 0, 0, false},
		{10, 0, grey, true},
		{11, 2, grey, true},
		{11, 0, 0, false},
		{12, 0, 0, false},
		{13, 0, 0, false},
	} {
		if got, one := s.Ink(c.row, c.from); one != c.one || one && got != c.want {
			t.Errorf("row %d from %d: %x, %t", c.row, c.from, got, one)
		}
	}
	for _, c := range []struct {
		row   int
		r     rune
		want  agent.Color
		known bool
	}{{7, '(', grey, true}, {7, '京', agent.OfPalette(3), true}, {7, 'x', 0, false}, {6, '(', 0, false}, {0, 'f', 0, false}, {9, '>', 0, true}} {
		if got, known := s.InkOf(c.row, c.r); got != c.want || known != c.known {
			t.Errorf("%c in row %d: %x, %t", c.r, c.row, got, known)
		}
	}
}
