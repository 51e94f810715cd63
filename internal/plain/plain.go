// Package plain makes what strangers chose fit to be shown: no byte of it is acted on by a terminal, a log or
// a reader of lines.
package plain

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// Most is how much of a text is kept that strangers chose.
const Most = 500

// Text escapes control bytes (C0, C1), line and bidi marks and everything else that is not plainly printed.
func Text(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, odd) {
		return s
	}
	s = strconv.QuoteToGraphic(s)
	s = s[1 : len(s)-1]
	return strings.Map(func(r rune) rune {
		if odd(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Foreign is Text for what an agent, its server or a file's name says: it is cut, too.
func Foreign(s string) string {
	if len(s) > Most {
		at := Most
		for at > 0 && !utf8.RuneStart(s[at]) {
			at--
		}
		s = s[:at] + "…"
	}
	return Text(s)
}

func odd(r rune) bool { return !unicode.IsPrint(r) }

// Count is how many there are of what one is called.
func Count(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return strconv.Itoa(n) + " " + one
}

var stamp = lazyregexp.New(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`)

// Local puts the UTC times in a text into this machine's zone, for people. Programs get the text as it is. A time that is part of a name,
// such as that of a folder for each run, stays, for the name would be another one.
func Local(s string) string {
	var b strings.Builder
	done := 0
	for _, at := range stamp.FindAllStringSubmatchIndex(s, -1) {
		t, err := time.Parse(time.RFC3339Nano, s[at[0]:at[1]])
		if err != nil || !begins.MatchString(s[:at[0]]) || !ends.MatchString(s[at[1]:]) {
			continue
		}
		b.WriteString(s[done:at[0]] + t.Local().Format(time.DateTime))
		done = at[1]
	}
	return b.String() + s[done:]
}

// What a time stands between that is a word of its own.
var (
	begins = lazyregexp.New(`(?:^|[\s("'\[=])$`)
	ends   = lazyregexp.New(`^(?:[.,;:!?]?(?:$|[\s)"'\]])|[)"'\]])`)
)

// JSON gives a writer for JSON that escapes what a terminal or a reader of lines may act on, and encoders leave
// as it is: C1, line and bidi marks. It changes no value. Each write must hold whole characters.
func JSON(w io.Writer) io.Writer { return escaper{w} }

type escaper struct{ w io.Writer }

func (e escaper) Write(p []byte) (int, error) {
	if _, err := e.w.Write(Escaped(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Escaped is JSON as the writer of JSON writes it.
func Escaped(p []byte) []byte {
	if !strings.ContainsFunc(string(p), hidden) {
		return p
	}
	var b []byte
	for _, r := range string(p) {
		switch {
		case !hidden(r):
			b = utf8.AppendRune(b, r)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, hi, lo)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return b
}

// hidden runes can stand in a string of JSON alone, so an escape is right for them.
func hidden(r rune) bool { return r >= 0x7F && odd(r) && r != utf8.RuneError }
