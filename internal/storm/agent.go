package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/internal/transcript"
)

// The fake agent is "claude -p --resume ID ...", as far as clawd and the provider can see it: it has its
// entry in the registry, prints stream-json, asks, and appends to the session's file what Claude Code 2.1.329
// appends, in its order. Each of its acts stands in the ledger.

// Modes: what one start of the agent does, after it has read the session.
const (
	modeAnswer      = "answer"            // the turn ends well
	modeSlow        = "slow"              // so it does, after a while
	modeLimit       = "limit"             // the provider refuses
	modeUsage       = "usage"             // the plan is used up for another second
	modeDieEarly    = "die early"         // before it opened the session
	modeDieInit     = "die after init"    // before it asked
	modeDieAsked    = "die after asking"  // before anything was written
	modeDiePrompted = "die after prompt"  // in mid turn
	modeDieAnswered = "die after answer"  // before the end is printed
	modeLinger      = "linger"            // the turn ended well, and it stays for a while
	stormDir        = "STORM_DIR"         // names the home's folder; clawd hands it on
	personMode      = "STORM_PERSON_MODE" // set by the storm for a start by hand
)

// agentLife bounds a fake agent, whatever happens to the storm.
const agentLife = 60 * time.Second

type fake struct {
	dir, root, cwd, path string
	r                    row
	prompt               string // empty: the form without a prompt
	tail                 line
	meta                 bool // the newest line of the user's side is the agent's own
	rng                  *rand.Rand
}

func agentMain() error {
	if slices.Contains(os.Args, "--version") {
		fmt.Println("2.1.329 (Claude Code)")
		return nil
	}
	time.AfterFunc(agentLife, func() { os.Exit(3) })
	f, err := newFake()
	if err != nil {
		return err
	}
	if err := f.register(); err != nil {
		return err
	}
	return f.run()
}

func newFake() (*fake, error) {
	f := &fake{dir: os.Getenv(stormDir), root: os.Getenv("CLAUDE_CONFIG_DIR")}
	pid := os.Getpid()
	f.r = row{By: byPerson, PID: pid, Born: float64(procStart(pid)) / ticks, Token: os.Getenv("CLAWD_ATTEMPT"), Form: "prompt", Mode: os.Getenv(personMode)}
	if f.r.Token != "" {
		f.r.By = byClawd
	}
	for i, a := range os.Args[:len(os.Args)-1] {
		switch a {
		case "--resume":
			f.r.Session = os.Args[i+1]
		case "--":
			f.prompt = os.Args[i+1]
		}
	}
	if f.prompt == "" {
		f.r.Form = "idempotent"
	}
	if f.dir == "" || f.r.Session == "" {
		return nil, errors.New("the fake agent is started by the storm's clawd alone")
	}
	var err error
	if f.cwd, err = os.Getwd(); err != nil {
		return nil, err
	}
	f.path = transcript.Path(f.root, f.cwd, f.r.Session)
	if f.tail, f.meta, err = readTail(f.path); err != nil {
		return nil, err
	}
	f.r.Tail, f.r.Stands = f.tail.UUID, f.tail.stands()
	return f, nil
}

// say appends to the ledger.
func (f *fake) say(ev string) error {
	r := f.r
	r.Ev = ev
	if ev != evStart {
		r.Tail, r.Stands, r.Beside = "", "", ""
	}
	return appendRow(f.dir, r)
}

// register writes the registry's entry, and sees who else has one for this session.
func (f *fake) register() error {
	folder := filepath.Join(f.root, "sessions")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		b, _ := os.ReadFile(filepath.Join(folder, e.Name())) // gone in between is gone
		var o struct {
			PID                          int
			SessionID, ProcStart, Script string
		}
		if json.Unmarshal(b, &o) == nil && o.SessionID == f.r.Session && strconv.FormatUint(procStart(o.PID), 10) == o.ProcStart {
			f.r.Beside = o.Script
		}
	}
	entry := fmt.Sprintf(`{"pid":%d,"sessionId":%q,"cwd":%q,"startedAt":%d,"procStart":"%d","version":"2.1.329","peerProtocol":1,"kind":"interactive","entrypoint":"sdk-cli","script":%q}`,
		f.r.PID, f.r.Session, f.cwd, time.Now().UnixMilli(), procStart(f.r.PID), f.r.By)
	return os.WriteFile(f.entry(), []byte(entry), 0o600)
}

func (f *fake) entry() string {
	return filepath.Join(f.root, "sessions", strconv.Itoa(f.r.PID)+".json")
}

