package actor

import (
	"strconv"
	"strings"
	"time"
)

// The records of pi 1.5.2. What a record says of a message is also printed.
const (
	piSession = `{"type":"session","version":3,"id":"$sid","timestamp":"$at","cwd":$cwd$from}` + "\n"

	piHead = `{"type":"$type","id":"$id","parentId":$parent,"timestamp":"$at",`

	piModel   = `"provider":"$provider","modelId":"$model"}` + "\n"
	piLevel   = `"thinkingLevel":"off"}` + "\n"
	piMessage = `"message":$message}` + "\n"
	piEdit    = `"targetId":"$target","replacement":null}`
	piNamed   = `"name":"new-name"}` + "\n"

	piCompaction = `"summary":"No prior history.","firstKeptEntryId":"$kept","tokensBefore":97000,"details":{"readFiles":[],"modifiedFiles":[]},"usage":` + piUsage + `,"fromHook":false,"systemMessage":$system}` + "\n"

	piSystem = `{"role":"system","content":"","sections":{"preamble":"You are a coding assistant running inside pi, a coding agent harness.","tools":"<tools>\n</tools>","rules":"<rules>\n</rules>","docs":"<docs>\n</docs>","cwd":"<cwd>\n</cwd>"},"timestamp":$ms,"toolsAdded":[{"name":"read","description":"Read file contents"},{"name":"bash","description":"Execute a bash command"},{"name":"edit","description":"Edit a file"},{"name":"write","description":"Write a file"}]}`

	piUser = `{"role":"user","content":[{"type":"text","text":$text}],"timestamp":$ms}`

	piUsage = `{"input":1200,"output":12,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":1212,"cost":{"input":0.0012,"output":2.4e-05,"cacheRead":0,"cacheWrite":0,"total":0.001224,"totalFromProvider":false}}`

	piNoUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

	piAssistant = `{"role":"assistant","content":[$content],"api":"$api","provider":"$provider","model":"$model","usage":$usage,"stopReason":"$stop","timestamp":$since`

	piAnswer = piAssistant + `,"responseId":"chatcmpl-1","rawStopReason":"$raw","durationMs":$took,"thinkingLevel":"off"}`

	// Of a request that failed before anything was answered, and of an answer that did not come to its end.
	piError = piAssistant + `,"errorMessage":$text,"durationMs":$took,"thinkingLevel":"off"}`
	piCut   = piAssistant + `,"responseId":"chatcmpl-1","errorMessage":$text,"durationMs":$took,"thinkingLevel":"off"}`

	// Of an answer that has just begun; printed only.
	piPending = `{"role":"assistant","content":[],"api":"$api","provider":"$provider","model":"$model","usage":` + piNoUsage + `,"stopReason":"pending","timestamp":$since}`

	piText  = `{"type":"text","text":$said}`
	piCalls = `{"type":"text","text":"Waiting."},{"type":"toolCall","id":"$call","name":"bash","arguments":{"command":"make"}}`

	piResult = `{"role":"toolResult","toolCallId":"$call","toolName":"bash","content":[{"type":"text","text":$said}],$details"isError":$failed,"durationMs":$took,"timestamp":$ms}`
)

// What a run with --mode json prints.
const (
	piSays       = `{"type":"$type"}` + "\n"
	piSaysStart  = `{"type":"message_start","message":$message}` + "\n"
	piSaysUpdate = `{"type":"message_update","usage":` + piNoUsage + `,"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":$said}}` + "\n"
	piSaysEnd    = `{"type":"message_end","message":$message}` + "\n"
	piSaysTurn   = `{"type":"turn_end","message":$message,"toolResults":[]}` + "\n"
	piSaysAgent  = `{"type":"agent_end","messages":[$message],"willRetry":$again}` + "\n"
	piSaysRetry  = `{"type":"auto_retry_start","attempt":$n,"maxAttempts":3,"delayMs":$wait,"errorMessage":$text}` + "\n"
	piSaysEntry  = `{"type":"entry_appended","entry":$entry}` + "\n"
	piSaysGaveUp = `{"type":"auto_retry_end","success":false,"attempt":3,"finalError":$text}` + "\n"
	piSaysTool   = `{"type":"tool_execution_start","toolCallId":"$call","toolName":"bash","args":{"command":"make"}}` + "\n"
	piSaysOver   = `{"type":"agent_settled","aborted":false}` + "\n"

	piSaysNone      = "No session found matching '$sid'\n"
	piSaysElsewhere = "Session found in different project: $dir\nFork this session into current directory? [y/N] "
)

