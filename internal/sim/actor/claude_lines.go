package actor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// The lines of Claude Code 2.1.329 with all their keys, in its order; values that say nothing are short.

const (
	claudeCommon = `"userType":"external","entrypoint":"$entry","cwd":$cwd,"sessionId":"$sid","version":"2.1.329","gitBranch":"main"}` + "\n"

	claudeUser = `{"parentUuid":$parent,"isSidechain":false,"promptId":"$prompt","type":"user","message":{"role":"user","content":$text},"uuid":"$uuid","timestamp":"$at","permissionMode":"$mode","promptSource":"sdk","turnOrigin":"sdk","turnPosition":{"promptIndex":0,"turnIndex":1},`

	claudeTyped = `{"parentUuid":$parent,"isSidechain":false,"promptId":"$prompt","type":"user","message":{"role":"user","content":$text},"uuid":"$uuid","timestamp":"$at","permissionMode":"$mode","origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human","turnPosition":{"promptIndex":1,"turnIndex":1},`

	claudeGoOn = `{"parentUuid":$parent,"isSidechain":false,"promptId":"$prompt","type":"user","message":{"role":"user","content":[{"type":"text","text":"Continue from where you left off."}]},"isMeta":true,"uuid":"$uuid","timestamp":"$at","permissionMode":"$mode","promptSource":"system","turnOrigin":"system","turnPosition":{"promptIndex":0,"turnIndex":2},"carriesOnTurnOf":"$carries",`

	claudeAuto = `{"parentUuid":$parent,"isSidechain":false,"promptId":"$prompt","type":"user","message":{"role":"user","content":"Your claude.ai usage limit has reset. Continue the task you were working on when the limit was reached; do not repeat work that is already complete."},"isMeta":true,"uuid":"$uuid","timestamp":"$at","permissionMode":"$mode","origin":{"kind":"auto-continuation"},"promptSource":"system","queueSkipSlashCommands":true,"turnOrigin":"auto_continuation","turnPosition":{"promptIndex":1,"turnIndex":2},"queuePriority":"later",`

	claudeInterrupt = `{"parentUuid":$parent,"isSidechain":false,"promptId":"$prompt","type":"user","message":{"role":"user","content":[{"type":"text","text":"$text"}]},"uuid":"$uuid","timestamp":"$at",$by`

	claudeResult = `{"parentUuid":$parent,"isSidechain":false,"promptId":"$prompt","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_$msg","type":"tool_result","content":"hi","is_error":false}]},"uuid":"$uuid","timestamp":"$at","toolUseResult":{"stdout":"hi","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false},"sandboxed":false,"sourceToolAssistantUUID":$parent,"permissionDecision":{"decision":"accept","source":"config","reasonType":"subcommandResults"},`

	claudeUsage = `"usage":{"input_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":12,"output_tokens_details":{"thinking_tokens":0},"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null},"stop_details":null}`

	claudeMade = `"requestId":"req_$msg","requestRef":"$prompt","requestedModel":"claude-opus-5-5","promptCacheRequested":"5m","type":"assistant","uuid":"$uuid","timestamp":"$at",$aborted"effort":"medium","perTurnEffort":"medium","madeBy":"model",`

	claudeAnswer = `{"parentUuid":$parent,"isSidechain":false,"message":{"id":"msg_$msg","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"All done."}],"stop_reason":"end_turn","stop_sequence":null,` + claudeUsage + `,"apiBlockIndex":0,` + claudeMade

	claudeTool = `{"parentUuid":$parent,"isSidechain":false,"message":{"id":"msg_$msg","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"tool_use","id":"toolu_$msg","name":"Bash","input":{"command":"echo hi","description":"say hi"}}],"stop_reason":"tool_use","stop_sequence":null,` + claudeUsage + `,"toolInputStreamMs":5,"apiBlockIndex":0,` + claudeMade

	claudePartial = `{"parentUuid":$parent,"isSidechain":false,"message":{"id":"msg_$msg","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"one two "}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1,"service_tier":"standard"}},"apiBlockIndex":0,` + claudeMade

	claudeFailure = `{"parentUuid":$parent,"isSidechain":false,"type":"assistant","uuid":"$uuid","timestamp":"$at","message":` + claudeSynthetic + `,$fields,`

	claudeSynthetic = `{"diagnostics":null,"id":"$msg","container":null,"model":"<synthetic>","role":"assistant","stop_details":null,"stop_reason":"stop_sequence","stop_sequence":"","type":"message","usage":{"output_tokens_details":null,"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":null,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":null,"iterations":null,"speed":null,"fallback_credit":null},"content":[{"type":"text","text":$text}],"context_management":null}`

	claudeRetry = `{"parentUuid":$parent,"isSidechain":false,"type":"system","subtype":"api_error","level":"error","error":$error,"retryInMs":$ms,"retryAttempt":$n,"maxRetries":$most,"source":"request_retry","timestamp":"$at","uuid":"$uuid",`

	claudeNotice = `{"parentUuid":$parent,"isSidechain":false,"type":"system","subtype":"informational","content":$text,"isMeta":false,"timestamp":"$at","uuid":"$uuid","level":"notice",`

	claudeDuration = `{"parentUuid":$parent,"isSidechain":false,"type":"system","subtype":"turn_duration","durationMs":446,"messageCount":17,"timestamp":"$at","uuid":"$uuid","isMeta":false,`

	claudeLocal = `{"parentUuid":$parent,"isSidechain":false,"type":"system","subtype":"local_command","content":$text,"level":"info","timestamp":"$at","uuid":"$uuid","isMeta":false,`

	claudeLocalRun = `{"parentUuid":$parent,"isSidechain":false,"type":"system","subtype":"local_command","content":$text,"level":"info","timestamp":"$at","uuid":"$uuid","isMeta":false,"commandRun":{"command":"rename","args":"new-name"},`

	claudeReminder = `{"parentUuid":$parent,"isSidechain":false,"promptId":"$prompt","type":"user","message":{"role":"user","content":$text},"isMeta":true,"uuid":"$uuid","timestamp":"$at",`

	claudeCommand = `{"parentUuid":$parent,"isSidechain":false,"promptId":"$prompt","type":"user","message":{"role":"user","content":$text},"uuid":"$uuid","timestamp":"$at",`

	claudeQueue = `{"type":"queue-operation","operation":"enqueue","timestamp":"$at","sessionId":"$sid","content":$text}` + "\n" +
		`{"type":"queue-operation","operation":"dequeue","timestamp":"$at","sessionId":"$sid"}` + "\n"

	claudeMode = `{"type":"mode","mode":"normal","sessionId":"$sid"}` + "\n"

	claudePermission = `{"type":"permission-mode","permissionMode":"$mode","sessionId":"$sid"}` + "\n"

	claudeLast = `{"type":"last-prompt","lastPrompt":"say done","leafUuid":"$uuid","sessionId":"$sid"}` + "\n"

	claudeCost = `{"type":"cost-state","sessionId":"$sid","totalCostUSD":0,"totalAPIDuration":0,"totalAPIDurationWithoutRetries":0,"totalToolDuration":0,"totalLinesAdded":0,"totalLinesRemoved":0,"totalDuration":3171,"startTime":$ms,"modelUsage":{},"hasUnknownModelCost":false}` + "\n"

	claudeRequest = `{"type":"api-request","sessionId":"$sid","id":"$uuid","timestamp":"$at","version":"2.1.329","querySource":"$source","shapeHash":"` + claudeHash + `","params":{"model":"claude-opus-5-5","betas":["effort-2025-11-24"],"max_tokens":128000,"thinking":{"type":"adaptive","display":"updates"},"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},"output_config":{"effort":"medium"}},"keep":0,"tail":[],"cacheControl":[],"requestDigest":"` + claudeHash + `"}` + "\n"

	claudeHash = `8d72480a9ca76619e49eb0116e504360fde75df4a5551c5d5bba044bd8a812de`

	claudeNamed = `{"type":"custom-title","customTitle":$text,"sessionId":"$sid"}` + "\n" + `{"type":"agent-name","agentName":$text,"sessionId":"$sid"}` + "\n"
)

