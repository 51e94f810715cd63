package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A version that nobody has seen, made out of a recorded run: its fields have other names or are gone, its words are
// others, its sentences are reworded, its values have other types. All of it comes from one source of chance.

// A node is a JSON value whose objects keep the order of their members.
type node struct {
	pairs []member
	items []*node
	raw   json.RawMessage // of anything else
	kind  byte            // '{', '[' or 0
}

type member struct {
	key   string
	value *node
}

func parseNode(raw json.RawMessage) (*node, error) {
	raw = bytes.TrimSpace(raw)
	n := &node{raw: raw}
	switch {
	case bytes.HasPrefix(raw, []byte("{")):
		all, err := members(raw)
		if err != nil {
			return nil, err
		}
		n.kind = '{'
		for _, p := range all {
			v, err := parseNode(p.value)
			if err != nil {
				return nil, err
			}
			n.pairs = append(n.pairs, member{p.key, v})
		}
	case bytes.HasPrefix(raw, []byte("[")):
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, err
		}
		n.kind = '['
		for _, item := range items {
			v, err := parseNode(item)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, v)
		}
	case !json.Valid(raw):
		return nil, fmt.Errorf("no JSON: %.40q", raw)
	}
	return n, nil
}

func (n *node) write(b *bytes.Buffer) {
	switch n.kind {
	case '{':
		b.WriteByte('{')
		for i, p := range n.pairs {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(text(p.key) + ":")
			p.value.write(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	default:
		b.Write(n.raw)
	}
}

func (n *node) String() string {
	var b bytes.Buffer
	n.write(&b)
	return b.String()
}

func (n *node) clone() *node {
	c := *n
	c.pairs, c.items = slices.Clone(n.pairs), slices.Clone(n.items)
	for i := range c.pairs {
		c.pairs[i].value = c.pairs[i].value.clone()
	}
	for i := range c.items {
		c.items[i] = c.items[i].clone()
	}
	return &c
}

// Kinds of changes.
const (
	renamed  = "rename"
	dropped  = "drop"
	retyped  = "retype"
	reworded = "word"  // of an enumeration
	rephrase = "text"  // of a sentence
	shuffled = "order" // of an object's keys
)

// change is one thing that the unknown version does in another way: wherever a field of this name stands below one of that
// name.
type change struct {
	what    string
	in, key string // the field, and the one whose value holds it
	old     string // enumerations and texts: this value alone
	as      string // the new name or value
	how     int    // which type, or which way to rephrase
}

func (c change) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s.%s %.60q %.60q %d", c.what, c.in, c.key, c.old, c.as, c.how))
}

// spot is a field with one of its values, where that is a word or a sentence.
type spot struct{ in, key, value string }

// enumerated is the look of words of which an agent has a few. The words of people have blanks between them, and ids digits.
var (
	enumerated = regexp.MustCompile(`^<?[A-Za-z][A-Za-z]*(?:[-_.][A-Za-z]+)*>?$`)
	sentence   = regexp.MustCompile(`\S\s+\S+\s+\S|\p{Han}{3}`)
)

// fields lists the fields of a record, its words and its sentences.
func (n *node) fields(in string, seen func(spot)) {
	for _, p := range n.pairs {
		seen(spot{in: in, key: p.key})
		if s := unquoted(p.value.raw); p.value.kind == 0 && s != "" && (sentence.MatchString(s) || len(s) < 40 && enumerated.MatchString(s)) {
			seen(spot{in, p.key, s})
		}
		p.value.fields(p.key, seen)
	}
	for _, item := range n.items {
		if s := unquoted(item.raw); item.kind == 0 && sentence.MatchString(s) {
			seen(spot{in, "", s})
		}
		item.fields(in, seen)
	}
}

// apply changes a record.
func (n *node) apply(all []change, rng *rand.Rand) {
	n.applyIn("", all, rng)
}

func (n *node) applyIn(in string, all []change, rng *rand.Rand) {
	for _, item := range n.items {
		if item.kind == 0 {
			item.value(in, "", all, rng)
		}
		item.applyIn(in, all, rng)
	}
	kept := n.pairs[:0:len(n.pairs)]
	order := false
	for _, p := range n.pairs {
		key, keep := p.key, true
		p.value.applyIn(key, all, rng)
		p.value.value(in, key, all, rng)
		for _, c := range all {
			if c.what == shuffled {
				order = true
			}
			if c.in != in || c.key != key {
				continue
			}
			switch c.what {
			case renamed:
				p.key = c.as
			case dropped:
				keep = false
			case retyped:
				p.value.retype(c.how)
			}
		}
		if keep {
			kept = append(kept, p)
		}
	}
	if n.pairs = kept; order {
		rng.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
	}
}

// value changes words and sentences.
func (n *node) value(in, key string, all []change, rng *rand.Rand) {
	s := unquoted(n.raw)
	if n.kind != 0 || s == "" {
		return
	}
	for _, c := range all {
		if c.in != in || c.key != key || c.old != s {
			continue
		}
		switch c.what {
		case reworded:
			n.raw = json.RawMessage(text(c.as))
		case rephrase:
			n.raw = json.RawMessage(text(rephrased(s, c.how, rng)))
		}
	}
}

// retype gives a value another type: its text, a number, an object or a list around it, nothing.
func (n *node) retype(how int) {
	was := n.String()
	s := unquoted(n.raw)
	switch how % 6 {
	case 0:
		if n.raw = json.RawMessage(text(was)); s != "" { // a text becomes a number
			if _, err := strconv.ParseFloat(s, 64); err == nil {
				n.raw = json.RawMessage(s)
			} else {
				n.raw = json.RawMessage(strconv.Itoa(len(s)))
			}
		}
	case 1:
		n.raw = json.RawMessage(`{"value":` + was + `}`)
	case 2:
		n.raw = json.RawMessage(`[` + was + `]`)
	case 3:
		n.raw = json.RawMessage(`null`)
	case 4:
		n.raw = json.RawMessage(`true`)
	case 5:
		n.raw = json.RawMessage(`{}`)
	}
	n.kind, n.pairs, n.items = 0, nil, nil
}

var (
	// strangeWords are none of any limit, bill, login or line.
	strangeWords = strings.Fields("marble quietly seven lantern under brisk harvest mellow when pebble orchard the drifts copper onward slate willow gently morning kettle")
	// foreignWords say nothing to who reads English.
	foreignWords = strings.Fields("das ist nicht möglich gewesen bitte warten Sie bis die Grenze wieder offen steht へ ました 限制 已达 attendez s'il vous plaît límite alcanzado")
	words        = regexp.MustCompile(`[\p{L}'’]+`)
	counts       = regexp.MustCompile(`\b\d+\b`)
)

// rephrased says a sentence in other words. The codes of HTTP stay: they are facts, and no wording.
func rephrased(s string, how int, rng *rand.Rand) string {
	pick := func(from []string) func(string) string {
		return func(string) string { return from[rng.IntN(len(from))] }
	}
	switch how % 6 {
	case 0: // all words
		return words.ReplaceAllStringFunc(s, pick(strangeWords))
	case 1: // some words
		return words.ReplaceAllStringFunc(s, func(w string) string {
			if rng.IntN(3) > 0 {
				return w
			}
			return pick(strangeWords)(w)
		})
	case 2: // numbers
		return counts.ReplaceAllStringFunc(s, func(n string) string {
			if v, err := strconv.Atoi(n); err != nil || v >= 100 && v < 600 {
				return n
			}
			return strconv.Itoa(1 + rng.IntN(28))
		})
	case 3: // order
		all := strings.Fields(s)
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return strings.Join(all, " ")
	case 4: // another language
		all := make([]string, 0, 12)
		for range 4 + rng.IntN(8) {
			all = append(all, pick(foreignWords)(""))
		}
		return strings.Join(all, " ")
	}
	return "Note: " + s // something before it
}

// survey gathers what the changes may be about: what stands in the newest records comes up more often.
func survey(records []*node) []spot {
	count := map[spot]int{}
	for i, r := range records {
		weight := 1
		if i >= len(records)-newest {
			weight = 12
		}
		r.fields("", func(s spot) { count[s] = max(count[s], weight) })
	}
	var all []spot
	for _, s := range slices.SortedFunc(maps.Keys(count), func(a, b spot) int {
		return strings.Compare(a.in+"\x00"+a.key+"\x00"+a.value, b.in+"\x00"+b.key+"\x00"+b.value)
	}) {
		for range count[s] {
			all = append(all, s)
		}
	}
	return all
}

// newest records are those that decide.
const newest = 5

// version makes up the changes of an unknown version.
func version(spots []spot, rng *rand.Rand) []change {
	if len(spots) == 0 {
		return nil
	}
	var all []change
	switch rng.IntN(10) {
	case 0: // every sentence
		how := rng.IntN(6)
		for _, s := range slices.Compact(slices.Clone(spots)) {
			if sentence.MatchString(s.value) {
				all = append(all, change{what: rephrase, in: s.in, key: s.key, old: s.value, how: how})
			}
		}
	case 1: // every name
		kept := rng.IntN(4)
		for _, s := range slices.Compact(slices.Clone(spots)) {
			if s.value == "" && rng.IntN(4) >= kept {
				all = append(all, oneChange(s, 0, rng))
			}
		}
	case 2: // every word
		for _, s := range slices.Compact(slices.Clone(spots)) {
			if s.value != "" && !sentence.MatchString(s.value) && rng.IntN(3) > 0 {
				all = append(all, oneChange(s, 0, rng))
			}
		}
	case 3, 4, 5, 6:
		all = append(all, oneChange(spots[rng.IntN(len(spots))], rng.IntN(4), rng))
	default:
		for range 2 + rng.IntN(4) {
			all = append(all, oneChange(spots[rng.IntN(len(spots))], rng.IntN(4), rng))
		}
	}
	if rng.IntN(4) == 0 {
		all = append(all, change{what: shuffled})
	}
	return all
}

func oneChange(s spot, how int, rng *rand.Rand) change {
	c := change{in: s.in, key: s.key, old: s.value, how: rng.IntN(6)}
	switch {
	case sentence.MatchString(s.value):
		c.what = rephrase
	case s.value != "":
		c.what, c.as = reworded, strange(s.value, rng)
	case how < 2:
		c.what, c.as = renamed, strange(s.key, rng)
	case how == 2:
		c.what = dropped
	default:
		c.what = retyped
	}
	return c
}

// strange is a name or a word that no version has.
func strange(s string, rng *rand.Rand) string {
	switch rng.IntN(3) {
	case 0:
		return s + "_v2"
	case 1:
		return strings.ToUpper(s) + "X"
	}
	return "z" + strconv.FormatUint(rng.Uint64N(1<<40), 36)
}
