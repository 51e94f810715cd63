package actor

import (
	"fmt"
	"strconv"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// The lines of the Copilot CLI 1.0.102, as a run without hooks writes them; texts that say nothing are short.
const (
	copilotTail = `,"id":"$id","timestamp":"$at","parentId":$parent}` + "\n"
	copilotSub  = `,"agentId":"$sub"` + copilotTail

	copilotContext = `"context":{"cwd":$cwd,"gitRoot":$cwd,"branch":"main","headCommit":"4896ca7edd45e56366b6d4b22271046638495839"}`

	copilotStart = `{"type":"session.start","data":{"sessionId":"$sid","version":1,"producer":"copilot-agent","copilotVersion":"1.0.102","startTime":"$began","contextTier":null,` + copilotContext + `,"alreadyInUse":false,"remoteSteerable":false}`

	copilotResume = `{"type":"session.resume","data":{"resumeTime":"$at","eventCount":17,"eventsFileSizeBytes":29375,"selectedModel":"claude-sonnet-4.6","reasoningEffort":"medium","contextTier":null,"sessionLimits":null,` + copilotContext + `,"alreadyInUse":$shared,"remoteSteerable":false,"sessionWasActive":false}`

	copilotModel = `{"type":"session.model_change","data":{"source":"startup","contextTier":null,"newModel":"claude-sonnet-4.6","reasoningEffort":null}`

	copilotModelSet = `{"type":"session.model_change","data":{"source":"sdk","previousModel":"claude-sonnet-4.6","newModel":"claude-sonnet-4.6","reasoningEffort":"medium"}`

	copilotModelTTY = `{"type":"session.model_change","data":{"cause":"initial_resolution","source":"automatic","contextTier":null,"newModel":"claude-sonnet-4.6","reasoningEffort":"medium"}`

	copilotMode = `{"type":"session.mode_changed","data":{"previousMode":"interactive","newMode":"autopilot"}`

	copilotNotice = `{"type":"session.mode_notice_delivered","data":{"mode":"autopilot"}`

	// What goes into a prompt of whom.
	copilotPrompt    = `{"type":"user.message","data":{"content":$text,"transformedContent":$sent,$how"interactionId":"$inter","turnId":"0","parentAgentTaskId":"$task"}`
	copilotTyped     = `"messageId":"$msg","supportedNativeDocumentMimeTypes":[],"delivery":"idle",`
	copilotPiloted   = `"messageId":"$msg","supportedNativeDocumentMimeTypes":[],"agentMode":"autopilot","delivery":"idle",`
	copilotContinues = `"source":"autopilot","messageId":"$msg","supportedNativeDocumentMimeTypes":[],"agentMode":"autopilot","isAutopilotContinuation":true,"delivery":"idle",`
	copilotSubTyped  = `"source":"agent-$sid",` + copilotTyped

	copilotSystem = `{"type":"system.message","data":{"role":"system","content":$text,"metadata":{"variables":{"gitCommitTrailer":{"sessionId":null,"clientName":"github/cli","coauthorEnabled":true}}},"interactionId":"$inter"}`

	copilotTurn = `{"type":"assistant.turn_start","data":{"turnId":"$turn","interactionId":"$inter"}`
	copilotOver = `{"type":"assistant.turn_end","data":{"turnId":"$turn"}`

	copilotUsage = `{"type":"session.usage_record","data":{"usage":{"model":"claude-sonnet-4.6","provider":{"id":"copilot","kind":"copilot","label":"GitHub Copilot"},"modelDisplayName":"Claude Sonnet 4.6","inputTokens":1200,"outputTokens":12,"cacheReadTokens":0,"cacheWriteTokens":0,"cost":1.0,"duration":3,"timeToFirstTokenMs":2.05,"outputTtftMs":2.07,"interTokenLatencyMs":0.04,"initiator":"user","interactionType":"conversation-agent","isByok":false,"isAuto":false,"maxPromptTokens":112000,"transport":"http","requestBodyBytes":50099,"requestBodyWireBytes":50099,"requestBodyEncoding":"identity","apiCallId":"chatcmpl-1","rte":false,"apiEndpoint":"/chat/completions","accounting":{},"aiCreditsStatus":"unavailable","reasoningEffort":"medium","availableToolCount":19,"toolTokenCount":7072,"customToolCallCount":0,"unmatchedToolResultCount":0,"orphanToolCallCount":0,"frontierSource":"estimated","cacheDetailsReported":false,"numToolCalls":0,"toolCounts":{},"finishReason":"stop","contentFilterTriggered":false}}`

	copilotAnswer = `{"type":"assistant.message","data":{"messageId":"$answer","originatingMessageId":"$msg","model":"claude-sonnet-4.6","providerId":"copilot","content":"All done.","toolRequests":[$calls],"interactionId":"$inter","turnId":"$turn","rte":false,"apiCallId":"chatcmpl-1"}`

	copilotBash      = `{"toolCallId":"$call","name":"bash","arguments":{"command":"echo hi"},"type":"function","intentionSummary":"say hi","toolTitle":"Running command"}`
	copilotBashRuns  = `{"type":"tool.execution_start","data":{"toolCallId":"$call","toolName":"bash","arguments":{"command":"echo hi"},"turnId":"$turn","model":"claude-sonnet-4.6","toolTitle":"Running command","shellToolInfo":{"possiblePaths":[],"hasWriteFileRedirection":false}}`
	copilotBashRan   = `{"type":"tool.execution_complete","data":{"toolCallId":"$call","model":"claude-sonnet-4.6","interactionId":"$inter","turnId":"$turn","rte":false,"shellExecution":{"exitCode":0},"success":true,"result":{"content":"hi\n"},"toolTelemetry":{}}`
	copilotFailedRan = `{"type":"tool.execution_complete","data":{"toolCallId":"$call","model":"claude-sonnet-4.6","interactionId":"$inter","turnId":"$turn","rte":false,"success":false,"error":{"message":$text,"code":"$code"},"toolTelemetry":{}}`
	copilotCutRan    = `{"type":"tool.execution_complete","data":{"toolCallId":"$call","model":"resumed","interactionId":"resume","success":false,"error":{"message":"Tool execution was interrupted before a result was recorded.","code":"interrupted"}}`
	copilotWarns     = `{"type":"session.warning","data":{"warningType":"interrupted_tools","message":"1 tool call(s) had no recorded result at resume."}`

	copilotComplete     = `{"toolCallId":"$call","name":"task_complete","arguments":{"summary":"all done"},"type":"function","intentionSummary":"all done","toolTitle":"Task complete"}`
	copilotCompleteRuns = `{"type":"tool.execution_start","data":{"toolCallId":"$call","toolName":"task_complete","arguments":{"summary":"all done"},"turnId":"$turn","model":"claude-sonnet-4.6","toolTitle":"Task complete"}`
	copilotCompleteRan  = `{"type":"tool.execution_complete","data":{"toolCallId":"$call","model":"claude-sonnet-4.6","interactionId":"$inter","turnId":"$turn","rte":false,"success":true,"result":{"content":"all done"},"toolTelemetry":{}}`
	copilotCompleted    = `{"type":"session.task_complete","data":{"summary":"all done","success":true}`

	copilotTask       = `{"toolCallId":"$call","name":"task","arguments":{"prompt":"look"},"type":"function","intentionSummary":"look"}`
	copilotTaskRuns   = `{"type":"tool.execution_start","data":{"toolCallId":"$call","toolName":"task","arguments":{"prompt":"look"},"turnId":"$turn","model":"claude-sonnet-4.6"}`
	copilotSubStarts  = `{"type":"subagent.started","data":{"toolCallId":"$call","agentName":"general-purpose","agentDisplayName":"sub","agentDescription":"look","model":"claude-sonnet-4.6","taskModelSource":"unset","modelSelectionSource":"session_inheritance","resumable":false,"agentType":"general-purpose","executionMode":"sync"}`
	copilotSubIs      = `{"type":"subagent.configured","data":{"model":"claude-sonnet-4.6","reasoningEffort":"medium","multiTurn":true}`
	copilotSubTurn    = `{"type":"assistant.turn_start","data":{"turnId":"0","interactionId":"$inter","parentToolCallId":"$call"}`
	copilotSubOver    = `{"type":"assistant.turn_end","data":{"turnId":"0","parentToolCallId":"$call"}`
	copilotSubFails   = `{"type":"subagent.failed","data":{"toolCallId":"$call","agentName":"general-purpose","agentDisplayName":"sub","error":"429 x","model":"claude-sonnet-4.6","firstDispatchedModel":"claude-sonnet-4.6","modelSelectionSource":"session_inheritance","totalToolCalls":0,"durationMs":353}`
	copilotSubLimited = `{"type":"session.error","data":{"errorType":"rate_limit","message":$text,"statusCode":429,"providerCallId":"DEAD:BEEF:1","errorCode":"user_global_rate_limited","eligibleForAutoSwitch":false,"originatingMessageId":"$msg"}`

	copilotAsks    = `{"type":"permission.requested","data":{"requestId":"$wants","permissionRequest":{},"promptRequest":{},"agentMode":"interactive","permissionMode":"manual","ownerSessionId":"$sid"}`
	copilotMay     = `{"type":"permission.completed","data":{"requestId":"$wants","toolCallId":"$call","result":{"kind":"$kind"},"decisionSource":"$source"}`
	copilotMayNone = `{"type":"permission.completed","data":{"requestId":"$wants","toolCallId":"$call","result":{"kind":"cancelled","reason":"Session aborted"}}`

	copilotError = `{"type":"session.error","data":{$fields"originatingMessageId":"$msg"}`
	copilotAbort = `{"type":"abort","data":{"reason":"$reason"}`

	copilotShutdown = `{"type":"session.shutdown","data":{"shutdownType":"routine","totalPremiumRequests":0,"totalNanoAiu":0,"totalApiDurationMs":0,"sessionStartTime":$ms,"eventsFileSizeBytes":25840,"codeChanges":{"linesAdded":0,"linesRemoved":0,"filesModified":[]},"modelMetrics":{},"currentTokens":12633,"systemTokens":5590,"conversationTokens":38,"toolDefinitionsTokens":7001}`
	copilotEnds     = `{"type":"session.shutdown","data":{"accountingSnapshot":{},"providerModelMetrics":{},"usageAccountingWatermarks":{},"shutdownType":"routine","totalPremiumRequests":1,"totalNanoAiu":0,"totalApiDurationMs":3,"sessionStartTime":$ms,"eventsFileSizeBytes":35347,"codeChanges":{"linesAdded":0,"linesRemoved":0,"filesModified":[]},"modelMetrics":{},"agentMetrics":{},"currentModel":"claude-sonnet-4.6","currentTokens":12681,"systemTokens":5589,"conversationTokens":87,"toolDefinitionsTokens":7001}`

	copilotRewound = `{"type":"session.usage_checkpoint","data":{"totalNanoAiu":0,"totalPremiumRequests":0,"modelCacheState":[],"promptCacheBreakState":[]}`

	copilotWorkspace = "id: $sid\ncwd: $dir\ngit_root: $dir\nbranch: main\nclient_name: github/cli\nname: demo\nuser_named: false\nsummary_count: 0\nfork_count: 0\ncreated_at: $at\nupdated_at: $at\n"
)

// What a headless run prints beside those of its lines that it prints, too.
const (
	copilotSaysRetry = `{"type":"assistant.turn_retry","data":{"turnId":"$turn","model":"claude-sonnet-4.6","reason":"api_error"},"ephemeral":true` + copilotTail +
		`{"type":"session.info","data":{"infoType":"model_retry","message":"Request failed due to a transient API error. Retrying..."},"ephemeral":true` + copilotTail
	copilotSaysIdle   = `{"type":"assistant.idle","data":{},"ephemeral":true` + copilotTail
	copilotSaysResult = `{"type":"result","timestamp":"$at","sessionId":"$sid","exitCode":$code,"usage":{"premiumRequests":1,"totalApiDurationMs":3,"sessionDurationMs":704,"codeChanges":{"linesAdded":0,"linesRemoved":0,"filesModified":[]}}}` + "\n"
	copilotSaysNone   = "Error: No session, task, or name matched '$sid'.\n\nTo resume by session or task ID:  copilot --resume=<id>\n"
	copilotSaysAway   = "Error: Failed to load models\n\nError: error sending request for url (http://127.0.0.1:8787/models)\n"
	copilotSaysEnded  = "Error executing prompt: Error: Cannot invoke native session after disposal has started\n"
)

// prompt text of the agent's own, by which the way of a session is known.
const (
	copilotAlone = "You are the GitHub Copilot CLI, a terminal assistant built by GitHub. You are running in non-interactive mode and have no way to communicate"
	copilotShown = "You are the GitHub Copilot CLI, a terminal assistant built by GitHub. You are an interactive CLI tool"
)

const copilotLearn = " Learn More (https://docs.github.com/copilot/concepts/rate-limits). (Request ID: DEAD:BEEF:1)"

// limited gives the code of a limit, its message with a gap for the time, and whether the agent asks about another model.
func limited(a Answer) (code, text string, asks bool) {
	switch {
	case a.Kind == RateLimited:
		return "rate_limited", "You've hit your rate limit. Please wait for your limit to reset%s or switch to auto model to continue.", true
	case a.Window == detect.Model:
		return "user_model_rate_limited", "You've hit the rate limit for this model. Please switch models or wait for your limit to reset%s.", true
	case a.Window == "" || a.Window == detect.FiveHour:
		return "user_global_rate_limited", "You've hit your session rate limit. Please wait for your limit to reset%s or switch to auto model to continue.", false
	}
	return "user_weekly_rate_limited", "You've reached your weekly rate limit. Please wait for your limit to reset%s or switch to auto model to continue.", true
}

// retryAfter is how long a limit lasts, for all that the provider says.
func retryAfter(a Answer, now time.Time) time.Duration {
	if a.Kind == UsedUp && !a.Reset.IsZero() {
		return max(time.Second, a.Reset.Sub(now))
	}
	return a.RetryAfter
}

// fails gives the fields of a failure, and whether the agent asks about another model.
func (c *Copilot) fails(a Answer, now time.Time) (fields string, asks bool) {
	query := func(last string, status int) string {
		s := `"errorType":"query","message":` + quote(last) + `,`
		if status > 0 {
			s += `"statusCode":` + strconv.Itoa(status) + `,`
		}
		return s
	}
	const tried = "Execution failed: Failed to get response from the AI model; retried 5 times (total retry wait time: %s seconds) Last error: %s"
	switch a.Kind {
	case UsedUp, RateLimited:
		code, text, asks := limited(a)
		text = fmt.Sprintf(text, resetsIn(retryAfter(a, now), now)) + copilotLearn
		return `"errorType":"rate_limit","message":` + quote(text) + `,"statusCode":429,"providerCallId":"DEAD:BEEF:1","errorCode":"` + code +
			`","eligibleForAutoSwitch":` + strconv.FormatBool(asks) + `,`, asks
	case NoCredit:
		return `"errorType":"quota","message":"You have exceeded your premium request allowance. (Request ID: DEAD:BEEF:1)","statusCode":402,"providerCallId":"DEAD:BEEF:1","errorCode":"quota_exceeded",`, false
	case Unauthorized:
		return `"errorType":"authorization","message":"Authorization error. Your credentials may be expired or invalid. (Request ID: DEAD:BEEF:2)","statusCode":401,"providerCallId":"DEAD:BEEF:2","remediation":"sign_in",`, false
	case TooLong:
		return query(fmt.Sprintf(tried, "5.00", "400 prompt token count of 140000 exceeds the limit of 128000"), 400), false
	case Overloaded:
		return query(fmt.Sprintf(tried, "13.81", "503 Service Unavailable"), 503), false
	case Unreachable:
		return query(fmt.Sprintf(tried, "23.00", "Failed native model HTTP request: error sending request for url (http://127.0.0.1:8787/chat/completions): client error (Connect): tcp connect error: Connection refused (os error 111) [ECONNREFUSED]"), 0), false
	case Cut:
		return query(fmt.Sprintf(tried, "5.00", "Failed native model HTTP request: error decoding response body: unexpected EOF during chunk size line"), 0), false
	}
	return query(fmt.Sprintf(tried, "13.91", "500 Internal server error"), 500), false
}

// resetsIn is when a limit ends, as the agent has it: from a day on a date in UTC, else a span that is rounded up.
func resetsIn(d time.Duration, now time.Time) string {
	switch {
	case d <= 0:
		return ""
	case d >= 24*time.Hour:
		return now.Add(d).UTC().Format(" on January 2, 2006 at 3:04 PM")
	case d <= time.Minute:
		return " in under a minute"
	}
	minutes := int((d + time.Minute - 1) / time.Minute)
	text := " in"
	for _, part := range []struct {
		n    int
		unit string
	}{{minutes / 60, "hour"}, {minutes % 60, "minute"}} {
		if part.n > 0 {
			text += " " + strconv.Itoa(part.n) + " " + part.unit
		}
		if part.n > 1 {
			text += "s"
		}
	}
	return text
}
