package detect

import (
	"regexp"
	"strings"
	"unicode"
)

// redactions are applied in order. What they take out too much is only missing in an issue; what they
// leave in may be in public for ever.
var redactions = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[\pL\pM\w.+'-]+@[\pL\pM\w-]+(?:\.[\pL\pM\w-]+)*`), "<mail>"},
	{regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://\S+`), "<url>"},
	{regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|x-[\w-]*key|(?:set-)?cookie)\b.*`), "$1 <id>"},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[\w.=+/~-]{3,}`), "$1 <id>"},
	{regexp.MustCompile(`(?i)((?:key|token|secret|password|passwd)["']?\s?[:=]\s?["']?)[^\s"']+`), "$1<id>"},
	{regexp.MustCompile(`(?i)\b((?:secret|password|passwd|passphrase) (?:is|was) )\S+`), "$1<id>"},
	{regexp.MustCompile(`\beyJ[\w.-]+`), "<id>"},
	{regexp.MustCompile(`(?i)\b[a-z]:\\[^"'<>|:*?]+`), "<path>"},
	{regexp.MustCompile(`\\\\[^\s"']+`), "<path>"},
	{regexp.MustCompile(`(?:~|\.{1,2})?(?:/[\pL\pM\w.@+ -]*[\pL\pM\w.@+-])+/?`), "<path>"},
	{regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b`), "<host>"},
	{regexp.MustCompile(`\[?\b[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}\]?(?::\d+)?`), "<host>"},
	{regexp.MustCompile(`(?i)\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|dev|ai|co|app|cloud|internal|local|localdomain|lan|corp|home|intra|edu|gov|eu|uk|de|fr|it|es|nl|ch|at|pl|ru|cn|jp|in|br|us)\b(?::\d+)?`), "<host>"},
	{regexp.MustCompile(`(?i)\b[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*:\d{2,5}\b`), "<host>"},
	{regexp.MustCompile(`(?i)\b((?:project|organi[sz]ation|org|user|account|team|workspace|tenant|customer|group|profile)s?(?:[_ ](?:id|name|number))?["']?\s*[:=]?\s*)(?:["'][^"']*["']|[\w.-]*[\d._-][\w.-]*\w)`), "$1<name>"},
	{regexp.MustCompile(`(?i)\b(?:sk|pk|key|token|req|msg|ses|org|user|acct|proj|bearer)[-_ ][\w-]{6,}`), "<id>"},
	{regexp.MustCompile(`\b(?i:sk|pk|key|req|msg|ses|org|user|acct|proj|wrk|run|call|resp|thread)[-_][\w-]*[0-9A-Z][\w-]*`), "<id>"},
	{regexp.MustCompile(`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`), "<id>"},
	{regexp.MustCompile(`[A-Za-z0-9+/]{12,}={1,2}`), "<id>"},
	{regexp.MustCompile(`\+\d[\d ()-]{6,}\d`), "<number>"},
	{regexp.MustCompile(`\b\d{6,}\b`), "<number>"},
}

// opaque is what no word is: long, and with a digit in it or very long; or a short hash.
var (
	opaque = regexp.MustCompile(`[\w-]{7,}`)
	hash   = regexp.MustCompile(`^[0-9a-f]*(?:[0-9][a-f]|[a-f][0-9])[0-9a-f]*$`)
)

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
		if len(word) >= 32 || len(word) >= 16 && strings.ContainsAny(word, "0123456789") || hash.MatchString(word) {
			return "<id>"
		}
		return word
	})
	if runes := []rune(text); len(runes) > 400 {
		text = string(runes[:399]) + "…"
	}
	return text
}
