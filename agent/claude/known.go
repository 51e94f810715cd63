package claude

import (
	"bytes"
	"encoding/json"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// A record that this clawd does not know may stand behind a failure and say that the session goes on by itself, or that its
// user stopped it. Notes on the session as a whole (a title, a mode, a cost) come and go with each version; they have the
// session's id and are no part of the conversation, so they have neither an id of their own nor a message.

// kinds are those of records of 1.0.100 to 2.1.332: the package and recorded runs have them.
var kinds = agent.Words(`user assistant system attachment progress summary file-history-snapshot file-history-delta attribution-snapshot
	queue-operation custom-title ai-title tag agent-name agent-color agent-setting agent-server pr-link worktree-state content-replacement
	last-prompt mode permission-mode cost-state session-owner tools-used atis-latch memory-mode history-suppression fork-context-ref
	frame-link derived-from data-flow-records bridge-session relocated isolation-latch repl-mode continued-in observer-ref tombstone
	api-request api-request-blob api-request-shape api-request-resumed artifact-comment-monitor artifact-autoreact-ledger`)

// subtypes are those of its records of the type system.
var subtypes = agent.Words(`agents_killed api_error api_retry away_summary background_tasks_changed bridge_state bridge_status checkpoint_done
	cloud_session_delta cloud_session_status code_change_published commands_changed compact_boundary microcompact_boundary
	control_request_progress dev_intent elicitation_complete feedback_draft_queued file_attachments_missing file_snapshot hook_progress
	hook_response hook_started informational inherited_asks_settled init instruction_size_warning late_allow_not_run local_command
	memory_recall memory_saved mirror_error model_consent_fallback model_fallback model_refusal_fallback model_refusal_no_fallback
	notification peer_message_hold per_turn_effort_changed permission_check_status permission_denied permission_retry placed plugin_install
	post_turn_summary rewind_stand_in scheduled_task_fire session_metadata session_state_changed session_title_changed session_writes_lost
	shell_cwd start_folder status stop_hook_summary task_notification task_progress task_started task_summary task_updated thinking_tokens
	tool_host_result turn_began_before_init turn_duration turn_handoff_available turn_preempted turn_starting vcs_state_changed
	worker_shutting_down`)

// talk: it is one of the conversation.
func (r *record) talk() bool { return r.Type == "user" || r.Type == "assistant" || r.Type == "system" }

// known tells whether a version that clawd knows writes such a record, or whether it surely says nothing of a turn: a note of the
// system that has no words for its user, as of how long a turn took. New ones come with each month.
func (r *record) known() bool {
	return kinds[r.Type] && (r.Type != "system" || r.Subtype == "" || subtypes[r.Subtype] || r.mute())
}

// mute: it says nothing to its user.
func (r *record) mute() bool {
	return len(r.Content) == 0 && len(r.Message.Content) == 0 && len(r.Error) == 0 && r.Level == ""
}

// unread: a notice at whose words the agent's own continue is armed, if clawd could read them.
func (c *Claude) unread(r *record) bool {
	var text string
	if r.Type != "system" || r.Subtype != "informational" {
		return r.Type == "system" && r.Subtype == "" && len(r.Content) > 0
	}
	if json.Unmarshal(r.Content, &text) != nil || r.Level == "" {
		return true
	}
	_, _, ok := selfResume(text, r.at, c.zone)
	return ok && !r.announces() || !ok && r.Level == "notice" && !goalWaits.MatchString(text)
}

// goalWaits: after a failure a goal waits for its user, unless selfResume says otherwise.
var goalWaits = lazyregexp.New(`^Goal paused · (?:the request was rate limited|usage is paused for your organization|the API rejected the last request|` +
	`the last turn could not finish)\b`)

// note looks at a line of none of the kinds that tell something.
func (f *fold) note(line []byte, off int64) {
	head, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if i := bytes.IndexByte(head, '"'); ok && i >= 0 && kinds[string(head[:i])] {
		return
	}
	r, err := parse(line)
	if err != nil || r.known() || r.Type != "" && r.UUID == "" && len(r.Message.Content) == 0 && r.SessionID != "" {
		return
	}
	f.strange(r, off)
}

func (f *fold) strange(r *record, off int64) {
	f.each(agent.Strange(r.UUID, r.at, off))
}
