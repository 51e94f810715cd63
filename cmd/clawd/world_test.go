package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/internal/transcript"
	"github.com/clawd-project/clawd/state"
)

// world is one user's machine: a home, an agent's folder, a project, and clawd's own folders.
type world struct {
	t                          *testing.T
	root, agent, project, fake string
	bin, state                 string
	env                        []string
}

func newWorld(t *testing.T, modes ...string) *world {
	t.Helper()
	root, err := os.MkdirTemp("", "w") // a test's own has its name in it, and a socket's path has 107 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	w := &world{t: t, root: root, agent: filepath.Join(root, "agent"), project: filepath.Join(root, "work"),
		fake: filepath.Join(root, "fake"), bin: filepath.Join(root, "bin"), state: filepath.Join(root, "state")}
	for _, d := range []string{w.agent, w.project, w.fake, w.bin, filepath.Join(root, "home")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.link(build(t).claude, "claude")
	w.orders(modes...)
	w.configures("")
	w.env = []string{"PATH=" + w.bin + ":/usr/bin:/bin", "HOME=" + filepath.Join(root, "home"), "CLAUDE_CONFIG_DIR=" + w.agent,
		"CLAUDECODE=1", "XDG_STATE_HOME=" + w.state, "CLAWD_CONFIG=" + filepath.Join(root, "clawd.toml"), fakeDir + "=" + w.fake}
	return w
}

