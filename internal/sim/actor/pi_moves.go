package actor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// Do is what a person or the machine does to it.
func (p *pi) Do(m Move, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	switch m {
	case Interrupt:
		if p.headless() { // it has no handler of its own, and its tools live on
			return p.exit(now, 130, true)
		}
		p.abort(now, "Operation aborted", "Operation aborted")
		return p.failure()
	case Quit:
		if p.headless() {
			return ErrCannot
		}
		return p.leaves(now, "Request was aborted", 0)
	case Hangup:
		text := "Request was aborted"
		if !p.headless() { // as when its user presses Escape
			text = "Operation aborted"
		}
		return p.leaves(now, text, 129)
	case Terminate:
		return p.leaves(now, "Request was aborted", 143)
	case Crash:
		return p.exit(now, 137, true)
	case Clear, Rename:
		if p.headless() || !p.Idle() {
			return ErrCannot
		}
		if m == Clear {
			return p.turns(now)
		}
		return p.rename(now)
	}
	return ErrCannot
}

// leaves ends it in good order.
func (p *pi) leaves(now time.Time, text string, code int) error {
	inTool := text
	if code != 0 && p.headless() {
		inTool = "This operation was aborted"
	}
	p.abort(now, text, inTool)
	return errors.Join(p.failure(), p.exit(now, code, false))
}

// abort ends the turn. In the wait before an own retry, and while room is made, nothing says so on the disk.
func (p *pi) abort(now time.Time, text, inTool string) {
	switch p.phase {
	case asking:
		p.records(now, piCut, "content", fill(piText, "said", quote("one two three ")), "usage", piNoUsage, "stop", "aborted", "text", quote(text))
	case tooling:
		p.records(now, piResult, "said", quote("Command aborted"), "failed", "true", "details", `"details":{},`)
		p.stopTool()
		p.asked = now
		p.records(now, piError, "content", "", "usage", piNoUsage, "stop", "aborted", "text", quote(inTool))
	case retrying:
		p.said = "Error: Retry failed after 2 attempts: Retry cancelled"
	default:
		return
	}
	if p.phase != retrying {
		p.said = "Operation aborted"
	}
	p.ask, p.short = nil, false
	p.enter(idle, time.Time{})
}

// rename is /name. A session that has no file yet has nothing to name.
func (p *pi) rename(now time.Time) error {
	if !p.settled {
		return ErrCannot
	}
	p.add(now, "session_info", piNamed)
	p.name, p.said = "new-name", "Session name set: new-name"
	return p.failure()
}

// turns is /new, /resume with another session of the folder, /tree, after which the next prompt hangs below an older record, or
// /compact, which finds nothing to take out.
func (p *pi) turns(now time.Time) error {
	switch p.w.Rand.IntN(5) {
	case 0:
		all, err := filepath.Glob(filepath.Join(p.a.folder(p.start.Dir), "*.jsonl"))
		all = slices.DeleteFunc(all, func(path string) bool { return path == p.path })
		if err == nil && len(all) > 0 {
			return p.take(all[p.w.Rand.IntN(len(all))])
		}
	case 1:
		f, err := piRead(p.path)
		if err == nil && len(f.ids) > 2 {
			p.leaf, p.said = f.ids[p.w.Rand.IntN(len(f.ids)-1)], "Navigated to selected point"
			return nil
		}
	case 2:
		if p.settled {
			p.said = "Error: Compaction failed: Nothing to compact (session too small)"
			return nil
		}
	}
	p.anew(uuid7(p.w.Rand, now), now)
	return nil
}

// piFile is what a process takes over from the file of a session.
type piFile struct {
	id, said  string
	name      string
	leaf      string   // the last record
	last      string   // the last one that has an effect on the state of the session
	kept      string   // the newest good answer
	ids       []string // of the messages
	unsettled bool     // there is no whole first line
}

