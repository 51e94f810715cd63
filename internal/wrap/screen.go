package wrap

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/clawd-project/clawd/agent"
)

// emulator knows what the terminal shows after the bytes that it was fed. It only listens: it has
// no way to answer a query, for the real terminal does that.
//
// charmbracelet/x/vt does the same and more, but copies every cell of the screen for each line that
// scrolls (3.5 MB/s at 80x24, a quarter of that at 200x50: the wrapper would slow down its agent);
// hinshun/vt10x knows neither faint text nor wide characters. So both the parser and the grid are
// ours.
type emulator struct {
	mu     sync.Mutex // guards what follows
	parser parser
	cols   int
	rows   int
	main   page
	alt    page
	*page         // the one that is shown
	title  string // at most maxString bytes
	modes  modes
	top    int  // of the scroll region
	bot    int  // its end, exclusive
	last   rune // what REP repeats
	broken bool // a sequence made it panic: nothing is known of the screen any more
}

type modes struct {
	insert, origin, noWrap bool
}

// maxString bounds a title.
const maxString = 4096

// page is one of the terminal's two screens.
type page struct {
	lines [][]cell
	cursor
	saved cursor
}

type cursor struct {
	x, y    int
	wrap    bool // the last column is written: the next rune goes to the next line
	pen     pen
	shift   int     // 0 or 1: which of charset is in use
	charset [2]bool // line drawing instead of ASCII
}

// pen is what of the graphics matters: whether text is drawn faint, in which color, and on another one than the terminal's own.
type pen struct {
	faint  bool
	color  agent.Color
	ground bool
}

// plain tells whether a rune is drawn as the terminal draws by itself.
func (p pen) plain(r rune) bool { return !p.ground && (r == ' ' || !p.faint && p.color == 0) }

// cell has no pointers: lines are cleared and moved all the time.
type cell struct {
	r     rune    // 0: blank, or the right half of a wide rune
	more  [4]rune // what combines with r, as far as it fits
	right bool    // the right half of a wide rune
	faint bool    // or grey
	color agent.Color
	plain bool // neither faint, nor in a color or on one
}

// join adds a rune to what is shown in the cell.
func (c *cell) join(r rune) {
	if i := slices.Index(c.more[:], 0); i >= 0 {
		c.more[i] = r
	}
}

// joins says whether the next rune belongs to this cell, too.
func (c *cell) joins() bool {
	i := slices.Index(c.more[:], 0)
	return i > 0 && c.more[i-1] == zwj || i < 0 && c.more[len(c.more)-1] == zwj
}

func newEmulator(cols, rows int) *emulator {
	e := &emulator{}
	e.cols, e.rows = bounded(cols, rows)
	e.reset()
	return e
}

// bounded gives a terminal that tells no size the usual one, and keeps absurd ones small.
func bounded(cols, rows int) (int, int) {
	if cols <= 0 || rows <= 0 {
		return 80, 24
	}
	return min(cols, 1000), min(rows, 1000)
}

// feed takes the next bytes of the output, cut anywhere.
func (e *emulator) feed(b []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken {
		return
	}
	defer func() {
		// The agent's session must not die of a byte that only clawd looks at.
		e.broken = recover() != nil
	}()
	for _, c := range b {
		e.advance(c)
	}
}

// resize cuts or pads both screens; programs draw theirs anew.
func (e *emulator) resize(cols, rows int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cols, e.rows = bounded(cols, rows)
	for _, p := range []*page{&e.main, &e.alt} {
		if over := p.y - e.rows + 1; over > 0 { // the cursor's row stays
			p.lines, p.y = p.lines[over:], e.rows-1
		}
		p.lines = p.lines[:min(len(p.lines), e.rows)]
		for len(p.lines) < e.rows {
			p.lines = append(p.lines, nil)
		}
		for y, l := range p.lines {
			line := make([]cell, e.cols)
			copy(line, l)
			p.lines[y] = line
		}
		p.x, p.wrap = min(p.x, e.cols-1), false
		p.saved.x, p.saved.y = min(p.saved.x, e.cols-1), min(p.saved.y, e.rows-1)
	}
	e.top, e.bot = 0, e.rows
}

// screen gives what is shown; false: not known.
func (e *emulator) screen() (agent.Screen, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := agent.Screen{Rows: make([]string, e.rows), Row: e.y, Col: e.x, Cols: e.cols, Title: e.title}
	s.Plain = true
	var b strings.Builder
	for y, line := range e.lines {
		b.Reset()
		for x, c := range line {
			s.Plain = s.Plain && (c.plain || c.r == 0)
			switch {
			case c.right && x > 0 && line[x-1].r != 0:
			case c.r == 0:
				b.WriteByte(' ')
			default:
				b.WriteRune(c.r)
				for _, r := range c.more {
					if r != 0 {
						b.WriteRune(r)
					}
				}
			}
		}
		s.Rows[y] = strings.TrimRight(b.String(), " ")
	}
	s.Faint = faint(e.lines[e.y])
	for y := e.y - 1; y >= 0 && e.y-y <= agent.MostAbove; y-- {
		s.FaintAbove = append(s.FaintAbove, faint(e.lines[y]))
	}
	for y := e.y; y >= 0 && e.y-y <= agent.MostInks; y-- {
		s.Inks = append(s.Inks, inks(e.lines[y]))
	}
	for y := e.y + 1; y < e.rows && y-e.y <= agent.MostBelow; y++ {
		s.InksBelow = append(s.InksBelow, inks(e.lines[y]))
	}
	return s, !e.broken
}

