package main

import (
	"regexp"
	"strings"
	"unicode"
)

// The length of a sentence, in bytes.
const (
	shortest = 12
	tallest  = 260
)

// limitWords are of an agent's limits, of money, and of what it does by itself about them: enough alone.
var limitWords = regexp.MustCompile(`(?i)\b(?:` +
	`(?:usage|rate|session|weekly|daily|monthly|(?:5|five)-hour|credit|opus|sonnet|fable|plan|account|retry|turn|request|free|go|fast) (?:usage )?(?:limits?|cap|quota|allowance)\b` +
	`|(?:hit|reached|exceeded|exhausted|used up) (?:your|the|its|all)\b.*\b(?:limits?|quota|cap|usage|capacity)\b|spend(?:ing)? (?:limit|cap) reached` +
	`|you['’]ve (?:hit|reached|used) |^(?:5-hour|[\w-]+) limit$|request rejected|limits? (?:has been |was |is )?(?:reached|resets?|exceeded|hit|exhausted)\b|used (?:up )?your (?:included )?\w+ (?:\w+ )?usage` +
	`|quota\b|overloaded\b|high (?:load|demand|traffic)\b|(?:at|no|on this|restricted) capacity\b|capacity (?:issue|available|is|on)\b|rate[ -]limited\b|temporarily limit|too many requests\b` +
	`|out of (?:\w+ )?(?:usage|credits|messages|quota)\b|(?:requires?|usage|AI|extra) credits? (?:are |is )?(?:required|exhausted|balance|ran out)|requires? (?:usage|extra|AI) credits|usage (?:is |are )?(?:required|paused|exceeded)\b` +
	`|credit balance (?:is )?too|insufficient (?:\w+ )?(?:credits|balance|funds|quota)\b|(?:no |add a )payment method\b|payment required|billing (?:to|details|is|issue)\b|usage allocation|doesn't include usage` +
	`|API error\b|service unavailable\b|internal server error\b|server (?:is busy|had an error|error\b)|last status|unexpected status|is disabled for your org` +
	`|prompt is too long|(?:conversation|context) (?:is )?too (?:long|large)|context (?:window |length |limit )?(?:limit|reached|exceeded|will overflow)|exceeds (?:the |this |its )?(?:model's )?context|out of room|token count exceeds` +
	`|mid-(?:response|stream)\b|no response from|never arrived|while your computer was|has disabled\b|on hold\b|limit is set to|spending limit|stream (?:disconnected|idle|ended|closed)|before a response|output token maximum|maximum number of turns|budget (?:exceeded|has been|reached)` +
	`|failed to get response from|request timeout after|error running (?:local|remote)|^execution failed: \{\}$|cannot connect to API|run out of your included` +
	`|unable to respond to this request|firewall or proxy may be|blocked by Cloudflare|incomplete response returned|upgrade to Plus|premium request allowance|not licensed to use` +
	`|authentication failed with provider|authorization error|no response was returned|provider finish_reason|refused to complete the request|retry delay \(max|OAuth refresh failed for|too large to compact|^please run /login` +
	`|automatic continue|continu(?:e|es|ing) (?:automatically|now)|retrying (?:in|after|sampling|with)\b|reconnecting\b|trying to reach` +
	`)`)

// lineWords are of the line to the provider and of the login: of an agent's turn only with turnWords beside them.
var (
	lineWords = regexp.MustCompile(`(?i)\b(?:timed? ?out|unable to (?:connect|reach)|could not connect|connection (?:error|failed|refused|dropped|closed|reset|lost|to)|fetch failed|stalled|` +
		`expired|revoked|invalid|not logged in|unauthorized|authenticate|could not be refreshed|on hold|does not (?:exist|have access)|not have access|not supported|too large|exceeds|blocked|disconnected|empty response)\b`)
	turnWords = regexp.MustCompile(`(?i)\b(?:to API|the API|API key|LLM|/login|log ?in again|login|sign in again|OAuth token|(?:access|refresh) token|your account|request (?:timed out|too large)|selected model|the model|model response|response|sampling|finish reason)\b`)
)

