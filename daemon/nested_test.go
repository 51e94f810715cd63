package daemon

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// below701 has process 700 be started by 701, and that by 702 and so on; each with its arguments.
func (r *rig) below701(parents ...[]string) {
	r.procs.set(func() {
		for n := range r.procs.all {
			if r.procs.all[n].PID == 700 {
				r.procs.all[n].PPID = 701
			}
		}
		r.procs.cwd = map[int]string{}
		for n, argv := range parents {
			pid := 701 + n
			r.procs.all = append(r.procs.all, agent.Proc{PID: pid, PPID: pid + 1, Group: pid, Leader: pid, Start: 9, Comm: "x"})
			r.procs.argv[pid], r.procs.cwd[pid] = argv, "/" // what they have open is known
		}
	})
}

// What an agent runs as its tool is that one's: it was told how the run ended, and goes on by itself.
func TestRunByAnotherAgent(t *testing.T) {
	shell, script := []string{"/bin/sh", "-c", "claude -p do"}, []string{"bash", "/home/dev/bin/claude", "-p"}
	for name, c := range map[string]struct {
		parents [][]string
		left    bool
	}{
		"a tool":                           {[][]string{shell, {"claude"}, {"bash"}}, true},
		"a tool of another agent":          {[][]string{shell, {"node", "--no-warnings", "/usr/bin/gemini", "--acp"}}, true},
		"a hook without a shell":           {[][]string{{"/opt/codex", "exec", "do"}}, true},
		"a server of tools":                {[][]string{{"node", "/srv/tools.js"}, {"/usr/lib/.opencode", "serve"}}, true},
		"a script of its user's below one": {[][]string{script, shell, {"claude"}}, true},
		"a shell":                          {[][]string{{"bash"}, {"tmux"}}, false},
		"a script of the agent's name":     {[][]string{script, {"bash"}}, false},
		"what leads its sessions":          {[][]string{{"claude", "daemon"}, {"bash"}}, false},
		"a script about an agent":          {[][]string{{"sh", "claude"}, {"vim", "codex"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.registry()
				id := uuid.NewString()
				entry := r.runs(700, id, nil, "claude", "-p", "do")
				r.below701(c.parents...)
				r.start()
				r.endsRun(700, entry)
				r.add(id, r.line(id, "user"), r.line(id, "plan"))
				r.down() // it lasts
				r.start()
				r.pass(6 * time.Hour)
				if !c.left {
					r.wantStarts(1)
					return
				}
				r.wantStarts(0)
				r.wantPhase(id, state.Following)
				left := r.log.events("session_left")
				if len(left) != 1 || !strings.Contains(fmt.Sprint(left[0]["why"]), "ran it as a tool") {
					t.Fatalf("left: %v", left)
				}
				r.order(id, resume.Order{})
				r.pass(time.Hour)
				r.wantStarts(1)
			})
		})
	}
}

// What makes a sandbox stands between an agent and its launcher.
func TestInsideASandbox(t *testing.T) {
	gemini := []string{"node", "/usr/bin/gemini", "-p", "do"}
	procs := &table{all: []agent.Proc{{PID: 700, PPID: 701}, {PID: 701, PPID: 702}, {PID: 702, PPID: 703}, {PID: 703, PPID: 1}},
		argv: map[int][]string{700: gemini, 701: {"sh", "-c", "node /usr/bin/gemini"}, 702: gemini, 703: {"bash"}}}
	if got := inside(procs, "gemini", 700); got != 702 {
		t.Errorf("a tool: %d", got)
	}
	procs.env = map[int][]string{700: {"SANDBOX=sandbox-exec"}}
	if got := inside(procs, "gemini", 700); got != 0 {
		t.Errorf("a sandbox: %d", got)
	}
	procs.set(func() { procs.argv[703] = []string{"claude"} })
	if got := inside(procs, "gemini", 700); got != 703 {
		t.Errorf("a tool's sandbox: %d", got)
	}
}

