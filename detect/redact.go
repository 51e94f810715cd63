package detect

import (
	"regexp"
	"strings"
	"unicode"
)

var redactions = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[\pL\pM\w.+'-]+@[\pL\pM\w-]+(?:\.[\pL\pM\w-]+)+`), "<mail>"},
	{regexp.MustCompile(`(?i)\bhttps?://\S+`), "<url>"},
	{regexp.MustCompile(`(?i)((?:key|token|secret|password|passwd|cookie)["']?\s?[:=]\s?["']?)[^\s"']+`), "$1<id>"},
	{regexp.MustCompile(`(?i)\b[a-z]:\\[^"'<>|:*?]+`), "<path>"},
	{regexp.MustCompile(`(?:~|\.{1,2})?(?:/[\pL\pM\w.@+ -]*[\pL\pM\w.@+-])+/?`), "<path>"},
	{regexp.MustCompile(`(?i)\b(?:sk|pk|key|token|req|msg|ses|org|user|acct|proj|bearer)[-_ ][\w-]{6,}`), "<id>"},
	{regexp.MustCompile(`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`), "<id>"},
}

// opaque is what no word is: long, and with a digit in it or very long.
var opaque = regexp.MustCompile(`[\w-]{16,}`)

// Redact takes out of an agent's own error text what could name a person, a machine or a secret:
// mail addresses, URLs, paths, ids and keys. It keeps at most 400 characters and no control bytes.
func Redact(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	for _, r := range redactions {
		text = r.find.ReplaceAllString(text, r.with)
	}
	text = opaque.ReplaceAllStringFunc(text, func(word string) string {
		if len(word) >= 32 || strings.ContainsAny(word, "0123456789") {
			return "<id>"
		}
		return word
	})
	if runes := []rune(text); len(runes) > 400 {
		text = string(runes[:399]) + "…"
	}
	return text
}
