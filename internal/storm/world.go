package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/internal/transcript"
)

// world is one home of the storm: a home folder, an agent's folder, projects, clawd's own folders, the ledger.
type world struct {
	seed         uint64
	dir          string // with all of it; the ledger lies here
	agent, state string
	clawd        string // the program
	plan         plan
	begun        time.Time
	env          []string

	d   *daemonProc
	log *os.File // of all lives of clawd
	eye *eye

	renewals int // configs that took a restart

	mu     sync.Mutex // guards what follows
	rounds int
	blows  map[string]int
	broken []string // what went wrong in the storm's own work, or with clawd as a process
	hands  sync.WaitGroup
}

const configText = `[log]
format = "json"
[notify]
desktop = false
[watch]
rescan = "1s"
agents = ["claude"]
[resume]
backoff = "constant"
base = "1s"
cap = "2s"
jitter = 0.5
margin = "0s"
stagger = "0s"
max_parallel = 8
max_attempts = 50
[terminal]
enabled = false
[budget]
max_resumes_per_day = 1000
max_resumes_per_day_total = 100000
`

func newWorld(seed uint64, base, clawd, claude string, sessions int) (*world, error) {
	dir, err := os.MkdirTemp(base, fmt.Sprintf("home-%d-", seed))
	if err != nil {
		return nil, err
	}
	w := &world{seed: seed, dir: dir, agent: filepath.Join(dir, "agent"), state: filepath.Join(dir, "home", ".local", "state", "clawd"),
		clawd: clawd, plan: draw(seed, sessions), blows: map[string]int{}}
	for _, d := range []string{"bin", "agent/sessions", "agent/projects", "scripts", "home/.local/state/clawd/attempts", "home/.local/state/clawd/runs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return w, err
		}
	}
	if err := os.Symlink(claude, filepath.Join(dir, "bin", "claude")); err != nil {
		return w, err
	}
	if err := w.configures(time.Second); err != nil {
		return w, err
	}
	w.env = []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin", "HOME=" + filepath.Join(dir, "home"), "TZ=UTC",
		"CLAUDE_CONFIG_DIR=" + w.agent, "CLAWD_CONFIG=" + w.config(), stormDir + "=" + dir}
	for _, s := range w.plan.subjects {
		if err := w.found(s); err != nil {
			return w, err
		}
	}
	if w.log, err = os.OpenFile(filepath.Join(dir, "clawd.log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
		return w, err
	}
	w.eye, err = newEye(w)
	return w, err
}

func (w *world) config() string            { return filepath.Join(w.dir, "clawd.toml") }
func (w *world) project(s *subject) string { return filepath.Join(w.dir, s.dir) }
func (w *world) path(s *subject) string    { return transcript.Path(w.agent, w.project(s), s.id) }

// configures writes the config, all at once: a clawd that restarts itself may read it right now.
func (w *world) configures(rescan time.Duration) error {
	part := w.config() + ".new"
	text := strings.Replace(configText, `"1s"`, strconv.Quote(rescan.String()), 1)
	return cmp.Or(os.WriteFile(part, []byte(text), 0o600), os.Rename(part, w.config()))
}

// found begins a session with a turn of an hour ago that ended well; its stop comes at its time.
func (w *world) found(s *subject) error {
	if err := os.WriteFile(filepath.Join(w.dir, "scripts", s.id), []byte(strings.Join(s.modes, "\n")), 0o600); err != nil {
		return err
	}
	for _, d := range []string{w.project(s), filepath.Dir(w.path(s))} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	long := time.Now().Add(-time.Hour)
	asked := transcript.Prompt("", s.id, w.project(s), "work on "+s.id, false, long)
	var l line
	if err := json.Unmarshal([]byte(asked), &l); err != nil {
		return err
	}
	return os.WriteFile(w.path(s), []byte(asked+transcript.Asked(s.id)+transcript.Answer(l.UUID, s.id, w.project(s), long)), 0o600)
}

// stops appends what a turn leaves that the provider refused.
func (w *world) stops(s *subject) error {
	tail, _, err := readTail(w.path(s))
	if err != nil {
		return err
	}
	now := time.Now()
	asked := transcript.Prompt(tail.UUID, s.id, w.project(s), "go on with "+s.id, false, now)
	var l line
	if err := json.Unmarshal([]byte(asked), &l); err != nil {
		return err
	}
	stop := transcript.Limit(l.UUID, s.id, w.project(s), now)
	switch s.stop {
	case modeUsage:
		stop = usageLine(l.UUID, s.id, w.project(s), now, now.Add(2*time.Second))
	case "overloaded":
		stop = overloadedLine(l.UUID, s.id, w.project(s), now)
	}
	return appendTo(w.path(s), []byte(asked+transcript.Asked(s.id)+stop))
}

// fail notes what is wrong whatever the ledger says.
func (w *world) fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = append(w.broken, fmt.Sprintf(format, args...))
}

// daemonProc is one life of clawd.
type daemonProc struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// patience bounds whatever another process is waited for.
const patience = 60 * time.Second

// start starts clawd.
func (w *world) start() (*daemonProc, error) {
	d := &daemonProc{cmd: exec.Command(w.clawd, "run"), ended: make(chan struct{})}
	d.cmd.Env, d.cmd.Dir, d.cmd.Stdout, d.cmd.Stderr = w.env, w.dir, w.log, w.log
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = d.cmd.Wait(); close(d.ended) }()
	return d, nil
}

func (d *daemonProc) pid() int { return d.cmd.Process.Pid }

func (d *daemonProc) gone() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

func (d *daemonProc) signal(s syscall.Signal) { _ = d.cmd.Process.Signal(s) } // ended is what it is

// await waits for the end of the process.
func (d *daemonProc) await(long time.Duration) bool {
	select {
	case <-d.ended:
		return true
	case <-time.After(long):
		return false
	}
}

// byHand has the agent go on by hand, as a person or a script would, and waits for its end.
func (w *world) byHand(s *subject, mode string) {
	cmd := exec.Command(filepath.Join(w.dir, "bin", "claude"), "-p", "--output-format", "stream-json", "--verbose", "--resume", s.id, "--", "by hand")
	cmd.Env, cmd.Dir = append(append([]string{}, w.env...), personMode+"="+mode), w.project(s)
	if err := cmd.Start(); err != nil {
		w.fail("the agent cannot be started by hand: %v", err)
		return
	}
	over := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer over.Stop()
	_ = cmd.Wait() // how it went stands in the ledger
}

// close ends what is left and removes the folder, unless it is kept.
func (w *world) close(keep bool) {
	if w.d != nil {
		w.d.signal(syscall.SIGKILL)
		w.d.await(patience)
	}
	sweep(w.dir)
	w.hands.Wait()
	if w.eye != nil {
		w.eye.close()
	}
	if w.log != nil {
		w.log.Close()
	}
	if !keep {
		_ = os.RemoveAll(w.dir)
	}
}