// claudeOffer are the lines that say which tools a request had: in the conversation's tree the first one.
var claudeOffer = `{"parentUuid":$parent,"isSidechain":false,"attachment":{"type":"deferred_tools_delta","addedNames":["CronCreate","CronDelete","CronList","EnterWorktree","ExitWorktree","Monitor","NotebookEdit","SendMessage","TaskStop","WebFetch","WebSearch"],"addedLines":[],"removedNames":[],"wireHiddenNames":[],"readdedNames":[],"pendingMcpServers":[],"needsAuthMcpServers":[],"failedMcpServers":[]},"type":"attachment","uuid":"$uuid","timestamp":"$at","rendered":[{"content":"<system-reminder>"}],"renderedRole":"system",` + claudeCommon

var claudeShape = `{"type":"api-request-shape","sessionId":"$sid","shapeHash":"` + claudeHash + `","timestamp":"$at","version":"2.1.329","shape":{"system":[{"type":"text","text":"You are a Claude agent."}],"tools":[` +
	claudeTools("Agent Bash Edit ListAgents Read ReportFindings ScheduleWakeup Skill ToolSearch Workflow DeferredToolPlaceholder Write") + `]}}` + "\n"

func claudeTools(names string) string {
	var all []string
	for _, n := range strings.Fields(names) {
		deferred := ""
		if n == "DeferredToolPlaceholder" {
			deferred = `,"defer_loading":true`
		}
		all = append(all, `{"name":"`+n+`","description":"","input_schema":{}`+deferred+`}`)
	}
	return strings.Join(all, ",")
}

