package claude

import (
	"strings"
	"unicode/utf8"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// A text that stands in no record is the agent's own only if all of it is: the sentence that says
// the failure, when the limit ends, what the user can do, the menu below. One word that none of
// these explains makes it prose, a quote, a log or code, and then it is no stop.

// timeWord is a piece of a time.
const timeWord = `(?:(?:` +
	`at|in|on|by|after|from|about|around|approximately|tomorrow|today|tonight|noon|midnight|next|this|later|soon|shortly|now|` +
	`(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|` +
	`(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*|` +
	`\d(?:[\w:.,/+-]*\w)?|a\.m|p\.m|[ap]m|` +
	`NaN\w*|invalid date|undefined|null|` + // what no reader of the clock can make of it
	`days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|weeks?|months?|[dhms]|and|less\sthan\san?|an?|few|of|the|` +
	`local\stime|your\stime|when\s(?:it|the\slimit|your\slimit)\sresets|UTC|GMT|(?-i:[A-Z]{1,4}T|[A-Z][a-z]+/[A-Z]\w+))\b|[~≈]|\((?:(?-i:[A-Z])[\w+:-]*(?:/[\w+-]+)*|local\stime|in\s[\w\s]{1,20})\))`

const resetTime = timeWord + `(?:[:\s,]*` + timeWord + `)*`

var (
	// sep is what stands between two sentences or clauses.
	sep = lazyregexp.New(`^(?:\s*[·|–—;,.!:-]+\s*|\s*\n\s*|\s+(?:or|and|then)\s+|\s+)+`)
	// stop is where a clause may end.
	stop = lazyregexp.New(`^(?:$|\s*$|\s*\n|\s*[·|–—;,.!)]|\s+-\s|\s*\(|\s+(?:or|and|then)\s)`)
	// ends says when the limit ends.
	ends = lazyregexp.New(`^\(?(?i:(?:(?:your|the|this|it|it'll|all|access|usage|limits?|quota|plan|session|weekly|daily|monthly|5-hour|five-hour|7-day|` +
		`extra|spend|credits?|allowance|current|model|window|next|claude|you|you'll|can|will|be|is|please|until|more|messages?|tokens?|opus|sonnet|haiku|fable|\d[\d.]*)\s|` +
		`(?-i:[A-Z])[\w.-]+\s(?:\d[\d.]*\s)?){0,7}?` +
		`(?:(?:resets?|resetting|renews?|renewed|refresh(?:es)?|replenish(?:es)?|lifts?|lifted|ends?|expires?|restored?|returns?|unlocks?|available(?:\sagain)?|back|` +
		`try\sagain|retry(?:ing)?|come\sback|continue|resume|regain\saccess|usable|again|until)(?:\sagain)?:?\s` + resetTime +
		`|(?:continu(?:es|ing)|resum(?:es|ing)|continue|resume)\s(?:automatically|shortly)(?:\s` + resetTime + `)?))\)?`)
	// todo is what the user can do, in the agent's words.
	todo = lazyregexp.New(`^(?i:(?:tip: )?(?:to (?:continue|keep working|finish|go on)\S*,? )?(?:please |or |you can |then )?(?:(?:run|use|type|try|enter|see|open) )?/[a-z][a-z-]{2,}(?:,? (?:or|and|to|for|with|then) .{1,140})?` +
		`|what do you want to do\?|opening your options\.*|(?:press )?(?:enter|return|esc|escape) (?:or \w+ )?to \w+|wait here.{0,60}|request id: \S+|attempt \d+(?:/| of )\d+|` +
		`(?:your )?(?:progress|session|work|conversation) (?:is |was |has been )?saved(?: and .{1,60})?|(?:details|more|settings|manage)(?: at)?:? \S+|(?:so )?(?:this|the) (?:task|session) (?:will|did) not (?:resume|continue) on its own.{0,40}|` +
		`your login (?:changed|ended|expired).{0,30}|the (?:continuation|usage limit|limit|wait) (?:was|is|now|has|did) .{1,100}` +
		`|[✻✽✶✢✳] \w+ for (?:\d+[dhms] ?)+)$`) // how long the turn took
	advice = lazyregexp.New(`^(?i:(?:to (?:continue|keep|go on|get more|increase)[^"]{0,60}, ?)?(?:please |or |you can |then |stop and )?(?:` +
		`(?:upgrade|subscribe)(?: (?:to|your|for|now|at|plan)\b.{0,80})?` +
		`|switch (?:to|models?|back|plans?)\b.{0,80}|(?:use|try) (?:another|a different|a smaller) model(?: with .{1,30})?` +
		`|wait (?:for .{0,30}(?:limit|reset)\b.{0,40}|until\b.{0,80}|(?:a|an) (?:moment|minute|while|hour)\b.{0,40})|try again(?: later| soon)?` +
		`|(?:contact|ask|reach out to|talk to) (?:your|an|the|anthropic)\b.{0,20}\b(?:admins?|administrator|organization|team|owner|workspace|support|sales)\b.{0,80}` +
		`|(?:add|buy|purchase|get|request|enable|turn on|set up|manage|adjust|raise|increase|change|view|check|see) (?:(?:your|the|more|an|extra|additional|monthly|weekly|higher) ){0,3}` +
		`(?:funds|credits?|usage|spend(?:ing)?|plans?|limits?|billing|settings|details|it|them|access|overages?|capacity|max|pro)\b.{0,80}` +
		`|(?:visit|go to|learn more|see|manage|view|open)(?: (?:it|more|details))?(?: at)?:? (?:https?://|claude\.ai|\S+\.(?:com|ai)\b)\S*.{0,60}` +
		`|(?:log|sign) in (?:again|to|with)\b.{0,60}|continue (?:with|on|using) (?:extra|usage|sonnet|opus|haiku|another|a different|credits)\b.{0,60}|send (?:a|another) prompt to continue.{0,20}` +
		`))$`)
	// foreign words are those of people who write about the agent.
	foreign = lazyregexp.New("(?i)[\"`{}<>=]|(?:^|\\s)//|\\b(?:is|are|was) what\\b|\\b(?:tests?|regex|pars(?:e|er|es|ing)|banners?|message|strings?|logs?|code|functions?|commits?|patterns?|detect\\w*|" +
		"transcripts?|output|docs|errors?|fixtures?|assert\\w*|grep|loop|worker|helper|module|class|method|refactor\\w*|example|demo|\\w+\\.(?:go|ts|tsx|js|py|rs|java|md|json|tsv|txt|sh|c|h)|I|we|me|says?|said|prints?|printed|yesterday)\\b")
	// names may have such words in them.
	names = lazyregexp.New(`(?i)claude code|\b(?:https?://|claude\.ai|\w+\.(?:claude|anthropic)\.com)[^\s"` + "`" + `]*`)
	// mild: a few words behind a middle dot, without any that makes a sentence.
	mild   = lazyregexp.New(`^[A-Za-z][A-Za-z '/%$-]{0,50}$`)
	clause = lazyregexp.New(`(?i)\b(?:I|we|he|she|they|it|the|a|an|is|are|was|were|be|when|which|that|who|so|because|but|if|in|by|then|not|no|as|line|resets?|until|again)\b`)
	// cut ends a clause that is looked at as a whole.
	cut = lazyregexp.New(`\s*(?:[·|\n]|[.!](?:\s|$))`)
)

// ours tells whether what follows a sentence of the agent is its own, too. all is the whole text.
func ours(rest, all string) bool {
	return explained(rest) || explained(unwrap(all)[len(all)-len(rest):])
}

func explained(rest string) bool {
	for {
		between := sep.FindString(rest)
		rest = rest[len(between):]
		if strings.Trim(rest, " )") == "" {
			return true
		}
		n, ok := nextClause(rest, between)
		if !ok {
			return false
		}
		rest = rest[n:]
	}
}

// nextClause gives the length of the next clause of the agent; between is what stands before it.
func nextClause(rest, between string) (n int, ok bool) {
	if n := len(ends.FindString(rest)); n > 0 && stop.MatchString(rest[n:]) {
		return n, true
	}
	if strings.TrimRight(between, " ") == "" && !strings.HasPrefix(rest, "(") {
		return 0, false // words in the same sentence
	}
	if row, ok := messages().Find(flat(rest)); ok && row.State == detect.Stopped && (row.Reason == detect.UsageLimit) {
		return row.End(flat(rest)), row.End(flat(rest)) > 0
	}
	from := len(item.FindString(rest))
	n = len(rest)
	if at := cut.FindStringIndex(rest[from:]); at != nil {
		n = from + at[0]
	}
	words := strings.Trim(rest[from:n], "() ")
	switch {
	case words == "", foreign.MatchString(names.ReplaceAllString(words, "")):
		return n, words == "" && n > 0
	case todo.MatchString(words), advice.MatchString(words):
		return n, true
	}
	same := strings.Contains(between, "·") && !strings.Contains(between, "\n")
	return n, same && mild.MatchString(words) && !clause.MatchString(words) && len(strings.Fields(words)) <= 6
}

// unwrap joins lines that a narrow terminal may have broken: the next word would not have fit, and
// begins no sentence. No byte moves.
func unwrap(text string) string {
	lines := strings.Split(text, "\n")
	width := 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l))
	}
	var b strings.Builder
	b.WriteString(lines[0])
	for i, l := range lines[1:] {
		word, _, _ := strings.Cut(l, " ")
		if utf8.RuneCountInString(lines[i])+1+utf8.RuneCountInString(word) > width && l[0] >= 'a' && l[0] <= 'z' {
			b.WriteString(" " + l)
		} else {
			b.WriteString("\n" + l)
		}
	}
	return b.String()
}