// elsewhere are the words of what fails without ending a turn, and of code, SQL, markup, help and prompts.
var elsewhere = regexp.MustCompile("(?i:\\b(?:MCP|plugins?|hooks?|npm|git|gh|github|gitlab|tmux|marketplace|telemetry|otel|opentelemetry|msal|azure|entra|smithy|grpc|websocket server|kubernetes|docker|" +
	"skills?|files?|folder|path|directory|worktree|regex|schema|JSON|YAML|XML|HTTP/2|certificate|TLS|DNS|database|sqlite|query|column|PDF|voice|microphone|browser|chrome|extension|" +
	"artifacts?|webhook|slack|teleport|bridge|remote[- ]control|daemon|subprocess|shell|bash|command timed|LSP|IDE|SDK|OIDC|JWT|header|cookie|XHR|WebAssembly|iterator|promise|buffer|callback|parser|argument|parameter|property|" +
	"deprecated|boolean|enum|defaults? to|TODO|undefined|design|classifier|advisor|teammate|poll|watch|reviews?|device|runner|subagents?|attachment|Cloudflare R2|image processing|export limit|entity expansion|recursion|SSE\\w*|CCR\\w*|STS|REPL|invalid sampling|login blocked|az login|azd|" +
	"(?:managed|remote|organization|organization's) settings|disk|clone|asset|socks\\d|multipart|zipkin|OCSP|landlock|audio|video|visual|ping|clipboard|recording|catalog|pagination|space limit|memory|CPU|logs|percent\\w*|remaining usage|prefer\\w*|script|tool '|automatically compress|null when|client-side|emitted|surfaced|caller|callId|no apology|token cap|ReadableStream|inbox|rate limit information|" +
	"persist limit|concurrency limit|titles include|pooled|seed|bad_token|elicitation|worker|bearer read|agent response|enforcer|generator|workspace metadata|commands|" +
	"/session|/schedule|keychain|epoch|transport|trace|redirect|publish\\w*|recipient|executable|depth|array|precision|shadow|metadata|health|RST_STREAM|HTTP CONNECT|signal)\\b)" +
	"|\\r|\\.rs\\b|https?://(?:docs|developer)|--[a-z]{2}|=>|==|&&|\\|\\||</|/>|\\w\\(\\)|\\(\\?|\\\\[dswb]|\\{[a-z{%]|[a-z]:\\w+;|\\bSELECT\\b|\\bINSERT\\b|^\\s*[-*#] |\\n.*\\n.*\\n|[_a-z]+_[a-z]+_[a-z]|[a-z][A-Z][a-z]+[A-Z]|::|@\\w|\\$")

// sentence tells whether a string can be one that a user reads as a whole.
func sentence(s string) bool {
	if len(s) < shortest || len(s) > tallest {
		return false
	}
	bare := strings.ReplaceAll(s, hole, "")
	letters := 0
	for _, r := range bare {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return (len(strings.Fields(bare)) >= 3 || shortLimit.MatchString(s)) && letters*10 >= len(bare)*6
}

// shortLimit are the names of limits, which are put into sentences, and what stands before a provider's answer.
var shortLimit = regexp.MustCompile(`^(?:(?:5-hour|[\w-]+) limit(?: reached)?|Execution failed: \{\})$`)

var (
	// begins is how a sentence begins. A piece of one begins with a blank, a comma or a small letter.
	begins = regexp.MustCompile(`^(?:[\p{Lu}\p{So}◦✋]|\[(?:API|Usage)|\d+[- ]hour|` + regexp.QuoteMeta(hole) + `(?:: |'s | [a-z]))`)
	// small are the errors of a program in Rust, which begin with a small letter.
	small = regexp.MustCompile(`^(?:stream (?:disconnected|error)|exceeded retry|unexpected status|rate limit exceeded|error sending|request timed|timeout waiting|connection failed|idle timeout|workspace routing)`)
)

// ours speak of files or of the stream, and end turns.
var ours = regexp.MustCompile(`^(?:Request too large \(|SSE read timed out$)`)

// settings is where GitHub's customers pay, which is said in sentences about their limits.
const settings = "https://github.com/settings/"

// errorPath tells whether a string is one of an error or a limit that the agent's user may read.
func errorPath(s string) bool {
	switch {
	case ours.MatchString(s) && sentence(s):
		return true
	case !sentence(s), !begins.MatchString(s) && !small.MatchString(s), elsewhere.MatchString(strings.ReplaceAll(s, settings, "")):
		return false
	}
	return limitWords.MatchString(s) || lineWords.MatchString(s) && turnWords.MatchString(s)
}
