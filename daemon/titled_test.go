package daemon

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// titles is an agent that names its session in its terminal's title. Another session of the folder was used at a time.
type titles struct {
	whole
	used time.Time
}

func (titles) Titled(context.Context, detect.Session, string) (shows, known bool, err error) {
	return false, false, nil // the terminal here is none
}

func (a titles) MayShow(_ context.Context, _ detect.Session, after time.Time) ([]detect.Session, error) {
	if a.used.After(after) {
		return []detect.Session{{Agent: "claude", ID: "another"}}, nil
	}
	return nil, nil
}

// A terminal shows nothing of what a headless run writes to its session after it was opened.
func TestOpenedBeforeAHeadlessRun(t *testing.T) {
	for _, c := range []struct {
		name   string
		opened time.Duration // before the stop
		starts int
	}{{"before", time.Hour, 0}, {"after", -5 * time.Minute, 1}} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				id := uuid.NewString()
				r.openAs(id, resume.Tmux, "idle")
				r.procs.set(func() { r.procs.all[1].Started = time.Now().Add(-c.opened) })
				r.add(id, r.record(id, "user", "", "sdk-cli"), r.record(id, "plan", "", "sdk-cli"))
				r.pass(2 * time.Hour)
				r.wantStarts(c.starts)
				if n := len(r.log.events("session_unreachable")); n != 1-c.starts {
					t.Errorf("told %d times that it cannot be reached; log:\n%s", n, r.log)
				}
			})
		})
	}
}

// Where a terminal may show any session of its folder, it is the one that was used last only if nothing else was used there
// since the terminal's start: else its title must name it.
func TestTitleMustTell(t *testing.T) {
	for _, c := range []struct {
		name   string
		used   time.Duration // from the terminal's start on
		titled bool
	}{{"used before", -time.Minute, false}, {"used since", time.Minute, true}} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.wrapAgent(func(a whole) agent.Agent { return titles{a, time.Now().Add(-time.Hour + c.used)} })
				r.open(resume.Tmux, "limit")
				entry := filepath.Join(r.agentDir(), "sessions", "901.json")
				if err := os.Remove(entry); err != nil {
					t.Fatal(err)
				}
				r.procs.set(func() { r.procs.cwd = map[int]string{901: r.project} })
				r.watch.send(fsnotify.Event{Name: entry, Op: fsnotify.Remove})
				r.pass(time.Hour)
				all := r.children.started()
				if len(all) != 1 || all[0].claim.Plan.Titled != c.titled {
					t.Errorf("%d starts, titled %t; log:\n%s", len(all), len(all) > 0 && all[0].claim.Plan.Titled, r.log)
				}
			})
		})
	}
}

// A terminal that was there at the stop beside another one may show that one's session, or any other, after that one has gone.
func TestTerminalBesideAtTheStop(t *testing.T) {
	for _, c := range []struct {
		name   string
		titles bool // the agent names its session in its terminal's title
	}{{"told by its title", true}, {"not told", false}} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				if c.titles {
					r.wrapAgent(func(a whole) agent.Agent { return titles{whole: a} })
				}
				id := uuid.NewString()
				r.openAs(id, resume.Tmux, "idle")
				if err := os.Remove(filepath.Join(r.agentDir(), "sessions", "901.json")); err != nil {
					t.Fatal(err)
				}
				beside := agent.Proc{PID: 902, Start: 92, TTY: "/dev/pts/2", Started: time.Now().Add(-time.Hour)}
				r.procs.set(func() {
					r.procs.cwd = map[int]string{901: r.project, 902: r.project}
					r.procs.argv[902] = r.procs.argv[901]
					r.procs.all = append(r.procs.all, beside)
				})
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "limit", "", interactive))
				r.pass(10 * time.Minute)
				r.procs.set(func() { r.procs.all = r.procs.all[:len(r.procs.all)-1] })
				r.pass(time.Hour)
				all := r.children.started()
				if c.titles && (len(all) != 1 || !all[0].claim.Plan.Titled) || !c.titles && len(all) != 0 {
					t.Errorf("%d starts; log:\n%s", len(all), r.log)
				}
			})
		})
	}
}