// run is the agent's life after it has read the session.
func (f *fake) run() error {
	n, err := f.begun()
	if err != nil {
		return err
	}
	f.rng = rand.New(rand.NewPCG(hashOf(f.r.Session), uint64(n)))
	if f.r.Mode == "" {
		f.r.Mode = f.script(n)
	}
	if err := f.say(evStart); err != nil {
		return err
	}
	f.pause(10)
	if f.r.Mode == modeDieEarly {
		return errors.New("it died early")
	}
	if f.r.Form == "idempotent" && (f.meta || f.tail.stands() == "answer") {
		return f.idle()
	}
	if err := f.say(evInit); err != nil {
		return err
	}
	fmt.Printf(`{"type":"system","subtype":"init","cwd":%q,"session_id":%q,"model":"claude-opus-5-5","permissionMode":"default"}`+"\n", f.cwd, f.r.Session)
	f.pause(20)
	if f.r.Mode == modeDieInit {
		return errors.New("it died before it asked")
	}
	if err := f.say(evAsked); err != nil {
		return err
	}
	f.pause(60) // lines are batched
	if f.r.Mode == modeDieAsked {
		return errors.New("it died before it wrote")
	}
	if err := f.ask(); err != nil {
		return err
	}
	return f.turn()
}

// idle is what the form without a prompt does where there is nothing to go on with: no request.
func (f *fake) idle() error {
	if err := f.write(fmt.Sprintf(`{"type":"mode","mode":"normal","sessionId":%q}`+"\n", f.r.Session)); err != nil {
		return err
	}
	return f.end()
}

func (f *fake) ask() error {
	text, meta := f.prompt, false
	if f.r.Form == "idempotent" {
		text, meta = "Continue from where you left off.", true
	}
	if err := f.write(transcript.Prompt(f.tail.UUID, f.r.Session, f.cwd, text, meta, time.Now())); err != nil {
		return err
	}
	return f.say(evPrompted)
}

// turn is what comes of the request.
func (f *fake) turn() error {
	if err := f.write(transcript.Asked(f.r.Session)); err != nil {
		return err
	}
	f.pause(30)
	switch f.r.Mode {
	case modeDiePrompted:
		return errors.New("it died in mid turn")
	case modeLimit, modeUsage:
		stop := transcript.Limit(f.tail.UUID, f.r.Session, f.cwd, time.Now())
		if f.r.Mode == modeUsage {
			stop = usageLine(f.tail.UUID, f.r.Session, f.cwd, time.Now(), time.Now().Add(time.Second))
		}
		if err := f.write(stop); err != nil {
			return err
		}
		if err := f.say(evFailed); err != nil {
			return err
		}
		fmt.Printf(`{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"session_id":%q,"total_cost_usd":0}`+"\n", f.r.Session)
		return f.end()
	case modeSlow:
		for range 5 + f.rng.IntN(15) {
			fmt.Printf(`{"type":"rate_limit_event","session_id":%q}`+"\n", f.r.Session)
			f.pause(200)
		}
	}
	return f.answer()
}

func (f *fake) answer() error {
	if err := f.say(evAnswer); err != nil {
		return err
	}
	if err := f.write(transcript.Answer(f.tail.UUID, f.r.Session, f.cwd, time.Now())); err != nil {
		return err
	}
	if err := f.say(evAnswered); err != nil {
		return err
	}
	fmt.Printf(`{"type":"assistant","message":{"id":%q,"role":"assistant"},"session_id":%q,"uuid":%q}`+"\n", "msg_"+f.tail.UUID[:8], f.r.Session, f.tail.UUID)
	switch f.r.Mode {
	case modeDieAnswered:
		return errors.New("it died after its answer")
	case modeLinger:
		f.pause(2000)
	}
	fmt.Printf(`{"type":"result","subtype":"success","is_error":false,"session_id":%q,"total_cost_usd":0.01,"permission_denials":[]}`+"\n", f.r.Session)
	return f.end()
}

// end is a good end: the entry goes.
func (f *fake) end() error {
	if err := f.say(evEnd); err != nil {
		return err
	}
	return os.Remove(f.entry())
}

// write appends lines with one write, as the agent does.
func (f *fake) write(text string) error {
	if err := appendTo(f.path, []byte(text)); err != nil {
		return err
	}
	for l := range strings.Lines(text) {
		var now line
		if err := json.Unmarshal([]byte(l), &now); err != nil {
			return err
		}
		if now.stands() != "" {
			f.tail = now
		}
	}
	return nil
}

// pause takes up to so many milliseconds.
func (f *fake) pause(most int) { time.Sleep(time.Duration(f.rng.IntN(most*1000)) * time.Microsecond) }

// begun counts the starts of clawd for this session before this one.
func (f *fake) begun() (n int, err error) {
	b, err := os.ReadFile(filepath.Join(f.dir, "ledger"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	for l := range bytes.Lines(b) {
		var r row
		if bytes.Contains(l, []byte(f.r.Session)) && json.Unmarshal(l, &r) == nil && r.Ev == evStart && r.By == f.r.By {
			n++
		}
	}
	return n, nil
}

// script is what the n-th start does; the last line repeats.
func (f *fake) script(n int) string {
	b, _ := os.ReadFile(filepath.Join(f.dir, "scripts", f.r.Session)) // without one it answers
	modes := strings.Split(strings.TrimSpace(string(b)), "\n")
	return modes[min(n, len(modes)-1)]
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64()
}
