package actor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// patience: the SDK sends a request four times, the agent takes that for one try and makes seven, and where the provider
// throttles it makes those eleven times, minutes apart. A longest delay that a provider may ask for is not known.
func (p *qwen) patience(n int) (time.Duration, bool) {
	if p.answer.Kind == Cut {
		p.cuts++
		return 2 * time.Second * time.Duration(p.cuts), p.cuts < qwenCuts
	}
	p.cuts = 0
	if p.q.final(p.answer) {
		return 0, false
	}
	asked := p.answer.RetryAfter
	if i := n % (p.q.Retries + 1); i != 0 {
		if asked > 0 && asked <= time.Minute {
			return asked, true
		}
		return 500 * time.Millisecond << (i - 1), true
	}
	tries := n / (p.q.Retries + 1)
	if i := tries % qwenTries; i != 0 {
		wait := min(1500*time.Millisecond<<(i-1), 30*time.Second)
		wait = wait*7/10 + time.Duration(p.w.Rand.Int64N(int64(wait)*6/10))
		if asked > 0 {
			wait = asked
		}
		return wait, true
	}
	round := tries / qwenTries
	if p.answer.Kind == Broken || p.answer.Kind == Unreachable || round > p.q.Rounds {
		return 0, false
	}
	return max(min(time.Minute<<(round-1), 5*time.Minute), min(asked, 5*time.Minute)), true
}

const (
	qwenTries = 7
	qwenCuts  = 5
)

// retries: the SDK's own stand in no file.
func (p *qwen) retries(now time.Time, n int, wait time.Duration) {
	switch tries := n / (p.q.Retries + 1); {
	case p.answer.Kind == Cut:
		p.failure(now)
		p.prints("Starting to ans", false)
		p.print(qwenSaysRetry, "round", "")
	case n%(p.q.Retries+1) != 0:
	case tries%qwenTries != 0:
		p.failure(now)
	default:
		p.failure(now)
		p.print(qwenSaysRetry, "round", fmt.Sprintf(`"attempt":%d,"maxRetries":%d,"delayMs":%d,`, tries/qwenTries, p.q.Rounds, wait.Milliseconds()))
	}
}

// failure is the record of a failed try. An answer that was cut is taken for one that came.
func (p *qwen) failure(now time.Time) {
	if p.answer.Kind == Cut {
		p.tries(now, qwenResponseCut, "name", "api_response")
		return
	}
	text, class, status := p.q.fails(p.answer)
	p.tries(now, qwenError, "name", "api_error", "text", quote(text), "class", class, "status", qwenStatus(status), "sub", "")
}

// failed: no record tells that it gives up.
func (p *qwen) failed(now time.Time) error {
	p.failure(now)
	p.cuts, p.shows = 0, true
	shown := p.q.shown(p.answer)
	p.prints(shown, false)
	return p.over(now, 1, qwenSaysFailed, "text", quote(shown))
}

// Do is what a person or the machine does to it.
func (p *qwen) Do(m Move, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	switch m {
	case Interrupt, Terminate:
		switch {
		case p.headless():
			return p.signalled(now)
		case m == Terminate:
			return p.exit(now, 143, false)
		}
		return p.interrupt(now)
	case Quit:
		if p.headless() {
			return ErrCannot
		}
		p.ends = true
		return errors.Join(p.interrupt(now), p.exit(now, 0, false))
	case Hangup: // what it does is written nowhere
		return p.exit(now, 129, false)
	case Crash:
		return p.crash(now)
	case Clear, Rename:
		if p.headless() || !p.Idle() || !p.used {
			return ErrCannot
		}
		if m == Clear {
			return p.clear(now)
		}
		p.named = true
		p.put(now, p.line(now, qwenTitle), p.line(now, qwenCommand), p.line(now, qwenCommanded))
		return nil
	case Approve:
		if p.phase == question {
			p.runs(now)
			p.enter(tooling, now.Add(orSecond(p.answer.Tool)))
			return nil
		}
	}
	return ErrCannot
}

// crash: whoever kills a headless run may meet the launcher alone. Then its child goes on.
func (p *qwen) crash(now time.Time) error {
	if p.headless() && len(p.above) > 0 && p.w.Rand.IntN(3) == 0 {
		p.w.Procs.End(p.above[0].PID)
		p.above, p.proc.PPID = nil, 1
		return nil
	}
	return p.exit(now, 137, true)
}

