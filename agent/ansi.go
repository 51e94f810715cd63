package agent

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// ParseScreen reads what "tmux capture-pane -e" prints: the rows of a screen with the escape
// sequences of their colors. row, col and title are as in Screen.
func ParseScreen(text string, row, col int, title string) Screen {
	s := Screen{Row: row, Col: col, Title: title}
	pen := pen{plain: true}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		plain, faint, inks := pen.row(line)
		switch {
		case n == row:
			s.Faint = faint
		case n < row && row-n <= MostAbove:
			s.FaintAbove = slices.Insert(s.FaintAbove, 0, faint)
		}
		switch {
		case n <= row && row-n <= MostInks:
			s.Inks = slices.Insert(s.Inks, 0, inks)
		case n > row && n-row <= MostBelow:
			s.InksBelow = append(s.InksBelow, inks)
		}
		s.Rows = append(s.Rows, strings.TrimRight(plain, " "))
	}
	s.Plain = pen.plain
	return s
}

// pen is how the next cell is drawn; rows go on with the pen of the row above.
type pen struct {
	dim    bool
	color  Color
	ground bool // another than the terminal's own
	plain  bool // nothing was drawn faint, in a color or on one yet
}

func (p *pen) row(line string) (plain string, faint [][2]int, inks []Ink) {
	var b strings.Builder
	col := 0
	for line != "" {
		if params, rest, ok := escape(line); ok {
			p.set(params)
			line = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(line)
		line = line[size:]
		if r < 0x20 || r == 0x7f {
			continue
		}
		p.plain = p.plain && !p.ground && (r == ' ' || !p.dim && p.color == 0)
		b.WriteRune(r)
		to := col + displaywidth.Rune(r)
		if p.dim || p.color.Grey() {
			if last := len(faint) - 1; last >= 0 && faint[last][1] == col {
				faint[last][1] = to
			} else {
				faint = append(faint, [2]int{col, to})
			}
		}
		inks = AppendInk(inks, Ink{col, to, p.color})
		col = to
	}
	return b.String(), faint, inks
}

// escape cuts an escape sequence off. params is set for those that choose colors.
func escape(s string) (params, rest string, ok bool) {
	switch {
	case strings.HasPrefix(s, "\x1b["):
		for n := 2; n < len(s); n++ {
			if s[n] >= 0x40 && s[n] <= 0x7e {
				if s[n] == 'm' {
					params = s[2:n] + ";"
				}
				return params, s[n+1:], true
			}
		}
		return "", "", true
	case strings.HasPrefix(s, "\x1b]"):
		for _, terminator := range []string{"\x1b\\", "\a"} {
			if _, after, found := strings.Cut(s, terminator); found {
				return "", after, true
			}
		}
		return "", "", true
	case s[0] == 0x1b:
		return "", s[min(2, len(s)):], true
	}
	return "", s, false
}

// set follows the sequence that chooses colors (SGR).
func (p *pen) set(params string) {
	f := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if params == ";" {
		f = []string{"0"}
	}
	for n := 0; n < len(f); n++ {
		code, _ := strconv.Atoi(f[n])
		switch {
		case code == 0:
			*p = pen{plain: p.plain}
		case code == 2:
			p.dim = true
		case code == 22:
			p.dim = false
		case code == 38 || code == 48:
			n = p.chosen(f, n, code == 38)
		case code >= 40 && code <= 49, code >= 100 && code <= 107:
			p.ground = code != 49
		default:
			p.color = p.color.After(code)
		}
	}
}

// chosen reads a color out of the palette or by its parts, and gives the index of its last part.
func (p *pen) chosen(f []string, n int, foreground bool) int {
	at := func(i int) int {
		if i >= len(f) {
			return 0
		}
		v, _ := strconv.Atoi(f[i])
		return v
	}
	color, last := Color(0), n+1
	switch at(n + 1) {
	case 5:
		color, last = OfPalette(at(n+2)), n+2
	case 2:
		color, last = OfParts(at(n+2), at(n+3), at(n+4)), n+4
	}
	if foreground {
		p.color = color
	} else {
		p.ground = true
	}
	return last
}
