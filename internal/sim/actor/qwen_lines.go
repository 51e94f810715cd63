package actor

import (
	"strconv"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// The records of qwen-code 0.24.4.
const (
	qwenHead = `{"uuid":"$uuid","parentUuid":$parent,"sessionId":"$sid","timestamp":"$at",`

	qwenPlace = `"cwd":$cwd,"version":"0.24.4","gitBranch":"master",`

	qwenNoted = qwenHead + `"type":"system","provenance":"system",` + qwenPlace

	qwenUser = qwenHead + `"type":"user","provenance":"real_user",` + qwenPlace + `"message":{"role":"user","parts":[{"text":$text}]}}` + "\n"

	qwenSnapshot = qwenNoted + `"subtype":"attribution_snapshot","systemPayload":{"snapshot":{"type":"attribution-snapshot","version":1,"surface":"cli","fileStates":{},"promptCount":1,"promptCountAtLastCommit":0}}}` + "\n"

	// In a terminal alone.
	qwenFiles = qwenNoted + `"subtype":"file_history_snapshot","systemPayload":{"snapshots":[{"promptId":"$prompt","timestamp":"$at","trackedFileBackups":{}}]}}` + "\n"

	qwenTelemetry = qwenNoted + `"subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.$name","event.timestamp":"$at",`

	qwenResponse = qwenTelemetry + `"response_id":"chatcmpl-1","model":"demo-1","status_code":200,"duration_ms":2152,"input_token_count":1200,"output_token_count":12,"cached_content_token_count":0,"thoughts_token_count":0,"total_token_count":1212,"response_text":"All done.","prompt_id":"$prompt","auth_type":"openai","ttft_ms":2133}}}` + "\n"

	// The answer calls a tool, and says nothing.
	qwenResponseCalls = qwenTelemetry + `"response_id":"chatcmpl-1","model":"demo-1","status_code":200,"duration_ms":792,"input_token_count":1200,"output_token_count":12,"cached_content_token_count":0,"thoughts_token_count":0,"total_token_count":1212,"prompt_id":"$prompt","auth_type":"openai","ttft_ms":790}}}` + "\n"

	// The stream was cut.
	qwenResponseCut = qwenTelemetry + `"response_id":"chatcmpl-1","model":"demo-1","status_code":200,"duration_ms":312,"input_token_count":0,"output_token_count":0,"cached_content_token_count":0,"thoughts_token_count":0,"total_token_count":0,"response_text":"Starting to ans","prompt_id":"$prompt","auth_type":"openai","ttft_ms":10}}}` + "\n"

	qwenError = qwenTelemetry + `"response_id":"","model":"demo-1","duration_ms":262,"prompt_id":"$prompt","auth_type":"openai","error_message":$text,"error_type":"$class"$status$sub}}}` + "\n"

	// What a failed try of a sub-agent has beside that, in the file of the session that it works for.
	qwenSub = `,"subagent_name":"general-purpose","subagent_id":"general-purpose-$call","subagent_type":"general-purpose","subagent_task_name":"look"`

	qwenAssistant = qwenHead + `"type":"assistant","provenance":"assistant_output",` + qwenPlace + `"model":"demo-1","message":{"role":"model","parts":[$parts]}`

	qwenUsage = `,"usageMetadata":{"promptTokenCount":1200,"candidatesTokenCount":12,"thoughtsTokenCount":0,"totalTokenCount":1212,"cachedContentTokenCount":0},"contextWindowSize":100000}` + "\n"

	// The answer was stopped before its end.
	qwenNoUsage = `,"contextWindowSize":100000}` + "\n"

	qwenCall = `{"functionCall":{"id":"$call","name":"run_shell_command","args":{"command":"echo hi","description":"Greet","is_background":false}}}`

	qwenToolCall = qwenTelemetry + `"call_id":"$call","function_name":"run_shell_command","function_args":{"command":"echo hi","description":"Greet","is_background":false},"duration_ms":640,"status":"$how","execution_status":"$ran","success":$well,"decision":"$decision","prompt_id":"$prompt","response_id":"chatcmpl-1","tool_type":"native","content_length":134}}}` + "\n"

	qwenToolResult = qwenHead + `"type":"tool_result","provenance":"tool_result",` + qwenPlace + `"message":{"role":"user","parts":[{"functionResponse":{"id":"$call","name":"run_shell_command","response":{$response}}}]},"toolCallResult":{"callId":"$call","status":"$how",$display"executionStatus":"$ran"}}` + "\n"

	qwenDisplay = `"resultDisplay":{"type":"shell_result","version":1,"directory":$cwd,"exitCode":0,"signal":null,"pid":null,"outcome":"completed","outputFiles":[],"output":"hi","text":"hi","error":null,"notices":[],"truncated":false},`

	qwenTitle = qwenNoted + `"subtype":"custom_title","systemPayload":{"customTitle":"new-name","titleSource":"manual"}}` + "\n"

	qwenCommand = qwenNoted + `"subtype":"slash_command","systemPayload":{"phase":"invocation","rawCommand":"/rename new-name","sentToModel":false,"hiddenInvocation":false}}` + "\n"

	qwenCommanded = qwenNoted + `"subtype":"slash_command","systemPayload":{"phase":"result","rawCommand":"/rename new-name","outputHistoryItems":[{"type":"info","text":"Session renamed to \"new-name\""}]}}` + "\n"

	// The line in usage_record.jsonl.
	qwenRecord = `{"version":1,"sessionId":"$sid","timestamp":$ms,"startTime":$began,"project":$cwd,"durationMs":15311,"totalLatencyMs":2152,"models":{"demo-1":{"requests":1,"inputTokens":1200,"outputTokens":12,"cachedTokens":0,"thoughtsTokens":0,"totalTokens":1212,"totalLatencyMs":2152}},"tools":{"totalCalls":0,"totalSuccess":0,"totalFail":0,"byName":{}},"files":{"linesAdded":0,"linesRemoved":0},"skills":{"totalCalls":0,"totalSuccess":0,"totalFail":0,"byName":{}}}` + "\n"

	// The two files of an open terminal: in the registry, and beside its session.
	qwenEntry = `{"schemaVersion":1,"pid":$pid,"procStart":"$boot:$start","pidNs":4026533018,"sessionId":"$sid","cwd":$cwd,"name":"demo-3a","startedAt":$began,"qwenVersion":"0.24.4","kind":"tui","ipcPath":"/tmp/qwen-socks-ca58ca25fa79a226/$pid.sock","ipcToken":"none"}`

	qwenRuntime = `{"schema_version":1,"pid":$pid,"session_id":"$sid","work_dir":$cwd,"hostname":"vm","started_at":$s.5,"qwen_version":"0.24.4"}`
)

// What a headless run prints as stream-json, with stderr among it.
const (
	qwenSaysHead = `"uuid":"$uuid","session_id":"$sid",`

	qwenSaysInit = `{"type":"system","subtype":"init","uuid":"$sid","session_id":"$sid","cwd":$cwd,"tools":["read_file"],"mcp_servers":[],"model":"demo-1","permission_mode":"$mode","slash_commands":["auth"],"qwen_code_version":"0.24.4","agents":["general-purpose"]}` + "\n"

	qwenSaysGoal = `{"type":"stream_event",` + qwenSaysHead + `"parent_tool_use_id":null,"event":{"type":"goal_state","goal_state":{"v":2,"goal":null,"activity":"idle"}}}` + "\n"

	qwenSaysText = `{"type":"assistant",` + qwenSaysHead + `"parent_tool_use_id":null,"message":{"id":"$uuid","type":"message","role":"assistant","model":"demo-1","content":[{"type":"text","text":$text}],"stop_reason":null,"usage":{"input_tokens":$in,"output_tokens":$out$more}}}` + "\n"

	qwenSaysCall = `{"type":"assistant",` + qwenSaysHead + `"parent_tool_use_id":null,"message":{"id":"$uuid","type":"message","role":"assistant","model":"demo-1","content":[{"type":"tool_use","id":"$call","name":"run_shell_command","input":{"command":"echo hi","description":"Greet","is_background":false}}],"stop_reason":"tool_use","usage":{"input_tokens":1200,"output_tokens":12,"cache_read_input_tokens":0,"total_tokens":1212}}}` + "\n"

	qwenSaysResult = `{"type":"user",` + qwenSaysHead + `"parent_tool_use_id":null,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"$call","is_error":false,"content":"hi"}]}}` + "\n"

	qwenSaysRetry = `{"type":"system","subtype":"retry",` + qwenSaysHead + `"parent_tool_use_id":null,"data":{"reason":"retry",$round"discardedToolCalls":0,"preserveText":false}}` + "\n" +
		"Retrying provider attempt (0 buffered tool call(s) discarded).\n"

	qwenSaysDone = `{"type":"result","subtype":"success",` + qwenSaysHead + `"is_error":false,"duration_ms":6389,"duration_api_ms":5029,"num_turns":1,"result":"All done.","usage":{"input_tokens":1200,"output_tokens":12,"cache_read_input_tokens":0,"total_tokens":1212},"permission_denials":[]}` + "\n"

	qwenSaysFailed = `{"type":"result","subtype":"error_during_execution",` + qwenSaysHead + `"is_error":true,"duration_ms":76797,"duration_api_ms":0,"num_turns":1,"usage":{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0},"permission_denials":[],"error":{"message":$text}}` + "\n"

	qwenSaysNone = "No saved session found with ID $sid. Run `qwen --resume` without an ID to choose from existing sessions.\n"

	qwenSaysTaken = "Error: Session Id $sid already exists (active or archived). Delete or unarchive it first.\n"

	qwenSaysStopped = "Operation cancelled.\n"
)

// fails gives the message of a failed try as its record has it, the class of the error, and the status; 0: there is none.
func (q *Qwen) fails(a Answer) (text, class string, status int) {
	const clock = "2006-01-02 15:04:05"
	switch a.Kind {
	case UsedUp:
		window, name := "hour", "5-hour"
		if a.Window == detect.Weekly {
			window, name = "week", "weekly"
		}
		switch {
		case a.Reset.IsZero():
			text = "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day"
		case q.CodingPlan:
			text = window + " allocated quota exceeded: the " + name + " usage limit of your coding plan is used up. It will reset at " + a.Reset.In(q.w.zone()).Format(clock) + "."
		default:
			span := map[string]string{"hour": "5 hour", "week": "weekly"}[window]
			text = "Usage limit reached for " + span + ". Your limit will reset at " + a.Reset.In(time.FixedZone("", 8*3600)).Format(clock)
		}
		return "429 " + text, "RateLimitError", 429
	case RateLimited:
		again := "20s"
		if a.RetryAfter > 0 {
			again = strconv.Itoa(int(a.RetryAfter.Seconds())) + "s"
		}
		return "429 Rate limit reached for demo-1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in " + again + ".", "RateLimitError", 429
	case Overloaded:
		return "503 <html><h1>503 Service Unavailable</h1></html>", "InternalServerError", 503
	case Broken:
		return "500 The server had an error while processing your request. Sorry about that!", "InternalServerError", 500
	case Unauthorized:
		return "401 Incorrect API key provided: sk-demo.", "AuthenticationError", 401
	case NoCredit:
		return `403 The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, please disable the "use free tier only" mode in the management console.`, "PermissionDeniedError", 403
	case TooLong:
		return "400 This model's maximum context length is 100000 tokens. However, your messages resulted in 120000 tokens. Please reduce the length of the messages.", "BadRequestError", 400
	}
	return "Connection error. (cause: connect ECONNREFUSED 127.0.0.1:28080)", "APIConnectionError", 0
}

// final tells whether it asks no more after a failure: a plan that says "quota" and when it is renewed, and what
// a person must see to.
func (q *Qwen) final(a Answer) bool {
	switch a.Kind {
	case UsedUp:
		return q.CodingPlan && !a.Reset.IsZero()
	case Unauthorized, NoCredit, TooLong:
		return true
	}
	return false
}

// shown is a failure as it is printed and drawn.
func (q *Qwen) shown(a Answer) string {
	text, _, status := q.fails(a)
	switch {
	case a.Kind == Cut:
		return "[API Error: Model stream ended without a finish reason.]"
	case q.final(a) && status == 429:
		return "Quota exhausted: " + text[len("429 "):] + "\n\nPlease retry after the reset time, or switch to another API key / auth method. (cause: insufficient_quota: " + text + ")"
	case status == 429:
		return "[API Error: " + text + "]\nPossible quota limitations in place or slow response times detected. Please wait and try again later."
	}
	return "[API Error: " + text + "]"
}
