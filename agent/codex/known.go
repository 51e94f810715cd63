package codex

import (
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// kinds are those of records of 0.80 to 0.171, events those of what the agent says of a turn: the package and recorded runs
// have them. A part of an event's name that says what it is about makes it known, too: such events come and go.
var (
	kinds = agent.Words(`session_meta turn_context event_msg response_item inter_agent_communication inter_agent_communication_metadata
		world_state compacted token_usage_record ghost_snapshot retained_context security_risk_score`)
	events = agent.Words(`task_started turn_started task_complete turn_complete turn_aborted thread_rolled_back user_message agent_message
		agent_message_delta item_started item_completed token_count thread_settings_applied error warning guardian_warning stream_error
		session_configured environment_connected environment_disconnected context_compacted model_reroute model_verification
		turn_moderation_metadata safety_buffering deprecation_notice background_event undo_started undo_completed turn_diff plan_update
		plan_delta web_search_begin web_search_end view_image_tool_call terminal_interaction patch_apply_begin patch_apply_updated
		patch_apply_end elicitation_request elicitation_abandoned guardian_assessment request_user_input request_permissions
		apply_patch_approval_request entered_review_mode exited_review_mode thread_name_updated thread_goal_updated thread_queue_changed
		shutdown_complete raw_response_item skills_update_available get_history_entry_response list_skills_response list_custom_prompts_response
		hook_started hook_completed auth_recovery_started auth_recovery_completed sub_agent_activity`)
	// items are those of what goes to the model and comes from it, but for calls and their outputs.
	items = agent.Words(`message agent_message reasoning other compaction compaction_summary context_compaction ghost_snapshot additional_tools
		configuration_update`)
	about = []string{"agent_reasoning", "reasoning_", "mcp_", "exec_", "image_generation_", "realtime_conversation_", "collab_", "dynamic_tool_call_"}
)

// known tells whether a version that clawd knows writes such a record.
func (r *record) known() bool {
	p := &r.Payload
	switch r.Type {
	case "event_msg":
		for _, a := range about {
			if strings.HasPrefix(p.Type, a) {
				return true
			}
		}
		return events[p.Type]
	case "response_item":
		return items[p.Type] || strings.HasSuffix(p.Type, "_call") || strings.HasSuffix(p.Type, "_output")
	}
	return kinds[r.Type]
}
