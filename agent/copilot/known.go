package copilot

import (
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// families are the first words of the kinds of records that the agent writes. What nobody here knows of them says
// nothing of how a turn stands, but for a session's own.
var families = agent.Words(`assistant auto_mode_switch capabilities command commands elicitation exit_plan_mode external_tool hook human_response
	mcp mcp_app model pending_messages permission sampling sandbox skill subagent system tool tool_search ui user user_input workflow`)

// kinds are those of 1.0.65 to 1.0.102, its schema and recorded runs have them, of the families whose records may tell that
// a session goes on or does not.
var kinds = agent.Words(`abort agent.interrupted session_limits_exhausted.completed session_limits_exhausted.requested
	assistant.fusion_phase_activity assistant.fusion_phase_completed assistant.fusion_phase_failed assistant.fusion_phase_started
	assistant.idle assistant.intent assistant.message assistant.message_delta assistant.message_start assistant.reasoning
	assistant.reasoning_delta assistant.server_tool_progress assistant.streaming_delta assistant.tool_call_delta assistant.turn_end
	assistant.turn_retry assistant.turn_start assistant.usage
	model.call_failure model.call_final_result model.call_finished model.call_start model.message model.messages_snapshot
	model.model_call_started model.model_call_success model.response model.turn_ended model.turn_started
	session.auto_mode_resolved session.auto_tier_recommendation session.auto_tier_switch_failed session.autopilot_objective_changed
	session.autopilot_stopped session.background_tasks_changed session.binary_asset session.canvas.closed session.canvas.opened
	session.canvas.recorded session.canvas.registry_changed session.canvas.removed session.canvas.unavailable session.compaction_complete
	session.compaction_start session.completion_receipt session.context_changed session.context_cleared session.custom_agents_updated
	session.custom_notification session.error session.extensions.attachments_pushed session.extensions_loaded
	session.fusion_change_checkpoint session.fusion_commit_started session.fusion_completed session.fusion_handoff session.fusion_resolved
	session.fusion_route_failed session.fusion_route_started session.handoff session.idle session.indexed_search session.info
	session.managed_plugin_progress session.managed_settings_enforced session.managed_settings_resolved session.mcp_server_needs_reconnect
	session.mcp_server_removed session.mcp_server_status_changed session.mcp_server_tools_loaded session.mcp_servers_loaded
	session.memory_changed session.mode_changed session.mode_notice_delivered session.model_change session.model_deselected
	session.permission_recovery session.permissions_changed session.plan_changed session.quota_observation
	session.remote_steerable_changed session.request_body_compression_disabled session.resume session.schedule_cancelled
	session.schedule_created session.schedule_rearmed session.session_limits_changed session.shutdown session.skills_loaded
	session.snapshot_rewind session.start session.task_complete session.title_changed session.todos_changed session.tools_updated
	session.truncation session.usage_checkpoint session.usage_info session.usage_record session.warning session.workspace_file_changed
	system.message system.notification user.message tool.execution_complete tool.execution_partial_result tool.execution_progress
	tool.execution_start tool.shell_output tool.user_requested permission.requested permission.completed`)

// closed are the families of which kinds has all.
var closed = agent.Words("assistant model system user tool permission")

// infos are the words of session.info.
var infos = agent.Words(autoSwitch + " " + pause + " notification timing context_window mcp snapshot configuration authentication model")

// known tells whether a version that clawd knows writes such a record.
func (r *record) known() bool {
	family, _, ok := strings.Cut(r.Type, ".")
	if r.Type == typeInfo && !infos[r.Data.InfoType] {
		return false
	}
	return kinds[r.Type] || ok && families[family] && !closed[family]
}
