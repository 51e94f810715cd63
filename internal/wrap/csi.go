package wrap

import (
	"bytes"

	"github.com/clawd-project/clawd/agent"
)

func (e *emulator) control(b byte) {
	switch b {
	case '\b':
		e.to(e.x-1, e.y)
	case '\t':
		e.to((e.x/8+1)*8, e.y)
	case '\n', '\v', '\f':
		e.wrap = false
		e.index()
	case '\r':
		e.to(0, e.y)
	case 0x0e, 0x0f: // SO, SI
		e.shift = int(0x0f - b)
	}
}

// to moves the cursor, within the screen.
func (e *emulator) to(x, y int) {
	e.x, e.y, e.wrap = max(0, min(x, e.cols-1)), max(0, min(y, e.rows-1)), false
}

// down moves the cursor by n rows; it does not leave the scroll region from inside.
func (e *emulator) down(n int) {
	lo, hi := 0, e.rows-1
	if e.y >= e.top {
		lo = e.top
	}
	if e.y < e.bot {
		hi = e.bot - 1
	}
	e.to(e.x, max(lo, min(e.y+n, hi)))
}

// line moves to a row as CUP counts them, from 0.
func (e *emulator) line(x, y int) {
	if e.modes.origin {
		y = min(y+e.top, e.bot-1)
	}
	e.to(x, y)
}

func (e *emulator) escape(s sequence) {
	switch i, final := s.intermediate, s.final; {
	case i == '(' || i == ')':
		e.charset[i-'('] = final == '0'
	case i != 0:
	case final == '7':
		e.saved = e.cursor
	case final == '8':
		e.restore()
	case final == 'D':
		e.index()
	case final == 'E':
		e.x = 0
		e.index()
	case final == 'M':
		if e.y == e.top {
			e.scroll(e.top, -1)
		} else {
			e.to(e.x, e.y-1)
		}
	case final == 'c':
		e.reset()
		e.title = ""
	}
}

func (e *emulator) restore() {
	e.cursor = e.saved
	e.x, e.y = min(e.x, e.cols-1), min(e.y, e.rows-1)
}

// command obeys an OSC.
func (e *emulator) command(data []byte) {
	if number, text, ok := bytes.Cut(data, []byte{';'}); ok && (string(number) == "0" || string(number) == "2") {
		e.title = string(bytes.ToValidUTF8(text, []byte("\ufffd")))
	}
}

func (e *emulator) csi(s sequence) {
	// at gives a parameter; absent or 0 is def. Programs may ask for any number of times.
	at := func(i, def int) int {
		n, _ := s.params.param(i, def)
		if n <= 0 {
			n = def
		}
		return min(n, 1<<15)
	}
	switch {
	case s.intermediate == '!' && s.final == 'p': // DECSTR
		e.modes, e.top, e.bot, e.pen = modes{}, 0, e.rows, pen{}
		return
	case s.intermediate != 0:
		return
	case s.prefix == '?' && (s.final == 'h' || s.final == 'l'):
		for i := range s.params {
			e.private(at(i, 0), s.final == 'h')
		}
		return
	case s.prefix == '?' && (s.final == 'J' || s.final == 'K'): // the selective erase
	case s.prefix != 0:
		return
	}
	n := at(0, 1)
	switch s.final {
	case 'm':
		e.graphics(s.params)
	case 'A':
		e.down(-n)
	case 'B', 'e':
		e.down(n)
	case 'C', 'a':
		e.to(e.x+n, e.y)
	case 'D':
		e.to(e.x-n, e.y)
	case 'E':
		e.down(n)
		e.x = 0
	case 'F':
		e.down(-n)
		e.x = 0
	case 'G', '`':
		e.to(n-1, e.y)
	case 'H', 'f':
		e.line(at(1, 1)-1, n-1)
	case 'd':
		e.line(e.x, n-1)
	case 'I':
		e.to((e.x/8+n)*8, e.y)
	case 'Z':
		e.to(((e.x+7)/8-n)*8, e.y)
	case 's':
		e.saved = e.cursor
	case 'u':
		e.restore()
	case 'r':
		if top, bot := n-1, min(at(1, e.rows), e.rows); top < bot-1 {
			e.top, e.bot = top, bot
			e.line(0, 0)
		}
	case 'h', 'l':
		if at(0, 0) == 4 {
			e.modes.insert = s.final == 'h'
		}
	default:
		e.edit(s.final, n, at(0, 0))
	}
}

