package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
)

// BenchmarkRescan: how long it takes to know the verdicts of all 2,000 sessions of 200 MB.
//
//   - first: by agents that know nothing yet, from the ends of the files; of those that may have
//     stopped, 100, from the whole file
//   - rescan: again, as the daemon does every 30 s, when one session has failed since; one in ten looks
//     at every file
//   - ccusage, which sums up the tokens of the same folder, at each run from nothing
func BenchmarkRescan(b *testing.B) {
	c := newCorpus(b, 2000, 100_000, 100)
	const rescans = 10
	var first, again time.Duration
	n := 0
	for b.Loop() {
		k := newKnown(b, c.home)
		begin := time.Now()
		k.look(b)
		first += time.Since(begin)
		for i := range rescans {
			if k.stops != 100+i {
				b.Fatalf("%d stops after %d looks, want %d", k.stops, i+1, 100+i)
			}
			path := c.files[n%100]
			appendTo(b, path, transcriptLine("assistant", uuid.NewString(), "", strings.TrimSuffix(filepath.Base(path), ".jsonl"), "/nowhere", time.Now(), limitText))
			n++
			begin = time.Now()
			k.look(b)
			again += time.Since(begin)
		}
	}
	first, again = first*rescans/time.Duration(n), again/time.Duration(n)
	b.ReportMetric(ms(first), "first-ms")
	b.ReportMetric(ms(again), "rescan-ms")
	b.ReportMetric(0, "ns/op")
	if ccusage := ccusagePath(b); ccusage != "" {
		theirs := runPeer(b, ccusage, c)
		b.ReportMetric(ms(theirs), "ccusage-ms")
		b.ReportMetric(float64(theirs)/float64(first), "ccusage/first")
		b.ReportMetric(float64(theirs)/float64(again), "ccusage/rescan")
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func appendTo(b *testing.B, path, text string) {
	b.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

// known is what a daemon keeps of the sessions.
type known struct {
	agents  []agent.Agent
	mu      sync.Mutex
	stamps  map[string]string
	cursors map[string]agent.Cursor
	stops   int
}

func newKnown(b *testing.B, home string) *known {
	agents, err := all.New(agent.Env{Home: home, Getenv: func(string) string { return "" }, Procs: agent.NewProcs()}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return &known{agents: agents, stamps: map[string]string{}, cursors: map[string]agent.Cursor{}}
}

// look counts the sessions that have stopped since the last look.
func (k *known) look(b *testing.B) {
	work := make(chan func(), 64)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for f := range work {
				f()
			}
		})
	}
	for _, a := range k.agents {
		touched, err := a.Scan(context.Background(), "")
		if err != nil {
			b.Error(err)
		}
		for _, t := range touched {
			if k.stamps[t.Session.Path] != t.Stamp {
				k.stamps[t.Session.Path] = t.Stamp
				work <- func() { k.read(b, a, t.Session) }
			}
		}
	}
	close(work)
	wg.Wait()
}

func (k *known) read(b *testing.B, a agent.Agent, s detect.Session) {
	ctx := context.Background()
	k.mu.Lock()
	from, seen := k.cursors[s.Path]
	k.mu.Unlock()
	ended := false
	if !seen {
		maybe, end, err := a.Tail(ctx, s)
		if err != nil {
			b.Error(err)
		}
		from, ended = end, !maybe
	}
	var c detect.Classifier
	if !ended {
		batch, err := a.Read(ctx, s, from, c.Feed)
		if err != nil {
			b.Error(err)
		}
		from = batch.Cursor
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cursors[s.Path] = from
	if c.Stop().IsStop() {
		k.stops++
	}
}

// ccusagePath gives the path of ccusage; empty: it cannot be had here.
func ccusagePath(b *testing.B) string {
	b.Helper()
	var problem bytes.Buffer
	install := exec.Command("../e2e/ccusage.sh")
	install.Stderr = &problem
	out, err := install.Output()
	if err == nil {
		err = exec.Command("unshare", "-rn", "true").Run()
	}
	if err != nil {
		b.Logf("without ccusage to compare with: %v %s", err, problem.Bytes())
		return ""
	}
	return strings.TrimSpace(string(out))
}

// runPeer gives the best of five runs, offline.
func runPeer(b *testing.B, program string, c corpus) time.Duration {
	b.Helper()
	best := time.Hour
	for range 5 {
		cmd := exec.Command("unshare", "-rn", program, "claude", "session", "--offline", "--json")
		cmd.Env = []string{"HOME=" + b.TempDir(), "PATH=" + os.Getenv("PATH"), "CLAUDE_CONFIG_DIR=" + filepath.Join(c.home, ".claude"), "TZ=UTC"}
		var problem bytes.Buffer
		cmd.Stderr = &problem
		begin := time.Now()
		out, err := cmd.Output()
		took := time.Since(begin)
		if err != nil {
			b.Fatalf("ccusage: %v\n%s", err, problem.Bytes())
		}
		var said map[string]json.RawMessage
		var list []json.RawMessage
		if json.Unmarshal(out, &said) != nil || json.Unmarshal(said["sessions"], &list) != nil || len(list) == 0 {
			b.Fatalf("ccusage found nothing in the folder: %.500s", out)
		}
		best = min(best, took)
	}
	return best
}
