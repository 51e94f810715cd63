package turn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/agent/opencode"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/held"
	"github.com/clawd-project/clawd/resume"
)

// fake is a request to the fake agent.
func fake(t *testing.T, mode string) Request {
	t.Helper()
	self, err := agentProgram()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return Request{Agent: claude.Kind, Prompt: "say hello", Dir: t.TempDir(), Environ: []string{"HOME=" + home, "PATH=/usr/bin:/bin", fakeMode + "=" + mode},
		Config: agent.Config{Command: self, ConfigDir: filepath.Join(home, ".claude")}, Held: filepath.Join(home, "held"), Timeout: patient}
}

func TestRun(t *testing.T) {
	t.Parallel()
	r := fake(t, "answer")
	r.Prompt = "-n --help\n" + strings.Repeat("long ", 100_000)
	r.OnEvent = func(e Event) {
		if e.Kind != agent.SaidOpened {
			return
		}
		if now, _, err := held.Look(r.Held, detect.Session{Agent: "claude", ID: e.Session}); !now || err != nil {
			t.Errorf("the session is not held while it runs (%v)", err)
		}
		if _, err := held.Take(r.Held, "claude", e.Session); !errors.Is(err, held.ErrHeld) {
			t.Errorf("it was taken twice: %v", err)
		}
	}
	got, err := Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	u := got.Usage
	if got.Text != r.Prompt || got.Attempts != 1 || got.Session == "" || got.Stop.Reason != detect.Completed || len(got.Errors) != 0 {
		t.Errorf("%.300v", got)
	}
	if u.InputTokens != 3 || u.OutputTokens != 5 || u.CacheCreationTokens != 7 || u.CacheReadTokens != 11 || u.CostUSD == nil || *u.CostUSD != 0.25 || u.API != 40*time.Millisecond {
		t.Errorf("usage %+v", u)
	}
	if now, until, err := held.Look(r.Held, detect.Session{Agent: "claude", ID: got.Session}); now || until.IsZero() || err != nil {
		t.Errorf("held %v until %v (%v)", now, until, err)
	}
}

func TestRunVerdicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode   string
		text   string
		reason detect.Reason
		err    error // ErrOutput, or nil: *StopError with the reason, when that is not Completed
		says   string
	}{
		{mode: "large", text: "the end", reason: detect.Completed},
		{mode: "one line", text: "the end", reason: detect.Completed},
		{mode: "junk", text: "after the junk", reason: detect.Completed},
		{mode: "only junk", err: ErrOutput},
		{mode: "half", err: ErrOutput},
		{mode: "lie", reason: detect.ContextFull, says: "Prompt is too long"},
		{mode: "fails", reason: detect.Overloaded, says: "529"},
		{mode: "max turns", reason: detect.Unknown, says: "Reached maximum number of turns (2)"},
		{mode: "usage", err: ErrOutput, says: "unknown option '--nonsense'"},
		{mode: "colors", text: "bold /home/bob", reason: detect.Completed},
		{mode: "fails in color", reason: detect.Auth, says: ": Please run /login in /home/bob for https://gateway.example"},
		{mode: "killed", reason: detect.Crashed, says: "killed"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			got, err := Run(t.Context(), fake(t, c.mode))
			stop := (*StopError)(nil)
			switch {
			case c.reason == detect.Completed:
				if err != nil || got.Text != c.text {
					t.Errorf("%q, %v", got.Text, err)
				}
			case c.err != nil:
				if !errors.Is(err, c.err) {
					t.Errorf("%v, want %v", err, c.err)
				}
			case !errors.As(err, &stop) || stop.Stop.Reason != c.reason:
				t.Errorf("%v, want %s", err, c.reason)
			}
			if got.Stop.Reason != c.reason || err != nil && !strings.Contains(err.Error(), c.says) || got.Attempts != 1 {
				t.Errorf("%v, %+v", err, got)
			}
		})
	}
}

