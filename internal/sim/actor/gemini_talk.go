package actor

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clawd-project/clawd/agent"
)

// record is one message of a conversation as the process holds it.
type record struct {
	ID, Raw     string
	Role, Parts string // as the provider is sent it
}

// talk is a conversation; the description of the machine is its first record.
type talk []record

func (t *talk) put(r record) {
	if i := slices.IndexFunc(*t, func(o record) bool { return o.ID == r.ID }); i >= 0 {
		(*t)[i] = r
		return
	}
	*t = append(*t, r)
}

func (t *talk) drop(id string) {
	*t = slices.DeleteFunc(*t, func(o record) bool { return o.ID == id })
}

func (t talk) list() string {
	var all []string
	for _, r := range t {
		all = append(all, r.Raw)
	}
	return strings.Join(all, ",")
}

// context is the conversation as a report has it.
func (t talk) context() string {
	var all []string
	for _, r := range t {
		all = append(all, `{"role":"`+r.Role+`","parts":[`+r.Parts+`]}`)
	}
	return strings.Join(all, ",")
}

func (t talk) isResult(id string) bool {
	return slices.ContainsFunc(t, func(r record) bool { return r.ID == id && strings.Contains(r.Parts, "functionResponse") })
}

// turns: the agent's own rule for a session that can be resumed.
func (t talk) turns() bool {
	return slices.ContainsFunc(t, func(r record) bool {
		return !strings.Contains(r.Parts, "<session_context>") && (r.Role == "user" || r.Parts != "")
	})
}

// folded is what a session's file says.
type folded struct {
	id      string
	talk    talk
	last    string // newest record of the conversation, taken back or not
	updated time.Time
}

type geminiRecord struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	ToolCalls json.RawMessage `json:"toolCalls"`
}

func (r geminiRecord) record(raw string) record {
	role, parts := "user", strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(r.Content)), "["), "]")
	if r.Type == "gemini" {
		role = "model"
		var text string
		bare, sent := json.Unmarshal(r.Content, &text) == nil, ""
		switch {
		case len(r.ToolCalls) > 0:
			parts, sent = geminiCalls, `[{"functionCall":{"id":"","name":"read_file","args":{}}}]`
		case text != "":
			parts = `{"text":` + quote(text) + `}`
			sent = "[" + parts + "]"
		case bare:
			parts = ""
		}
		if bare && sent != "" { // a checkpoint has what is sent
			raw = strings.Replace(raw, `"content":`+string(r.Content), `"content":`+sent, 1)
		}
	}
	return record{ID: r.ID, Raw: raw, Role: role, Parts: parts}
}

// foldFile reads a session's file as the agent does: what cannot be read does not count.
func foldFile(path string) (f folded, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	for l := range bytes.Lines(b) {
		var r struct {
			geminiRecord
			SessionID   string `json:"sessionId"`
			ProjectHash string `json:"projectHash"`
			LastUpdated string `json:"lastUpdated"`
			Set         *struct {
				LastUpdated string             `json:"lastUpdated"`
				Messages    *[]json.RawMessage `json:"messages"`
			} `json:"$set"`
		}
		if json.Unmarshal(l, &r) != nil {
			continue
		}
		updated := r.LastUpdated
		switch {
		case r.ProjectHash != "":
			f.id = r.SessionID
		case r.Set != nil:
			updated = r.Set.LastUpdated
			if r.Set.Messages == nil {
				break
			}
			f.talk = nil
			for _, raw := range *r.Set.Messages {
				var m geminiRecord
				if json.Unmarshal(raw, &m) == nil {
					f.talk = append(f.talk, m.record(string(raw)))
				}
			}
		case r.Type == "user" || r.Type == "gemini":
			f.talk.put(r.record(strings.TrimSpace(string(l))))
			f.last = r.ID
		}
		if at, err := time.Parse(time.RFC3339, updated); err == nil {
			f.updated = at
		}
	}
	return f, nil
}

// find gives the file of a session that can be resumed; empty: there is none.
func find(chats, id string) (string, folded, error) {
	paths, err := filepath.Glob(filepath.Join(chats, "session-*-"+id[:min(8, len(id))]+".jsonl"))
	if err != nil {
		return "", folded{}, err
	}
	for _, path := range paths {
		if f, err := foldFile(path); err == nil && f.id == id && f.talk.turns() {
			return path, f, nil
		}
	}
	return "", folded{}, nil
}