// claudeFails gives the text of a failure, and the fields of its record.
func (c *Claude) fails(a Answer, now time.Time) (text, fields string) {
	const key = `"perTurnEffort":"medium","failedResponseHadNoToolCall":true,`
	said := func(word string, status int, kind, more string) string {
		return `"requestId":"req_$msg",` + more + `"error":"` + word + `","isApiErrorMessage":true,"apiErrorStatus":` + strconv.Itoa(status) + `,"apiErrorType":"` + kind + `",` + key + `"madeBy":"model"`
	}
	switch a.Kind {
	case UsedUp:
		return c.usedUp(a, now, key)
	case Overloaded:
		return "API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary. Try again in a moment.",
			said("server_error", 529, "overloaded_error", "")
	case Broken:
		return "API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment.",
			said("server_error", 500, "api_error", "")
	case Unauthorized:
		return "Invalid API key · Fix external API key", said("authentication_failed", 401, "authentication_error", "")
	case NoCredit:
		return "Credit balance is too low", `"requestId":"req_$msg","error":"billing_error","isApiErrorMessage":true,"apiErrorStatus":400,"apiErrorType":"invalid_request_error",` + key + `"resendCannotCure":true,"madeBy":"model"`
	case TooLong:
		return "Prompt is too long · the request is ~215000 tokens (limit 200000)", `"requestId":"req_$msg","error":"invalid_request","errorDetails":` +
			quote(`400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 215000 tokens > 200000 maximum"}}`) +
			`,"isApiErrorMessage":true,"apiErrorStatus":400,"apiErrorType":"invalid_request_error","failedResponseHadNoToolCall":true,"madeBy":"other"`
	case Cut: // of the second request, which does not stream
		return "API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.",
			`"apiError":"connection_failed","error":"server_error","isApiErrorMessage":true,` + key + `"madeBy":"model"`
	case Unreachable:
		return "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
			`"apiError":"connection_failed","error":"server_error","isApiErrorMessage":true,` + key + `"madeBy":"model"`
	}
	return "API Error: Request rejected (429) · This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
		said("rate_limit", 429, "rate_limit_error", `"apiErrorIsTransient":false,`)
}

// limits names the windows of a plan: as the record does, and as the text does.
var limits = map[detect.Window][2]string{
	"":              {"five_hour", "5-hour limit"},
	detect.FiveHour: {"five_hour", "5-hour limit"},
	detect.Weekly:   {"seven_day", "weekly limit"},
	detect.Model:    {"seven_day_opus", "Opus limit"},
}

// usedUp is a plan's limit. One without a time of reset is that of 2.1.197: no later version was seen to
// write one. A monthly limit is one that the owner of a key has set.
func (c *Claude) usedUp(a Answer, now time.Time, key string) (text, fields string) {
	switch {
	case a.Window == detect.Monthly:
		return "API Error: 400 You have reached your specified API usage limits. You will regain access on " + a.Reset.UTC().Format("2006-01-02 at 15:04") + " UTC.",
			`"requestId":"req_$msg","error":"unknown","isApiErrorMessage":true,"apiErrorStatus":400,"apiErrorType":"invalid_request_error",` + key + `"madeBy":"model"`
	case a.Reset.IsZero():
		return "You've hit your session limit", ""
	}
	l := limits[a.Window]
	info := fmt.Sprintf(`"rateLimitType":"%s","overageStatus":"rejected","overageDisabledReason":"org_level_disabled","isUsingOverage":false}`, l[0])
	return "You've hit your " + l[1] + " · resets " + c.clock(a.Reset, now), fmt.Sprintf(`"requestId":"req_$msg","apiError":"usage_limit_reached","apiErrorParams":{"rate_limit_info":{"status":"rejected","resetsAt":%d,%s},`+
		`"quotaLimits":{"status":"rejected","resetsAt":%d,"unifiedRateLimitFallbackAvailable":false,%s,"error":"rate_limit","isApiErrorMessage":true,"apiErrorStatus":429,"apiErrorType":"rate_limit_error",%s"madeBy":"model"`,
		a.Reset.Unix(), info, a.Reset.Unix(), info, key)
}

// claudeNoReset is the failure of 2.1.197 without a time.
const claudeNoReset = `{"parentUuid":$parent,"isSidechain":false,"type":"assistant","uuid":"$uuid","timestamp":"$at","message":{"id":"$msg","container":null,"model":"<synthetic>","role":"assistant","stop_details":null,"stop_reason":"stop_sequence","stop_sequence":"","type":"message","usage":{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":null,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":null,"iterations":null,"speed":null},"content":[{"type":"text","text":$text}],"context_management":null},"requestId":"req_$msg","error":"rate_limit","isApiErrorMessage":true,"apiErrorStatus":429,"userType":"external","entrypoint":"$entry","cwd":$cwd,"sessionId":"$sid","version":"2.1.197","gitBranch":"main"}` + "\n"

// clock is a time of reset as the agent prints it: with a date when it is more than a day off.
func (c *Claude) clock(t, now time.Time) string {
	zone := c.w.zone()
	form, l := "3:04pm", t.In(zone)
	if l.Minute() == 0 {
		form = "3pm"
	}
	if t.Sub(now) > 24*time.Hour {
		form = "Jan 2, " + form
		if l.Year() != now.In(zone).Year() {
			form = "Jan 2, 2006, " + strings.TrimPrefix(form, "Jan 2, ")
		}
	}
	return l.Format(form) + " (" + zone.String() + ")"
}
