package actor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// The recordings begin at this time; the clock of the tests begins there, too.
var epoch = time.Date(2026, 11, 21, 0, 20, 0, 0, time.UTC)

const dir = "/home/dev/work/demo"

// scene is a world with a clock and a script.
type scene struct {
	t       testing.TB
	w       *World
	now     time.Time
	answers []Answer // the next ones; then Done
	asked   []Request
}

func newScene(t testing.TB, seed uint64, answers ...Answer) *scene {
	s := &scene{t: t, now: epoch, answers: answers}
	zone, err := time.LoadLocation("Europe/Rome")
	must(t, err)
	s.w = &World{Home: t.TempDir(), Procs: NewTable("boot", epoch.Add(-time.Hour)), Ledger: NewLedger(), Zone: zone,
		Rand: rand.New(rand.NewPCG(seed, 1)), Env: []string{"HOME=/home/dev"}}
	s.w.Provider = func(r Request) Answer {
		s.asked = append(s.asked, r)
		if len(s.answers) == 0 {
			return Answer{}
		}
		a := s.answers[0]
		s.answers = s.answers[1:]
		return a
	}
	return s
}

// run lets an actor do all that is due within a time.
func (s *scene) run(x Session, span time.Duration) {
	s.t.Helper()
	end := s.now.Add(span)
	for {
		next, err := x.Next(s.now)
		must(s.t, err)
		if next.IsZero() || next.After(end) {
			break
		}
		if !next.After(s.now) {
			s.t.Fatalf("it wants to be called again at %s, and it is %s", next, s.now)
		}
		s.now = next
	}
	s.now = end
	_, err := x.Next(s.now)
	must(s.t, err)
}

// reader is the real adapter over the folder of an actor.
func (s *scene) reader(name, folder string) agent.Agent {
	s.t.Helper()
	kind, err := all.Kind(name)
	must(s.t, err)
	getenv := func(name string) string {
		if name == "TMPDIR" {
			return s.w.Tmp()
		}
		return ""
	}
	env := agent.Env{Home: s.w.Home, Getenv: getenv, Procs: s.w.Procs, Zone: s.w.Zone}
	return kind.Open(env, agent.Config{ConfigDir: folder})
}

// look is clawd's verdict on a session.
func (s *scene) look(a agent.Agent, id string) (detect.Stop, agent.Batch) {
	s.t.Helper()
	found, err := a.Scan(context.Background(), "")
	must(s.t, err)
	i := slices.IndexFunc(found, func(x agent.Touched) bool { return x.Session.ID == id })
	if i < 0 {
		s.t.Fatalf("the adapter does not see the session %s among %d", id, len(found))
	}
	stop, b, err := agent.Look(context.Background(), a, found[i].Session, true)
	must(s.t, err)
	if b.Skipped > 0 {
		s.t.Errorf("%d records were skipped: %s", b.Skipped, b.Problem)
	}
	return stop, b
}

// truth is what want.json says of the one session of a recorded run, or of the last.
type truth struct {
	Version  string `json:"version"`
	Sessions []struct {
		State     detect.State   `json:"state"`
		CouldBe   []detect.State `json:"could_be"`
		Reason    detect.Reason  `json:"reason"`
		Window    detect.Window  `json:"window"`
		ResetAt   time.Time      `json:"reset_at"`
		Minute    bool           `json:"minute"`
		SelfAt    time.Time      `json:"self_resume_at"`
		Resumable bool           `json:"resumable"`
	} `json:"sessions"`
}

func recordedTruth(t testing.TB, agentName, name string) truth {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../../testdata", agentName, name, "want.json"))
	must(t, err)
	var w truth
	must(t, json.Unmarshal(b, &w))
	if len(w.Sessions) == 0 {
		t.Fatalf("%s has no session", name)
	}
	return w
}

var policy = resume.Policy{Reasons: resume.DefaultReasons()}

// class is what of a verdict must be equal: not its times and ids.
func class(state detect.State, reason detect.Reason, window detect.Window, reset, minute, self, resumable bool) string {
	return fmt.Sprintf("%s %s %s reset=%v minute=%v self=%v resumable=%v", state, reason, window, reset, minute, self, resumable)
}

// agree compares the verdict on a simulated run with the truth of the recorded one.
func agree(t testing.TB, agentName, name string, got detect.Stop, parent bool) {
	t.Helper()
	w := recordedTruth(t, agentName, name)
	last := w.Sessions[len(w.Sessions)-1]
	resumable := policy.Select(got, resume.Tried{}).Kind() != resume.Leave && got.State == detect.Stopped && !parent
	if got.State != detect.Stopped {
		got.Reason = ""
	}
	if last.Minute && w.Version == "2.1.197" && !got.ResetAt.IsZero() { // the simulated version writes the second
		last.Minute = got.ResetMinute
	}
	g := class(got.State, got.Reason, got.Window, !got.ResetAt.IsZero(), got.ResetMinute, !got.SelfResumeAt.IsZero(), resumable)
	h := class(last.State, last.Reason, last.Window, !last.ResetAt.IsZero(), last.Minute, !last.SelfAt.IsZero(), last.Resumable)
	if g != h {
		t.Errorf("the verdict on the simulated run differs from that on %s:\n got %s\nwant %s", name, g, h)
	}
}

// fingerprint is a hash over all files below a folder, with their times.
func fingerprint(t testing.TB, root string) string {
	t.Helper()
	h := sha256.New()
	must(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fi, err := d.Info()
		fmt.Fprintf(h, "%s %d %x\n", strings.TrimPrefix(path, root), fi.ModTime().UnixNano(), sha256.Sum256([]byte(strings.ReplaceAll(string(b), root, ""))))
		return err
	}))
	return hex.EncodeToString(h.Sum(nil))
}

// Prompts counts those of one will.
func (l *Ledger) Prompts(agent, session, stop string, by By) (n int) {
	for _, a := range l.For(agent, session, stop) {
		if a.By == by {
			n++
		}
	}
	return n
}
