package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

const (
	// longRecord is from how many bytes on a record is made shorter before it is read: the parser copies texts,
	// and then parts of them, as often as they are looked at.
	longRecord = 1 << 20
	// longText is how much of a text in such a record is kept; what clawd looks for stands before that.
	longText = 16 << 10
)

// Record reads a record of a session's file, like Unmarshal. Of the texts of a long one only the beginnings
// count, with a digest of the rest, so that different texts stay different.
func Record(b []byte, v any) error {
	if len(b) > longRecord {
		if !json.Valid(b) { // also in what is left out
			return ErrShape
		}
		b = brief(b)
	}
	return Unmarshal(b, v)
}

// brief cuts the long strings of valid JSON.
func brief(b []byte) []byte {
	type span struct{ from, to int }
	var cuts []span
	size := len(b)
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			break
		}
		from := i + n + 1
		to := from + closing(b[from:])
		if to-from > longText+2*sha256.Size {
			if from += longText; odd(b[:from]) {
				from-- // not behind a backslash; behind \u the digest goes on, in hex as well
			}
			cuts = append(cuts, span{from, to})
			size -= to - from - 2*sha256.Size
		}
		i = to + 1
	}
	if len(cuts) == 0 {
		return b
	}
	out, done := make([]byte, 0, size), 0
	for _, c := range cuts {
		sum := sha256.Sum256(b[c.from:c.to])
		out = append(out, b[done:c.from]...)
		out = hex.AppendEncode(out, sum[:])
		done = c.to
	}
	return append(out, b[done:]...)
}

// closing is where the string ends that s begins in.
func closing(s []byte) int {
	for i := 0; ; {
		n := bytes.IndexByte(s[i:], '"')
		if n < 0 {
			return len(s) - 1 // no valid JSON
		}
		if i += n; !odd(s[:i]) {
			return i
		}
		i++
	}
}

// odd tells whether s ends in an odd number of backslashes: the last one escapes what follows.
func odd(s []byte) bool { return (len(s)-len(bytes.TrimRight(s, `\`)))%2 == 1 }

// Words is a set of the words of a list, which white space parts.
func Words(list string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		all[w] = true
	}
	return all
}

// Strange is the event of a record that the agent's package does not know. Its id may be one that cannot be kept, or none.
func Strange(id string, at time.Time, off int64) detect.Event {
	if id == "" || len(id) > 128 {
		id = "strange:" + strconv.FormatInt(off, 10)
	}
	return detect.Event{Kind: detect.KindStrange, ID: id, At: at, Offset: off}
}
