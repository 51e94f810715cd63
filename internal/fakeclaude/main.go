// Fakeclaude behaves as "claude -p --resume ID ..." does as far as clawd can see it. It is for tests, which start it some
// hundred times: small, and built without the race detector. In the folder FAKE_DIR each start but
// that for the version appends one line to starts, and the n-th start behaves as line n of modes says; the last line repeats.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/internal/transcript"
)

func main() {
	if os.Getenv("CLAUDECODE") != "" { // as in a shell of the agent, where its clawd runs may have been started
		fmt.Fprintln(os.Stderr, "fake claude: it takes itself for one that runs inside another")
		os.Exit(1)
	}
	if slices.Contains(os.Args, "--version") {
		fmt.Println("2.1.329 (Claude Code)")
		return
	}
	if err := newFake().run(); err != nil {
		fmt.Fprintln(os.Stderr, "fake claude:", err)
		os.Exit(1)
	}
}

type fake struct {
	dir, id, cwd, path string
	prompt             string // empty: the form without a prompt
	fresh              bool
	last               line // newest line of the conversation
}

// line is what the fake needs of a transcript's line.
type line struct {
	Type string `json:"type"`
	UUID string `json:"uuid"`
}

func newFake() *fake {
	f := &fake{dir: os.Getenv("FAKE_DIR")}
	f.cwd, _ = os.Getwd()
	for i, a := range os.Args {
		switch {
		case (a == "--resume" || a == "--session-id") && i+1 < len(os.Args):
			f.id, f.fresh = os.Args[i+1], a == "--session-id"
		case a == "--" && i+1 < len(os.Args):
			f.prompt = os.Args[i+1]
		}
	}
	f.path = transcript.Path(os.Getenv("CLAUDE_CONFIG_DIR"), f.cwd, f.id)
	return f
}

func (f *fake) run() error {
	f.readLast()
	n, err := f.started()
	if err != nil {
		return err
	}
	switch mode := f.mode(n); mode {
	case "die before init":
		return fmt.Errorf("died at once")
	case "idle": // it opens the session and sees nothing to go on with
		return f.write(fmt.Sprintf(`{"type":"mode","mode":"normal","sessionId":%q}`+"\n", f.id))
	case "no conversation":
		f.print(`{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":%q,"errors":["No conversation found with session ID: %s"]}`, f.id, f.id)
		return fmt.Errorf("refused: No conversation found with session ID: %s", f.id)
	default:
		f.print(`{"type":"system","subtype":"init","cwd":%q,"session_id":%q,"model":"claude-opus-5-5","permissionMode":"default"}`, f.cwd, f.id)
		return f.turn(mode)
	}
}

// turn is what comes once the session is open.
func (f *fake) turn(mode string) error {
	if mode == "die after init" {
		return fmt.Errorf("died before anything was written")
	}
	if err := f.ask(); err != nil {
		return err
	}
	switch mode {
	case "succeed":
		return f.answer("")
	case "denied":
		return f.answer(`{"tool_name":"Write","tool_use_id":"toolu_fake","tool_input":{}}`)
	case "limit":
		return f.fail()
	case "die after prompt":
		return fmt.Errorf("died in mid turn")
	case "hang": // until the file "release" is there; a word on stdout at every look
		for range time.NewTicker(20 * time.Millisecond).C {
			f.print(`{"type":"rate_limit_event","session_id":%q}`, f.id)
			if _, err := os.Stat(filepath.Join(f.dir, "release")); err == nil {
				return f.answer("")
			}
		}
	}
	return fmt.Errorf("no such mode: %q", mode)
}

// started notes this start: the stop that it is for, the pid, and the form.
func (f *fake) started() (int, error) {
	form := "prompt"
	switch {
	case f.fresh:
		form = "fresh"
	case f.prompt == "":
		form = "idempotent"
	}
	path := filepath.Join(f.dir, "starts")
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	if _, err := fmt.Fprintf(out, "%s %d %s %s\n", f.last.UUID, os.Getpid(), form, f.id); err != nil {
		return 0, err
	}
	b, err := os.ReadFile(path)
	return strings.Count(string(b), "\n"), err
}

func (f *fake) mode(n int) string {
	b, _ := os.ReadFile(filepath.Join(f.dir, "modes"))
	modes := strings.Split(strings.TrimSpace(string(b)), "\n")
	return modes[min(n, len(modes))-1]
}

func (f *fake) readLast() {
	in, err := os.Open(f.path)
	if err != nil {
		return
	}
	defer in.Close()
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var l line
		if json.Unmarshal(s.Bytes(), &l) == nil && (l.Type == "user" || l.Type == "assistant") {
			f.last = l
		}
	}
}

func (f *fake) print(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// ask writes the user's line.
func (f *fake) ask() error {
	if f.prompt == "" && !f.fresh {
		return f.write(transcript.Prompt(f.last.UUID, f.id, f.cwd, "Continue from where you left off.", true, time.Now()))
	}
	return f.write(transcript.Prompt(f.last.UUID, f.id, f.cwd, f.prompt, false, time.Now()))
}

func (f *fake) answer(denial string) error {
	l := transcript.Answer(f.last.UUID, f.id, f.cwd, time.Now())
	if err := f.write(l); err != nil {
		return err
	}
	f.print(`{"type":"assistant","message":{"id":"msg_%s","role":"assistant"},"session_id":%q,"uuid":%q}`, f.last.UUID, f.id, f.last.UUID)
	f.print(`{"type":"result","subtype":"success","is_error":false,"session_id":%q,"total_cost_usd":0.01,"permission_denials":[%s]}`, f.id, denial)
	return nil
}

func (f *fake) fail() error {
	return f.write(transcript.Limit(f.last.UUID, f.id, f.cwd, time.Now()))
}

// write appends a line in one write, as the agent does.
func (f *fake) write(l string) error {
	if err := json.Unmarshal([]byte(l), &f.last); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = out.WriteString(l)
	return err
}