// faint gives the columns of a line that are drawn faint or in a grey.
func faint(line []cell) (ranges [][2]int) {
	for x, c := range line {
		last := len(ranges) - 1
		switch {
		case !c.faint || c.r == 0 && !c.right:
		case last >= 0 && ranges[last][1] == x:
			ranges[last][1]++
		default:
			ranges = append(ranges, [2]int{x, x + 1})
		}
	}
	return ranges
}

// inks gives the colors of what stands in a line.
func inks(line []cell) (all []agent.Ink) {
	for x, c := range line {
		if c.r != 0 || c.right {
			all = agent.AppendInk(all, agent.Ink{From: x, To: x + 1, Color: c.color})
		}
	}
	return all
}

func (e *emulator) reset() {
	e.modes, e.last = modes{}, 0
	for _, p := range []*page{&e.main, &e.alt} {
		*p = page{lines: make([][]cell, e.rows)}
		for y := range p.lines {
			p.lines[y] = make([]cell, e.cols)
		}
	}
	e.page, e.top, e.bot = &e.main, 0, e.rows
}

// zwj joins the runes around it to one picture.
const zwj = '\u200d'

func (e *emulator) print(r rune) {
	if r == utf8.RuneError || r >= 0x80 && r < 0xa0 {
		r = utf8.RuneError
	}
	if e.charset[e.shift] && r >= '_' && r < 0x7f {
		r = drawing[r-'_']
	}
	width := 1
	if r >= 0x300 {
		width = displaywidth.Rune(r)
	}
	if prev := e.before(); prev != nil && (width == 0 || prev.joins()) {
		prev.join(r)
		return
	}
	if width == 0 {
		return
	}
	if e.wrap || e.x+width > e.cols {
		if !e.modes.noWrap {
			e.x = 0
			e.index()
		}
		e.x = min(e.x, e.cols-width)
	}
	e.wrap = false
	if e.x < 0 { // wider than the terminal
		e.x = 0
		return
	}
	if e.modes.insert {
		e.insertCells(width)
	}
	drawn := cell{r: r, faint: e.pen.faint || e.pen.color.Grey(), color: e.pen.color, plain: e.pen.plain(r)}
	e.put(e.x, drawn)
	if width == 2 {
		drawn.r, drawn.right = 0, true
		e.put(e.x+1, drawn)
	}
	e.last = r
	if e.x += width; e.x >= e.cols {
		e.x, e.wrap = e.cols-1, true
	}
}

// put writes a cell of the cursor's row, and blanks what remains of a wide rune that it cuts.
func (e *emulator) put(x int, c cell) {
	line := e.lines[e.y]
	if line[x].right && !c.right && x > 0 {
		line[x-1] = cell{}
	}
	if x+1 < len(line) && line[x+1].right {
		line[x+1] = cell{}
	}
	line[x] = c
}

// before is the cell that was written last, which what combines belongs to; nil: there is none.
func (e *emulator) before() *cell {
	x := e.x
	if !e.wrap {
		x--
	}
	if x > 0 && e.lines[e.y][x].right {
		x--
	}
	if x < 0 || e.lines[e.y][x].r == 0 {
		return nil
	}
	return &e.lines[e.y][x]
}

// drawing are the line drawing characters of 0x5f to 0x7e.
var drawing = []rune(" ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")

// index goes a line down, and scrolls at the end of the region.
func (e *emulator) index() {
	switch {
	case e.y == e.bot-1:
		e.scroll(e.top, 1)
	case e.y < e.rows-1:
		e.y++
	}
}

// scroll moves the lines from top to the region's end up by n, or down if n is negative.
func (e *emulator) scroll(top, n int) {
	region := e.lines[top:e.bot]
	n = max(-len(region), min(n, len(region)))
	// The lines that go out come in at the other end, blank.
	for ; n > 0; n-- {
		line := region[0]
		copy(region, region[1:])
		region[len(region)-1] = line
		clear(line)
	}
	for ; n < 0; n++ {
		line := region[len(region)-1]
		copy(region[1:], region)
		region[0] = line
		clear(line)
	}
}

func (e *emulator) insertCells(n int) {
	line := e.lines[e.y][e.x:]
	n = min(n, len(line))
	copy(line[n:], line)
	clear(line[:n])
}

func (e *emulator) deleteCells(n int) {
	line := e.lines[e.y][e.x:]
	n = min(n, len(line))
	copy(line, line[n:])
	clear(line[len(line)-n:])
}