// item is the number of a menu's line.
var item = lazyregexp.New(`^(?:❯ ?)?[1-9]\. ?`)

// menu tells whether a text is a dialog on the screen and nothing else: one line has the cursor.
func menu(text, plain string) bool {
	if !strings.Contains(text, "❯") {
		return false
	}
	_, items, _ := strings.Cut(plain, "?")
	for l := range strings.Lines(items) {
		if l = strings.TrimSpace(l); l != "" && (len(l) > 100 || strings.HasSuffix(l, ".") || strings.ContainsAny(l, "\"`")) {
			return false
		}
	}
	return true
}

// narrow is the width below which no terminal breaks the long sentence of a provider.
const narrow = 40

// markup is a provider's own: JSON, HTML.
var markup = lazyregexp.New(`^[<{}"\[\]]`)

// relayed are the further lines of a proxy that says what the provider behind it answered.
var relayed = lazyregexp.New(`^(?:Category: \w+|(?:Mapped message|Upstream error|Request ID):[^"` + "`" + `]*)$`)

// below tells whether the further lines of a provider's error belong to it.
func below(plain string) bool {
	if strings.IndexByte(plain+"\n", '\n') >= narrow {
		plain = unwrap(plain)
	}
	for _, l := range strings.Split(plain, "\n")[1:] {
		if !markup.MatchString(l) && !relayed.MatchString(l) && !explained("\n"+l) {
			return false
		}
	}
	return true
}
