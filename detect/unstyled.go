package detect

import (
	"strings"
	"unicode"

	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// sequence is what moves a terminal's cursor, colors its text or sets its title.
var sequence = lazyregexp.New("(?:\x1b\\[|\\x{9b})[0-?]*[ -/]*[@-~]" + // CSI
	"|(?:\x1b[\\]PX^_]|[\\x{90}\\x{98}\\x{9d}-\\x{9f}])[^\x07\x1b\\x{9c}]*(?:\x07|\x1b\\\\|\\x{9c})" + // OSC and other strings
	"|\x1b[\\]PX^_]" + // one that never ends: its words stay
	"|\x1b[ -/]*[0-~]?")

// Unstyled gives a text without what controls a terminal: escape sequences and control characters but
// newlines and tabs. Bytes that are no UTF-8 become U+FFFD.
func Unstyled(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if !strings.ContainsFunc(text, control) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if control(r) {
			return -1
		}
		return r
	}, sequence.ReplaceAllString(text, ""))
}
