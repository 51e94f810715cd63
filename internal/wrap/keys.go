package wrap

import "bytes"

// input looks at what comes from the outer terminal.
type input struct {
	keys    uint64 // grows with each read of the terminal that holds a person's keys
	pasting bool   // between the marks of a bracketed paste
	mark    int    // bytes of a paste's mark that are matched
	began   bool   // the mark that is being matched may still be that of the beginning
}

const pasteBegin = "\x1b[200~" // the end's has a 1 for the last 0

// saw takes one read of the terminal.
func (in *input) saw(b []byte) {
	held := in.pasting || in.mark > 0
	for _, c := range b {
		in.paste(c)
	}
	if held || in.pasting || typed(b) {
		in.keys++
	}
}

// paste follows the marks of a bracketed paste, which may be cut by the ends of reads.
func (in *input) paste(c byte) {
	const differ = 4 // the byte in which the marks differ
	switch {
	case c == 0x1b:
		in.mark = 1
	case in.mark == 0:
	case in.mark == differ && (c == '0' || c == '1'):
		in.began = c == '0'
		in.mark++
	case in.mark != differ && c == pasteBegin[in.mark]:
		if in.mark++; in.mark == len(pasteBegin) {
			in.pasting, in.mark = in.began, 0
		}
	default:
		in.mark = 0
	}
}

// typed says whether anything in b is not surely an answer of the terminal itself or an event of
// its mouse or focus. A sequence that b does not hold to its end counts as typed.
func typed(b []byte) bool {
	for len(b) > 0 {
		n := answer(b)
		if n == 0 {
			return true
		}
		b = b[n:]
	}
	return false
}

// answer gives the length of the terminal's own message at the start of b; 0: there is none.
func answer(b []byte) int {
	if len(b) < 3 || b[0] != 0x1b {
		return 0
	}
	switch b[1] {
	case '[':
		return csiAnswer(b)
	case ']', 'P', '_': // OSC, DCS, APC
		// Alt with such a key sends the same two bytes, but no end.
		end := bytes.IndexAny(b[2:], "\x07\x1b") + 2
		switch {
		case end < 2+1:
		case b[end] == 0x07 && b[1] == ']':
			return end + 1
		case b[end] == 0x1b && end+1 < len(b) && b[end+1] == '\\':
			return end + 2
		}
	}
	return 0
}

func csiAnswer(b []byte) int {
	if b[2] == 'M' && len(b) >= 6 { // the mouse as X10 had it
		return 6
	}
	end := 2
	for end < len(b) && b[end] >= 0x20 && b[end] < 0x40 {
		end++
	}
	if end == len(b) {
		return 0
	}
	params, private := b[2:end], byte(0)
	if len(params) > 0 && params[0] >= '<' {
		private, params = params[0], params[1:]
	}
	ok := false
	switch b[end] {
	case 'I', 'O': // focus
		ok = end == 2
	case 'M', 'm': // mouse
		ok = private == '<' || len(params) > 0
	case 'c': // device attributes
		ok = private != 0
	case 'n', 't': // status; size
		ok = len(params) > 0
	case 'y', 'S': // a mode; graphics
		ok = private == '?'
	case 'u': // what of the keyboard protocol is on; without "?" it is a key
		ok = private == '?'
	case 'R': // where the cursor is; F3 with Shift is the cursor in row 1
		row, _, two := bytes.Cut(params, []byte{';'})
		ok = private == '?' || two && len(row) > 0 && string(row) != "1"
	}
	if !ok {
		return 0
	}
	return end + 1
}
