package pi

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// said is an error's text, taken apart. The agent puts the status and the body of the answer into it, in a form
// that depends on the provider's API:
//
//	429: {"message":"...","type":"requests","code":"rate_limit_exceeded"}
//	529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"..."}
//	503 <html>...   ·   429 Rate limit reached ... (0.73)
//	OpenAI API error (429): {"code":"...","message":"..."}\nCheck your ChatGPT usage: ...
//	{"type": "error", "error": {...}}   ·   You have hit your ChatGPT usage limit (plus plan). Try again in ~125 min.
//	Codex error: {"type":"error","error":{...},"status_code":429} (0.73)   ·   Codex error: server_error
//	{"error":{"code":429,"message":"...","status":"RESOURCE_EXHAUSTED","details":[...]}} (Google), or with that as the message
type said struct {
	status int
	body   string // as detect.Passed reads it
	text   string // of the provider, else of the agent
	words  []string
	wait   *time.Duration // that the provider asked for by a header
	reset  float64        // in s or ms since 1970; 0: not told
	rest   time.Duration  // until the reset; 0: not told
	shaped bool           // it has the form of an error that the agent passes on
	google bool           // Google's word for any quota of its own
	daily  bool           // Google's name of a quota of a day
}

var (
	waitForm   = lazyregexp.New(`^Server requested (\d{1,9})s retry delay \(max: \d+s\)(?:[.:] ?|$)`)
	statusForm = lazyregexp.New(`^(?:[A-Z][\w .-]{0,40} API error \(([1-5]\d\d)\): |([1-5]\d\d)(?:: | |$))`)
	object     = lazyregexp.New(`^(?:\[\s*)?\{`)
	// ofGoogle is its sentence where only that is left of a body.
	ofGoogle  = lazyregexp.New(`\bQuota exceeded for metric: [\w.-]*googleapis\.com/`)
	codexCode = lazyregexp.New(`^[a-z]+(?:_[a-z]+)+$`)
)

// noBody is what the clients of the APIs say behind a status where nothing came with it.
const noBody = "status code (no body)"

// codexLead stands before what ChatGPT says of a request within its stream.
const codexLead = "Codex error: "

func takeApart(text string) said {
	var s said
	if m := waitForm.FindStringSubmatch(text); m != nil {
		if d, ok := detect.ParseRetryAfter(m[1], time.Time{}); ok {
			s.wait, s.shaped = &d, true
		}
		text = text[len(m[0]):]
	}
	if m := statusForm.FindStringSubmatch(text); m != nil {
		s.status, _ = strconv.Atoi(m[1] + m[2])
		text = text[len(m[0]):]
		s.shaped = s.shaped || m[1] != "" || strings.HasPrefix(text, "<") || text == noBody
	}
	text, codex := strings.CutPrefix(text, codexLead)
	s.text, s.body, s.google = text, text, ofGoogle.MatchString(text)
	switch {
	case object.MatchString(text):
		s.json(text, maxDepth)
	case codex && codexCode.MatchString(text):
		s.words = []string{text}
		s.shaped = s.shaped || named[text] != "" || plain[text] != ""
	}
	return s
}

// maxDepth is how many bodies may lie in each other, as gateways and Google's client put one into the message of their own.
const maxDepth = 3

// answer is the body of a provider's answer, or the object of the error in it.
type answer struct {
	errorBody
	Error      *errorBody `json:"error"`
	StatusCode int        `json:"status_code"` // ChatGPT
}

// errorBody is the object of an error, or what a provider puts around it.
type errorBody struct {
	Type     string          `json:"type"`
	Code     json.RawMessage `json:"code"` // a word or a number
	Message  string          `json:"message"`
	Status   string          `json:"status"` // Google: a word
	Metadata struct {
		Headers struct {
			Reset string `json:"X-RateLimit-Reset"` // OpenRouter: in ms since 1970
		} `json:"headers"`
	} `json:"metadata"`
	ResetsAt float64  `json:"resets_at"`         // ChatGPT: in s since 1970
	ResetsIn float64  `json:"resets_in_seconds"` // ChatGPT
	Details  []detail `json:"details"`           // Google
}

type detail struct {
	RetryDelay string `json:"retryDelay"` // RetryInfo: seconds with an s
	Violations []struct {
		QuotaID string `json:"quotaId"`
	} `json:"violations"` // QuotaFailure
}

// json reads the JSON at the beginning of a text; what the agent says itself may stand below it. Google may wrap it in an
// array.
func (s *said) json(text string, depth int) {
	var raw json.RawMessage
	if json.NewDecoder(strings.NewReader(text)).Decode(&raw) != nil {
		return
	}
	array := raw[0] == '['
	if array {
		var list []json.RawMessage
		if agent.Unmarshal(raw, &list) != nil || len(list) == 0 {
			return
		}
		raw, text = list[0], string(list[0])
	}
	var b answer
	if agent.Unmarshal(raw, &b) != nil || array && b.Error == nil {
		return
	}
	e := b.errorBody
	if b.Error != nil {
		e = *b.Error
	}
	var code string
	if json.Unmarshal(e.Code, &code) != nil {
		code = ""
	}
	s.shaped = s.shaped || e.Type != "" || len(e.Code) > 0
	s.words = append(s.words, code, e.Type)
	s.body, s.text = text, e.Message
	if s.status == 0 && b.StatusCode >= 400 && b.StatusCode <= 599 {
		s.status = b.StatusCode
	}
	s.fields(&e, b.Error != nil)
	if inner := strings.TrimSpace(e.Message); depth > 1 && object.MatchString(inner) {
		s.json(inner, depth-1)
	}
}

// fields takes over what single providers tell.
func (s *said) fields(e *errorBody, whole bool) {
	var n int
	if e.Status != "" && json.Unmarshal(e.Code, &n) == nil && n >= 400 && n <= 599 {
		s.google = s.google || e.Status == "RESOURCE_EXHAUSTED"
		if s.status == 0 && whole {
			s.status = n
		}
	}
	s.reset, _ = strconv.ParseFloat(e.Metadata.Headers.Reset, 64)
	if e.ResetsAt > 0 {
		s.reset = e.ResetsAt
	}
	for _, d := range e.Details {
		if seconds, ok := strings.CutSuffix(d.RetryDelay, "s"); ok {
			if w, ok := detect.ParseRetryAfter(seconds, time.Time{}); ok {
				s.rest = max(s.rest, w)
			}
		}
		for _, v := range d.Violations {
			s.daily = s.daily || strings.Contains(v.QuotaID, "PerDay") || strings.Contains(v.QuotaID, "Daily")
		}
	}
	if e.ResetsIn > 0 && e.ResetsIn < longestRest.Seconds() {
		s.rest = time.Duration(e.ResetsIn * float64(time.Second))
	}
}

// longestRest bounds what is believed of a wait.
const longestRest = 32 * 24 * time.Hour