// qwen-code 0.24 starts itself again as a script whose name says nothing: its launcher is no other agent.
func TestInsideOfItsLauncher(t *testing.T) {
	script, launcher := []string{"/opt/node", "--expose-gc", "/opt/qwen-code/cli.js", "-p", "do"}, []string{"node", "/usr/bin/qwen", "-p", "do"}
	procs := &table{all: []agent.Proc{{PID: 700, PPID: 701}, {PID: 701, PPID: 702}, {PID: 702, PPID: 703}, {PID: 703, PPID: 704}, {PID: 704, PPID: 1}},
		argv: map[int][]string{700: script, 701: launcher, 702: {"bash", "-c", "qwen -p do"}, 703: script, 704: launcher}}
	if got := inside(procs, "qwen", 700); got != 704 {
		t.Errorf("a tool: %d", got)
	}
	procs.argv[704] = []string{"bash"}
	if got := inside(procs, "qwen", 700); got != 0 {
		t.Errorf("not below another agent: %d", got)
	}
}

// What a tool of clawd's own run starts has the run's variable, too, and is no run of clawd's.
func TestRunByOwnRun(t *testing.T) {
	in(t, func(r *rig) {
		r.registry()
		id, ours := uuid.NewString(), []string{agent.AttemptVar + "=x"}
		entry := r.runs(700, id, ours, "claude", "-p", "do")
		r.below701([]string{"/bin/sh", "-c", "claude -p do"}, []string{"claude", "-p"})
		r.procs.set(func() { r.procs.env[701], r.procs.env[702] = ours, ours })
		r.start()
		r.endsRun(700, entry)
		r.add(id, r.line(id, "user"), r.line(id, "plan"))
		r.pass(6 * time.Hour)
		r.wantStarts(0)
		r.wantPhase(id, state.Following)
	})
}

// namesNone is an agent whose processes may each have any session of their folder open.
type namesNone struct {
	whole
	r *rig
}

func (u namesNone) Launches(string) ([]agent.Launched, error) { return nil, nil }

func (u namesNone) Live(context.Context, detect.Session, detect.Info) (found []detect.Holder, err error) {
	all, err := u.r.procs.List()
	for _, p := range all {
		if p.Comm == "agent" {
			found = append(found, detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, PID: p.PID, Start: p.Start, Group: p.Group, Boot: "boot-1"})
		}
	}
	if len(found) == 0 {
		found = []detect.Holder{{Liveness: detect.Gone}}
	}
	return found, err
}

// Where no process names its session, the one that was started last before a session began it.
func TestUnnamedRunByAnotherAgent(t *testing.T) {
	for name, c := range map[string]struct {
		below int           // who started it
		since time.Duration // when
		left  bool
	}{
		"below it":          {901, -2 * time.Second, true},
		"beside it":         {1, -2 * time.Second, false},
		"below it, later":   {901, 10 * time.Second, false},
		"below it, earlier": {901, -time.Hour / 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.wrapAgent(func(a whole) agent.Agent { return namesNone{a, r} })
				r.start()
				r.pass(time.Hour)
				id, now := uuid.NewString(), time.Now()
				r.procs.set(func() {
					r.procs.all = []agent.Proc{{PID: 900, PPID: 1, Group: 900, Start: 90, Comm: "agent", Started: now.Add(-time.Hour)}, {PID: 901, PPID: 900, Group: 901, Start: 91, Comm: "sh"},
						{PID: 902, PPID: c.below, Group: 901, Start: 92, Comm: "agent", Started: now.Add(c.since)}}
					r.procs.argv = map[int][]string{900: {"opencode", "run", "do"}, 901: {"sh", "-c", "below"}, 902: {"opencode", "run", "below"}}
				})
				user := r.line(id, "user")
				r.add(id, user)
				r.pass(time.Minute)
				r.add(id, user, r.line(id, "plan"))
				r.pass(time.Minute)
				r.end(902)
				r.end(900)
				r.pass(6 * time.Hour)
				if c.left {
					r.wantStarts(0)
					r.order(id, resume.Order{})
				}
				r.wantStarts(1)
			})
		})
	}
}
