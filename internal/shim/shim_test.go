package shim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/resume"
)

// TestMain lets the test binary be the shim. SHIM_TAKEN is what the last look says.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "shim" {
		if err := Run(func(Spec) string { return os.Getenv("SHIM_TAKEN") }, func(Spec) error { return cleared() }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// cleared fails as SHIM_CLEAR says.
func cleared() error {
	if why := os.Getenv("SHIM_CLEAR"); why != "" {
		return errors.New(why)
	}
	return nil
}

// patient is the deadline of what other processes do.
const patient = 60 * time.Second

func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	deadline, tick := time.After(patient), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-deadline:
			t.Fatalf("never came: %s", what)
		case <-tick.C:
		}
	}
}

func newExec(t *testing.T, env ...string) *Exec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Exec{Self: []string{self, "shim"}, Procs: agent.NewProcs(), Environ: append([]string{"PATH=/usr/bin:/bin"}, env...),
		Config: func(string) agent.Config { return agent.Config{} }}
}

// claim of a shell script.
func claim(t *testing.T, script string) resume.Claim {
	t.Helper()
	dir := t.TempDir()
	s := detect.Session{Agent: "claude", ID: "s1", Path: filepath.Join(dir, "s1.jsonl")}
	return resume.Claim{Session: s, Stop: detect.Stop{Key: "k1"}, N: 1, Token: "token-1", Boot: agent.NewProcs().Boot(),
		Plan: resume.Plan{Form: resume.FormPrompt, Argv: []string{"/bin/sh", "-c", script}, Dir: dir},
		Mark: marks.Path(dir, s, "k1", 1), Output: filepath.Join(dir, "out")}
}

func start(t *testing.T, x *Exec, c resume.Claim) resume.Run {
	t.Helper()
	r, err := x.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-r.PID(), syscall.SIGKILL)
		wait(t, r)
	})
	return r
}

func open(t *testing.T, r resume.Run, want resume.Gate) string {
	t.Helper()
	g, why, err := r.Open(t.Context())
	if err != nil || g != want {
		t.Fatalf("gate %q %q (%v), want %q", g, why, err, want)
	}
	return why
}

func wait(t *testing.T, r resume.Run) {
	t.Helper()
	select {
	case <-r.Done():
	case <-time.After(patient):
		t.Fatal("the run does not end")
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func TestExec(t *testing.T) {
	t.Parallel()
	c := claim(t, `echo "$$ $PWD $CLAWD_ATTEMPT ${AI_AGENT-unset} ${NOTIFY_SOCKET-unset} $MINE ${KEY-unset}"; cat; echo err >&2`)
	c.Plan.Env, c.Plan.Unset, c.Plan.Stdin = []string{"MINE=1"}, []string{"KEY"}, []byte("the hand-off")
	r := start(t, newExec(t, "AI_AGENT=1", "NOTIFY_SOCKET=/x", "KEY=secret", "CLAWD_CONFIG=/x"), c)
	if exists(c.Mark) || text(t, c.Output) != "" {
		t.Fatal("something ran before the gate was opened")
	}
	open(t, r, resume.GateExec)
	wait(t, r)
	want := fmt.Sprintf("%d %s token-1 unset unset 1 unset\nthe hand-offerr\n", r.PID(), c.Plan.Dir)
	if got := text(t, c.Output); got != want {
		t.Errorf("output %q, want %q", got, want)
	}
	if fi, err := os.Stat(c.Output); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("output has mode %v (%v)", fi.Mode(), err)
	}
	if exists(c.Output + ".in") {
		t.Error("the hand-off lies in a file")
	}
	m, ok, err := marks.Read(c.Mark)
	if err != nil || !ok || m.Claim.Token != c.Token || m.Claim.PID != r.PID() || m.Claim.Start == 0 || m.ExecFail != "" {
		t.Errorf("mark %+v %v %v", m, ok, err)
	}
	if fi, err := os.Stat(c.Mark); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mark has mode %v (%v)", fi.Mode(), err)
	}
	if r.Alive() {
		t.Error("alive after its end")
	}
}

// I3: a gate that closes without the byte has no effect.
func TestAbort(t *testing.T) {
	t.Parallel()
	c := claim(t, "echo ran")
	r := start(t, newExec(t), c)
	r.Abort()
	wait(t, r)
	if exists(c.Mark) || strings.Contains(text(t, c.Output), "ran") {
		t.Error("it ran")
	}
}

func TestTaken(t *testing.T) {
	t.Parallel()
	c := claim(t, "echo ran")
	r := start(t, newExec(t, "SHIM_TAKEN=somebody went on"), c)
	if why := open(t, r, resume.GateTaken); why != "somebody went on" {
		t.Errorf("why %q", why)
	}
	wait(t, r)
	if exists(c.Mark) || text(t, c.Output) != "" {
		t.Error("it ran")
	}
}

