package agent

import "unicode/utf8"

// IsUUID tells whether a text is a UUID in lower case, as most agents name their sessions.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch b := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if b != '-' {
				return false
			}
		case '0' <= b && b <= '9', 'a' <= b && b <= 'f':
		default:
			return false
		}
	}
	return true
}

// Cut gives at most so many bytes of a text, whole characters.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