func TestRunRetries(t *testing.T) {
	t.Parallel()
	r := fake(t, "fails twice:"+filepath.Join(t.TempDir(), "n"))
	r.Retry = &resume.RetryPolicy{Backoff: resume.Backoff{Base: time.Millisecond}}
	waits := 0
	r.OnWait = func(w Wait) {
		if waits++; w.Attempt != waits || w.Err == nil {
			t.Errorf("wait %d: %+v", waits, w)
		}
	}
	got, err := Run(t.Context(), r)
	if err != nil || got.Attempts != 3 || got.Text != "third" || waits != 2 || len(got.Errors) != 2 || *got.Usage.CostUSD != 0.25 {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestRunRepeatsNoWork(t *testing.T) {
	t.Parallel()
	r := fake(t, "works, then fails")
	r.Retry = &resume.RetryPolicy{Backoff: resume.Backoff{Base: time.Millisecond}}
	got, err := Run(t.Context(), r)
	if stop := (*StopError)(nil); !errors.As(err, &stop) || stop.Stop.Reason != detect.Overloaded || got.Attempts != 1 || !strings.Contains(err.Error(), "not tried again") {
		t.Errorf("%v after %d attempts", err, got.Attempts)
	}
}

func TestRunLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		resets int // seconds from now
		wait   time.Duration
	}{
		{3600, 0}, {3600, time.Minute},
		{-5, 2 * time.Minute}, // asked again at once, and then not so soon
	} {
		r := fake(t, fmt.Sprintf("limited:%d", c.resets))
		r.WaitLimit, r.Retry, r.Waits = c.wait, &resume.RetryPolicy{}, &resume.Policy{Margin: time.Millisecond}
		ctx, cancel := context.WithCancel(t.Context())
		waits := 0
		r.OnWait = func(w Wait) {
			if waits++; time.Until(w.Until) > 5*time.Second { // as if it were over
				cancel()
			}
		}
		got, err := Run(ctx, r)
		cancel()
		stop := (*StopError)(nil)
		if !errors.As(err, &stop) || stop.Stop.Reason != detect.UsageLimit || stop.Stop.Window != detect.Weekly || got.Stop.ResetAt.IsZero() || stop.Limited != (c.resets > 0) {
			t.Errorf("%+v: %v", c, err)
		}
		if c.resets > 0 && (got.Attempts != 1 || waits != 0) || c.resets < 0 && (got.Attempts != 2 || waits != 2) {
			t.Errorf("%+v: %d attempts, %d waits", c, got.Attempts, waits)
		}
	}
}

// A provider that is overloaded for an hour has a limit, too.
func TestRunLongWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		after, attempts int // seconds that the provider asks for; tries
		most, limit     time.Duration
		waits, limited  bool
	}{
		{after: 3600, attempts: 4, most: time.Minute, limited: true},
		{after: 3600, attempts: 1, limited: true},
		{after: 3600, attempts: 4, most: time.Minute, limit: 30 * time.Minute, limited: true},
		{after: 3600, attempts: 4, most: time.Minute, limit: 2 * time.Hour, waits: true},
		{after: 3600, attempts: 4, most: 2 * time.Hour, waits: true},
		{after: 40, attempts: 4, most: time.Second, waits: true},
		{after: 40, attempts: 1}, // it may be waited for, but there is no further try
		{after: 0, attempts: 1},
	} {
		r := fake(t, fmt.Sprintf("told:%d", c.after))
		r.Agent, r.Config.ConfigDir, r.WaitLimit = opencode.Kind, "", c.limit
		r.Retry = &resume.RetryPolicy{Attempts: c.attempts, Backoff: resume.Backoff{Base: time.Millisecond, Cap: c.most}}
		ctx, cancel := context.WithCancel(t.Context())
		waits := false
		r.OnWait = func(w Wait) {
			waits = time.Until(w.Until).Round(10*time.Second) == (time.Duration(c.after) * time.Second).Round(10*time.Second)
			cancel()
		}
		got, err := Run(ctx, r)
		cancel()
		stop := (*StopError)(nil)
		if !errors.As(err, &stop) || stop.Stop.Reason != detect.Overloaded || got.Attempts != 1 || got.Stop.RetryAfter == nil {
			t.Errorf("%+v: %v, %+v", c, err, got)
			continue
		}
		if waits != c.waits || stop.Limited != c.limited {
			t.Errorf("%+v: waits %v, limited %v", c, waits, stop.Limited)
		}
	}
}

