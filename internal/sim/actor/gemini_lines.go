package actor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// The records of Gemini CLI 0.61.0.
const (
	geminiHead = `{"sessionId":"$sid","projectHash":"$hash","startTime":"$at","lastUpdated":"$at","kind":"main"}` + "\n"

	geminiContext = `{"id":"$id","timestamp":"$at","type":"user","content":[{"text":$text}]}`

	geminiCheck = `{"$$set":{"messages":[$list],"lastUpdated":"$at"}}` + "\n"

	geminiUpdated = `{"$$set":{"lastUpdated":"$at"}}` + "\n"

	geminiOpened = `{"$$set":{"sessionId":"$sid"}}` + "\n"

	geminiAnswer = `{"id":"$id","timestamp":"$at","type":"gemini","content":"All done.","thoughts":[],"tokens":{"input":1200,"output":12,"cached":0,"thoughts":0,"tool":0,"total":1212},"model":"gemini-3.8-flash"}`

	geminiCall = `{"id":"$id","timestamp":"$at","type":"gemini","content":"","thoughts":[],"tokens":{"input":1200,"output":12,"cached":0,"thoughts":0,"tool":0,"total":1212},"model":"gemini-3.8-flash"}`

	geminiCalled = `{"id":"$id","timestamp":"$at","type":"gemini","content":"","thoughts":[],"tokens":{"input":1200,"output":12,"cached":0,"thoughts":0,"tool":0,"total":1212},"model":"gemini-3.8-flash","toolCalls":[$call]}`

	geminiCut = `{"id":"$id","timestamp":"$at","type":"gemini","content":"","toolCalls":[$call],"thoughts":[],"model":"gemini-3.8-flash"}`

	geminiTool = `{"id":"$call","name":"read_file","args":{"file_path":"README.md"},"result":[$response],$display"status":"$status","timestamp":"$at","description":"README.md","displayName":"ReadFile","renderOutputAsMarkdown":true}`

	geminiResponse = `{"functionResponse":{"id":"$call","name":"read_file","response":{$what}}}`

	geminiResult = `{"id":"$id","timestamp":"$at","type":"user","content":[$response]}`

	// In a checkpoint an answer's content is what the provider is sent.
	geminiAnswerSent = `{"id":"$id","timestamp":"$at","type":"gemini","content":[{"text":"All done."}],"thoughts":[],"tokens":{"input":1200,"output":12,"cached":0,"thoughts":0,"tool":0,"total":1212},"model":"gemini-3.8-flash"}`

	geminiCalledSent = `{"id":"$id","timestamp":"$at","type":"gemini","content":[{"functionCall":{"id":"$tool","name":"read_file","args":{"file_path":"README.md"}}}],"thoughts":[],"tokens":{"input":1200,"output":12,"cached":0,"thoughts":0,"tool":0,"total":1212},"model":"gemini-3.8-flash","toolCalls":[$call]}`

	geminiError = `{"id":"$id","timestamp":"$at","type":"error","content":$text}` + "\n"

	geminiInfo = `{"id":"$id","timestamp":"$at","type":"info","content":$text}` + "\n"

	geminiReport = `{"error":{"message":$text,"stack":$stack},"context":[$list]}`
)

// What a headless run prints as stream-json.
const (
	geminiSaysInit   = `{"type":"init","timestamp":"$at","session_id":"$sid","model":"auto"}` + "\n" + `{"type":"message","timestamp":"$at","role":"user","content":$text}` + "\n"
	geminiSaysText   = `{"type":"message","timestamp":"$at","role":"assistant","content":"All done.","delta":true}` + "\n"
	geminiSaysDone   = `{"type":"result","timestamp":"$at","status":"success","stats":{"total_tokens":1212,"input_tokens":1200,"output_tokens":12,"cached":0,"input":1200,"duration_ms":762,"tool_calls":0,"models":{}}}` + "\n"
	geminiSaysFailed = `{"type":"result","timestamp":"$at","status":"error","error":{"type":"unknown","message":$text},"stats":{"total_tokens":0,"input_tokens":0,"output_tokens":0,"cached":0,"input":0,"duration_ms":762,"tool_calls":0,"models":{}}}` + "\n"
	geminiSaysNone   = `Error resuming session: Invalid session identifier "$sid".` + "\n  Searched for sessions in $dir.\n  Use --list-sessions to see available sessions, then use --resume {number}, --resume {uuid}, or --resume latest.\n"
)

// fails gives the class of a failure, its message, and the exit code of a run that ends with it.
func (g *Gemini) fails(a Answer, now time.Time) (class, text string, code int) {
	status := func(code int, message, word string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":%s}}`, code, quote(message), quote(word))
	}
	switch a.Kind {
	case UsedUp:
		if a.Reset.IsZero() || a.Window == detect.Daily {
			return "TerminalQuotaError", "You have exhausted your daily quota on this model.", 173
		}
		return "TerminalQuotaError", "You have used all of your requests for this model. Your quota will reset after " + goLike(a.Reset.Sub(now)) + ".", 173
	case RateLimited:
		if a.RetryAfter > longestPatience {
			return "TerminalQuotaError", "Resource has been exhausted (e.g. check quota).\nSuggested retry after " + strconv.Itoa(int(a.RetryAfter.Seconds())) + "s.", 173
		}
		return "RetryableQuotaError", "Resource has been exhausted (e.g. check quota).", 173
	case Overloaded:
		return "ApiError", status(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"), 247
	case Broken:
		return "ApiError", status(500, "An internal error has occurred.", "INTERNAL"), 244
	case Unauthorized:
		return "ApiError", status(401, "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.", "UNAUTHENTICATED"), 145
	case NoCredit:
		return "ApiError", status(403, "This API method requires billing to be enabled.", "PERMISSION_DENIED"), 147
	case TooLong:
		return "ApiError", status(400, "The input token count (1250034) exceeds the maximum number of tokens allowed (1048576).", "INVALID_ARGUMENT"), 144
	}
	return "TypeError", "terminated", 1
}

// longestPatience is the longest delay that it waits itself.
const longestPatience = 300 * time.Second

// goLike writes a span as the provider does.
func goLike(d time.Duration) string {
	s := d.Round(time.Second).String()
	return strings.TrimPrefix(s, "-")
}
