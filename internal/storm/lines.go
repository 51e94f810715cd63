package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/clawd-project/clawd/internal/transcript"
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

func overloadedLine(parent, id, cwd string, at time.Time) string {
	return transcript.Failure(parent, id, cwd, at, "API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary. Try again in a moment.",
		`"error":"server_error","apiErrorStatus":529,"apiErrorType":"overloaded_error"`)
}

func usageLine(parent, id, cwd string, at, reset time.Time) string {
	return transcript.Failure(parent, id, cwd, at, "You've hit your 5-hour limit · resets "+reset.UTC().Format("3:04pm")+" (UTC)",
		fmt.Sprintf(`"error":"rate_limit","apiErrorStatus":429,"apiErrorType":"rate_limit_error","apiError":"usage_limit_reached","quotaLimits":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour","overageStatus":"rejected","isUsingOverage":false}`, reset.Unix()))
}
