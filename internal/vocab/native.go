package main

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// script is how long a piece of a program without a zero is at least that holds JavaScript.
const script = 20_000

// bundled gives the literals of the JavaScript that a program carries.
func bundled(program []byte, found func(string)) {
	for len(program) > 0 {
		n := bytes.IndexByte(program, 0)
		if n < 0 {
			n = len(program)
		}
		if n >= script && bytes.Contains(program[:n], []byte("function")) {
			jsLiterals(program[:n], found)
		}
		program = program[min(n+1, len(program)):]
	}
}

// compiled gives the strings of a program in Rust: formats, and what stands in a row without anything between.
func compiled(program []byte, found func(string)) {
	for at := 0; at < len(program); {
		if text, n := format(program[at:]); n > 0 {
			found(text)
			at += n
			continue
		}
		n := printable(program[at:])
		if n >= shortest {
			n = beforeFormat(program[at:], n)
			apart(program[at:at+n], found)
		}
		at += max(n, 1)
	}
}

// opening is the first word of a sentence, and no name of the code.
var opening = regexp.MustCompile(`^[A-Z][A-Za-z'’-]* `)

// beforeFormat is how much of a row of n bytes stands before a format whose length reads as a character of it. The text of
// such a format begins a sentence and ends with the row.
func beforeFormat(b []byte, n int) int {
	for i := max(0, n-0x80); i+shortest < n; i++ {
		if i+1+int(b[i]) == n && opening.Match(b[i+1:n]) {
			if _, size := format(b[i:]); size > 0 {
				return i
			}
		}
	}
	return n
}

// Where one string ends and the next begins, as far as that shows: a capital letter in the middle of a word, a
// word right behind a stop, and the sentences with a small letter that the agent is known to say.
var (
	capital = regexp.MustCompile(`([^\s"'(\[/_-])([A-Z][a-z'’]+[ .…-]|You(?:r|['’]\w+)? |⚠)`)
	lower   = regexp.MustCompile(`([a-z]{2}(?:\.\.\.|[.…])|/features)([a-z]+[ _])`)
	within  = regexp.MustCompile(`(\w)(stream (?:error|disconnected)|internal error; |exceeded retry limit|quota exceeded|context window exceeded|usage not included|session budget exceeded)`)
	whole   = regexp.MustCompile(`(running (?:remote|local) compact task|from a restricted region)([a-z]+[ _-])`) // sentences without a stop
)

func apart(run []byte, found func(string)) {
	cut := []byte("$1\x00$2")
	for _, border := range []*regexp.Regexp{within, whole, capital, lower} {
		run = border.ReplaceAll(run, cut)
	}
	for s := range bytes.SplitSeq(run, []byte{0}) {
		found(string(s))
	}
}

// format reads a compiled format until its zero: texts with their length, in one byte or behind 0x80 in two, and signs for
// values, with the bits of what follows such a sign.
func format(b []byte) (text string, n int) {
	var out []byte
	for n < len(b) && n < longest {
		c := b[n]
		n++
		size := int(c)
		switch {
		case c == 0:
			if len(out) < shortest || !bytes.Contains(out, []byte(hole)) {
				return "", 0
			}
			return string(out), n
		case c >= 0xC0 && c < 0xD0:
			out = append(out, hole...)
			n += options(c)
			continue
		case c == 0x80 && n+2 <= len(b):
			size = int(binary.LittleEndian.Uint16(b[n:]))
			n += 2
		case c >= 0x80:
			return "", 0
		}
		end := n + size
		if end > len(b) || printable(b[n:end]) != size {
			return "", 0
		}
		out, n = append(out, b[n:end]...), end
	}
	return "", 0
}

// options is how many bytes follow the sign for a value: flags, width, precision, and which value it is.
func options(sign byte) (n int) {
	for bit, size := range []int{4, 2, 2, 2} {
		if sign>>bit&1 == 1 {
			n += size
		}
	}
	return n
}

// printable is how many bytes of text begin here.
func printable(b []byte) int {
	n := 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError || !unicode.IsPrint(r) && r != '\n' {
			break
		}
		n += size
	}
	return n
}
