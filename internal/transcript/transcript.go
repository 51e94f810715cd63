// Package transcript writes lines as Claude Code 2.1.329 does, with what clawd does not read left out. It is for stand-ins
// of the agent.
package transcript

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Path is the agent's place for a session; root is the agent's own folder, cwd the one that it works in.
func Path(root, cwd, id string) string {
	folder := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, cwd)
	return filepath.Join(root, "projects", folder, id+".jsonl")
}

// Common are the fields that every record has, below the record parent; empty: it is the first.
func Common(parent, id, cwd string, at time.Time) string {
	p := "null"
	if parent != "" {
		p = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`"parentUuid":%s,"isSidechain":false,"uuid":%q,"timestamp":%q,"userType":"external","entrypoint":"sdk-cli","cwd":%q,"sessionId":%q,"version":"2.1.329","gitBranch":"main"`,
		p, uuid.NewString(), at.UTC().Format("2006-01-02T15:04:05.000Z"), cwd, id)
}

// Prompt is a line of the user's side. meta: the agent wrote it itself.
func Prompt(parent, id, cwd, text string, meta bool, at time.Time) string {
	m := ""
	if meta {
		m = `"isMeta":true,`
	}
	return fmt.Sprintf(`{"type":"user",%s"permissionMode":"default","promptSource":"sdk","message":{"role":"user","content":%q},%s}`+"\n", m, text, Common(parent, id, cwd, at))
}

// Asked says that the model was asked with all tools, so that a resume may have them.
func Asked(id string) string {
	tools := strings.ReplaceAll("Agent Bash CronCreate CronDelete CronList Edit EnterWorktree ExitWorktree ListAgents Monitor NotebookEdit Read "+
		"ReportFindings ScheduleWakeup SendMessage Skill TaskStop WebFetch WebSearch Workflow Write", " ", `"},{"name":"`)
	return fmt.Sprintf(`{"type":"api-request-shape","sessionId":%q,"shapeHash":"f00d","shape":{"tools":[{"name":"%s"}]}}`+"\n", id, tools) +
		fmt.Sprintf(`{"type":"api-request","sessionId":%q,"querySource":"sdk","shapeHash":"f00d"}`+"\n", id)
}

// Answer is the good end of a turn.
func Answer(parent, id, cwd string, at time.Time) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_%s","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"the answer"}],"stop_reason":"end_turn","usage":{"input_tokens":100,"output_tokens":12}},%s}`+"\n",
		uuid.NewString()[:8], Common(parent, id, cwd, at))
}

// Failure is a turn that failed, as the agent says in text; fields are further ones of the record, in JSON.
func Failure(parent, id, cwd string, at time.Time, text, fields string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"<synthetic>","role":"assistant","stop_reason":"stop_sequence","content":[{"type":"text","text":%q}]},"isApiErrorMessage":true,%s,%s}`+"\n",
		uuid.NewString(), text, fields, Common(parent, id, cwd, at))
}

// Limit is a turn that ran into a rate limit.
func Limit(parent, id, cwd string, at time.Time) string {
	return Failure(parent, id, cwd, at, "API Error: Request rejected (429) · This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
		`"error":"rate_limit","apiErrorStatus":429,"apiErrorType":"rate_limit_error"`)
}
