package actor

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"
)

// uuid draws an id.
func uuid(r *rand.Rand) string {
	var b [16]byte
	for i, n := 0, r.Uint64(); i < 8; i++ {
		b[i] = byte(n >> (8 * i))
	}
	for i, n := 8, r.Uint64(); i < 16; i++ {
		b[i] = byte(n >> (8 * (i - 8)))
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	var s [36]byte
	hex.Encode(s[:8], b[:4])
	hex.Encode(s[9:13], b[4:6])
	hex.Encode(s[14:18], b[6:8])
	hex.Encode(s[19:23], b[8:10])
	hex.Encode(s[24:], b[10:])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}

// uuid7 is an id that begins with the time.
func uuid7(r *rand.Rand, now time.Time) string {
	id := uuid(r)
	ms := hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(now.UnixMilli())))[4:]
	return ms[:8] + "-" + ms[8:] + "-7" + id[15:]
}

// draw gives n characters of an alphabet.
func draw(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// quote makes a JSON string as JSON.stringify does: with "<" and the like as they are.
func quote(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r > '~' }) {
		return `"` + s + `"`
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// stamp is a time as the agents write it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// nullable is a JSON string, null when it is empty.
func nullable(s string) string {
	if s == "" {
		return "null"
	}
	return quote(s)
}

// fill puts values into a template: "$name" stands for what follows the name in pairs, "$$" for itself.
func fill(template string, pairs ...string) string {
	var b strings.Builder
	b.Grow(len(template) + 256)
	for {
		i := strings.IndexByte(template, '$')
		if i < 0 {
			b.WriteString(template)
			return b.String()
		}
		b.WriteString(template[:i])
		template = template[i:]
		n := 1
		if strings.HasPrefix(template, "$$") {
			b.WriteByte('$')
			template = template[2:]
			continue
		}
		for n < len(template) && template[n] >= 'a' && template[n] <= 'z' {
			n++
		}
		for k := 0; k+1 < len(pairs); k += 2 {
			if pairs[k] == template[1:n] {
				b.WriteString(pairs[k+1])
				break
			}
		}
		template = template[n:]
	}
}