// resumed is an agent that can be resumed, and nothing else.
type resumed struct{ agent.Agent }

func TestRunErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Request)
		want   error
	}{
		"no agent": {func(r *Request) { r.Agent = agent.Kind{Name: "nobody"} }, ErrRequest},
		"no turns": {func(r *Request) {
			r.Agent.Open = func(env agent.Env, cfg agent.Config) agent.Agent { return resumed{claude.New(env, cfg)} }
		}, ErrRequest},
		"no prompt":      {func(r *Request) { r.Prompt = " \n" }, ErrRequest},
		"no folder":      {func(r *Request) { r.Dir = "/no/such/folder" }, ErrRequest},
		"not installed":  {func(r *Request) { r.Config.Command = "/no/such/program" }, ErrAgentNotFound},
		"not executable": {func(r *Request) { r.Config.Command = "/etc/passwd" }, ErrAgentNotFound},
		"over before":    {func(r *Request) { r.TotalTimeout = 1 }, ErrTimeout},
	} {
		r := fake(t, "answer")
		c.change(&r)
		if got, err := Run(t.Context(), r); !errors.Is(err, c.want) || got.Attempts != 0 && name != "over before" {
			t.Errorf("%s: %v after %d attempts", name, err, got.Attempts)
		}
	}
	r := fake(t, "answer")
	r.Session = "0198b6f0-0000-7000-8000-000000000000"
	gone := (*NoSessionError)(nil)
	if _, err := Run(t.Context(), r); !errors.As(err, &gone) || gone.ID != r.Session || len(gone.Where) == 0 {
		t.Errorf("%v", err)
	}
	r.ResumeOrNew = true
	if got, err := Run(t.Context(), r); err != nil || !got.Recovered || got.Session == r.Session {
		t.Errorf("%v, %+v", err, got)
	}
}

// gone waits for the end of processes whose pids stand in a file.
func gone(t *testing.T, path string, n int) {
	t.Helper()
	pids := strings.Fields(text(t, path))
	if len(pids) != n {
		t.Fatalf("%d processes in %q, want %d", len(pids), pids, n)
	}
	procs := agent.NewProcs()
	for _, p := range pids {
		pid, _ := strconv.Atoi(p)
		until(t, "the end of process "+p, func() bool { q, ok := procs.Get(pid); return !ok || q.Zombie })
	}
}

func TestRunTimeoutLeavesNothing(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	r := fake(t, "stubborn:"+pids)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	go func() {
		for range time.NewTicker(10 * time.Millisecond).C {
			if b, _ := os.ReadFile(pids); bytes.Count(b, []byte("\n")) == 3 {
				cancel(stop)
				return
			}
		}
	}()
	if _, err := Run(ctx, r); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	gone(t, pids, 3)
	r = fake(t, "stubborn:"+filepath.Join(t.TempDir(), "pids"))
	r.Timeout = time.Second
	if _, err := Run(t.Context(), r); !errors.Is(err, ErrTimeout) {
		t.Errorf("%v", err)
	}
}

// hangs is an agent of which a run that fails may never end.
type hangs struct {
	agent.Agent
	agent.Starter
}

func (h hangs) Turn(r agent.TurnRequest) (resume.Plan, error) {
	p, err := h.Starter.Turn(r)
	p.Hangs = time.Millisecond
	return p, err
}

// A run that has failed and says nothing more is ended, where its agent says that it may hang, and its failure counts.
func TestRunHangs(t *testing.T) {
	t.Parallel()
	r := fake(t, "fails, and never ends")
	between(t, &r, func(a agent.Agent, s agent.Starter) agent.Agent { return hangs{a, s} })
	stop := (*StopError)(nil)
	if _, err := Run(t.Context(), r); !errors.As(err, &stop) || stop.Stop.Reason != detect.Overloaded {
		t.Errorf("%v", err)
	}
}

