package main

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// hole stands in a string where the agent puts in a value.
const hole = "{}"

// longest is where a literal is given up: it is no sentence, or the lexer took a quote for its beginning that is none.
const longest = 4000

// jsLiterals gives the string and template literals of JavaScript, also of a source with pieces that are none.
func jsLiterals(src []byte, found func(string)) {
	l := lexer{src: src, found: found, regexp: true}
	for l.at < len(src) {
		l.code()
		l.at++ // a brace too many
	}
}

// lexer reads code for its literals alone. What it cannot read it skips, a byte at a time.
type lexer struct {
	src    []byte
	at     int
	regexp bool // a slash begins a regular expression here, and a quote a literal
	found  func(string)
}

// beforeRegexp are the words behind which an expression begins.
var beforeRegexp = map[string]bool{"return": true, "typeof": true, "case": true, "in": true, "of": true, "delete": true, "void": true,
	"throw": true, "new": true, "else": true, "do": true, "instanceof": true, "await": true, "yield": true, "default": true, "from": true, "import": true, "export": true, "extends": true}

// code reads up to a closing brace that it has not seen open.
func (l *lexer) code() {
	for depth := 0; l.at < len(l.src); {
		c := l.src[l.at]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			l.at++
		case c == '/':
			l.slash()
		case c == '"' || c == '\'':
			l.quoted(c)
		case c == '`':
			l.template()
		case c == '{':
			depth++
			l.at, l.regexp = l.at+1, true
		case c == '}':
			if depth--; depth < 0 {
				return
			}
			l.at, l.regexp = l.at+1, true
		case isWord(c):
			l.word()
		default:
			l.at, l.regexp = l.at+1, c != ')' && c != ']'
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func (l *lexer) word() {
	from := l.at
	for l.at < len(l.src) && isWord(l.src[l.at]) {
		l.at++
	}
	l.regexp = beforeRegexp[string(l.src[from:l.at])]
}

// slash skips a comment or a regular expression, or the sign of a division.
func (l *lexer) slash() {
	rest := l.src[l.at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")) && l.regexp:
		l.skipTo("\n")
	case bytes.HasPrefix(rest, []byte("/*")):
		l.skipTo("*/")
	case l.regexp && l.skipRegexp():
		l.regexp = false
	default:
		l.at, l.regexp = l.at+1, true
	}
}

func (l *lexer) skipTo(end string) {
	i := bytes.Index(l.src[l.at:], []byte(end))
	if i < 0 || i > 100*longest {
		i = 0
	}
	l.at += i + len(end)
}

func (l *lexer) skipRegexp() bool {
	class := false
	for i := l.at + 1; i < len(l.src) && i < l.at+longest; i++ {
		switch c := l.src[i]; {
		case c == '\n':
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for i++; i < len(l.src) && isWord(l.src[i]); i++ {
			}
			l.at = i
			return true
		}
	}
	return false
}

// quoted reads a literal in quotes. A quote that cannot begin or end one is skipped alone: so the lexer finds
// back after code that it took for text.
func (l *lexer) quoted(quote byte) {
	var b strings.Builder
	for i := l.at + 1; l.regexp && i < len(l.src) && i < l.at+longest; {
		switch c := l.src[i]; c {
		case '\n':
			l.at++
			return
		case '\\':
			i = unescape(l.src, i, &b)
		case quote:
			if i+1 < len(l.src) && isWord(l.src[i+1]) && !bytes.HasPrefix(l.src[i+1:], []byte("in ")) && !bytes.HasPrefix(l.src[i+1:], []byte("of ")) {
				l.at++
				return
			}
			l.at, l.regexp = i+1, false
			l.found(b.String())
			return
		default:
			b.WriteByte(c)
			i++
		}
	}
	l.at++
}

// template reads a literal in backquotes, with a hole for each expression. What stands in those is read too.
func (l *lexer) template() {
	var b strings.Builder
	from := l.at
	for l.at++; l.at < len(l.src); {
		switch c := l.src[l.at]; {
		case b.Len() > 10*longest:
			l.at = from + 1
			return
		case c == '\\':
			l.at = unescape(l.src, l.at, &b)
		case c == '`':
			l.at, l.regexp = l.at+1, false
			l.found(b.String())
			return
		case c == '$' && l.at+1 < len(l.src) && l.src[l.at+1] == '{':
			b.WriteString(hole)
			l.at, l.regexp = l.at+2, true
			l.code()
			l.at++ // its brace
		default:
			b.WriteByte(c)
			l.at++
		}
	}
}

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", 'v': "\v", '0': "\x00", '\n': ""}

// unescape writes what stands at a backslash, and gives where it ends.
func unescape(src []byte, at int, b *strings.Builder) int {
	if at+1 >= len(src) {
		return len(src)
	}
	code := func(from, to int) int {
		if to <= len(src) {
			if n, err := strconv.ParseUint(string(src[from:to]), 16, 32); err == nil {
				b.WriteRune(rune(n))
				return to
			}
		}
		return from
	}
	switch c := src[at+1]; c {
	case 'x':
		return code(at+2, at+4)
	case 'u':
		if at+2 < len(src) && src[at+2] == '{' {
			if n := bytes.IndexByte(src[at:min(len(src), at+12)], '}'); n > 0 {
				return code(at+3, at+n) + 1
			}
		}
		return code(at+2, at+6)
	default:
		if s, ok := escapes[c]; ok {
			b.WriteString(s)
			return at + 2
		}
		_, n := utf8.DecodeRune(src[at+1:])
		b.Write(src[at+1 : at+1+n])
		return at + 1 + n
	}
}
