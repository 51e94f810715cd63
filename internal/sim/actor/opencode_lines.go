package actor

import (
	"fmt"
	"strconv"
	"time"
)

// The files of opencode 1.1.53. What an error says is that of 1.18.33, which writes the same object.
const (
	ocSession = `{"id":"$sid","slug":"demo","version":"1.1.53","projectID":"$project",$parent"directory":$dir,"title":$title,$permission"time":{"created":$created,"updated":$ms$archived},"summary":{"additions":0,"deletions":0,"files":0}}`

	ocRules = `"permission":[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}],`

	ocUser = `{"id":"$id","sessionID":"$sid","role":"user","time":{"created":$ms},"summary":{"title":"Demo task","diffs":[]},"agent":"$agent","model":{"providerID":"$provider","modelID":"demo-1"}}`

	ocAssistant = `{"id":"$id","sessionID":"$sid","role":"assistant","time":{"created":$created$completed},$error"parentID":"$parent","modelID":"demo-1","providerID":"$provider","mode":"$agent","agent":"$agent","path":{"cwd":$dir,"root":$dir},"cost":0,"tokens":{"input":$in,"output":$out,"reasoning":0,"cache":{"read":0,"write":0}}$finish}`

	ocPart = `{"id":"$id","sessionID":"$sid","messageID":"$msg",$body}`

	ocText   = `"type":"text","text":$text`
	ocBegan  = `"type":"step-start","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca"`
	ocSaid   = `"type":"text","text":"All done.","time":{"start":$ms,"end":$ms}`
	ocEnded  = `"type":"step-finish","reason":"$reason","snapshot":"424a01b9db1c80e5959204a3de3765809b17c8ca","cost":0,"tokens":{"input":100,"output":10,"reasoning":0,"cache":{"read":0,"write":0}}`
	ocRuns   = `"type":"tool","callID":"call_$msg","tool":"bash","state":{"status":"running","input":{"command":"echo hi","description":"Say hi"},"metadata":{"output":"","description":"Say hi"},"time":{"start":$ms}}`
	ocRan    = `"type":"tool","callID":"call_$msg","tool":"bash","state":{"status":"completed","input":{"command":"echo hi","description":"Say hi"},"output":"hi\n","title":"Say hi","metadata":{"output":"hi\n","exit":0,"description":"Say hi","truncated":false},"time":{"start":$ms,"end":$ms}}`
	ocPrints = `{"type":"$type","timestamp":$ms,"sessionID":"$sid",$body}` + "\n"
)

// fails gives the error object of a failure.
func (o *OpenCode) fails(a Answer, now time.Time) string {
	api := func(status int, retryable bool, message, body string) string {
		wait := ""
		if a.RetryAfter > 0 {
			wait = fmt.Sprintf(`"retry-after":"%d",`, int(a.RetryAfter.Seconds()))
		}
		return fmt.Sprintf(`{"name":"APIError","data":{"message":%s,"statusCode":%d,"isRetryable":%v,"responseHeaders":{"content-length":"225","content-type":"application/json","date":%s,%s"server":"sim"},"responseBody":%s,"metadata":{"url":"http://127.0.0.1/v1/chat/completions"}}}`,
			quote(message), status, retryable, quote(now.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")), wait, quote(body))
	}
	body := func(message, kind, code string) string {
		return fmt.Sprintf(`{"error": {"message": %s, "type": %q, "param": null, "code": %q}}`, quote(message), kind, code)
	}
	switch a.Kind {
	case UsedUp:
		text, at := "The usage limit has been reached", ""
		if !a.Reset.IsZero() {
			at = `, "resets_at": ` + strconv.FormatInt(a.Reset.Unix(), 10)
		}
		return api(429, true, text, `{"error": {"type": "usage_limit_reached", "message": "`+text+`"`+at+`}}`)
	case Overloaded:
		return api(529, true, "Overloaded", `{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}`)
	case Broken:
		return api(500, true, "The server had an error while processing your request.", body("The server had an error while processing your request.", "server_error", ""))
	case Unauthorized:
		return api(401, false, "Incorrect API key provided: dummy.", body("Incorrect API key provided: dummy.", "invalid_request_error", "invalid_api_key"))
	case NoCredit:
		return api(402, false, "This request requires more credits, or fewer max_tokens.", `{"error": {"message": "This request requires more credits, or fewer max_tokens.", "code": 402}}`)
	case TooLong:
		text := "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."
		return `{"name":"ContextOverflowError","data":{"message":` + quote(text) + `,"responseBody":` + quote(body(text, "invalid_request_error", "context_length_exceeded")) + `}}`
	case Unreachable, Cut:
		return `{"name":"APIError","data":{"message":"Cannot connect to API: Unable to connect. Is the computer able to access the url?","isRetryable":true,"metadata":{"url":"http://127.0.0.1/v1/chat/completions"}}}`
	}
	text := "Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1."
	return api(429, true, text, body(text, "requests", "rate_limit_exceeded"))
}

// aborted is the error of a turn that its user ended.
const ocAborted = `{"name":"MessageAbortedError","data":{"message":"Aborted"}}`