func piRead(path string) (f piFile, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	f.unsettled = true
	for l := range bytes.Lines(b) {
		var r struct {
			Type    string `json:"type"`
			ID      string `json:"id"`
			Name    string `json:"name"`
			Message struct {
				Role       string `json:"role"`
				StopReason string `json:"stopReason"`
				Error      string `json:"errorMessage"`
			} `json:"message"`
		}
		switch err := json.Unmarshal(l, &r); {
		case err != nil || r.ID == "":
			continue
		case r.Type == "session":
			f.id, f.unsettled = r.ID, false
			continue
		case r.Type == "context_edit":
			f.last = r.ID
		case r.Type == "session_info":
			f.name = r.Name
		case r.Type == "message" && r.Message.Role != "system":
			f.last, f.ids = r.ID, append(f.ids, r.ID)
			f.said = "All done."
			switch r.Message.StopReason {
			case "error":
				f.said = "Error: " + r.Message.Error
			case "aborted":
				f.said = "Operation aborted"
			case "stop", "toolUse":
				f.kept = r.ID
			}
		}
		f.leaf = r.ID
	}
	return f, nil
}

// take has the process work in an old session, at its newest record.
func (p *pi) take(path string) error {
	f, err := piRead(path)
	if err != nil || f.unsettled {
		return errors.Join(ErrCannot, err)
	}
	p.id, p.path, p.settled, p.from = f.id, path, true, ""
	p.leaf, p.last, p.kept, p.name, p.said = f.leaf, f.last, f.kept, f.name, f.said
	return nil
}

// copies takes over the records that a fork begins with.
func (p *pi) copies(now time.Time) error {
	b, err := os.ReadFile(p.from)
	if err != nil {
		return err
	}
	p.put(now, p.head(now))
	for l := range strings.Lines(string(b)) {
		if strings.HasSuffix(l, "\n") && !strings.HasPrefix(l, `{"type":"session"`) {
			p.put(now, l)
		}
	}
	return p.failure()
}

// Behind tells whether what the process shows is not the end of its session's file: a prompt would go on from an older place.
func (p *pi) Behind() bool {
	f, err := piRead(p.path)
	return err == nil && f.leaf != p.leaf
}

// Drawn is what its terminal shows, with a text in its box.
func (p *pi) Drawn(input string) agent.Screen {
	const width = 120
	rule := strings.Repeat("─", width)
	top := rule
	switch p.phase {
	case retrying:
		top = "── ⠹ Retrying (1/3) in 2s... (escape to cancel) ──"
	case asking, tooling:
		top = "── ⠹ Working " + strings.Repeat("─", width-14)
	}
	rows := []string{"", " " + strings.ReplaceAll(p.said, "\n", " "), "", top, input, rule, "~/work/demo (main)", "1.2%/100k (auto)      (" + p.a.Provider + ") demo-1"}
	title := filepath.Base(p.start.Dir)
	if p.name != "" {
		title = p.name + " - " + title
	}
	return agent.Screen{Rows: rows, Cols: width, Row: 4, Col: len(input), Title: "π - " + title}
}

// Resume is pi --mode json -p with the prompt on stdin: in an old session with --session ID, in a new one with --session-id ID, which
// takes an old one where there is one.
func (a *Pi) Resume(plan resume.Plan, environ []string, out io.Writer, now time.Time) (Session, error) {
	if mode, _ := option(plan.Argv, "--mode"); mode != "json" || !slices.Contains(plan.Argv, "-p") {
		return nil, ErrCannot
	}
	id, old := option(plan.Argv, "--session")
	if !old {
		id, _ = option(plan.Argv, "--session-id")
	}
	p := a.spawn(Start{Dir: plan.Dir}, slices.Concat(plan.Env, environ), now)
	p.out, p.by = out, Clawd
	path := a.find(plan.Dir, id)
	elsewhere, err := filepath.Glob(filepath.Join(a.root, "sessions", "*", "*_"+id+".jsonl"))
	switch {
	case err != nil:
		return nil, err
	case path != "":
		if err := p.take(path); err != nil {
			return nil, err
		}
	case old && len(elsewhere) > 0: // it would copy it, and its stdin has no answer
		p.print(piSaysElsewhere, "dir", plan.Dir)
		return p, p.exit(now, 0, false)
	case old:
		p.print(piSaysNone, "sid", id)
		return p, p.exit(now, 1, false)
	case id == "":
		id = uuid7(a.w.Rand, now)
		fallthrough
	default:
		p.anew(id, now)
	}
	p.print(p.head(now))
	return p, p.give(strings.TrimSpace(string(plan.Stdin)), Clawd, now)
}
