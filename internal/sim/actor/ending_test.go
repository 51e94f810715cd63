package actor

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ending is one scripted way in which a run ends, and the recorded run of the same script.
type ending struct {
	name    string
	tty     string
	mode    string
	answers []Answer
	span    time.Duration // that the world goes on after the prompt
	then    func(s *scene, x Session)
	set     func(a Agent)
}

func many(a Answer, n int) []Answer { return slices.Repeat([]Answer{a}, n) }

func do(m Move) func(s *scene, x Session) {
	return func(s *scene, x Session) {
		must(s.t, x.Do(m, s.now))
		s.run(x, time.Second)
	}
}

// play runs an ending.
func (e ending) play(t testing.TB, seed uint64, open func(*World) Agent) (*scene, Agent, Session) {
	s := newScene(t, seed, e.answers...)
	a := open(s.w)
	if e.set != nil {
		e.set(a)
	}
	x, err := a.Begin(Start{Dir: dir, TTY: e.tty, Mode: e.mode}, s.now)
	must(t, err)
	must(t, x.Prompt("say done", Person, s.now))
	if e.span == 0 {
		e.span = 10 * time.Minute
	}
	s.run(x, e.span)
	if e.then != nil {
		e.then(s, x)
	}
	return s, a, x
}

// sameSeed: one seed gives the same bytes, another one others.
func sameSeed(t *testing.T, all []ending, open func(*World) Agent) {
	for _, e := range all {
		var prints [3]string
		for i, seed := range []uint64{3, 3, 4} {
			s, _, _ := e.play(t, seed, open)
			prints[i] = fingerprint(t, s.w.Home)
		}
		if prints[0] != prints[1] {
			t.Errorf("%s: one seed gave two runs", e.name)
		}
		if prints[0] == prints[2] {
			t.Errorf("%s: two seeds gave one run", e.name)
		}
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	t.Run("claude", func(t *testing.T) { sameSeed(t, claudeEndings, newClaude) })
	t.Run("codex", func(t *testing.T) { sameSeed(t, codexEndings, newCodex) })
	t.Run("copilot", func(t *testing.T) { sameSeed(t, copilotEndings, newCopilot) })
	t.Run("gemini", func(t *testing.T) { sameSeed(t, geminiEndings, newGemini) })
	t.Run("opencode", func(t *testing.T) { sameSeed(t, opencodeEndings, newOpenCode) })
	t.Run("pi", func(t *testing.T) { sameSeed(t, piEndings, newPi) })
	t.Run("qwen", func(t *testing.T) { sameSeed(t, qwenEndings, newQwen) })
}

func globbed(t testing.TB, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(pattern)
	must(t, err)
	return all
}

func benchTurns(b *testing.B, s *scene, x Session) {
	b.ReportAllocs()
	before := cpu(b)
	for b.Loop() {
		must(b, x.Prompt("say done", Person, s.now))
		s.run(x, 2*time.Second)
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
}

// cpu is the CPU time of this process in nanoseconds.
func cpu(t testing.TB) int64 {
	t.Helper()
	var r unix.Rusage
	must(t, unix.Getrusage(unix.RUSAGE_SELF, &r))
	return r.Utime.Nano() + r.Stime.Nano()
}
