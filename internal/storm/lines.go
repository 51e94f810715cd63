package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The lines have the shapes of Claude Code 2.1.329, with what clawd does not read left out.

// line is what the storm needs of a transcript's line.
type line struct {
	Type       string `json:"type"`
	UUID       string `json:"uuid"`
	IsMeta     bool   `json:"isMeta"`
	IsAPIError bool   `json:"isApiErrorMessage"`
}

// stands says what a line of the conversation is; empty: it is none.
func (l line) stands() string {
	switch {
	case l.Type == "user":
		return "prompt"
	case l.Type == "assistant" && l.IsAPIError:
		return "failure"
	case l.Type == "assistant":
		return "answer"
	}
	return ""
}

// readTail gives the newest line of the conversation, and whether that of the user's side is the agent's own.
func readTail(path string) (tail line, meta bool, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return tail, false, err
	}
	for text := range bytes.Lines(b) {
		var l line
		if json.Unmarshal(text, &l) != nil || l.stands() == "" {
			continue
		}
		if tail = l; l.Type == "user" {
			meta = l.IsMeta
		}
	}
	return tail, meta, nil
}

// transcript is the agent's place for a session.
func transcript(root, cwd, id string) string {
	folder := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, cwd)
	return filepath.Join(root, "projects", folder, id+".jsonl")
}

func common(parent, id, cwd string, at time.Time) string {
	p := "null"
	if parent != "" {
		p = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`"parentUuid":%s,"isSidechain":false,"uuid":%q,"timestamp":%q,"userType":"external","entrypoint":"sdk-cli","cwd":%q,"sessionId":%q,"version":"2.1.329","gitBranch":"main"`,
		p, uuid.NewString(), at.UTC().Format("2006-01-02T15:04:05.000Z"), cwd, id)
}

func userLine(parent, id, cwd, text string, meta bool, at time.Time) string {
	m := ""
	if meta {
		m = `"isMeta":true,`
	}
	return fmt.Sprintf(`{"type":"user",%s"permissionMode":"default","promptSource":"sdk","message":{"role":"user","content":%q},%s}`+"\n", m, text, common(parent, id, cwd, at))
}

// askedLines say that the model was asked with all tools, so that a resume may have them.
func askedLines(id string) string {
	tools := strings.ReplaceAll("Agent Bash CronCreate CronDelete CronList Edit EnterWorktree ExitWorktree ListAgents Monitor NotebookEdit Read "+
		"ReportFindings ScheduleWakeup SendMessage Skill TaskStop WebFetch WebSearch Workflow Write", " ", `"},{"name":"`)
	return fmt.Sprintf(`{"type":"api-request-shape","sessionId":%q,"shapeHash":"f00d","shape":{"tools":[{"name":"%s"}]}}`+"\n", id, tools) +
		fmt.Sprintf(`{"type":"api-request","sessionId":%q,"querySource":"sdk","shapeHash":"f00d"}`+"\n", id)
}

func answerLine(parent, id, cwd string, at time.Time) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_%s","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"the answer"}],"stop_reason":"end_turn","usage":{"input_tokens":100,"output_tokens":12}},%s}`+"\n",
		uuid.NewString()[:8], common(parent, id, cwd, at))
}

func failureLine(parent, id, cwd string, at time.Time, text, fields string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"<synthetic>","role":"assistant","stop_reason":"stop_sequence","content":[{"type":"text","text":%q}]},"isApiErrorMessage":true,%s,%s}`+"\n",
		uuid.NewString(), text, fields, common(parent, id, cwd, at))
}

func limitLine(parent, id, cwd string, at time.Time) string {
	return failureLine(parent, id, cwd, at, "API Error: Request rejected (429) · This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
		`"error":"rate_limit","apiErrorStatus":429,"apiErrorType":"rate_limit_error"`)
}

func overloadedLine(parent, id, cwd string, at time.Time) string {
	return failureLine(parent, id, cwd, at, "API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary. Try again in a moment.",
		`"error":"server_error","apiErrorStatus":529,"apiErrorType":"overloaded_error"`)
}

func usageLine(parent, id, cwd string, at, reset time.Time) string {
	return failureLine(parent, id, cwd, at, "You've hit your 5-hour limit · resets "+reset.UTC().Format("3:04pm")+" (UTC)",
		fmt.Sprintf(`"error":"rate_limit","apiErrorStatus":429,"apiErrorType":"rate_limit_error","apiError":"usage_limit_reached","quotaLimits":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour","overageStatus":"rejected","isUsingOverage":false}`, reset.Unix()))
}