func TestRunDoesNotWaitForTools(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	got, err := Run(t.Context(), fake(t, "leaves a tool:"+pid))
	if err != nil || got.Text != "it runs on" {
		t.Errorf("%v, %+v", err, got)
	}
	n, err := strconv.Atoi(text(t, pid))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Errorf("the tool was ended: %v", err)
	}
}

func TestRunEnvironment(t *testing.T) {
	t.Parallel()
	r := fake(t, "env")
	r.Environ = append(r.Environ, "CLAUDECODE=1", "CLAWD_CONFIG=/x", "NODE_OPTIONS=--x", "ANTHROPIC_API_KEY=mine", "OTHER=1")
	got, err := Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"CLAUDECODE": false, "CLAWD_CONFIG": false, "NODE_OPTIONS": false, "ANTHROPIC_API_KEY": true, "OTHER": true} {
		if has := strings.Contains(got.Text, `"`+name+`=`); has != want {
			t.Errorf("%s reaches the agent: %v", name, has)
		}
	}
}

// A hundred at once: no answer goes to another caller, nothing is left, and memory stays what it was.
func TestRunMany(t *testing.T) {
	r := fake(t, "answer")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	goroutines := runtime.NumGoroutine()
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]bool{}
	for i := range 100 {
		wg.Go(func() {
			r := r
			r.Prompt = fmt.Sprintf("I am number %d", i)
			got, err := Run(t.Context(), r)
			if err != nil || got.Text != r.Prompt {
				t.Errorf("%d: %q, %v", i, got.Text, err)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[got.Session] = true
		})
	}
	wg.Wait()
	if len(ids) != 100 {
		t.Errorf("%d sessions, want 100", len(ids))
	}
	until(t, "the end of all goroutines", func() bool { return runtime.NumGoroutine() <= goroutines })
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grew := int64(after.HeapAlloc) - int64(before.HeapAlloc); grew > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grew)
	}
	procs := agent.NewProcs()
	all, err := procs.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.PPID == os.Getpid() && strings.Contains(strings.Join(procs.Argv(p.PID), " "), "--session-id") {
			t.Errorf("process %d is left", p.PID)
		}
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	var kinds []agent.SaidKind
	for e, err := range Stream(t.Context(), fake(t, "answer")) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, e.Kind)
		if e.Kind == EventResult && (e.Result == nil || e.Text != "say hello") {
			t.Errorf("%+v", e)
		}
	}
	if got := fmt.Sprint(kinds); got != "[opened usage done result]" {
		t.Error(got)
	}
	var last error
	for _, err := range Stream(t.Context(), fake(t, "fails")) {
		last = err
	}
	if stop := (*StopError)(nil); !errors.As(last, &stop) {
		t.Errorf("%v", last)
	}
	pids := filepath.Join(t.TempDir(), "pids")
	for e, err := range Stream(t.Context(), fake(t, "stubborn:"+pids)) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == agent.SaidOpened {
			until(t, "the children", func() bool { b, _ := os.ReadFile(pids); return bytes.Count(b, []byte("\n")) == 3 })
			break
		}
	}
	gone(t, pids, 3)
}

func TestSession(t *testing.T) {
	t.Parallel()
	s := NewSession(fake(t, "answer"))
	if s.ID() != "" {
		t.Error(s.ID())
	}
	got, err := s.Turn(t.Context(), "one")
	if err != nil || s.ID() == "" || s.ID() != got.Session {
		t.Fatal(err, s.ID())
	}
	// The fake leaves no files, so its session is not there any more.
	if _, err := s.Turn(t.Context(), "two"); !errors.As(err, new(*NoSessionError)) {
		t.Errorf("%v", err)
	}
	s.Reset()
	if again, err := s.Turn(t.Context(), "three"); err != nil || again.Session == got.Session {
		t.Errorf("%v, %s", err, again.Session)
	}
}
