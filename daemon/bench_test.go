package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/trigger"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/shim"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// corpus is a Claude Code folder with transcripts of finished sessions.
type corpus struct {
	home  string
	files []string
}

// program tells a version and does nothing else.
func (c corpus) program() string { return filepath.Join(c.home, "claude") }

// config names the model, since nobody saw how the sessions were started.
func (c corpus) config() agent.Config {
	return agent.Config{Command: c.program(), Args: []string{"--model=claude-opus-5-5"}}
}

func transcriptLine(kind, id, parent, session, dir string, at time.Time, rest string) string {
	return fmt.Sprintf(`{"parentUuid":%q,"isSidechain":false,"type":%q,%s,"uuid":%q,"timestamp":%q,"entrypoint":"sdk-cli","permissionMode":"default","cwd":%q,"sessionId":%q,"version":"2.1.329"}`+"\n",
		parent, kind, rest, id, at.UTC().Format("2006-01-02T15:04:05.000Z"), dir, session)
}

const (
	userText   = `"message":{"role":"user","content":"do it"}`
	answerText = `"message":{"id":"m","model":"claude-opus-5-5","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":%q}],"usage":{"input_tokens":100,"output_tokens":12}}`
	limitText  = `"message":{"id":"s","model":"<synthetic>","role":"assistant","stop_reason":"stop_sequence","content":[{"type":"text","text":"API Error: Request rejected (429)"}]},"error":"rate_limit","isApiErrorMessage":true,"apiErrorStatus":429`
)

// newCorpus makes n sessions of about size bytes in n/20 projects. waiting of them end in a limit
// that resets tomorrow.
func newCorpus(b *testing.B, n, size, waiting int) corpus {
	b.Helper()
	c := corpus{home: b.TempDir()}
	if err := os.WriteFile(c.program(), []byte("#!/bin/sh\necho '2.1.329 (Claude Code)'\n"), 0o700); err != nil {
		b.Fatal(err)
	}
	now := time.Now()
	filler := strings.Repeat("lorem ipsum dolor sit amet ", 110) // lines of 3 KB
	for i := range n {
		dir := filepath.Join(c.home, fmt.Sprintf("work%d", i%max(1, n/20)))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		id := uuid.NewString()
		folder := filepath.Join(c.home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(dir))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			b.Fatal(err)
		}
		var t bytes.Buffer
		parent := uuid.NewString()
		t.WriteString(transcriptLine("user", parent, "", id, dir, now.Add(-2*time.Hour), userText))
		for t.Len() < size {
			next := uuid.NewString()
			t.WriteString(transcriptLine("assistant", next, parent, id, dir, now.Add(-time.Hour), fmt.Sprintf(answerText, filler)))
			parent = next
		}
		if i < waiting {
			t.WriteString(transcriptLine("assistant", uuid.NewString(), parent, id, dir, now.Add(-time.Minute),
				limitText+fmt.Sprintf(`,"apiError":"usage_limit_reached","quotaLimits":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour"}`, now.Add(20*time.Hour).Unix())))
		}
		path := filepath.Join(folder, id+".jsonl")
		if err := os.WriteFile(path, t.Bytes(), 0o600); err != nil {
			b.Fatal(err)
		}
		if age := now.Add(-48 * time.Hour); i >= waiting { // most sessions of a folder are old
			if err := os.Chtimes(path, age, age); err != nil {
				b.Fatal(err)
			}
		}
		c.files = append(c.files, path)
	}
	return c
}

// lines passes log lines on.
type lines struct {
	mu sync.Mutex
	f  func(map[string]any)
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var m map[string]any
	if json.Unmarshal(p, &m) == nil && l.f != nil {
		l.f(m)
	}
	return len(p), nil
}

