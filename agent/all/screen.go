package all

import (
	"slices"
	"strings"

	"github.com/clawd-project/clawd/internal/lazyregexp"
)

var (
	frame = lazyregexp.New(`^[\s│┃|░╭╰╮╯─━]+|[\s│┃|╭╰╮╯─━]+$`)
	sign  = lazyregexp.New(`^([⎿✗✕✖✘×■●•⏺✦⚠ℹ◇└❌📝]\x{fe0f}?)\s*`)
	typed = lazyregexp.New(`^[❯›>▌]\s`)
	// called is opencode's line for a tool that prints nothing below it.
	called = lazyregexp.New(`^[%~→✱] [A-Z]`)
	// tool is Claude Code's, whose output stands below it.
	tool = lazyregexp.New(`^[A-Z]\w+\(`)
	// ran is Codex's, and done Gemini's and qwen-code's in a box.
	ran  = lazyregexp.New(`^(?:Ran|Explored|Called|Searched|Read|Edited|Updated) `)
	done = lazyregexp.New(`^[✓✔] +[A-Z]\w+`)
	// body is a line with a provider's whole answer.
	body = lazyregexp.New(`^\{"type":"error",`)
	// piece is a line of a string as Node.js shows a long one.
	piece  = lazyregexp.New("^['`](.*)['`](?: \\+|,)?$")
	inWord = lazyregexp.New(`\pL\n\p{Ll}`)
	// logHead is what a log puts before an error.
	logHead = lazyregexp.New(`^(?:\d{4}-\d{2}-\d{2}[T ])?\d{2}:\d{2}:\d{2}\S* +\[?(?i:error|err|fatal)\]?:?(?: +|$)(?:[\w.]+ +[—–-] +)?`)
	// stack is a line of a trace below an error.
	stack = lazyregexp.New(`^at (?:async )?(?:[\w.<>$# ]+ \()?(?:file:|node:|/|[A-Z]:\\)[^ ]*:\d+:\d+\)?$`)
	// bracketed is how Gemini and qwen-code begin an error.
	bracketed = lazyregexp.New(`^\[API Error: `)
	// errorMark are the signs that agents put before their own errors.
	errorMark = lazyregexp.New(`^[✗✕✖✘×■⚠❌]`)
	// answerMark are those before what the model says or does.
	answerMark = lazyregexp.New(`^[●•⏺✦]`)
	// noticeMark are those before what it says beside an error.
	noticeMark = lazyregexp.New(`^[ℹ⚠]`)
	// chrome is what an agent offers below its error.
	chrome = lazyregexp.New(`^ (?:/[a-z-]+ |\(|https?:|Warning: |Error Code: )`)
	// carried is a provider's body that some program passes on behind its own words, told is where it is a test, a log or a tool that has it.
	carried = lazyregexp.New(`^(?:[A-Za-z][^"{}]{1,160}\b)?(?:[45]\d\d|(?i:provider|upstream|gateway|llm|model|openai|anthropic|gemini|claude|codex|openrouter|bedrock|vertex))\b[^"{}]{0,100}: ?"?\{ ?["'](?:(?:type|object)["']: ?["']error["']|error["']: ?\{)`)
	told    = lazyregexp.New(`(?i)\b(?:info|debug|trace|tests?|expect\w*|got|want|assert\w*|mock\w*|fixture|examples?|stub\w*|curl|body was)\b`)
	// begins is how an error begins that a program prints.
	begins = lazyregexp.New(`^(?:(?:HTTP )?\(?[45]\d\d\b|\d{4}: |["'][45]\d\d |\{.{0,40}["'](?:error|message|type)["']|[A-Z][^:"{}.]{3,60}: "?\{"type":"error",|["']?(?:error|message|errorMessage|responseBody|data|type|stopReason)["']? ?: ?["'{\[]|["'][^"']{1,300}.{0,100}["'] "(?:type|code)": ?"\w+_error")`)
)

