package actor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// Gemini plays the Gemini CLI 0.61.0.
type Gemini struct {
	// Attempts is how often it asks for one request (general.maxAttempts).
	Attempts int
	// Period after which its start deletes a session (general.sessionRetention).
	Period time.Duration

	w     *World
	root  string
	slugs map[string]string // project folders
	dirs  []string          // in the order of their slugs
}

// NewGemini gives the agent with its defaults, in ~/.gemini.
func NewGemini(w *World) *Gemini {
	return &Gemini{Attempts: 10, Period: 30 * 24 * time.Hour, w: w, root: filepath.Join(w.Home, ".gemini"), slugs: map[string]string{}}
}

// Name is "gemini".
func (g *Gemini) Name() string { return "gemini" }

// Root is the agent's folder.
func (g *Gemini) Root() string { return g.root }

// project gives the folder of a project's sessions, and writes down whose it is.
func (g *Gemini) project(dir string, now time.Time) (string, error) {
	slug := g.slugs[dir]
	if slug == "" {
		base := filepath.Base(dir)
		slug = base
		for n := 1; slices.ContainsFunc(g.dirs, func(d string) bool { return g.slugs[d] == slug }); n++ {
			slug = base + "-" + string(rune('0'+n))
		}
		g.slugs[dir] = slug
		g.dirs = append(g.dirs, dir)
		var list []string
		for _, d := range g.dirs {
			list = append(list, quote(d)+":"+quote(g.slugs[d]))
		}
		err := errors.Join(replaceAt(filepath.Join(g.root, "projects.json"), []byte(`{"projects":{`+strings.Join(list, ",")+`}}`), now),
			replaceAt(filepath.Join(g.root, "tmp", slug, ".project_root"), []byte(dir), now))
		if err != nil {
			return "", err
		}
	}
	return filepath.Join(g.root, "tmp", slug, "chats"), nil
}

// gemini is one process of it: the child. Its launcher is in the table, too.
type gemini struct {
	process
	g        *Gemini
	start    Start
	chats    string
	launcher *Proc
	talk     talk
	asked    string // the record of the open request; a prompt, or the result of a tool
	call     string // the tool call that is open
	callID   string // and its record
	dialog   bool   // the dialog at a limit stands on the screen
	typed    int    // prompts in logs.json
}

// Begin starts a process with a new session. Its file is there at once, with no turn in it.
func (g *Gemini) Begin(s Start, now time.Time) (Session, error) {
	p, err := g.spawn(uuid(g.w.Rand), s, s.Args, g.w.Env, now)
	if err != nil {
		return nil, err
	}
	p.path = p.name(now)
	return p, p.head(p.path, now)
}

// Open is gemini --resume ID in a terminal, or headless in a script.
func (g *Gemini) Open(id string, s Start, now time.Time) (Session, error) {
	p, err := g.spawn(id, s, append([]string{"--resume", id}, s.Args...), g.w.Env, now)
	if err != nil {
		return nil, err
	}
	return p, p.open(now)
}

func (g *Gemini) spawn(id string, s Start, args, environ []string, now time.Time) (*gemini, error) {
	chats, err := g.project(s.Dir, now)
	if err != nil {
		return nil, err
	}
	if s.TTY == "" && !slices.Contains(args, "--output-format") {
		args = append([]string{"--output-format", "stream-json"}, args...)
	}
	p := &gemini{g: g, start: s, chats: chats}
	p.process = process{w: g.w, h: p, agent: "gemini", id: id, by: Person, lag: time.Millisecond}
	p.launcher = g.w.Procs.Spawn("node", slices.Concat([]string{"node", "/usr/bin/gemini"}, args), environ, s.Dir, s.TTY, now)
	p.proc = g.w.Procs.Spawn("node", slices.Concat([]string{"node", "--max-old-space-size=8192", "/usr/bin/gemini"}, args),
		append([]string{"GEMINI_CLI_NO_RELAUNCH=true"}, environ...), s.Dir, s.TTY, now)
	p.proc.PPID, p.proc.Group, p.proc.Leader = p.launcher.PID, p.launcher.PID, p.launcher.PID
	return p, g.tidy(chats, id, now)
}

// name is that of a new file of the session.
func (p *gemini) name(now time.Time) string {
	return filepath.Join(p.chats, "session-"+now.UTC().Format("2006-01-02T15-04")+"-"+p.id[:8]+".jsonl")
}

// head writes the beginning of a file.
func (p *gemini) head(path string, now time.Time) error {
	sum := sha256.Sum256([]byte(p.start.Dir))
	text := "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n- The project's temporary directory is: " +
		filepath.Dir(p.chats) + "\n</session_context>"
	id := draw(p.w.Rand, "0123456789abcdef", 32)
	first := record{ID: id, Raw: fill(geminiContext, "id", id, "at", stamp(now), "text", quote(text)), Role: "user", Parts: `{"text":` + quote(text) + `}`}
	if len(p.talk) == 0 {
		p.talk = talk{first}
	}
	return appendAt(path, []byte(fill(geminiHead, "sid", p.id, "hash", hex.EncodeToString(sum[:]), "at", stamp(now))+
		fill(geminiCheck, "list", first.Raw, "at", stamp(now))), now)
}