// bench runs a daemon over a corpus until the benchmark ends.
func bench(b *testing.B, c corpus, fires Trigger, seen func(map[string]any)) {
	b.Helper()
	cfg := config.Default()
	cfg.Watch.Agents = []any{"claude"}
	cfg.Agent["claude"] = c.config()
	if fires != nil {
		cfg.Resume.Base, cfg.Resume.Jitter, cfg.Resume.Stagger = config.Duration(time.Second), 0, 0
		cfg.Resume.MaxParallel, cfg.Budget.MaxResumesPerDayTotal = 100, 1e6
	}
	ready := make(chan struct{})
	dir := b.TempDir()
	d, err := New(Options{Config: cfg, Paths: Paths{StateDir: dir, UserDir: dir}, Log: zerolog.New(&lines{f: seen}).Level(zerolog.InfoLevel),
		Env:   agent.Env{Home: c.home, Getenv: func(string) string { return "" }, Procs: agent.NewProcs()},
		Parts: Parts{Trigger: fires}, Manager: Manager{Ready: func() { close(ready) }}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- d.Run(ctx) }()
	<-ready
	b.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStopStored: from the write of a failure line to the stop in the store, 2,000 watched
// files of which a random one is written to, one at a time: when it is known what follows from the one before.
func BenchmarkStopStored(b *testing.B) {
	c := newCorpus(b, 2000, 10_000, 0)
	stored, done := make(chan string, 1), make(chan string, 1)
	bench(b, c, nil, func(m map[string]any) {
		switch m["event"] {
		case "session_stopped":
			stored <- m["session"].(string)
		case "session_left", "resume_scheduled":
			done <- m["session"].(string)
		}
	})
	var took []time.Duration
	for i := range b.N {
		path := c.files[i*7919%len(c.files)]
		id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			b.Fatal(err)
		}
		line := transcriptLine("assistant", uuid.NewString(), "", id, "/nowhere", time.Now(), limitText)
		start := time.Now()
		if _, err := io.WriteString(f, line); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
		for got := range stored {
			if got == id {
				break
			}
		}
		took = append(took, time.Since(start))
		for got := range done {
			if got == id {
				break
			}
		}
	}
	report(b, took)
}

// starter forks a child for the first attempt of every session, says when, and gives the attempt
// back.
type starter struct {
	shim.Exec
	late chan time.Duration
	seen sync.Map
}

func (s *starter) Start(ctx context.Context, c resume.Claim) (resume.Run, error) {
	if _, again := s.seen.LoadOrStore(c.Session.ID, true); !again {
		run, err := s.Exec.Start(ctx, c)
		s.late <- time.Since(c.Stop.At.Add(time.Second))
		if err == nil {
			run.Abort()
		}
	}
	return nil, errors.New("this is a benchmark")
}

// BenchmarkDeadline: from the end of a wait to the child's start: the last look at files and
// processes, the claim, the fork.
func BenchmarkDeadline(b *testing.B) {
	c := newCorpus(b, max(b.N, 20), 10_000, 0)
	s := &starter{Exec: shim.Exec{Self: []string{"/bin/cat"}, Procs: agent.NewProcs(), Config: func(string) agent.Config { return agent.Config{} }},
		late: make(chan time.Duration)}
	bench(b, c, &trigger.Trigger{Exec: s, Procs: s.Procs}, nil)
	var took []time.Duration
	for i := range b.N {
		id := strings.TrimSuffix(filepath.Base(c.files[i]), ".jsonl")
		dir := filepath.Join(c.home, fmt.Sprintf("work%d", i%max(1, max(b.N, 20)/20)))
		f, err := os.OpenFile(c.files[i], os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.WriteString(f, transcriptLine("assistant", uuid.NewString(), "", id, dir, time.Now(), limitText)); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
		took = append(took, <-s.late)
		if err := os.Remove(c.files[i]); err != nil { // so that it does not try again
			b.Fatal(err)
		}
	}
	report(b, took)
}

// BenchmarkColdStart: from nothing to watching 2,000 transcripts of 200 MB together.
func BenchmarkColdStart(b *testing.B) {
	c := newCorpus(b, 2000, 100_000, 100)
	for b.Loop() {
		cfg := config.Default()
		cfg.Watch.Agents = []any{"claude"}
		cfg.Agent["claude"] = c.config()
		dir := b.TempDir()
		ctx, stop := context.WithCancel(context.Background())
		ready := func() { b.StopTimer(); stop() }
		d, err := New(Options{Config: cfg, Paths: Paths{StateDir: dir, UserDir: dir}, Log: zerolog.Nop(), Manager: Manager{Ready: ready},
			Env: agent.Env{Home: c.home, Getenv: func(string) string { return "" }, Procs: agent.NewProcs()}})
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Run(ctx); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkTransition: one durable step (T1 with news), to be held against BenchmarkFsync.
func BenchmarkTransition(b *testing.B) {
	s, err := state.Open(filepath.Join(b.TempDir(), "clawd.db"), state.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ds := detect.Session{Agent: "claude", ID: uuid.NewString(), Path: "/x"}
	rec := state.Session{Session: ds, Phase: state.Following}
	books := s.Books(time.Now, func(err error) { b.Fatal(err) })
	for i := 0; b.Loop(); i++ {
		stop := detect.Stop{State: detect.Stopped, Reason: detect.RateLimit, Key: strconv.Itoa(i), At: time.Now()}
		c, err := rec.Stopped(books, state.Read{Session: ds}, stop, resume.Decision{Strategy: resume.SameSession, WakeAt: time.Now()}, nil)
		if err == nil {
			err = s.Commit(c)
		}
		if err != nil {
			b.Fatal(err)
		}
		rec = c.Session
	}
}

// BenchmarkFsync: what the disk under the store takes for 4 KB that are written over.
func BenchmarkFsync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "f"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	for b.Loop() {
		if _, err := f.WriteAt(page, 0); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdle: memory and CPU of the built program that watches 2,000 files and has 100, or all, waiting,
// over the minute from its second rescan to its fourth: the first stores what the start has read. -benchtime
// changes nothing.
func BenchmarkIdle(b *testing.B) {
	for _, n := range []int{100, 2000} {
		b.Run(fmt.Sprint(n, " waiting"), func(b *testing.B) { idle(b, n) })
	}
}

func idle(b *testing.B, wait int) {
	c := newCorpus(b, 2000, 10_000, wait)
	bin := filepath.Join(b.TempDir(), "clawd")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "../cmd/clawd")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	size, err := os.Stat(bin)
	if err != nil {
		b.Fatal(err)
	}
	conf := filepath.Join(c.home, "clawd.toml")
	if err := os.WriteFile(conf, []byte("[log]\nlevel = \"debug\"\nformat = \"json\"\n[watch]\nagents = [\"claude\"]\n[agent.claude]\nargs = [\"--model=claude-opus-5-5\"]\ncommand = \""+c.program()+"\"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		cmd := exec.Command(bin, "run", "--config", conf)
		cmd.Env = []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH")}
		stderr, err := cmd.StderrPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		log, waiting := bufio.NewScanner(stderr), 0
		rescanned := func() {
			for log.Scan() {
				switch {
				case strings.Contains(log.Text(), `"event":"rescanned"`):
					return
				case strings.Contains(log.Text(), `"event":"resume_scheduled"`):
					waiting++
				}
			}
			b.Fatal("clawd ended")
		}
		rescanned()
		rescanned()
		before, ran := ticks(b, cmd.Process.Pid), onCPU(b, cmd.Process.Pid)
		rescanned()
		rescanned()
		b.ReportMetric(float64(ticks(b, cmd.Process.Pid)-before), "ticks/min")
		b.ReportMetric(float64((onCPU(b, cmd.Process.Pid)-ran).Microseconds())/1000, "CPU-ms/min")
		b.ReportMetric(float64(rss(b, cmd.Process.Pid))/1024, "RSS-MB")
		b.ReportMetric(float64(size.Size())/1e6, "binary-MB")
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			b.Fatal(err)
		}
		for log.Scan() { // what it says at its end
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		if waiting != wait {
			b.Fatalf("%d sessions wait, want %d", waiting, wait)
		}
	}
	b.ReportMetric(0, "ns/op")
}

func ticks(b *testing.B, pid int) uint64 {
	p, ok := agent.NewProcs().Get(pid)
	if !ok {
		b.Fatal("clawd is gone")
	}
	return p.CPU
}

// onCPU is the CPU time of all threads, to the nanosecond where ticks are too coarse.
func onCPU(b *testing.B, pid int) time.Duration {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		b.Fatal("clawd is gone", err)
	}
	var sum time.Duration
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		var ran int64
		if _, err := fmt.Sscan(string(text), &ran); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(ran)
	}
	return sum
}

func rss(b *testing.B, pid int) (kb int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); err == nil {
			return kb
		}
	}
	return 0
}