// Tidy deletes what the start of a process in each project deletes.
func (g *Gemini) Tidy(now time.Time) error {
	var errs []error
	for _, d := range g.dirs {
		errs = append(errs, g.tidy(filepath.Join(g.root, "tmp", g.slugs[d], "chats"), "", now))
	}
	return errors.Join(errs...)
}

// tidy deletes, in a project, files that are old or hold no turn, and with these every file of the same id: so
// a resume, which leaves a file without a turn, ends in the loss of its session. The process's own is spared.
func (g *Gemini) tidy(chats, own string, now time.Time) error {
	paths, err := filepath.Glob(filepath.Join(chats, "session-*.jsonl"))
	if err != nil {
		return err
	}
	doomed := map[string]bool{}
	for _, path := range paths {
		f, err := foldFile(path)
		if err != nil || f.id == "" || f.id == own {
			continue
		}
		if !f.talk.turns() || now.Sub(f.updated) > g.Period {
			doomed[f.id[:8]] = true
		}
	}
	var errs []error
	for _, path := range paths {
		id := strings.TrimSuffix(path[strings.LastIndexByte(path, '-')+1:], ".jsonl")
		if doomed[id] {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(errs...)
}

// Screen is what the terminal shows of a dialog at a limit; without rows: none is open.
func (p *gemini) Screen() agent.Screen {
	if !p.dialog || p.ended {
		return agent.Screen{}
	}
	lines := []string{"", "Usage limit reached for gemini-3.8-flash."}
	if !p.answer.Reset.IsZero() {
		lines = append(lines, "Access resets at "+p.answer.Reset.In(p.w.zone()).Format("3:04 PM MST")+".")
	}
	lines = append(lines, "/stats model for usage details", "/model to switch models.", "", "", "● 1. Keep trying", "  2. Stop", "")
	const width = 78
	rows := []string{"╭" + strings.Repeat("─", width) + "╮"}
	for _, l := range lines {
		rows = append(rows, "│ "+l+strings.Repeat(" ", width-1-utf8.RuneCountInString(l))+"│")
	}
	return agent.Screen{Rows: append(rows, "╰"+strings.Repeat("─", width)+"╯"), Cols: width + 2, Row: len(lines) + 1, Title: "✦  Working… (demo)"}
}

// Do is what a person or the machine does to it.
func (p *gemini) Do(m Move, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	switch m {
	case Interrupt:
		if p.headless() {
			return p.exit(now, 0, false)
		}
		return p.interrupt(now)
	case Quit:
		if p.headless() {
			return ErrCannot
		}
		return p.exit(now, 0, false)
	case Hangup, Terminate:
		return p.exit(now, 0, false)
	case Crash:
		return p.exit(now, 137, true)
	case Approve, Repeat:
		by := Person
		if m == Repeat {
			by = Clawd
		}
		switch {
		case p.dialog && p.asked != "":
			p.dialog = false
			return p.begins(p.last, by, now)
		case m == Repeat:
		case p.phase == question:
			p.enter(tooling, now.Add(orSecond(p.answer.Tool)))
			return nil
		}
	case Dismiss:
		if p.dialog {
			p.dialog = false
			p.enter(idle, time.Time{})
			if p.asked == "" { // Esc has taken the request back before
				return nil
			}
			return p.fail(now)
		}
	}
	return ErrCannot
}

// interrupt is Esc in a terminal. A dialog at a limit stays.
func (p *gemini) interrupt(now time.Time) error {
	was := p.phase
	if was == idle {
		return nil
	}
	p.note(now, geminiInfo, "Request cancelled.")
	switch {
	case was == tooling || was == question && !p.dialog:
		response, tool := p.tool(now, `"error":"[Operation Cancelled] Reason: Operation cancelled by user"`, "cancelled", "")
		id := uuid(p.w.Rand)
		raw := fill(geminiCut, "id", id, "at", stamp(now), "call", tool)
		p.talk.put(record{ID: id, Raw: raw, Role: "model", Parts: geminiCalls})
		p.put(now, raw+"\n")
		p.result(now, response)
	case !p.talk.isResult(p.asked):
		p.back(now)
	}
	p.ask = nil
	if p.dialog {
		p.asked = ""
		return nil
	}
	p.enter(idle, time.Time{})
	return nil
}
