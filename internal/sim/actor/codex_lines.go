package actor

import (
	"strconv"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// The lines of Codex 0.169.0. Those that the agent writes between them and that say nothing of a
// session's state, such as world_state, are left out.
const (
	codexHead = `{"timestamp":"$at","ordinal":$n,`

	codexMeta = codexHead + `"type":"session_meta","payload":{"account_scoped":true,"session_id":"$sid","id":"$sid",$fork"timestamp":"$at","cwd":$cwd,"runtime_workspace_roots":[$cwd],"originator":"$origin","cli_version":"0.169.0","source":$source,"thread_source":"$thread","model_provider":"$provider","base_instructions":{"text":"","provenance":{"type":"model","model":"gpt-5.1-codex"}},"history_mode":"paginated",$base"context_window":{"window_id":"$turn"},"git":{"commit_hash":"2cb71e4de194a93f28564b86399b982f107f6ca5","branch":"main"}}}` + "\n"

	codexStarted = codexHead + `"type":"event_msg","payload":{"type":"task_started","turn_attribution":{"turn_id":"$turn","turn_trigger":"$trigger","parent_turn_id":null,"initiating_agent_path":null,"root_turn_id":"$turn"},"turn_id":"$turn","root_turn_id":"$turn","started_at":$s,"model_context_window":258400,"collaboration_mode_kind":"default"}}` + "\n"

	codexContext = codexHead + `"type":"turn_context","payload":{"turn_id":"$turn","root_turn_id":"$turn","disabled_plugin_ids":[],"cwd":$cwd,"approval_policy":"$approval","approvals_reviewer":"user","permission_profile":{"type":"managed"},"model":"gpt-5.1-codex","collaboration_mode":{"mode":"default","settings":{"model":"gpt-5.1-codex","reasoning_effort":null,"developer_instructions":null}},"multi_agent_version":"v1","realtime_active":false,"summary":"none",$sandbox}}` + "\n"

	codexWorkspace = `"sandbox_policy":{"type":"workspace-write","network_access":false,"exclude_tmpdir_env_var":false,"exclude_slash_tmp":false},"file_system_sandbox_policy":{}`
	codexFull      = `"sandbox_policy":{"type":"danger-full-access"}`

	codexUser = codexHead + `"type":"response_item","payload":{"type":"message","id":"msg_$id","role":"user","content":[{"type":"input_text","text":$text}],"internal_chat_message_metadata_passthrough":{"turn_id":"$turn","create_time":$s.5,"content_item_kinds":["user.text"],"content_item_metadata":[{"provenance":{"type":"user"}}]}},"metadata":{"history_sequence":3,"sampled_through_sequence":0,"client_authored":false}}` + "\n"

	codexAsked = codexHead + `"type":"event_msg","payload":{"type":"item_completed","thread_id":"$sid","turn_id":"$turn","item":{"type":"UserMessage","id":"$id",$client"content":[{"type":"text","text":$text,"text_elements":[]}]},"started_at_ms":$ms,"completed_at_ms":$ms}}` + "\n"

	codexSaid = codexHead + `"type":"event_msg","payload":{"type":"item_completed","thread_id":"$sid","turn_id":"$turn","item":{"type":"AgentMessage","id":"$id","content":[{"type":"Text","text":"All done."}]},"started_at_ms":$ms,"completed_at_ms":$ms}}` + "\n"

	codexAnswer = codexHead + `"type":"response_item","payload":{"type":"message","status":"completed","id":"$id","role":"assistant","content":[{"type":"output_text","text":"All done."}],"internal_chat_message_metadata_passthrough":{"turn_id":"$turn","content_item_kinds":["unknown"]}},"metadata":{"history_sequence":4,"sampled_through_sequence":3,"client_authored":false,"user_input_order":1}}` + "\n"

	codexCount = codexHead + `"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":` + codexTokens + `,"last_token_usage":` + codexTokens + `,"last_usage_includes_reasoning":false,"model_context_window":258400},"rate_limits":` + codexLimits + `}}` + "\n"

	codexFull100 = codexHead + `"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":` + codexLimits + `}}` + "\n"

	codexTokens = `{"input_tokens":1200,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":34,"reasoning_output_tokens":0,"total_tokens":1234}`

	codexLimits = `{"limit_id":"codex","limit_name":null,"primary":{"used_percent":$five,"window_minutes":300,"resets_at":$fiveat},"secondary":{"used_percent":$week,"window_minutes":10080,"resets_at":$weekat},"credits":{"has_credits":false,"unlimited":false,"balance":null},"individual_limit":null,"spend_control_reached":null,"plan_type":null,"rate_limit_reached_type":null}`

	codexCall = codexHead + `"type":"response_item","payload":{"type":"function_call","id":"fc_$id","name":"exec_command","arguments":"{\"cmd\":\"echo hi\"}","call_id":"call_$turn","internal_chat_message_metadata_passthrough":{"turn_id":"$turn"}},"metadata":{"history_sequence":4,"sampled_through_sequence":3,"client_authored":false,"user_input_order":1}}` + "\n"

	codexRan = codexHead + `"type":"event_msg","payload":{"type":"item_completed","thread_id":"$sid","turn_id":"$turn","item":{"type":"CommandExecution","id":"call_$turn","process_id":"1","command":["/bin/bash","-lc","echo hi"],"cwd":"file:///","parsed_cmd":[{"type":"unknown","cmd":"echo hi"}],"source":"unified_exec_startup","status":"completed","aggregated_output":"hi\n","exit_code":0,"duration":{"secs":0,"nanos":6758}},"started_at_ms":$ms,"completed_at_ms":$ms}}` + "\n"

	codexOutput = codexHead + `"type":"response_item","payload":{"type":"function_call_output","id":"fco_$id","call_id":"call_$turn","output":"hi\n","internal_chat_message_metadata_passthrough":{"turn_id":"$turn","create_time":$s.5}},"metadata":{"history_sequence":5,"sampled_through_sequence":3,"client_authored":false,"fallback_token_limit_override":3000}}` + "\n"

	codexDone = codexHead + `"type":"event_msg","payload":{"type":"task_complete","root_turn_id":"$turn","turn_id":"$turn","last_agent_message":"All done.","started_at":$s,"completed_at":$s,"duration_ms":228,"time_to_first_token_ms":198}}` + "\n"

	codexFailed = codexHead + `"type":"event_msg","payload":{"type":"task_complete","root_turn_id":"$turn","turn_id":"$turn","last_agent_message":null,"error":{"message":$text,"codex_error_info":$info},"started_at":$s,"completed_at":$s,"duration_ms":210}}` + "\n"

	codexNote = codexHead + `"type":"response_item","payload":{"type":"message","id":"msg_$id","role":"user","content":[{"type":"input_text","text":"<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>"}],"internal_chat_message_metadata_passthrough":{"turn_id":"$turn","create_time":$s.5,"content_item_kinds":["generic.turn_aborted"],"content_item_metadata":[{"provenance":{"type":"harness","hook":false}}]}},"metadata":{"history_sequence":4,"sampled_through_sequence":0,"client_authored":false}}` + "\n"

	codexAborted = codexHead + `"type":"event_msg","payload":{"type":"turn_aborted","root_turn_id":"$turn","turn_id":"$turn","reason":"interrupted","started_at":$s,"completed_at":$s,"duration_ms":2913}}` + "\n"
)

// What codex exec --json prints.
const (
	codexSaysThread    = `{"type":"thread.started","thread_id":"$sid"}` + "\n"
	codexSaysTurn      = `{"type":"turn.started"}` + "\n"
	codexSaysItem      = `{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"All done."}}` + "\n"
	codexSaysDone      = `{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":34,"reasoning_output_tokens":0}}` + "\n"
	codexSaysReconnect = `{"type":"error","message":$text}` + "\n"
	codexSaysFailed    = `{"type":"error","message":$text}` + "\n" + `{"type":"turn.failed","error":{"message":$text}}` + "\n"
	codexSaysLocked    = "Error: thread/resume: thread/resume failed: thread $sid already has an active writer (code -32600)\n"
	codexSaysUnknown   = "Error: thread/resume: thread/resume failed: no rollout found for thread id $sid (code -32600)\n"
)

// fails gives the message of a failure and its codex_error_info.
func (c *Codex) fails(a Answer, now time.Time) (text, info string) {
	status := func(name string, code int) string {
		return `{"` + name + `":{"http_status_code":` + strconv.Itoa(code) + `}}`
	}
	switch a.Kind {
	case UsedUp:
		again := "try again later."
		if !a.Reset.IsZero() {
			again = "try again at " + c.clock(a.Reset, now) + "."
		}
		return "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or " + again, `"usage_limit_exceeded"`
	case Overloaded:
		return "Selected model is at capacity. Please try a different model.", `"server_overloaded"`
	case Broken:
		return "We’re currently experiencing high demand, which may cause temporary errors.", `"internal_server_error"`
	case Unauthorized:
		return "unexpected status 401 Unauthorized: Incorrect API key provided: dummy., url: http://127.0.0.1/v1/responses, request id: req_0006", status("http_connection_failed", 401)
	case NoCredit:
		return "Quota exceeded. Check your plan and billing details.", `"usage_limit_exceeded"`
	case TooLong:
		return "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.", `"context_window_exceeded"`
	case Cut, Unreachable:
		return "stream disconnected before completion: error sending request", `"other"`
	}
	return "exceeded retry limit, last status: 429 Too Many Requests, request id: req_0001", status("response_too_many_failed_attempts", 429)
}

// clock is a time of reset as the agent prints it: today's without a date.
func (c *Codex) clock(t, now time.Time) string {
	zone := c.w.zone()
	l, today := t.In(zone), now.In(zone)
	if l.YearDay() == today.YearDay() && l.Year() == today.Year() {
		return l.Format("3:04 PM")
	}
	th := "th"
	switch d := l.Day(); {
	case d%10 == 1 && d != 11:
		th = "st"
	case d%10 == 2 && d != 12:
		th = "nd"
	case d%10 == 3 && d != 13:
		th = "rd"
	}
	return l.Format("Jan 2") + th + l.Format(", 2006 3:04 PM")
}

// quota fills in the windows of a plan: the one that is used up ends at its reset.
func quota(a Answer, now time.Time) []string {
	five, week, fiveAt, weekAt := "61.0", "12.0", now.Add(2*time.Hour), now.Add(100*time.Hour)
	if a.Kind == UsedUp && !a.Reset.IsZero() {
		if a.Window == detect.Weekly {
			week, weekAt = "100.0", a.Reset
		} else {
			five, fiveAt = "100.0", a.Reset
		}
	}
	return []string{"five", five, "week", week, "fiveat", strconv.FormatInt(fiveAt.Unix(), 10), "weekat", strconv.FormatInt(weekAt.Unix(), 10)}
}
