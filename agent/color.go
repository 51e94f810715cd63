package agent

import "github.com/clipperhouse/displaywidth"

// Color is what a terminal draws text in: 0 is its own, then come those of a palette, from 1 on, and those by their parts.
type Color int32

const byParts Color = 1 << 24

// OfPalette gives one of the 256 colors of a palette.
func OfPalette(n int) Color { return Color(n&0xff) + 1 }

// OfParts gives a color by its parts, from 0 to 255.
func OfParts(r, g, b int) Color {
	return byParts | Color(r&0xff)<<16 | Color(g&0xff)<<8 | Color(b&0xff)
}

// After is the color after a code of SGR, but for 38.
func (c Color) After(code int) Color {
	switch {
	case code == 0 || code == 39:
		return 0
	case code >= 30 && code <= 37:
		return OfPalette(code - 30)
	case code >= 90 && code <= 97:
		return OfPalette(code - 90 + 8)
	}
	return c
}

// Grey tells whether a color is a grey, or next to one, that is neither near black nor near white: what agents draw placeholders in. A
// terminal without more than a palette's colors gets some of these for the greys of many themes.
func (c Color) Grey() bool {
	if c >= byParts {
		r, g, b := c>>16&0xff, c>>8&0xff, c&0xff
		least, most := min(r, g, b), max(r, g, b)
		return most-least <= 28 && most < 0xc0 && most > 0x20
	}
	n := int(c) - 1
	if n < 16 || n > 231 {
		return n == 8 || n >= 234 && n <= 248
	}
	r, g, b := (n-16)/36, (n-16)/6%6, (n-16)%6 // six steps each
	least, most := min(r, g, b), max(r, g, b)
	return least >= 1 && most <= 3 && most-least <= 1
}

// Ink is a run of a row's columns, up to To, that is drawn in one color.
type Ink struct {
	From, To int
	Color    Color
}

// AppendInk adds what stands behind all others in a row.
func AppendInk(inks []Ink, next Ink) []Ink {
	if last := len(inks) - 1; last >= 0 && inks[last].To == next.From && inks[last].Color == next.Color {
		inks[last].To = next.To
		return inks
	}
	return append(inks, next)
}

// Ink is the one color of what stands in a row from column from on, but for the cell under the cursor. False: nothing stands there, or
// its color is not known, or it has more than one.
func (s Screen) Ink(row, from int) (c Color, one bool) {
	many := false
	s.eachInk(row, func(col int, _ rune, color Color) {
		if col >= from && (row != s.Row || col != s.Col) {
			many = many || one && color != c
			c, one = color, true
		}
	})
	return c, one && !many
}

// InkOf is the color of the last of some rune in a row; false: it does not stand there, or its color is not known.
func (s Screen) InkOf(row int, r rune) (c Color, known bool) {
	s.eachInk(row, func(_ int, other rune, color Color) {
		if other == r {
			c, known = color, true
		}
	})
	return c, known
}

// eachInk calls for what stands in a row whose colors are known. Blanks have none.
func (s Screen) eachInk(row int, f func(col int, r rune, c Color)) {
	var inks []Ink
	col := 0
	switch above := s.Row - row; {
	case above >= 0 && above < len(s.Inks):
		inks = s.Inks[above]
	case above < 0 && -above <= len(s.InksBelow):
		inks = s.InksBelow[-above-1]
	}
	for _, r := range s.Line(row) {
		for len(inks) > 0 && inks[0].To <= col {
			inks = inks[1:]
		}
		if r != ' ' && len(inks) > 0 && inks[0].From <= col {
			f(col, r, inks[0].Color)
		}
		col += displaywidth.Rune(r)
	}
}