// I2: one mark an attempt, whoever makes it.
func TestMarked(t *testing.T) {
	t.Parallel()
	c := claim(t, "echo ran")
	if err := marks.Make(c.Mark, c); err != nil {
		t.Fatal(err)
	}
	before := text(t, c.Mark)
	r := start(t, newExec(t), c)
	open(t, r, resume.GateMarked)
	wait(t, r)
	if text(t, c.Output) != "" || text(t, c.Mark) != before {
		t.Error("it ran over a mark")
	}
	if err := marks.Make(c.Mark, c); !errors.Is(err, marks.ErrMade) {
		t.Errorf("a second mark: %v", err)
	}
}

func TestExecFails(t *testing.T) {
	t.Parallel()
	for _, bad := range []func(p *resume.Plan){
		func(p *resume.Plan) { p.Argv = []string{"/no/such/program"} },
		func(p *resume.Plan) { p.Dir = filepath.Join(p.Dir, "gone") },
	} {
		c := claim(t, "echo ran")
		bad(&c.Plan)
		r := start(t, newExec(t), c)
		open(t, r, resume.GateFailed)
		wait(t, r)
		if m, ok, err := marks.Read(c.Mark); err != nil || !ok || m.ExecFail == "" || m.Claim.Token != c.Token {
			t.Errorf("mark %+v %v %v", m, ok, err)
		}
	}
}

func TestOutputIsNeverReused(t *testing.T) {
	t.Parallel()
	c := claim(t, "echo ran")
	if err := os.WriteFile(c.Output, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newExec(t).Start(t.Context(), c); err == nil {
		t.Error("an old output was taken over")
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		polite bool
		want   string
	}{{true, "INT"}, {false, "TERM"}} {
		cl := claim(t, `trap 'echo INT; exit' INT; trap 'echo TERM; exit' TERM; echo ready; while :; do /bin/sleep 0.05; done`)
		r := start(t, newExec(t), cl)
		open(t, r, resume.GateExec)
		until(t, "the script", func() bool { return text(t, cl.Output) == "ready\n" })
		if !r.Alive() {
			t.Error("not alive")
		}
		r.Stop(c.polite)
		r.Stop(c.polite) // changes nothing
		wait(t, r)
		got := strings.Fields(text(t, cl.Output)) // the shell may add a word on its sleep
		if got[len(got)-1] != c.want || slices.Contains(got, "INT") != c.polite {
			t.Errorf("polite %v: %q", c.polite, got)
		}
	}
}

func TestTrimOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	r := &run{output: path}
	called := 0
	trim := func(err error) error { return r.TrimOutput(func() error { called++; return err }) }
	if err := trim(nil); err != nil || called != 0 {
		t.Errorf("no file: %v, called %d times", err, called)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, OutputCap+1); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("the store is busy")
	if err := trim(refused); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() != OutputCap+1 {
		t.Error("it was cut before that was stored")
	}
	if err := trim(nil); err != nil || called != 2 {
		t.Errorf("%v, called %d times", err, called)
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() != 0 {
		t.Errorf("size %d (%v)", fi.Size(), err)
	}
}

// The mark's folder is made again; where no mark can be made nothing runs, and nothing is left of it.
func TestMarkFolderIsGone(t *testing.T) {
	t.Parallel()
	c := claim(t, "echo ran")
	c.Mark = filepath.Join(t.TempDir(), "gone", "attempts", "x.1")
	r := start(t, newExec(t), c)
	open(t, r, resume.GateExec)
	wait(t, r)
	if !exists(c.Mark) || text(t, c.Output) == "" {
		t.Error("it did not run")
	}
	c = claim(t, "echo ran")
	blocked := filepath.Join(t.TempDir(), "attempts")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.Mark = filepath.Join(blocked, "x.1")
	r = start(t, newExec(t), c)
	open(t, r, resume.GateShort)
	wait(t, r)
	if strings.Contains(text(t, c.Output), "ran\n") {
		t.Error("it ran without a mark")
	}
}

// What fails before anything of the agent says nothing about its session.
func TestOwnFailures(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(x *Exec, c *resume.Claim){
		"folder":  func(_ *Exec, c *resume.Claim) { c.Output = filepath.Join(t.TempDir(), "gone", "out") },
		"program": func(x *Exec, _ *resume.Claim) { x.Self = []string{"/no/such/clawd"} },
	} {
		x, c := newExec(t), claim(t, "echo ran")
		spoil(x, &c)
		if _, err := x.Start(t.Context(), c); !errors.Is(err, ErrOwn) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
