package wrap

import (
	"testing"
)

func TestTyped(t *testing.T) {
	for in, want := range map[string]bool{
		"a": true, "\r": true, "\x03": true, "\x1b": true, "漢": true, "\x1b[A": true, "\x1bOP": true, "\x1b[15~": true,
		"\x1b[1;5C": true, "\x1ba": true, "\x1b]": true, "\x1bP": true, "\x1b_": true, "\x1b]text": true,
		"\x1b[97u": true, "\x1b[97;5:3u": true, "\x1b[1;2R": true, "\x1b[R": true, "\x1b[1;2S": true, "\x1b[M": true, "\x1b[24;": true, "\x1b[Z": true,
		"\x1b[200~x\x1b[201~": true, "\x1b[I\x1b[Ia": true, "a\x1b[I": true,
		"\x1b[I": false, "\x1b[O": false, "\x1b[?62;22c": false, "\x1b[>0;276;0c": false, "\x1b[24;80R": false, "\x1b[?24;80;1R": false,
		"\x1b[0n": false, "\x1b[?997;1n": false, "\x1b[?2026;2$y": false, "\x1b[?1u": false, "\x1b[8;24;80t": false, "\x1b[?1;0;256S": false,
		"\x1b[<0;10;20M": false, "\x1b[<35;1;1m": false, "\x1b[M !!": false, "\x1b[32;1;1M": false,
		"\x1b]11;rgb:0000/0000/0000\x07": false, "\x1b]11;rgb:0000/0000/0000\x1b\\": false, "\x1bP>|kitty(0.4)\x1b\\": false, "\x1b_Gi=1;OK\x1b\\": false,
		"\x1b[?62c\x1b[24;80R\x1b]11;rgb:0/0/0\x07": false,
		"": false,
	} {
		if got := typed([]byte(in)); got != want {
			t.Errorf("typed(%q) = %v", in, got)
		}
	}
}

// A paste is one however its bytes are cut.
func TestPaste(t *testing.T) {
	const all = "\x1b[200~a\x1b[I\x1b[200x\x1b[201x\x1b[201~"
	for cut := range len(all) {
		var in input
		for i, part := range []string{all[:cut], all[cut:]} {
			in.saw([]byte(part))
			if want := i == 0 && cut >= len(pasteBegin); in.pasting != want {
				t.Errorf("cut at %d: after part %d pasting is %v", cut, i, in.pasting)
			}
		}
		if in.keys == 0 {
			t.Errorf("cut at %d: a paste is no key", cut)
		}
	}
	var in input
	in.saw([]byte("\x1b[200~"))
	in.saw([]byte("\x1b[I"))
	if in.keys != 2 {
		t.Errorf("pasted text is taken for the terminal's: %d", in.keys)
	}
}

func FuzzInput(f *testing.F) {
	f.Add([]byte("\x1b[200~x\x1b[201~\x1b[?1;2c"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var in input
		in.saw(b)
		for i := range b {
			in.saw(b[i : i+1])
		}
		if n := answer(b); n > len(b) {
			t.Errorf("%d of %d bytes", n, len(b))
		}
		for _, c := range b {
			if c >= 0x20 && c < 0x7f && !typed([]byte{c}) {
				t.Errorf("%q is no key", c)
			}
		}
	})
}