// block is what stands together on a screen.
type block struct {
	mark  string   // the sign before it; empty: there is none
	text  string   // its lines, as one
	glued string   // the same, without a blank where a line ends in the middle of a word
	lines []string // each alone
	next  bool     // it follows right on what its user typed
	log   bool     // it stands in a log
	tool  bool     // it is what a tool printed
}

// add puts a line to the block. indented: blanks stood before it.
func (b *block) add(line string, indented bool) {
	blank := " "
	if last := b.lines[len(b.lines)-1]; !indented && len(last) >= narrowest && inWord.MatchString(last+"\n"+line) {
		blank = ""
	}
	b.text, b.glued, b.lines = b.text+" "+line, b.glued+blank+line, append(b.lines, line)
}

// unclosed tells whether a body that it begins with goes on below an empty line.
func (b block) unclosed() bool {
	return strings.HasPrefix(b.text, "{") && strings.Count(b.text, "{") > strings.Count(b.text, "}")
}

// narrowest is the width below which no screen cuts a line.
const narrowest = 60

// error tells whether an agent shows it as an error, or it begins as one does.
func (b block) error() bool {
	if b.tool && !strings.HasPrefix(b.text, "API Error") {
		return false
	}
	if text, body, _ := strings.Cut(b.text, "{"); body != "" && b.mark == "" && carried.MatchString(b.text) && !told.MatchString(text) && !person.MatchString(text) {
		return true
	}
	return errorMark.MatchString(b.mark) || b.mark == "" && bracketed.MatchString(b.text) || b.next || b.log || begins.MatchString(b.text) || headOf(b.text) != "" || again.MatchString(b.text) ||
		reconnects.MatchString(b.text) || logged.MatchString(b.text) || server.MatchString(b.text) && !person.MatchString(b.text) ||
		slices.ContainsFunc(b.lines, attempt.MatchString) || len(b.lines) > 1 && failing.MatchString(b.lines[0])
}

// blocks are those of a screen.
func blocks(text string) (all []block) {
	after, open, boxed := false, false, false
	for raw := range strings.Lines(text) {
		raw = strings.TrimRight(raw, "\r\n")
		line := frame.ReplaceAllString(raw, "")
		if p := piece.FindStringSubmatch(line); p != nil && open {
			line = strings.TrimSpace(p[1])
		}
		boxed = (boxed || done.MatchString(line)) && strings.ContainsAny(raw, "│┃")
		stamped := logHead.FindString(line)
		line = line[len(stamped):]
		m := sign.FindStringSubmatch(line)
		switch {
		case line == "":
			open, after = open && all[len(all)-1].unclosed(), after || stamped != ""
		case stack.MatchString(line):
		case typed.MatchString(line), called.MatchString(line):
			after, open = true, false
		case m != nil && m[1] == "└" && open && again.MatchString(all[len(all)-1].text): // why it tries again
			all[len(all)-1].add(line[len(m[0]):], true)
		case m != nil:
			// Below a tool's call that sign stands before what the tool printed.
			answers := m[1] == "⎿" && (after || len(all) == 0 || open && all[len(all)-1].next && all[len(all)-1].mark == "⎿")
			b := newBlock(m[1], line[len(m[0]):], answers)
			if len(all) > 0 {
				last := all[len(all)-1]
				b.tool = m[1] == "⎿" && !answers && tool.MatchString(last.text) || m[1] == "└" && last.mark == "•" && ran.MatchString(last.text)
			}
			all, after, open = append(all, b), false, true
		case open && !body.MatchString(line):
			all[len(all)-1].add(line, raw != line && !strings.HasPrefix(raw, line))
		default:
			all, after, open = append(all, newBlock("", line, after)), false, true
		}
		if stamped != "" && open {
			all[len(all)-1].log = true
		}
		if boxed && open {
			all[len(all)-1].tool = true
		}
	}
	return all
}

func newBlock(mark, line string, next bool) block {
	return block{mark: mark, text: line, glued: line, lines: []string{line}, next: next}
}