// signalled: a run that is told to end tells so where a tool runs, and else writes no word on its end.
func (p *qwen) signalled(now time.Time) error {
	p.ends = p.phase == tooling
	if err := p.interrupt(now); err != nil {
		return err
	}
	p.print(qwenSaysStopped)
	return p.exit(now, 130, false)
}

// interrupt is Escape, or a signal. In a wait between two tries it leaves nothing, and neither does it before an answer
// begins to come; then the prompt stands in the input box again.
func (p *qwen) interrupt(now time.Time) error {
	was := p.phase
	switch was {
	case idle, starting:
		return nil
	case asking:
		if a := p.answer.Kind; (a == Done || a == CallsTool) && p.due.Sub(now) < orSecond(p.answer.Took)/2 {
			p.says(now, qwenAssistant+qwenNoUsage, "parts", `{"text":"one two three "}`)
		}
	case tooling:
		p.stopsTool()
		p.result(now, "cancelled", "cancelled", "auto_accept", `"error":"[Operation Cancelled] Reason: User intentionally cancelled."`, "")
	case question:
		p.result(now, "cancelled", "not_started", "reject", `"error":"[Operation Cancelled] Reason: User did not allow tool call"`, "")
	}
	if !p.headless() && (was == asking || was == retrying) && p.step == 0 {
		p.back = p.text
	}
	p.enter(idle, time.Time{})
	p.ask = nil
	return nil
}

// Back takes what it has put back into its input box.
func (p *qwen) Back() (text string) {
	text, p.back = p.back, ""
	return text
}

// Failed tells whether the failure of the newest request stands right above its input box. How one is drawn that says when a
// quota is renewed nobody has seen.
func (p *qwen) Failed() bool { return p.shows && !strings.Contains(p.q.shown(p.answer), "\n\n") }

// Drawn is its terminal, with a text in its input box.
func (p *qwen) Drawn(input string) agent.Screen {
	const cols, placeholder = 120, "Type your message or @path/to/file"
	rule := strings.Repeat("─", cols)
	s := agent.Screen{Cols: cols, Col: 2, Title: "Qwen - demo", Rows: []string{"", "  > " + p.text}}
	mode := "  Auto mode (shift + tab to cycle)"
	switch {
	case p.phase == question:
		s.Title = "✳︎ Qwen - demo"
		s.Rows = append(s.Rows, "", "Allow execution of: 'bash'?", "› 1. Yes, allow once", "", "⠏ Waiting for user confirmation...")
		s.Row = 4
		return s
	case p.phase != idle:
		s.Title, mode = "◐︎ Qwen - demo", "  Enter to steer · Ctrl+Q to queue · Auto mode (shift + tab to cycle)"
		s.Rows = append(s.Rows, "", "  .  Shipping awesomeness...  (3s · esc to cancel)")
	case p.shows:
		s.Rows = append(s.Rows, p.fault(cols)...)
		s.Rows = append(s.Rows, "")
	default:
		s.Rows = append(s.Rows, "", "  ◆︎ All done.", "")
	}
	s.Row = len(s.Rows) + 1
	if input == "" {
		s.Rows = append(s.Rows, rule, ">   "+placeholder)
		s.Faint = [][2]int{{3, 4 + len(placeholder)}}
	} else {
		s.Rows = append(s.Rows, rule, "> "+input+" \u200b")
		s.Col += len(input)
	}
	s.Rows = append(s.Rows, rule, "  ➜ demo · git:(master) · demo-1", mode)
	return s
}

// fault are the rows of the failure that it shows.
func (p *qwen) fault(cols int) (rows []string) {
	lead := "  ✕ "
	for l := range strings.Lines(p.q.shown(p.answer) + " (Press Ctrl+Y to retry)") {
		for l = strings.TrimRight(l, "\n"); len(l) > cols-8; lead = "    " {
			i := strings.LastIndexByte(l[:cols-8], ' ')
			rows, l = append(rows, lead+l[:i]), l[i+1:]
		}
		rows, lead = append(rows, lead+l), "    "
	}
	return rows
}

