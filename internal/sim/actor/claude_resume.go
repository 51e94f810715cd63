package actor

import (
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// What a headless run prints, with the keys of 2.1.329.
const (
	claudeSaysInit = `{"type":"system","subtype":"init","cwd":$cwd,"session_id":"$sid","tools":["Bash"],"mcp_servers":[],"model":"claude-opus-5-5","permissionMode":"$mode","slash_commands":[],"terminal_slash_commands":[],"apiKeySource":"none","claude_code_version":"2.1.329","output_style":"default","agents":[],"skills":[],"plugins":[],"uuid":"$uuid",` +
		`"additional_directories":[],"analytics_disabled":true,"capabilities":[],"fast_mode_disabled_reason":"","fast_mode_state":"off","memory_paths":{},"messaging_socket_path":"","original_cwd":$cwd,"per_turn_effort_active":false,"product_feedback_disabled":true,"served_by_anthropic":true,"ultrathink_available":false,"ultrathink_typed_raises":false,"view_mode":"default"}` + "\n"

	claudeSaysHook = `{"type":"system","subtype":"hook_started","hook_id":"$uuid","hook_name":"SessionStart:resume","hook_event":"SessionStart","uuid":"$uuid","session_id":"$sid"}` + "\n"

	claudeSays = `{"type":"assistant","message":{"id":"msg_$msg","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"All done."}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1,"service_tier":"standard"},"context_management":null},"parent_tool_use_id":null,"session_id":"$sid","uuid":"$id","timestamp":"$at","request_id":"req_$msg"}` + "\n"

	claudeSaysFailure = `{"type":"assistant","message":` + claudeSynthetic + `,"parent_tool_use_id":null,"session_id":"$sid","uuid":"$id","timestamp":"$at","error":"rate_limit","request_id":"req_$msg","is_api_error_message":true,"api_error_status":429,"api_error_type":"rate_limit_error"}` + "\n"

	claudeSaysRetry = `{"type":"system","subtype":"api_retry","attempt":$n,"max_retries":$most,"retry_delay_ms":$wait,"error_status":$status,"error":"rate_limit","session_id":"$sid","uuid":"$uuid"}` + "\n"

	claudeSaysResult = `{"duration_api_ms":352,"stop_reason":"end_turn","session_id":"$sid","total_cost_usd":$cost,"usage":{"output_tokens_details":{"thinking_tokens":0},"input_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":12,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null},"modelUsage":{},"permission_denials":[],"terminal_reason":"completed",` +
		`"fast_mode_state":"off","fast_mode_disabled_reason":"","subagent_stats":{},"safety_stops":0,"is_error":$bad,"num_turns":1,"subtype":"success",$more"result":$text,"type":"result","duration_ms":1142,"uuid":"$uuid","queued_turn_count":0,"result_index":0,"model_usage_since_last_result":{}}` + "\n"

	claudeWell = `"api_error_status":null,"first_content_frame_ms":1,"time_to_request_ms":1,"ttft_ms":1,"ttft_stream_ms":1,`

	claudeSaysUnknown = `{"type":"result","subtype":"error_during_execution","duration_ms":0,"duration_api_ms":0,"is_error":true,"num_turns":0,"stop_reason":null,"session_id":"$sid","total_cost_usd":0,"usage":{"output_tokens_details":{"thinking_tokens":0},"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null},"modelUsage":{},"permission_denials":[],"uuid":"$uuid","errors":["No conversation found with session ID: $sid"],"result_index":0}` + "\n"

	claudeSaysHeld = `{"type":"system","subtype":"status","status":null,"resume_held_for_plan":true,"session_id":"$sid","uuid":"$uuid"}` + "\n"
)

// print is one line on stdout.
func (p *claude) print(template string, pairs ...string) {
	if p.out == nil {
		return
	}
	l := fill(template, append(pairs, "sid", p.id, "uuid", uuid(p.w.Rand), "cwd", quote(p.proc.Dir), "mode", p.start.Mode, "msg", p.msg, "at", stamp(p.began))...)
	_, _ = io.WriteString(p.out, l) // a reader that is gone is none of its business
}

func (p *claude) printResult(failed bool) {
	if !failed {
		p.print(claudeSaysResult, "bad", "false", "cost", "0.00064", "text", `"All done."`, "more", claudeWell)
		return
	}
	text, _ := p.c.fails(p.answer, p.began)
	status := "null"
	if n := statusOf[p.answer.Kind]; n > 0 {
		status = strconv.Itoa(n)
	}
	p.print(claudeSaysResult, "bad", "true", "cost", "0", "text", quote(text), "more", `"api_error_status":`+status+`,"api_error_type":"`+string(p.answer.Kind)+`",`)
}

// The variables of the form without a prompt.
const (
	goOn    = "CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1"
	goOnAge = "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS="
	agesFor = 6 * time.Hour
)

// Resume is a headless run.
func (c *Claude) Resume(p resume.Plan, environ []string, out io.Writer, now time.Time) (Session, error) {
	if len(p.Argv) == 0 {
		return nil, errors.New("the plan has no command")
	}
	id, resumed := option(p.Argv, "--resume")
	if !resumed {
		id, _ = option(p.Argv, "--session-id")
	}
	prompt := strings.TrimSpace(string(p.Stdin))
	if i := slices.Index(p.Argv, "--"); i >= 0 && i+1 < len(p.Argv) {
		prompt = p.Argv[i+1]
	}
	s := Start{Dir: p.Dir}
	s.Mode, _ = option(p.Argv, "--permission-mode")
	environ = slices.Concat(p.Env, environ)
	run, err := c.spawn(id, s, slices.Concat([]string{"claude"}, p.Argv[1:]), environ, now)
	if err != nil {
		return nil, err
	}
	run.out, run.by = out, Clawd
	return run, run.open(resumed, prompt, environ, now)
}

// open is what a headless run does first.
func (p *claude) open(resumed bool, prompt string, environ []string, now time.Time) error {
	t, err := readTail(p.path)
	switch {
	case resumed && errors.Is(err, os.ErrNotExist):
		p.print(claudeSaysUnknown)
		p.say("No conversation found with session ID: " + p.id)
		return p.exit(now, 1, false)
	case !resumed && err == nil:
		p.say("Error: Session ID " + p.id + " is already in use.")
		return p.exit(now, 1, false)
	case err != nil && resumed:
		return err
	}
	p.tree, p.last, p.user, p.opened = t.tree, t.last, t.user, resumed
	p.print(claudeSaysHook)
	if prompt != "" {
		p.print(claudeSaysInit)
		return p.give(claudeUser, prompt, Clawd, now)
	}
	if !slices.Contains(environ, goOn) {
		p.say("Error: No deferred tool marker found in the resumed session.")
		return p.exit(now, 1, false)
	}
	held := t.mode == "plan" && p.start.Mode != "plan"
	if held {
		p.print(claudeSaysHeld)
	}
	if held || t.last == "" || t.done || t.meta || now.Sub(t.at).Abs() > patienceOf(environ) {
		p.put(now, p.beside(now, claudeMode), p.beside(now, claudeCost))
		return p.exit(now, 0, false)
	}
	p.print(claudeSaysInit)
	return p.give(claudeGoOn, "", Clawd, now)
}

// patienceOf is how old a stop may be that it goes on with.
func patienceOf(environ []string) time.Duration {
	age := agesFor
	for _, kv := range environ {
		if v, ok := strings.CutPrefix(kv, goOnAge); ok {
			if ms, err := strconv.ParseInt(v, 10, 64); err == nil && ms > 0 {
				age = time.Duration(ms) * time.Millisecond
			} else if err != nil {
				age = time.Hour
			}
		}
	}
	return age
}

// say is a line on stderr, which goes where stdout goes.
func (p *claude) say(text string) {
	if p.out != nil {
		_, _ = io.WriteString(p.out, text+"\n")
	}
}