// open takes an old session up. It begins a second file of it, which in the same minute is the first.
func (p *gemini) open(now time.Time) error {
	path, t, err := find(p.chats, p.id)
	if err != nil || path == "" {
		return errors.Join(ErrCannot, err, p.exit(now, 42, false))
	}
	p.path, p.talk = path, t.talk
	p.last, p.asked = t.last, t.last
	if err := p.head(p.name(now), now); err != nil {
		return err
	}
	p.put(now, fill(geminiOpened, "sid", p.id), p.check(now))
	return nil
}

// check is a checkpoint of the whole conversation.
func (p *gemini) check(now time.Time) string {
	return fill(geminiCheck, "list", p.talk.list(), "at", stamp(now))
}

// add puts a record into the conversation, or replaces it, and writes it down.
func (p *gemini) add(now time.Time, r record, line string) {
	p.talk.put(r)
	p.put(now, line+"\n", fill(geminiUpdated, "at", stamp(now)))
}

// Prompt begins a turn.
func (p *gemini) Prompt(text string, by By, now time.Time) error {
	if p.ended {
		return ErrEnded
	}
	if !p.Idle() {
		return ErrCannot
	}
	if !p.headless() {
		if err := p.log(text, now); err != nil {
			return err
		}
	}
	return p.give(text, by, now)
}

func (p *gemini) give(text string, by By, now time.Time) error {
	stop := p.last
	p.asked = uuid(p.w.Rand)
	raw := fill(geminiContext, "id", p.asked, "at", stamp(now), "text", quote(text))
	p.add(now, record{ID: p.asked, Raw: raw, Role: "user", Parts: `{"text":` + quote(text) + `}`}, raw)
	p.last = p.asked
	return p.begins(stop, by, now)
}

// log notes a typed prompt.
func (p *gemini) log(text string, now time.Time) error {
	path := filepath.Join(filepath.Dir(p.chats), "logs.json")
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	head := strings.TrimSuffix(strings.TrimSpace(string(old)), "]")
	if head == "" {
		head = "["
	} else {
		head += ","
	}
	row := fill(`{"sessionId":"$sid","messageId":$n,"type":"user","message":$text,"timestamp":"$at"}]`, "sid", p.id, "n", string(rune('0'+p.typed%10)), "text", quote(text), "at", stamp(now))
	p.typed++
	return replaceAt(path, []byte(head+row), now)
}

func (p *gemini) wrote(time.Time)        {}
func (p *gemini) status(time.Time) error { return nil }
func (p *gemini) fires(time.Time) error  { return nil }

func (p *gemini) answered(now time.Time) error {
	id := uuid(p.w.Rand)
	sent := fill(geminiAnswerSent, "id", id, "at", stamp(now))
	p.add(now, record{ID: id, Raw: sent, Role: "model", Parts: `{"text":"All done."}`}, fill(geminiAnswer, "id", id, "at", stamp(now)))
	p.last = id
	p.print(geminiSaysText, now)
	return p.over(now, 0, geminiSaysDone)
}

func (p *gemini) called(now time.Time) {
	p.callID, p.call = uuid(p.w.Rand), "read_file__read_file_"+draw(p.w.Rand, "0123456789", 13)+"_0"
	raw := fill(geminiCall, "id", p.callID, "at", stamp(now))
	p.add(now, record{ID: p.callID, Raw: raw, Role: "model", Parts: geminiCalls}, raw)
	p.last = p.callID
}

const geminiCalls = `{"functionCall":{"name":"read_file"}}`

func (p *gemini) returned(now time.Time) {
	response, tool := p.tool(now, `"output":"# demo\n"`, "success", `"resultDisplay":"",`)
	pairs := []string{"id", p.callID, "at", stamp(now), "call", tool, "tool", p.call}
	p.talk.put(record{ID: p.callID, Raw: fill(geminiCalledSent, pairs...), Role: "model", Parts: geminiCalls})
	p.put(now, fill(geminiCalled, pairs...)+"\n")
	p.result(now, response)
	p.call = ""
}

// tool gives the result of the open tool call, and the call with it.
func (p *gemini) tool(now time.Time, what, status, display string) (response, tool string) {
	response = fill(geminiResponse, "call", p.call, "what", what)
	return response, fill(geminiTool, "call", p.call, "response", response, "status", status, "at", stamp(now), "display", display)
}

// result is the record that brings a tool's result to the model.
func (p *gemini) result(now time.Time, response string) {
	p.asked = uuid(p.w.Rand)
	raw := fill(geminiResult, "id", p.asked, "at", stamp(now), "response", response)
	p.add(now, record{ID: p.asked, Raw: raw, Role: "user", Parts: response}, raw)
	p.last = p.asked
}