// clear opens another session in the same window. Its file comes with its first prompt.
func (p *qwen) clear(now time.Time) error {
	if p.named {
		p.put(now, p.line(now, qwenTitle))
	}
	if err := errors.Join(p.flush(now), p.record(now), os.Remove(p.runtime())); err != nil {
		return err
	}
	p.id = uuid(p.w.Rand)
	p.path = p.q.chat(p.start.Dir, p.id)
	p.text, p.tree, p.prompts, p.named, p.used, p.shows = "", "", 0, false, false, false
	return p.register(now)
}

func (p *qwen) runtime() string { return strings.TrimSuffix(p.path, ".jsonl") + ".runtime.json" }

func (p *qwen) entry() string {
	return filepath.Join(p.q.root, "sessions", strconv.Itoa(p.proc.PID)+".json")
}

// register writes down which session a terminal shows. Of a headless run nothing is written.
func (p *qwen) register(now time.Time) error {
	if p.headless() {
		return nil
	}
	pairs := []string{"pid", strconv.Itoa(p.proc.PID), "boot", p.w.Procs.Boot(), "start", strconv.FormatUint(p.proc.Start, 10), "sid", p.id, "cwd", quote(p.start.Dir),
		"began", strconv.FormatInt(p.began.UnixMilli(), 10), "s", strconv.FormatInt(p.began.Unix(), 10)}
	return errors.Join(replaceAt(p.entry(), []byte(fill(qwenEntry, pairs...)), now), replaceAt(p.runtime(), []byte(fill(qwenRuntime, pairs...)), now))
}

// record notes that a process is through with a session.
func (p *qwen) record(now time.Time) error {
	return appendAt(filepath.Join(p.q.root, "usage_record.jsonl"), []byte(fill(qwenRecord, "sid", p.id, "ms", strconv.FormatInt(now.UnixMilli(), 10),
		"began", strconv.FormatInt(p.began.UnixMilli(), 10), "cwd", quote(p.start.Dir))), now)
}

// gone: only a process that is killed leaves its entry in the registry, and its tools.
func (p *qwen) gone(now time.Time, hard bool) error {
	for _, x := range p.above {
		p.w.Procs.End(x.PID)
	}
	if hard {
		if p.tool != nil {
			p.tool.PPID = 1
		}
		return nil
	}
	p.stopsTool()
	if !p.headless() {
		if err := os.Remove(p.entry()); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if p.ends && p.used {
		return p.record(now)
	}
	return nil
}

// qwenRecord is what the agent looks at in a record when it opens a session.
type qwenRead struct {
	UUID    string `json:"uuid"`
	Type    string `json:"type"`
	Payload struct {
		Event struct {
			Name     string `json:"event.name"`
			PromptID string `json:"prompt_id"`
		} `json:"uiEvent"`
	} `json:"systemPayload"`
}

// read takes over what stands in a session's file. What cannot be read does not count.
func (p *qwen) read(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	p.tree, p.prompts, p.used = "", 0, true
	*p.file() = qwenFile{}
	for l := range bytes.Lines(b) {
		var r qwenRead
		if json.Unmarshal(l, &r) != nil || r.UUID == "" {
			continue
		}
		p.tree = r.UUID
		switch e := r.Payload.Event; {
		case r.Type == "user":
			p.prompts++
			*p.file() = qwenFile{last: r.UUID}
		case r.Type != "system":
			*p.file() = qwenFile{last: r.UUID}
		case strings.Contains(e.PromptID, "########") && slices.Contains([]string{"qwen-code.api_error", "qwen-code.api_response"}, e.Name):
			p.tried(r.UUID)
		}
	}
	return nil
}

// copies takes over the records that a fork begins with, as they stand now.
func (p *qwen) copies(now time.Time) error {
	if p.copied == "" {
		return nil
	}
	b, err := os.ReadFile(p.copied)
	if err != nil {
		return err
	}
	p.copied = ""
	for l := range strings.Lines(string(b)) {
		var r qwenRead
		if json.Unmarshal([]byte(l), &r) == nil && strings.HasSuffix(l, "}\n") {
			p.put(now, strings.Replace(strings.TrimSuffix(l, "}\n"), `"sessionId":"`+p.from+`"`, `"sessionId":"`+p.id+`"`, 1)+
				`,"forkedFrom":{"sessionId":"`+p.from+`","messageUuid":"`+r.UUID+`"}}`+"\n")
		}
	}
	return nil
}