// piModels are each provider's API and model.
var piModels = map[string][2]string{
	"fake":         {"openai-completions", "demo-1"},
	"anthropic":    {"anthropic-messages", "claude-sonnet-4-5"},
	"openai-codex": {"openai-codex-responses", "gpt-5.4"},
	"openai":       {"openai-responses", "gpt-5.4"},
	"openrouter":   {"openai-completions", "openai/gpt-4o"},
}

// fails gives the text of an error, and whether the agent asks again after it: that goes by the text alone.
func (a *Pi) fails(x Answer, now time.Time) (text string, again bool) {
	switch x.Kind {
	case UsedUp:
		return a.usedUp(x, now)
	case RateLimited:
		if x.RetryAfter == 0 {
			return `429: {"code":"1302","message":"High concurrency usage of this API, please reduce concurrency or contact customer service to increase limits"}`, true
		}
		return `429: {"message":"Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in ` +
			strconv.Itoa(int(x.RetryAfter.Seconds())) + `s.","type":"requests","param":null,"code":"rate_limit_exceeded"}`, true
	case Overloaded:
		return `529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011"}`, true
	case Broken:
		return `500: {"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}`, true
	case Unauthorized:
		return `401: {"message":"Incorrect API key provided: dummy.","type":"invalid_request_error","code":"invalid_api_key"}`, false
	case NoCredit:
		return `402: {"message":"This request requires more credits, or fewer max_tokens. You requested up to 8000 tokens, but can only afford 120.","code":402}`, false
	case TooLong:
		return `400: {"message":"This model's maximum context length is 100000 tokens. However, your messages resulted in 120000 tokens. Please reduce the length of the messages.","type":"invalid_request_error","code":"context_length_exceeded"}`, false
	case Cut:
		return "Stream ended without finish_reason", true
	case Silent:
		return "terminated: Body Timeout Error (UND_ERR_BODY_TIMEOUT)", true
	default:
		return "Connection error.: connect ECONNREFUSED 127.0.0.1:28080", true
	}
}

// usedUp is what each provider says of a plan that is used up. No header reaches the disk.
func (a *Pi) usedUp(x Answer, now time.Time) (text string, again bool) {
	left := x.Reset.Sub(now)
	switch {
	case a.Provider == "openai-codex":
		if x.Reset.IsZero() { // it tells always
			left = 5 * time.Hour
		}
		return "You have hit your ChatGPT usage limit (plus plan). Try again in ~" + strconv.Itoa(int((left+30*time.Second)/time.Minute)) + " min.", false
	case a.Provider == "openai":
		return `OpenAI API error (429): {"code":"subscription_sharing_usage_limit_exceeded","type":"rate_limit_error","message":"The usage limit of your ChatGPT subscription has been reached."}` +
			"\nCheck your ChatGPT usage: https://chatgpt.com/settings/usage", false
	case a.Provider == "openrouter" && !x.Reset.IsZero():
		return `429: {"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"50","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"` +
			strconv.FormatInt(x.Reset.UnixMilli(), 10) + `"},"provider_name":null}}`, true
	case !x.Reset.IsZero():
		at := x.Reset.UTC().Add(time.Hour - 1).Truncate(time.Hour)
		return `429 {"type":"error","error":{"type":"rate_limit_error","message":"You've hit your weekly limit. Your limit resets ` + at.Format("Jan 2 at 3pm (UTC)") + `."},"request_id":"req_011"}`, true
	}
	return `429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit. Please try again later."},"request_id":"req_011"}`, true
}

// piFolder is that of the sessions of a project.
func piFolder(dir string) string {
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(dir, "/")) + "--"
}
