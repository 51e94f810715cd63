package wrap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

func TestEmulator(t *testing.T) {
	for _, c := range []struct {
		name, out string
		rows      []string
		row, col  int
		faint     string
	}{
		{"plain", "ab\r\ncd", []string{"ab", "cd"}, 1, 2, "[]"},
		{"wrap waits for the next rune", "0123456789", []string{"0123456789"}, 0, 9, "[]"},
		{"wrap", "0123456789x", []string{"0123456789", "x"}, 1, 1, "[]"},
		{"wide runes", "漢字x\x1b[4D字", []string{" 字 x"}, 0, 3, "[]"},
		{"combining", "e\u0301x", []string{"e\u0301x"}, 0, 2, "[]"},
		{"joined", "👩\u200d👧x", []string{"👩\u200d👧x"}, 0, 3, "[]"},
		{"scrolls", "1\r\n2\r\n3\r\n4\r\n5", []string{"2", "3", "4", "5"}, 3, 1, "[]"},
		{"a region scrolls", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nx\x1b[r", []string{"1", "3", "x", "4"}, 0, 0, "[]"},
		{"reverse index", "1\r\n2\x1b[H\x1bMx", []string{"x", "1", "2"}, 0, 1, "[]"},
		{"insert and delete lines", "1\r\n2\r\n3\x1b[H\x1b[L\x1b[3;1H\x1b[M", []string{"", "1", "3"}, 2, 0, "[]"},
		{"cells", "abcdef\x1b[2G\x1b[2P\x1b[@X\x1b[4G\x1b[X", []string{"aXd f"}, 0, 3, "[]"},
		{"erase", "aaa\r\nbbb\r\nccc\x1b[2;2H\x1b[K\x1b[1J", []string{"", "", "ccc"}, 1, 1, "[]"},
		{"repeat", "a\x1b[3b", []string{"aaaa"}, 0, 4, "[]"},
		{"repeat to the end of the line", "ab\x1b[8b", []string{"abbbbbbbbb"}, 0, 9, "[]"},
		{"repeat over the end of the line", "ab\x1b[10b", []string{"abbbbbbbbb", "bb"}, 1, 2, "[]"},
		{"repeat for ever", "ab\x1b[65535b", []string{"abbbbbbbbb", "bb"}, 1, 2, "[]"},
		{"repeat a wide rune for ever", "漢\x1b[65535b", []string{"漢漢漢漢漢", "漢漢漢漢漢", "漢"}, 2, 2, "[]"},
		{"repeat nothing", "\x1b[65535bx", []string{"x"}, 0, 1, "[]"},
		{"alternate", "shell\x1b[?1049h\x1b[Htui\x1b[?1049lX", []string{"shellX"}, 0, 6, "[]"},
		{"in the alternate", "shell\x1b[?1049h\x1b[Htui", []string{"tui"}, 0, 3, "[]"},
		{"drawing", "\x1b(0lqk\x1b(Blqk", []string{"┌─┐lqk"}, 0, 6, "[]"},
		{"faint", "a\x1b[2mbc\x1b[22md\x1b[90me\x1b[39mf", []string{"abcdef"}, 0, 6, "[[1 3] [4 5]]"},
		{"a grey with a touch of blue", "\x1b[38;2;108;112;134ma\x1b[38;2;137;180;250mb", []string{"ab"}, 0, 2, "[[0 1]]"},
		{"greys", "\x1b[38;5;244ma\x1b[38;2;153;153;153mb\x1b[38:2::128:128:128mc\x1b[38;2;255;255;255md\x1b[38;5;196me\x1b[38:5:8mf\x1b[1;38;2;100;100;200mg", []string{"abcdefg"}, 0, 7, "[[0 3] [5 6]]"},
		{"saved", "ab\x1b7\x1b[3;3Hc\x1b8d", []string{"abd", "", "  c"}, 0, 3, "[]"},
		{"tabs", "a\tb", []string{"a       b"}, 0, 9, "[]"},
		{"no wrap", "\x1b[?7l0123456789x", []string{"012345678x"}, 0, 9, "[]"},
		{"titles in UTF-8", "\x1b]0;\u2733 Claude\x07\x1b]2;\u2713 \u00dc \u4e1c\x1b\\x", []string{"x"}, 0, 1, "[]"},
		{"strings in UTF-8", "\x1bP\u00dc1\x1b\\\x1b_\u4e1c2\x1b\\\x1b^\u27333\x1b\\\x1bX\u27134\x1b\\x", []string{"x"}, 0, 1, "[]"},
		{"no string ends at a byte of C1", "\x1b]0;a\x9cb\x07\x1bPa\x9cb\x1b\\\x1b_a\x9cb\x1b\\x", []string{"x"}, 0, 1, "[]"},
		{"no byte of C1 begins a sequence", "a\x9b1;1Hb", []string{"a\ufffd1;1Hb"}, 0, 7, "[]"},
		{"BEL ends an OSC alone", "\x1bPa\x07b\x1b\\\x1b_a\x07b\x1b\\x", []string{"x"}, 0, 1, "[]"},
		{"aborted strings", "\x1b]0;a\x18b\x1bPa\x1ac\x1b_d\x18e", []string{"bce"}, 0, 3, "[]"},
		{"a string that another sequence ends", "ab\x1b]0;t\x1b[Hx", []string{"xb"}, 0, 1, "[]"},
		{"a rune that is cut off", "a\xe2\x9c\x1b[31mb\xe2c", []string{"a\ufffdb\ufffdc"}, 0, 5, "[]"},
		{"malformed", "a\x1b[1$2pb\x1b[1?2hc\x1b[\u00dcmd", []string{"abcd"}, 0, 4, "[]"},
		{"forty parameters", "\x1b[2" + strings.Repeat(";1", 40) + ";0ma", []string{"a"}, 0, 1, "[[0 1]]"},
		{"images and queries leave nothing", "\x1bPq#0;~~\x1b\\\x1b_Gx\x1b\\\x1b[c\x1b[6n\x1b]11;?\x07\x1b[>1u\x1b[?2026h\x1b[18tx", []string{"x"}, 0, 1, "[]"},
	} {
		e := newEmulator(10, 4)
		whole := []byte(c.out)
		e.feed(whole)
		bytewise := newEmulator(10, 4)
		for i := range whole {
			bytewise.feed(whole[i : i+1])
		}
		for len(c.rows) < 4 {
			c.rows = append(c.rows, "")
		}
		for _, e := range []*emulator{e, bytewise} {
			s, ok := e.screen()
			if !ok || !slices.Equal(s.Rows, c.rows) || s.Row != c.row || s.Col != c.col || fmt.Sprint(s.Faint) != c.faint {
				t.Errorf("%s: %q at %d,%d faint %v (%v)", c.name, s.Rows, s.Row, s.Col, s.Faint, ok)
			}
		}
	}
}

// A screen is plain while nothing on it is faint, in a color or on one, however it is read.
func TestPlain(t *testing.T) {
	for out, want := range map[string]bool{
		"": true, "ab": true, "\x1b[7ma\x1b[0mb": true, "\x1b[1;4ma": true, "\x1b[31m\x1b[39ma": true, "\x1b[41m\x1b[49ma": true, "\x1b[2m\x1b[22ma": true,
		"\x1b[31;42ma\x1b[0m": false, "\x1b[31m\x1b[0ma": true, "\x1b[31m \x1b[0m": true,
		"\x1b[31ma": false, "\x1b[97ma": false, "\x1b[90ma": false, "\x1b[38;5;15ma": false, "\x1b[38;2;255;255;255ma": false,
		"\x1b[41m ": false, "\x1b[100m ": false, "\x1b[48;5;1m ": false, "\x1b[48;2;0;0;0ma": false, "\x1b[2ma": false, "\x1b[34ma\x1b[39mb": false,
	} {
		e := newEmulator(10, 4)
		e.feed([]byte(out))
		if s, _ := e.screen(); s.Plain != want {
			t.Errorf("%q: %v", out, s.Plain)
		}
		if s := agent.ParseScreen(out, 0, 0, ""); s.Plain != want {
			t.Errorf("as tmux prints it, %q: %v", out, s.Plain)
		}
	}
}

// Colors are told of as tmux prints them, however the program chose them.
func TestInks(t *testing.T) {
	e := newEmulator(20, 12)
	var printed []string
	for n, color := range []string{"31", "0", "90", "97", "39", "38;5;61", "38;2;98;114;164", "1;38;2;98;114;164;4", "48;5;61", "38;2;1;2;3"} {
		row := fmt.Sprintf("\x1b[%smab c\x1b[39m東\x1b[%[1]smx", color)
		e.feed([]byte(row + "\r\n"))
		printed = append(printed, row)
		s, _ := e.screen()
		p := agent.ParseScreen(strings.Join(printed, "\n")+"\n\x1b[0m\n", n+1, 0, "")
		for row := range n + 2 {
			ours, known := s.InkOf(row, 'x')
			theirs, too := p.InkOf(row, 'x')
			if one, is := s.Ink(row, 6); ours != theirs || known != too || is != known || one != ours || known != (row <= n && n+1-row <= agent.MostInks) {
				t.Errorf("row %d of %d: %x (%t), as tmux prints it %x (%t); the one color is %x (%t)", row, n+1, ours, known, theirs, too, one, is)
			}
		}
	}
	e.feed([]byte("\x1b[38:2::98:114:164mx\x1b[38:5:61my"))
	s, _ := e.screen()
	if _, one := s.Ink(s.Row, 0); one || len(s.Inks[0]) != 2 || s.Inks[0][0].Color != agent.OfParts(98, 114, 164) || s.Inks[0][1].Color != agent.OfPalette(61) {
		t.Errorf("%v", s.Inks[0])
	}
	e.feed([]byte("\x1b[4A"))
	s, _ = e.screen()
	for down := range 4 {
		if _, known := s.InkOf(s.Row+down, 'x'); known != (down <= agent.MostBelow) {
			t.Errorf("%d rows below the cursor: known %t", down, known)
		}
	}
}

// The rows right above the cursor are told of as well, and no more of them than there are.
func TestFaintAbove(t *testing.T) {
	e := newEmulator(10, 8)
	for n, want := range []string{"[]", "[[[0 1]]]", "[[[0 2]] [[0 1]]]", "[[[0 3]] [[0 2]] [[0 1]]]", "[[[0 4]] [[0 3]] [[0 2]] [[0 1]]]", "[[[0 5]] [[0 4]] [[0 3]] [[0 2]]]"} {
		s, _ := e.screen()
		if got := fmt.Sprint(s.FaintAbove); got != want {
			t.Errorf("row %d: %s, want %s", n, got, want)
		}
		p := agent.ParseScreen(faintRows(n), n, 0, "")
		if got := fmt.Sprint(p.FaintAbove); got != want {
			t.Errorf("as tmux prints it, row %d: %s, want %s", n, got, want)
		}
		e.feed([]byte("\x1b[2m" + strings.Repeat("x", n+1) + "\x1b[22m\r\n"))
	}
}

// faintRows are n rows of faint text of a growing length, and the empty one that the cursor is in.
func faintRows(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("\x1b[2m" + strings.Repeat("x", i+1) + "\x1b[22m\n")
	}
	return b.String() + "\n"
}

func TestEmulatorResize(t *testing.T) {
	e := newEmulator(10, 4)
	e.feed([]byte("\x1b[2;3r1\r\n2\r\n3\x1b[4;1Hlast row"))
	e.resize(4, 2)
	if s, _ := e.screen(); !slices.Equal(s.Rows, []string{"3", "last"}) || s.Row != 1 || s.Col != 3 {
		t.Errorf("%+v", s)
	}
	e.resize(6, 3)
	e.feed([]byte("\x1b[3;1Hend\n"))
	if s, _ := e.screen(); !slices.Equal(s.Rows, []string{"last", "end", ""}) {
		t.Errorf("%+v", s)
	}
	e.resize(0, 0)
	if s, _ := e.screen(); len(s.Rows) != 24 {
		t.Errorf("%d rows", len(s.Rows))
	}
}

// What makes the emulator panic costs the screen, not the agent.
func TestEmulatorPanics(t *testing.T) {
	e := newEmulator(10, 4)
	e.lines = nil
	e.feed([]byte("x"))
	e.lines = make([][]cell, 4)
	if _, ok := e.screen(); ok {
		t.Error("a screen is given though nothing is known")
	}
	e.feed([]byte("x"))
}

// tmux is the judge of random drawing.
func TestEmulatorLikeTmux(t *testing.T) {
	m := newTmux(t)
	for seed := range uint64(40) {
		out := randomDrawing(rand.New(rand.NewPCG(seed, 7)))
		want, at := m.draw([]byte(out), 40, 12)
		e := newEmulator(40, 12)
		e.feed([]byte(out))
		s, _ := e.screen()
		if !slices.Equal(s.Rows, want) || fmt.Sprint(s.Col, s.Row) != at {
			t.Errorf("seed %d: %q\ntmux at %s:\n%s\nhere at %d %d:\n%s", seed, out, at, strings.Join(want, "\n"), s.Col, s.Row, strings.Join(s.Rows, "\n"))
		}
	}
}

// randomDrawing is what a program might draw.
func randomDrawing(r *rand.Rand) string {
	var b strings.Builder
	alternate, switched := false, false
	n := func(max int) int { return 1 + r.IntN(max) }
	for range 60 {
		switch r.IntN(18) {
		case 0, 1, 2, 3:
			b.WriteString([]string{"some text ", "漢字", "● Working…", "e\u0301 ", "╭──────╮", "a long line that is wider than the terminal is "}[r.IntN(6)])
		case 4:
			b.WriteString("\r\n")
		case 5:
			fmt.Fprintf(&b, "\x1b[%d;%dH", n(12), n(38))
		case 6:
			fmt.Fprintf(&b, "\x1b[%d%c", n(5), "ABCD"[r.IntN(4)])
		case 7:
			fmt.Fprintf(&b, "\x1b[%d%c", r.IntN(3), "JK"[r.IntN(2)])
		case 8:
			// Outside of the scroll region xterm does nothing, tmux does.
			fmt.Fprintf(&b, "\x1b[r\x1b[%d;1H\x1b[%d%c", n(12), n(4), "LM"[r.IntN(2)])
		case 9:
			fmt.Fprintf(&b, "\x1b[%dG\x1b[%d%c", n(30), n(4), "@PX"[r.IntN(3)])
		case 10:
			fmt.Fprintf(&b, "\x1b[%d;%dr", n(5), 6+n(6))
		case 11:
			b.WriteString([]string{"\x1bM", "\x1bD", "\x1bE", "\t", "\b"}[r.IntN(5)])
		case 12:
			fmt.Fprintf(&b, "\x1b[%dm", []int{0, 1, 2, 7, 31, 90}[r.IntN(6)])
		case 13:
			if switched { // they differ in whether the screens share what is saved
				break
			}
			b.WriteString([]string{"\x1b7", "\x1b8"}[r.IntN(2)])
		case 14:
			fmt.Fprintf(&b, "\x1b[%d%c", n(3), "ST"[r.IntN(2)])
		case 15:
			fmt.Fprintf(&b, "\x1b[%d%c", n(9), "EFGd"[r.IntN(4)])
		case 16:
			// Terminals differ in what leaving a screen does that was never entered.
			alternate, switched = !alternate, true
			b.WriteString(map[bool]string{true: "\x1b[?1049h", false: "\x1b[?1049l"}[alternate])
		case 17:
			b.WriteString("x\x1b[3b")
		}
	}
	return b.String()
}

// No output breaks the emulator, and where it was cut does not matter.
func FuzzEmulator(f *testing.F) {
	f.Add(junk(), uint8(10), uint8(4), uint16(1))
	f.Add([]byte("\x1b[?1049h\x1b[2;3r\x1b[38:2::1:2:3m漢\x1b[5P"), uint8(1), uint8(1), uint16(3))
	for _, out := range recordings(f) {
		f.Add(out, uint8(110), uint8(40), uint16(1023))
		for from := 0; from < len(out); from += 4096 { // small ones are changed more often
			f.Add(out[from:min(len(out), from+4096)], uint8(80), uint8(24), uint16(7))
		}
	}
	f.Fuzz(func(t *testing.T, out []byte, cols, rows uint8, chunk uint16) {
		whole, cut := newEmulator(int(cols), int(rows)), newEmulator(int(cols), int(rows))
		for _, half := range [][]byte{out[:len(out)/2], out[len(out)/2:]} {
			whole.feed(half)
			for b := range slices.Chunk(half, int(chunk)+1) {
				cut.feed(b)
			}
			if a, b := shown(whole), shown(cut); a != b {
				t.Fatalf("at once:\n%s\nin pieces:\n%s", a, b)
			}
			whole.resize(int(rows), int(cols))
			cut.resize(int(rows), int(cols))
		}
		s, ok := whole.screen()
		if !ok {
			t.Fatal("it panics")
		}
		if s.Row < 0 || s.Row >= len(s.Rows) || s.Col < 0 || len(whole.lines) != whole.rows {
			t.Errorf("%+v", s)
		}
	})
}