// patience: it asks ten times, at least 5 s apart, and waits a delay of up to 300 s. A terminal begins again after
// that.
func (p *gemini) patience(n int) (time.Duration, bool) {
	wait := min(5*time.Second<<min(n-1, 10), 30*time.Second)
	wait = wait*7/10 + time.Duration(p.w.Rand.Int64N(int64(wait)*6/10))
	switch p.answer.Kind {
	case RateLimited:
		if p.answer.RetryAfter > longestPatience {
			return 0, false
		}
		wait = max(wait, p.answer.RetryAfter)
	case Overloaded, Broken, Unreachable:
	default:
		return 0, false
	}
	return wait, !p.headless() || n < p.g.Attempts
}

func (p *gemini) retries(now time.Time, n int, wait time.Duration) {
	p.say("Attempt " + string(rune('0'+n%10)) + " failed with status 429. Retrying with backoff... " + wait.String() + "\n")
}

// failed: a plan's limit opens a dialog on the screen, and nothing comes to the disk until it is answered.
func (p *gemini) failed(now time.Time) error {
	if !p.headless() && p.answer.Kind == UsedUp {
		p.dialog = true
		p.enter(question, time.Time{})
		return nil
	}
	return p.fail(now)
}

// fail takes a prompt back, and in a terminal says why. A report goes to the folder for temporary files.
func (p *gemini) fail(now time.Time) error {
	class, text, code := p.g.fails(p.answer, now)
	report := fill(geminiReport, "text", quote(text), "stack", quote(class+": "+text+"\n    at classifyGoogleError"), "list", p.talk.context())
	name := "gemini-client-error-Turn.run-sendMessageStream-" + now.UTC().Format("2006-01-02T15-04-05-") + now.UTC().Format(".000")[1:] + "Z.json"
	if err := replaceAt(filepath.Join(p.w.Tmp(), name), []byte(report), now); err != nil {
		return err
	}
	if !p.talk.isResult(p.asked) {
		p.back(now)
	}
	shown := "[API Error: " + text + "]"
	if code == 173 {
		shown += "\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method"
	}
	if !p.headless() {
		p.note(now, geminiError, shown)
		p.note(now, geminiInfo, `This request failed. Press F12 for diagnostics, or run /settings and change "Error Verbosity" to full for full details.`)
	}
	p.say("Error when talking to Gemini API Full report available at: " + name + " " + class + ": " + text + "\n")
	return p.over(now, code, geminiSaysFailed, "text", quote(shown))
}

// back takes the prompt of the open request out of the conversation.
func (p *gemini) back(now time.Time) {
	p.talk.drop(p.asked)
	p.put(now, p.check(now))
}

func (p *gemini) note(now time.Time, template, text string) {
	p.put(now, fill(template, "id", uuid(p.w.Rand), "at", stamp(now), "text", quote(text)), fill(geminiUpdated, "at", stamp(now)))
}

// over ends a turn, and a headless process with it.
func (p *gemini) over(now time.Time, code int, template string, pairs ...string) error {
	p.print(template, now, pairs...)
	if p.headless() {
		return p.exit(now, code, false)
	}
	return nil
}

func (p *gemini) gone(time.Time, bool) error {
	p.w.Procs.End(p.launcher.PID)
	return nil
}

func (p *gemini) print(template string, now time.Time, pairs ...string) {
	p.say(fill(template, append(pairs, "sid", p.id, "at", stamp(now), "dir", p.chats)...))
}

func (p *gemini) say(text string) {
	if p.out != nil {
		_, _ = io.WriteString(p.out, text) // a reader that is gone is none of its business
	}
}

// Resume is gemini --resume ID --prompt=TEXT, or a new session with --session-id and stdin.
func (g *Gemini) Resume(plan resume.Plan, environ []string, out io.Writer, now time.Time) (Session, error) {
	id, resumed := option(plan.Argv, "--resume")
	if !resumed {
		id, _ = option(plan.Argv, "--session-id")
	}
	prompt, ok := option(plan.Argv, "--prompt")
	if !ok {
		prompt = strings.TrimSpace(string(plan.Stdin))
	}
	p, err := g.spawn(id, Start{Dir: plan.Dir}, plan.Argv[1:], slices.Concat(plan.Env, environ), now)
	if err != nil {
		return nil, err
	}
	p.out, p.by = out, Clawd
	path, _, err := find(p.chats, id)
	switch {
	case err != nil:
		return nil, err
	case resumed && path == "":
		p.print(geminiSaysNone, now)
		return p, p.exit(now, 42, false)
	case resumed:
		if err := p.open(now); err != nil {
			return nil, err
		}
	case path != "":
		p.say("Error starting session: Session ID " + id + " already exists.\n")
		return p, p.exit(now, 42, false)
	default:
		p.path = p.name(now)
		if err := p.head(p.path, now); err != nil {
			return nil, err
		}
	}
	p.print(geminiSaysInit, now, "text", quote(prompt))
	return p, p.give(prompt, Clawd, now)
}

var (
	_ Agent   = (*Gemini)(nil)
	_ Session = (*gemini)(nil)
)
