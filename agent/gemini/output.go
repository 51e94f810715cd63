package gemini

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/clawd-project/clawd/agent"
)

// outputMax is the longest line, or object over several lines, that is looked at.
const outputMax = 16 << 20

// Output reads what a run printed, in any of the agent's formats, with stderr among it. stream-json
// begins with an init event; json ends in an object over several lines; text says nothing of itself,
// so any line but the known ones before a session counts as a begun session.
func (g *Gemini) Output(r io.Reader) (agent.Output, error) {
	var p printed
	br := bufio.NewReaderSize(r, 64<<10)
	var line []byte // so far
	skip := false   // the line is over the cap
	for {
		part, err := br.ReadSlice('\n')
		if skip = skip || len(line)+len(part) > outputMax; skip {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil || errors.Is(err, io.EOF):
			p.line(bytes.TrimRight(line, "\r\n"), err == nil)
			p.out.Began = p.out.Began || skip
			line, skip = line[:0], false
		default:
			return p.out, err
		}
		if err != nil {
			// A run that opened its session was not refused, whatever else was printed.
			p.out.Refused = p.out.Refused && !p.out.Began
			return p.out, nil
		}
	}
}

type printed struct {
	out    agent.Output
	object []byte // an object over several lines, so far
}

var (
	// refusals are what a run prints that does not find the session that it is to resume. Without the
	// first words it goes on with a new one.
	refusals = []string{"Error resuming session: Invalid session identifier", "Error resuming session: No previous sessions found"}
	// mistakes end a run before it opens a session, too.
	mistakes = []string{"Error starting session: Session ID ", "No input provided via stdin.", "Gemini CLI is not running in a trusted directory."}
	// failures end a run that had opened one.
	failures = []string{"An unexpected critical error occurred:", "Error when talking to Gemini API"}
	// before are further lines that may come before a session is opened.
	before = []string{"  Searched for sessions in ", "  Use --list-sessions to see", "No previous sessions found for this project.",
		"YOLO mode is enabled.", "Loaded cached credentials.", "[STARTUP] ", "Ripgrep is not available. Falling back to GrepTool.",
		"Warning: Basic terminal detected", "Warning: 256-color support not detected.", "Warning: True color (24-bit) support not detected."}
)

func (p *printed) line(b []byte, whole bool) {
	switch {
	case p.object != nil:
		p.object = append(p.object, b...)
		if string(b) == "}" || len(p.object) > outputMax {
			p.event(p.object)
			p.object = nil
		}
	case string(b) == "{":
		p.object = []byte{'{'}
	case len(b) > 0 && b[0] == '{':
		if whole || json.Valid(b) {
			p.event(b)
		}
	case len(bytes.TrimSpace(b)) > 0:
		p.text(string(b))
	}
}

func hasPrefix(s string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func (p *printed) text(s string) {
	refused, mistaken := hasPrefix(s, refusals), hasPrefix(s, mistakes)
	p.out.Refused = p.out.Refused || refused
	p.out.Failed = p.out.Failed || refused || mistaken || hasPrefix(s, failures)
	p.out.Began = p.out.Began || !refused && !mistaken && !hasPrefix(s, before)
}

// event reads an event of stream-json, or the object of json.
func (p *printed) event(b []byte) {
	var e struct {
		Type      string          `json:"type"`
		SessionID string          `json:"session_id"`
		Status    string          `json:"status"`
		Error     json.RawMessage `json:"error"`
	}
	if unmarshal(b, &e) != nil {
		return
	}
	if e.SessionID != "" {
		p.out.Began = true
		if idForm.MatchString(e.SessionID) {
			p.out.Session = e.SessionID
		}
	}
	switch e.Type {
	case "init":
		p.out.Began = true
	case "result":
		p.out.Failed = e.Status != "success"
	case "tool_result":
		var why struct {
			Type string `json:"type"`
		}
		if unmarshal(e.Error, &why) == nil && why.Type == "tool_not_registered" {
			p.out.Denials++ // what it would have to ask for is not there in a headless run
		}
	case "":
		p.out.Failed = p.out.Failed || len(e.Error) > 0 && e.SessionID != ""
	}
}