func (w *world) link(to, name string) {
	if err := os.Symlink(to, filepath.Join(w.bin, name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// configures writes the config, with more keys in [log].
func (w *world) configures(log string) {
	w.t.Helper()
	w.write(filepath.Join(w.root, "clawd.toml"), "[log]\nformat = \"json\"\n"+log+`[notify]
desktop = false
[watch]
rescan = "1s"
agents = ["claude"]
[resume]
base = "1s"
jitter = 0.0
stagger = "0s"
`)
}

func (w *world) orders(modes ...string) {
	w.write(filepath.Join(w.fake, "modes"), strings.Join(modes, "\n"))
}

// limited writes a session that was limited just now, and gives its id and the stop's key.
func (w *world) limited() (id, key string) {
	w.t.Helper()
	return w.limitedIn(w.project)
}

// limitedIn is limited in a folder that may be another session's own: two in one folder are in each other's way.
func (w *world) limitedIn(project string) (id, key string) {
	w.t.Helper()
	if err := os.MkdirAll(project, 0o700); err != nil {
		w.t.Fatal(err)
	}
	id = uuid.NewString()
	prompt := transcript.Prompt("", id, project, "say done", false, time.Now())
	var u, s line
	if err := json.Unmarshal([]byte(prompt), &u); err != nil {
		w.t.Fatal(err)
	}
	stop := transcript.Limit(u.UUID, id, project, time.Now())
	if err := json.Unmarshal([]byte(stop), &s); err != nil {
		w.t.Fatal(err)
	}
	w.write(transcript.Path(w.agent, project, id), prompt+transcript.Asked(id)+stop)
	return id, s.UUID
}

func (w *world) transcript(id string) string { return transcript.Path(w.agent, w.project, id) }

// starts gives the lines of the agent's own log: key, pid, form, session.
func (w *world) starts() [][]string {
	b, err := os.ReadFile(filepath.Join(w.fake, "starts"))
	if err != nil {
		return nil
	}
	var all [][]string
	for l := range strings.Lines(string(b)) {
		all = append(all, strings.Fields(l))
	}
	return all
}

// daemonProc is a running "clawd run".
type daemonProc struct {
	w    *world
	cmd  *exec.Cmd
	main *os.Process // clawd itself, where it is not cmd
	log  *lockedBuffer
	done chan struct{}
}

type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts clawd.
func (w *world) start(env ...string) *daemonProc {
	w.t.Helper()
	return w.startUnder(nil, env...)
}

// startUnder starts clawd by way of a program that becomes clawd, or watches it.
func (w *world) startUnder(by []string, env ...string) *daemonProc {
	w.t.Helper()
	return w.startOn(nil, by, env...)
}

// startOn starts clawd in a terminal; nil: in none of its own.
func (w *world) startOn(tty *os.File, by []string, env ...string) *daemonProc {
	w.t.Helper()
	argv := append(slices.Clone(by), build(w.t).clawd, "run")
	d := &daemonProc{w: w, cmd: exec.Command(argv[0], argv[1:]...), log: &lockedBuffer{}, done: make(chan struct{})}
	d.cmd.Env = append(append([]string{}, w.env...), env...)
	d.cmd.Dir = w.root
	d.cmd.Stderr = d.log
	if tty != nil {
		d.cmd.Stdin, d.cmd.SysProcAttr = tty, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	// A child that outlives clawd has its output in a file; nothing keeps this pipe open.
	d.cmd.WaitDelay = 5 * time.Second
	if err := d.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	d.main = d.cmd.Process
	go func() { _ = d.cmd.Wait(); close(d.done) }()
	w.t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		<-d.done
		if w.t.Failed() {
			w.t.Logf("log of pid %d:\n%s", d.cmd.Process.Pid, d.log)
		}
	})
	return d
}

// reloads has clawd read its config again, with more keys in [log].
func (d *daemonProc) reloads(log string) {
	d.w.t.Helper()
	had := len(d.events("config_reloaded"))
	d.w.configures(log)
	if err := d.main.Signal(syscall.SIGHUP); err != nil {
		d.w.t.Fatal(err)
	}
	d.w.until("a reload", func() bool { return len(d.events("config_reloaded")) > had })
}

// stop ends clawd cleanly.
func (d *daemonProc) stop() {
	d.w.t.Helper()
	_ = d.main.Signal(syscall.SIGTERM)
	d.ended(true)
}

// ended waits for the end of the process. clean: with exit status 0.
func (d *daemonProc) ended(clean bool) {
	d.w.t.Helper()
	select {
	case <-d.done:
	case <-time.After(patience):
		d.w.t.Fatalf("clawd did not end; log:\n%s", d.log)
	}
	if ok := d.cmd.ProcessState.Success(); ok != clean {
		d.w.t.Fatalf("clawd ended with %v; log:\n%s", d.cmd.ProcessState, d.log)
	}
}

// patience is the deadline of whatever other processes do. It is no measure of anything.
const patience = 60 * time.Second

// until polls until f holds, ever less often: most of what is waited for takes a second, and a question costs
// the one who asks and the clawd that answers some milliseconds.
func (w *world) until(what string, f func() bool) {
	w.t.Helper()
	deadline := time.After(patience)
	for pause := 10 * time.Millisecond; !f(); pause = min(pause+pause/4, 200*time.Millisecond) {
		select {
		case <-deadline:
			w.t.Fatalf("never came: %s", what)
		case <-time.After(pause):
		}
	}
}

// events gives the log lines with the given event.
func (d *daemonProc) events(name string) []map[string]any {
	var all []map[string]any
	for l := range strings.Lines(d.log.String()) {
		m := map[string]any{}
		if json.Unmarshal([]byte(l), &m) == nil && m["event"] == name {
			all = append(all, m)
		}
	}
	return all
}

// await waits for an event in the log.
func (d *daemonProc) await(name string) map[string]any {
	d.w.t.Helper()
	d.w.until("event "+name, func() bool {
		select {
		case <-d.done:
			if len(d.events(name)) == 0 {
				d.w.t.Fatalf("clawd ended before event %s", name)
			}
		default:
		}
		return len(d.events(name)) > 0
	})
	return d.events(name)[0]
}

// status asks the running clawd; false: it does not answer.
func (w *world) status() (daemon.Status, bool) {
	socket := filepath.Join(w.state, "clawd", "clawd.sock")
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	resp, err := client.Get("http://clawd/v1/status")
	if err != nil {
		return daemon.Status{}, false
	}
	defer resp.Body.Close()
	var st daemon.Status
	return st, json.NewDecoder(resp.Body).Decode(&st) == nil
}

// settled waits until n sessions were resumed or are held for their user, and nothing runs.
func (w *world) settled(n int) {
	w.t.Helper()
	w.until("everything is settled", func() bool {
		st, ok := w.status()
		if !ok {
			return false
		}
		at := st.Stats.TotalResumes
		for _, s := range st.Sessions {
			switch {
			case s.PID != 0:
				return false
			case s.Phase == state.Held || s.Phase == state.GivenUp:
				at++
			case s.Phase == state.Following: // left to its user
			default:
				return false
			}
		}
		return at >= n
	})
}

// ledger is what stands in a store when no clawd has it open.
type ledger struct {
	sessions map[string]state.Session
	history  []state.Entry
	stats    state.Stats
	outbox   []state.Notice
}

func (w *world) ledger() ledger {
	w.t.Helper()
	s, err := state.Open(filepath.Join(w.state, "clawd", "clawd.db"), state.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	l := ledger{sessions: map[string]state.Session{}}
	if err := s.Sessions(func(r state.Session) error { l.sessions[r.ID] = r; return nil }); err != nil {
		w.t.Fatal(err)
	}
	if err := s.History(func(e state.Entry) error { l.history = append(l.history, e); return nil }); err != nil {
		w.t.Fatal(err)
	}
	if l.stats, err = s.Stats(); err != nil {
		w.t.Fatal(err)
	}
	if l.outbox, err = s.Outbox(); err != nil {
		w.t.Fatal(err)
	}
	return l
}

func (l ledger) count(kind, key string) (n int) {
	for _, e := range l.history {
		if e.Kind == kind && (key == "" || e.Key == key) {
			n++
		}
	}
	return n
}

// marks is where all daemons of the world's user meet, whatever their state folder.
func (w *world) marks() string {
	return filepath.Join(filepath.Dir(w.state), "home", ".local", "state", "clawd")
}
