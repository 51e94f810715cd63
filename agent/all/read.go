package all

import (
	"slices"
	"strconv"
	"strings"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

var (
	// head is a name before an error, of a class, a program or a gateway.
	head = lazyregexp.New(`^(?:An (?:\w+ )?error (?:has )?occurred(?: (?:while|during) [\w ]{1,40})?: |(?:0 )?\[(?:[\w./:-]{1,60}|[A-Z]\w+ Error|[A-Z][A-Z ]* ERROR)\]:? |Please run /login (?:· )?|Rate limit exceeded: |Retry failed after \d+ attempts?: (?:Provider requested \d+ms wait, exceeds [\w.]+ \(\d+ms\)\. Original error: )?|Invalid JSON response |Failed to [\w ]{1,30}\. (?:Message: )?|[a-z]+(?:_[a-z]+)*_(?:error|reached|exceeded|exhausted|expired|denied): |` +
		`[A-Z]\w+ (?:\w+ ){0,3}error from [^:]{1,40}: |(?:[a-z]+-[a-z]+|fatal|provider|request|server|stream|unexpected|unknown|upstream) error: |` +
		`(?:原因|理由|이유|Причина|Grund|Motivo|Raison|Razón|Powód|Neden) ?[:：] ?|(?:Too Many Requests|Unprocessable (?:Entity|Content)|Not Found|(?:Payload|Content|Request Entity) Too Large|Method Not Allowed|Request Timeout|Gateway Time-?[oO]ut|Bad Request|Unauthorized|Forbidden|Payment Required|Internal Server Error|Bad Gateway|Service Unavailable)[:.]? |` +
		`(?:[\w.]*(?:Error|Exception)|ResourceExhausted|RESOURCE_EXHAUSTED|(?:[A-Z][\w.-]* (?:[\w.-]+ ){0,3})?(?i:error|failed)(?: code| event| occurred| \[[\w.-]{1,40}\])?(?: during \w+| (?:streaming|generating|reading|processing|sending|calling)(?: (?:the|a|an))?(?: \w+)? (?:response|request|stream|completion|model|API|LLM|provider))?|API Error|[Uu]ndefined|Reason|HTTP|Last error|Failed after \d+ attempts, Last error|` +
		`[Ss]tream disconnected before completion|Error from provider \([^)]{1,40}\)|The model returned the following errors|(?:[A-Z][\w.-]* ){1,4}returned [45]\d\d|` +
		`[A-Z]\w+ (?:Go )?API rate/quota limit|\w+\.\w+)(?: \([45]\d\d\))?(?: \w+=\S+?)*(?: - | ?[—–]+ ?|[:：] ?)|API Error \()`)
	// failing is a line that only says that a request failed.
	failing = lazyregexp.New(`(?i)^(?:(?:API|AI|LLM|call|chat|completion|generation|model|provider|request|response|stream|turn) ){1,3}(?:failed|error)[.:!]?$`)
	// second is where another error begins right behind a name.
	second = lazyregexp.New(`^\w{1,40}API Error: `)
	// title is what a program puts between its own name for an error and the provider's.
	title  = lazyregexp.New(`^[A-Z][a-z]+(?: [a-z]+){0,2}: `)
	claims = lazyregexp.New(`^(?:Expected|Received|Actual|Assert\w*|Message|Details|Note|Docs)\b`)
	// server is how Copilot says, in the languages of its editor, what the server has answered.
	server = lazyregexp.New(`(?i)(?:(?:^|[^\d\s]\s)(?:server error|erro do servidor|error del servidor|erreur (?:du )?serveur|errore del server|serverfehler|sunucu hatası|błąd serwera|chyba serveru)|ошибка сервера|サーバー ?エラー|服务器错误|伺服器錯誤|서버 오류) ?[:：] ?`)
	// person is how a person's sentence begins.
	person = lazyregexp.New(`^(?i:I|we|the|it|this|that|these|those|my|our|a|an|when|if|you|your|user|they|then|and|but|so|got|getting|here|see|note|log|output|prompt|why|how|after|before|is)\b`)
	// place is where a line of a file's own stands before what a compiler, a linter or a test says of it.
	place = lazyregexp.New(`^\s*[\w./\\-]+\.\w{1,6}:\d+`)
	// happened is what programs, not people, begin with the same word.
	happened = lazyregexp.New(`^An (?:\w+ )?error (?:has )?occurred(?: (?:while|during) [\w ]{1,40})?: `)
	// spoken is a sentence that says what a status means.
	spoken = lazyregexp.New(`^(?:you|we|they|it|this|that|the|your|is|was|are|means) [a-z]`)
	// model is the path of a model's server, and elsewhere is an answer that another program got, of a server that is no model's.
	model     = lazyregexp.New(`(?i)/v\d+/(?:responses|messages|chat|completions|models)\b|/(?:responses|messages|chat/completions)\b|v1internal|backend-api|generateContent`)
	elsewhere = lazyregexp.New(`(?i)(?:for url:?|while getting|unable to access|failed to (?:fetch|download|pull|get)|\b(?:GET|HEAD|PUT|POST|PATCH|DELETE)) ['"(]?https?://|\(https://api\.github\.com|requested URL returned error|exceeded for user ID|^\S*(?:npm|yarn|pnpm|pip|cargo|fatal|wget|curl|E): `)
	// bracket is what Gemini and qwen-code put around an error.
	bracket = lazyregexp.New(`^\[API Error: ([^\n]+)\](?: Please wait .*)?$`)
	status  = lazyregexp.New(`^(?:(?i:error )?(?:(?i:status)(?: code)?:?|HTTP|code:?) )?\(?([45]\d\d)(?:\b|_)\)?(?: status code \(no body\))?(?: - | => |\. |[:,·]? *)`)
	lower   = lazyregexp.New(`^[a-z]`)
	inHead  = lazyregexp.New(`\b([45]\d\d)\b`)
	inBody  = lazyregexp.New(`(?:["'](?:code|status|statusCode|status_code)["'] ?: ?["']?|\(status_?[cC]ode: )([45]\d\d)\b`)
	atEnd   = lazyregexp.New(`(?:: |\()([45]\d\d)\)?$`)
	// said is a provider's sentence, as JSON or as Python writes it.
	said = lazyregexp.New(`["'](?:message|error|errorMessage|error_message|error_msg|msg|detail)["'] ?: ?(?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)')`)
	// logged is an error in a line of a log of fields.
	logged = lazyregexp.New(`\blevel=(?i:error|fatal)\b.*\berror(?:\.\w+)?="((?:[^"\\]|\\.)+)"`)
	cause  = lazyregexp.New(`(?i)\(?\bcaused?(?: by)?[:=] `)
	code   = lazyregexp.New(`["'](?:type|code|status)["'] ?: ?["']?([\w.]+)|[:：] ?[a-z]+(?:_[a-z]+)+$`)
	// again is the agent's word that it goes on by itself.
	again = lazyregexp.New(`(?i)^.{0,200}\b(?:retrying|reconnecting)\b(?:(?: \w+){0,3}(?:\.{2,}|…))?(?:,? ?(?:attempt )?#?\(?\d+(?:/\d+)?\)?)?(?: in ~?[\d.]+ ?\w+)?(?:\.{2,}|…)?(?: [·–—-])?` +
		`(?: \(?attempt #?\d+(?:/\d+)?\)?)?(?: · \w+=.*)?(?: \([^()]{0,40}esc to (?:interrupt|cancel)\).*)?[.…)\]]*$`)
	// reconnects is Codex's line, behind which may stand why.
	reconnects = lazyregexp.New(`^Reconnecting(?:\.\.\.|…) \d+/\d+`)
	// waits is a last line in which an agent's spinner says so.
	waits = lazyregexp.New(`\n\s*[\x{2800}-\x{28ff}] (?:Retrying|Reconnecting)\b[^\n]*\s*$`)
	// goesOn is a line that ends with it.
	goesOn = lazyregexp.New(`(?is)^.*\b(?:retrying|reconnecting)\b[^\n]{0,80}(?:\.\.\.|…|\))\s*\n\s*(?:[^\s└]|$)`)
	// attempt is one that failed, before the agent tries again.
	attempt = lazyregexp.New(`^(?:[✗✕✖✘×] *)?Attempt \d+ failed\b.*\bRetrying\b`)
)

// headOf gives the name before an error; empty: there is none, or a person writes about it.
func headOf(text string) string {
	if person.MatchString(text) && !happened.MatchString(text) || place.MatchString(text) {
		return ""
	}
	return head.FindString(text)
}

// peel takes off what stands before an error. number is the status in it.
func peel(text string) (number int, layers []string) {
	layers = []string{text}
	for range 12 {
		rest := text
		if m := bracket.FindStringSubmatch(rest); m != nil {
			rest = m[1]
		} else if name := headOf(rest); name != "" {
			rest = rest[len(name):]
			if n := inHead.FindString(name); n != "" {
				number, _ = strconv.Atoi(n)
			}
		} else if n := status.FindStringSubmatch(rest); n != nil {
			if rest = rest[len(n[0]):]; !lower.MatchString(rest) || len(layers) > 1 { // else it may be a number of anything
				number, _ = strconv.Atoi(n[1])
			}
		} else if doubled := second.FindString(rest); doubled != "" {
			rest = rest[len(doubled):]
		} else if len(layers) > 1 && !claims.MatchString(rest) {
			rest = rest[len(title.FindString(rest)):]
		}
		if rest = strings.Trim(rest, "\"'` "); rest == text {
			break
		}
		text = rest
		layers = append(layers, rest)
	}
	if n := atEnd.FindStringSubmatch(text); n != nil && number == 0 && len(layers) > 1 {
		number, _ = strconv.Atoi(n[1])
	}
	return number, layers
}

// read takes an error apart, and takes the innermost words that are known. Behind the first of the lines may stand another.
// bare: a status counts where no words are known.
func (m copied) read(text string, lines []string, bare bool) (detect.Stop, bool) {
	number, layers := peel(text)
	innermost := layers[len(layers)-1]
	if n := inBody.FindStringSubmatch(text); n != nil && number == 0 {
		number, _ = strconv.Atoi(n[1])
	}
	for i, l := range lines {
		if i == 1 && failing.MatchString(lines[0]) {
			_, inner := peel(strings.Join(lines[i:], " "))
			layers = append(layers, inner...)
		}
		if i > 0 && headOf(l) != "" {
			_, inner := peel(strings.Join(lines[i:], " "))
			layers = append(layers, inner[1:]...)
		}
	}
	if by := cause.FindStringIndex(text); by != nil {
		_, inner := peel(strings.TrimSuffix(text[by[1]:], ")"))
		layers = append(layers, inner...)
	}
	if l := logged.FindStringSubmatch(text); l != nil {
		_, inner := peel(l[1])
		layers, bare = append(layers, inner...), false
	}
	for _, s := range sentences(text) {
		_, inner := peel(s)
		layers = append(layers, inner...)
	}
	if happened.MatchString(text) && !strings.Contains(text, "{") { // anything did
		bare = false
	}
	for _, l := range slices.Backward(layers) {
		if stop, ok := m.known(number, l); ok {
			return stop, true
		}
	}
	why := detect.Reason("")
	if number != 0 || strings.Contains(strings.ToLower(text), "error") {
		why = byCode(strings.Join(code.FindAllString(text, -1), " "))
	}
	if bare && number != 0 && !spoken.MatchString(innermost) {
		if by := byStatus(number); why == "" || why == detect.InvalidRequest && by != "" { // providers call any refusal so
			why = by
		}
	}
	return detect.Stop{State: detect.Stopped, Reason: why, Status: number, At: m.at}, why != ""
}

// byStatus is what a status alone says of what an agent sent.
func byStatus(number int) detect.Reason {
	if number == tooLarge {
		return detect.ContextFull
	}
	return detect.FromStatus(number)
}

// known looks for words in the tables.
func (m copied) known(number int, text string) (detect.Stop, bool) {
	if stop, ok := copiedWords().Match(strings.TrimSpace(text), m.at, m.zone); ok {
		return stop, true
	}
	f, passed := detect.Passed(number, text, m.at, m.zone)
	if stop, ok := m.a.Message(text, m.at, m.zone); ok && (!passed || stop.Reason != detect.RateLimit || f.Reason != detect.UsageLimit) {
		return stop, true
	}
	if passed {
		return f.Stop(m.at)
	}
	if _, layers := peel(text); spoken.MatchString(layers[len(layers)-1]) {
		return detect.Stop{}, false
	}
	return m.words.Message(text, m.at, m.zone)
}

// sentences are those of the provider in a body, the outermost first; what a sentence holds as a body of its own comes behind it. A
// body that is cut off within a string is read all the same.
func sentences(text string) (all []string) {
	for _, m := range said.FindAllStringSubmatch(text, 20) {
		s := m[1] + m[2]
		if q, err := strconv.Unquote(`"` + s + `"`); err == nil {
			s = q
		}
		all = append(append(all, s), sentences(s)...)
	}
	if strings.Contains(text, `\"`) {
		all = append(all, sentences(strings.ReplaceAll(text, `\"`, `"`))...)
	}
	return all
}

// byCode is what a provider's own names of errors mean, where no words are known.
func byCode(codes string) detect.Reason {
	for _, c := range []struct {
		reason detect.Reason
		words  string
	}{
		{detect.UsageLimit, "usage_limit weekly_rate_limited quota_exhausted"},
		{detect.Billing, "insufficient_quota insufficient_balance billing quota_exceeded"},
		{detect.ContextFull, "context_length_exceeded tokens_limit_reached"},
		{detect.RateLimit, "rate_limit"},
		{detect.Overloaded, "overloaded"},
		{detect.Network, "network_error connection_error"},
		{detect.Auth, "authentication_error permission_error invalid_api_key"},
		{detect.InvalidRequest, "invalid_request_error"},
	} {
		for w := range strings.FieldsSeq(c.words) {
			if strings.Contains(strings.ToLower(codes), w) {
				return c.reason
			}
		}
	}
	return ""
}
