package qwen

import (
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// subtypes are those of the agent's own records up to 0.24.4: its package and recorded runs have them.
var subtypes = agent.Words(`at_command attribution_snapshot background_task_completed branch_checkpoint chat_compression content_retry_failure
	custom_title file_history_snapshot goal_runtime goal_state goal_turn_end invalid_chunk loop_detected mcp_message mcp_server_status
	omni_recall parent_session realtime_message rewind session_artifact_event session_artifact_snapshot session_model session_recording_degraded
	session_source session_sources_snapshot slash_command turn_result ui_telemetry user_text_elements`)

// notes are the names of its ui_telemetry that say nothing of how a request stands.
var notes = agent.Words(`approval_mode arena_agent_completed arena_session_ended arena_session_started auth chat_compression config context.usage
	conversation_finished extension_disable extension_enable extension_install extension_uninstall extension_update file_operation goal_state hook
	ide_connection memory.dream memory.extract memory.recall memory.recall.delivery model next_speaker_check prompt_suggestion
	repeated_tool_failure_guard ripgrep_fallback ripgrep_runtime_recovery skill_launch slash_command slash_command.model speculation subagent
	subagent_execution tool_output_truncated user_feedback workflow_keyword workflow_run workflow_size_warning
	api_request api_retry chat.content_retry chat.content_retry_failure chat.protocol_tag_sanitized`)

// known tells whether a version that clawd knows writes such a record.
func (r *record) known() bool {
	switch r.Type {
	case "user", "assistant", "tool_result":
		return true
	case "system":
		name := r.Payload.Event.Name
		return subtypes[r.Subtype] &&
			(r.Subtype != "ui_telemetry" || name == apiError || name == apiResponse || name == toolCall || notes[strings.TrimPrefix(name, "qwen-code.")])
	}
	return false
}