// edit are the sequences that move or erase cells; how is their parameter with the default 0.
func (e *emulator) edit(final byte, n, how int) {
	inside := e.y >= e.top && e.y < e.bot
	switch final {
	case 'J':
		e.eraseScreen(how)
	case 'K':
		e.eraseLine(how)
	case 'X':
		clear(e.lines[e.y][e.x:min(e.x+n, e.cols)])
	case '@':
		e.insertCells(n)
	case 'P':
		e.deleteCells(n)
	case 'L', 'M':
		if final == 'L' {
			n = -n
		}
		if inside {
			e.scroll(e.y, n)
			e.x = 0
		}
	case 'S':
		e.scroll(e.top, n)
		return // the pending wrap stays
	case 'T':
		e.scroll(e.top, -n)
		return
	case 'b':
		// Programs fill a line by it, and no more: tmux stops at the line's end. A whole screen for each
		// 8 bytes would hold up the output.
		for range min(n, e.cols) {
			if e.last != 0 {
				e.print(e.last)
			}
		}
		return
	default:
		return
	}
	e.wrap = false
}

func (e *emulator) eraseLine(how int) {
	line := e.lines[e.y]
	switch how {
	case 0:
		clear(line[e.x:])
	case 1:
		clear(line[:e.x+1])
	case 2:
		clear(line)
	}
}

func (e *emulator) eraseScreen(how int) {
	above, below := e.lines[:e.y], e.lines[e.y+1:]
	switch how {
	case 0:
		above = nil
	case 1:
		below = nil
	case 2:
	default: // 3: what scrolled away
		return
	}
	e.eraseLine(how)
	for _, lines := range [][][]cell{above, below} {
		for _, line := range lines {
			clear(line)
		}
	}
}

// private sets or resets a DEC mode.
func (e *emulator) private(mode int, on bool) {
	switch mode {
	case 6:
		e.modes.origin = on
		e.line(0, 0)
	case 7:
		e.modes.noWrap = !on
	case 1048:
		if on {
			e.saved = e.cursor
		} else {
			e.restore()
		}
	case 47, 1047, 1049:
		e.alternate(on, mode == 1049)
	}
}

// alternate shows the other screen. The cursor goes along; save: it comes back as it was.
func (e *emulator) alternate(on, save bool) {
	if on == (e.page == &e.alt) {
		return
	}
	now := e.cursor
	if on {
		if save {
			e.saved = now
		}
		e.page = &e.alt
		for _, line := range e.lines {
			clear(line)
		}
		e.cursor = now
		return
	}
	e.page = &e.main
	if e.cursor = now; save {
		e.restore()
	}
}

// graphics follows SGR as far as faint text and colors go.
func (e *emulator) graphics(params params) {
	if len(params) == 0 {
		e.pen = pen{}
	}
	for i := 0; i < len(params); i++ {
		switch n, more := params.param(i, 0); {
		case n == 0:
			e.pen = pen{}
		case n == 2:
			e.pen.faint = true
		case n == 22:
			e.pen.faint = false
		case n == 38 || n == 48 || n == 58:
			used, c := color(params[i+1:])
			switch i += used; n {
			case 38:
				e.pen.color = c
			case 48:
				e.pen.ground = true
			}
		case n >= 40 && n <= 49 || n >= 100 && n <= 107:
			e.pen.ground = n != 49
		case n == 4 && more: // the kind of underline
			i++
		default:
			e.pen.color = e.pen.color.After(n)
		}
	}
}

// color reads what follows 38, with ";" or ":", and says how many parameters that is.
func color(p params) (used int, c agent.Color) {
	kind, sub := p.param(0, 0)
	n := 0
	if sub { // with ":" the end is told
		for n = 1; n < len(p) && p[n-1].more; n++ {
			continue
		}
	}
	value := func(i int) int {
		v, _ := p.param(i, 0)
		return v
	}
	switch kind {
	case 5:
		return max(n, 2), agent.OfPalette(value(1))
	case 2:
		at := 1
		if n == 5 { // 2:SPACE:R:G:B
			at = 2
		}
		return max(n, 4), agent.OfParts(value(at), value(at+1), value(at+2))
	}
	return max(n, 1), 0
}
