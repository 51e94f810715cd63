package wrap

import "unicode/utf8"

// parser cuts a terminal's output into runes, controls and sequences. It is a terminal in UTF-8
// mode: a byte of 0x80 and above is part of a rune or nothing, never a C1 control. charmbracelet's
// parser ends a string at the byte 0x9c, which the UTF-8 form of ✳ or Ü holds: the rest of a
// window's title became text on the screen.
type parser struct {
	state  state
	rune   [utf8.UTFMax]byte // the bytes of a rune so far
	have   int               // how many they are
	seq    sequence
	bad    bool // the sequence is malformed: it ends as it would, and does nothing
	osc    bool // the string is an OSC: BEL ends it, too, and it has a meaning
	text   []byte
	params [maxParams + 1]param // the last one takes what is too much
}

type state int

const (
	ground state = iota
	inEscape
	inCSI
	inString // OSC, DCS, APC, PM, SOS
)

// sequence is an escape or control sequence; the fields that it lacks are 0.
type sequence struct {
	prefix, intermediate, final byte
	params                      params
}

// param is a number of a control sequence; -1: it is left out.
type param struct {
	n    int
	more bool // ":" follows: the next one is a part of it
}

type params []param

const (
	maxParams = 32
	maxNumber = 1 << 16
)

// param gives the number at i, or def where there is none.
func (p params) param(i, def int) (n int, more bool) {
	if i >= len(p) {
		return def, false
	}
	if p[i].n < 0 {
		return def, p[i].more
	}
	return p[i].n, p[i].more
}

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// advance takes the next byte of the output.
func (e *emulator) advance(b byte) {
	p := &e.parser
	if p.have > 0 {
		e.advanceRune(b)
		return
	}
	switch {
	case b == esc:
		e.endString()
		p.state, p.bad, p.seq = inEscape, false, sequence{params: p.params[:0]}
	case b == can || b == sub:
		p.state, p.text = ground, p.text[:0]
	case p.state == inString:
		e.advanceString(b)
	case b < 0x20:
		e.control(b)
	case p.state == ground:
		e.advanceGround(b)
	case b >= 0x7f: // no part of a sequence
	case p.state == inEscape:
		e.advanceEscape(b)
	default:
		e.advanceCSI(b)
	}
}

func (e *emulator) advanceGround(b byte) {
	switch {
	case b < 0x7f:
		e.print(rune(b))
	case b >= 0x80:
		e.advanceRune(b)
	}
}

// advanceRune collects the bytes of a rune. What cannot be one is shown as one unknown rune.
func (e *emulator) advanceRune(b byte) {
	p := &e.parser
	p.rune[p.have] = b
	p.have++
	all := p.rune[:p.have]
	if !utf8.FullRune(all) {
		return
	}
	r, size := utf8.DecodeRune(all)
	cut := p.have > 1 && size < p.have // b is the start of something else
	p.have = 0
	e.print(r)
	if cut {
		e.advance(b)
	}
}

func (e *emulator) advanceString(b byte) {
	p := &e.parser
	switch {
	case b == bel && p.osc:
		e.endString()
		p.state = ground
	case p.osc && b >= 0x20 && len(p.text) < maxString:
		p.text = append(p.text, b)
	}
}

// endString obeys the string that ends here, if there is one.
func (e *emulator) endString() {
	p := &e.parser
	if p.state == inString && p.osc {
		e.command(p.text)
	}
	p.text = p.text[:0]
}

func (e *emulator) advanceEscape(b byte) {
	p := &e.parser
	switch {
	case b < 0x30:
		p.seq.intermediate = b
	case p.seq.intermediate != 0:
		p.state, p.seq.final = ground, b
		e.escape(p.seq)
	case b == '[':
		p.state = inCSI
	case b == ']', b == 'P', b == 'X', b == '^', b == '_': // OSC, DCS, SOS, PM, APC
		p.state, p.osc = inString, b == ']'
	default:
		p.state, p.seq.final = ground, b
		e.escape(p.seq)
	}
}

func (e *emulator) advanceCSI(b byte) {
	p := &e.parser
	switch {
	case b >= 0x40:
		p.state, p.seq.final = ground, b
		if !p.bad {
			p.seq.params = p.seq.params[:min(len(p.seq.params), maxParams)]
			e.csi(p.seq)
		}
	case b < 0x30:
		p.seq.intermediate = b
	case p.seq.intermediate != 0:
		p.bad = true
	case b >= '<':
		p.bad = p.bad || p.seq.prefix != 0 || len(p.seq.params) > 0
		p.seq.prefix = b
	default:
		p.number(b)
	}
}

// number takes a digit or what stands between numbers.
func (p *parser) number(b byte) {
	if len(p.seq.params) == 0 {
		p.seq.params = append(p.seq.params, param{n: -1})
	}
	last := &p.seq.params[len(p.seq.params)-1]
	switch {
	case b >= '0' && b <= '9':
		last.n = min(max(last.n, 0)*10+int(b-'0'), maxNumber)
	case len(p.seq.params) == len(p.params):
		last.n = -1
	default:
		last.more = b == ':'
		p.seq.params = append(p.seq.params, param{n: -1})
	}
}
