package detect

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// redactions are applied in order. What they take out too much is only missing in an issue; what they
// leave in may be in public for ever.
var redactions = []struct {
	find *lazyregexp.Regexp
	with string
}{
	{lazyregexp.New(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*-----|$)`), "<id>"},
	{lazyregexp.New(`(?://)?[^\s"'<>@/:]+:[^\s"'<>@]+@[^\s"'<>]*`), "<url>"},
	{lazyregexp.New(`[\pL\pM\w.+'-]+@[\pL\pM\w-]+(?:\.[\pL\pM\w-]+)*`), "<mail>"},
	{lazyregexp.New(`(?i)\b[a-z][a-z0-9+.-]*://\S+`), "<url>"},
	{lazyregexp.New(`(?i)\b((?:proxy-)?authorization|x-[\w-]*(?:key|token|secret|signature|credential)|(?:set-)?cookie|digest username|aws4-hmac-sha256)\b.*`), "$1 <id>"},
	{lazyregexp.New(`(?i)\b(bearer|basic)(?:\s|\\u0020|[:="'\\])+[\w.=+/~-]{3,}`), "$1 <id>"},
	{lazyregexp.New(`(?i)((?:password|passwd|passphrase)` + endOfName + ")[^,;\"'`<\\\\\\s][^,;\"<\\\\]*"), "$1<id>"},
	{lazyregexp.New(`(?i)((?:` + secretNames + `|(?:[^a-z]|^)(?:auth|sig|sid|otp|pin|jwt|session))` + endOfName + `)` + secretValue), "$1<id>"},
	{lazyregexp.New(`([?&;][\w.-]+=|\\u0026[\w.-]+=)[^\s"'&;<\\]+`), "$1<id>"},
	{lazyregexp.New(`(?i)\b((?:secret|password|passwd|passphrase) (?:is|was) )\S+`), "$1<id>"},
	{lazyregexp.New(`(?i)((?:key|token|secret|password|credential)s? (?:provided|given|supplied|used|received|specified|sent|value|is|was)[:=] ?)` + secretValue), "$1<id>"},
	{lazyregexp.New("(?i)((?:key|token|secret|password)s? )(?:\"[^\"]*\"|'[^']*'|`[^`]*`|[\\[(][^\\s\\])]+[\\])])"), "$1<id>"},
	{lazyregexp.New(`(?i)((?:key|token|secret|password|passcode)\s+(?:(?:is|was|ending in|ending with|ends with|ends in)\s+)?)[^\s"']*\d[^\s"']*`), "$1<id>"},
	{lazyregexp.New(`[\w-]*(?:\*{3,}|•{2,})[\w-]*|\b[psr]k[-_][\w-]*(?:\.{2,}|…)[\w-]*`), "<id>"},
	{lazyregexp.New(`eyJ[\w.-]+`), "<id>"},
	{lazyregexp.New(`(?:\b|\\[nrt])(?:(?:(?:rk|npm|hf|dop_v1|shp(?:at|ca|pa|ss)|gsk|r8|tgp_v1|fw)_|(?:glpat|pypi|xox[a-z]|xapp|tskey|AGE-SECRET-KEY|xai|pplx|nvapi|csk)-)[\w-]{8,}` +
		`|(?i:gh[oprsu]_|github_pat_)\w+|A[KS]IA[0-9A-Z]{12,}|AIza[\w-]+|ya29\.[\w-]+|SG\.[\w-]{16,}(?:\.[\w-]+)?)`), "<id>"},
	{lazyregexp.New(`(?i)\b[a-z]:\\[^"'<>|:*?]+`), "<path>"},
	{lazyregexp.New(`\\\\[^\s"']+`), "<path>"},
	{path, "<path>"},
	{lazyregexp.New(`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b`), "<host>"},
	{lazyregexp.New(`\[?\b[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}\]?(?::\d+)?`), "<host>"},
	{lazyregexp.New(`(?i)\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|dev|ai|co|app|cloud|internal|local|localdomain|lan|corp|home|intra|edu|gov|eu|uk|de|fr|it|es|nl|ch|at|pl|ru|cn|jp|in|br|us)\b(?::\d+)?`), "<host>"},
	{lazyregexp.New(`(?i)\b[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*:\d{2,5}\b`), "<host>"},
	{lazyregexp.New(`(?i)\b((?:project|organi[sz]ation|org|user|account|team|workspace|tenant|customer|group|profile)s?(?:[_ ](?:id|name|number))?["']?\s*[:=]?\s*)(?:["'][^"']*["']|[\w.-]*[\d._-][\w.-]*\w)`), "$1<name>"},
	{lazyregexp.New(`(?i)(?:\b|[\d_]|\\[nrt])(?:sk|pk|key|token|req|msg|ses|org|user|acct|proj|bearer)[-_ ][\w-]{6,}`), "<id>"},
	{lazyregexp.New(`\b(?i:sk|pk|key|req|msg|ses|org|user|acct|proj|wrk|run|call|resp|thread)[-_][\w-]*[0-9A-Z][\w-]*`), "<id>"},
	{lazyregexp.New(`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`), "<id>"},
	{lazyregexp.New(`[A-Za-z0-9+/]{12,}={1,2}`), "<id>"},
	{lazyregexp.New(`\+\d[\d ()-]{6,}\d`), "<number>"},
	{lazyregexp.New(`\b\d{6,}\b`), "<number>"},
}

const (
	secretNames = `keys?|token|secret|passw(?:or)?d|passphrase|passcode|pwd|pass|credentials?|signature|accesskeyid|sessionid`
	// endOfName is what stands between a name and its value: in JSON, in JSON within JSON, in a query, in code.
	endOfName = `(?:["']|\\+["']|\\+u0022)*\s*(?:=>|[:=]|%3[ad])(?:\s|%20)*`
	// secretValue ends where its quotation does.
	secretValue = `(?:\\*\[[^\]]*\]?|\\+u0022[^\\]*|\\"(?:[^"\\]|\\\\+"?)*|"(?:[^"\\]|\\.)*|'[^']*|` + "`[^`]*" + `|\\+["']?(?:[^"'\\\s]|\\\\+["'])+|[^\s"']+)`
)

// broken is a key that goes on in the next line, where a screen or a mail had no more room.
var broken = lazyregexp.New(`(?i)\b(?:[psr]k|gh[oprsu]|github_pat|gsk|xai|AIza)[-_\w]{12,}\s*\n\s*[\w-]*(?:\d|_|-)[\w-]*`)

// longest is a run without a blank that may be a key in base64, in which a path would be seen.
var longest = lazyregexp.New(`[A-Za-z0-9+/=_-]{32,}`)

// mixed tells whether a run holds what keys in base64 do and paths seldom: small and capital letters, digits, and one of its signs.
func mixed(run string) bool {
	return strings.ContainsAny(run, "+/") && strings.ContainsAny(run, "0123456789") && strings.ToLower(run) != run && strings.ToUpper(run) != run
}

// path is a path, a command of an agent, or the rest of a time zone.
var path = lazyregexp.New(`(?:~|\.{1,2})?(?:/[\pL\pM\w.@+ -]*[\pL\pM\w.@+-])+/?`)

// wordEnd is behind a command or a time zone that is not the beginning of a longer path.
const wordEnd = `(?:[^\pL\pM\w./@+-]|\.?(?:\s|$)|\.[)"'])`

var (
	// command is one of the agents' commands that their messages name.
	command = lazyregexp.New(`^(/(?:auth|clear|compact|config|connect|cost|doctor|exit|extra-usage|fast|feedback|help|login|logout|` +
		`model|models|passes|plan|quit|rate-limit-options|resume|rewind|stats|status|upgrade|usage|usage-credits))` + wordEnd)
	// zoneName is a time zone by its name, of which path finds the end.
	zoneName = lazyregexp.New(`^((?:Africa|America(?:/(?:Argentina|Indiana|Kentucky|North_Dakota))?|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)` +
		`/[A-Z][A-Za-z0-9_+-]+)` + wordEnd)
)

// paths replaces every path, but keeps commands and time zones.
func paths(text, with string) string {
	var b strings.Builder
	done := 0 // how much of the text is in b
	for at := 0; ; {
		found := path.FindStringIndex(text[at:])
		if found == nil {
			return b.String() + text[done:]
		}
		start, end := at+found[0], at+found[1]
		word := strings.TrimRightFunc(text[done:start], unicode.IsLetter)
		before := done + len(word)
		if loc := zoneName.FindStringSubmatchIndex(text[before:]); loc != nil && alone(text[:before]) {
			if _, err := time.LoadLocation(text[before : before+loc[3]]); err == nil {
				at = before + loc[3]
				continue
			}
		}
		if loc := command.FindStringSubmatchIndex(text[start:]); loc != nil && alone(text[:start]) {
			at = start + loc[3]
			continue
		}
		b.WriteString(text[done:start] + with)
		done, at = end, end
	}
}

// alone tells whether a word begins behind the text.
func alone(text string) bool {
	return text == "" || strings.ContainsRune(" \"'`([", rune(text[len(text)-1]))
}

// opaque is what no word is: long, and with a digit in it or very long; or a short hash.
var (
	opaque = lazyregexp.New(`[\w-]{7,}`)
	hash   = lazyregexp.New(`^[0-9a-f]*(?:[0-9][a-f]|[a-f][0-9])[0-9a-f]*$`)
)

// Redact takes out of an agent's own error text what could name a person, a machine or a secret:
// mail addresses, URLs, paths, ids and keys. It keeps at most 400 characters and no control bytes.
func Redact(text string) string { return redactWithin(text, redactMost) }

// redactMost is how much of a text is looked at: the patterns take a second for each MB.
const redactMost = 64 << 10

// redactWithin looks at no more than the first bytes of the text. Their end is usually far behind the 400
// characters that are kept. It is not where much was taken out (a URL of 60 KB), and a secret that is
// cut in half there is none that a pattern knows. So the text is cut twice, and what is kept is what
// comes out of both: what stands at the shorter end was seen whole in the longer text, and what
// stands at the longer end is not in the shorter one.
func redactWithin(text string, most int) string {
	cut := len(text) > most
	if cut {
		text = agreed(takenOut(beginning(text, most)), takenOut(beginning(text, most/2)))
	} else {
		text = takenOut(text)
	}
	if runes := []rune(text); cut || len(runes) > 400 {
		text = string(runes[:min(399, len(runes))]) + "…"
	}
	return text
}

// beginning is at most n bytes of the text, of whole runes.
func beginning(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// agreed is what both texts begin with.
func agreed(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if n == len(a) {
		return a
	}
	return beginning(a, n)
}

func takenOut(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, broken.ReplaceAllString(Unstyled(text), "<id>"))
	for _, r := range redactions {
		if r.find == path {
			text = longest.ReplaceAllStringFunc(text, func(run string) string {
				if mixed(run) {
					return "<id>"
				}
				return run
			})
			text = paths(text, r.with)
		} else {
			text = r.find.ReplaceAllString(text, r.with)
		}
	}
	text = opaque.ReplaceAllStringFunc(text, func(word string) string {
		if len(word) >= 32 || len(word) >= 16 && strings.ContainsAny(word, "0123456789") || hash.MatchString(word) {
			return "<id>"
		}
		return word
	})
	return text
}
