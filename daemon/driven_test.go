package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// terminal906 has the agent in a plain terminal, without a registry entry.
func (r *rig) terminal906() {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Join(r.agentDir(), "sessions"), 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.children.way = resume.Exec
	r.procs.set(func() {
		r.procs.all = []agent.Proc{{PID: 900, Start: 90, Leader: 900, Comm: "bash"},
			{PID: 906, Start: 96, Leader: 900, PPID: 900, Comm: "claude", TTY: "/dev/pts/1", Started: time.Now().Add(-time.Hour)}}
		r.procs.argv[906] = []string{"claude"}
		r.procs.cwd = map[int]string{906: r.project}
	})
}

// entered is a record with another entrypoint; empty: none, as versions 1.0 and 2.0 write it.
func (r *rig) entered(id, kind, entry string) string {
	line := strings.ReplaceAll(r.record(id, kind, "", entry), `"permissionMode":"acceptEdits"`, `"permissionMode":"default"`)
	return strings.ReplaceAll(line, `"entrypoint":"",`, "")
}

// entersTerminal906 has a session stop in that terminal.
func (r *rig) entersTerminal906(entry string) (id string) {
	r.t.Helper()
	id = uuid.NewString()
	r.add(id, r.entered(id, "user", entry), r.entered(id, "plan", entry))
	r.pass(10 * time.Minute)
	return id
}

// wantQuit checks that a session was left because its user quit it.
func (r *rig) wantQuit(id string) {
	r.t.Helper()
	if rec := r.wantPhase(id, state.Following); rec.HolderEnd != state.HolderQuit {
		r.t.Errorf("holder end %q", rec.HolderEnd)
	}
	r.wantStarts(0)
}

// A session that its user quit is left, also where its records do not say that a person drove it.
func TestQuitIsAQuit(t *testing.T) {
	for name, entry := range map[string]string{"an old version": "", "an editor's extension": "claude-vscode", "a terminal": "cli"} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.terminal906()
				r.start()
				id := r.entersTerminal906(entry)
				r.end(906) // the shell lives on
				r.pass(2 * time.Hour)
				r.wantQuit(id)
			})
		})
	}
}

// A quit while the wait is for a terminal that clawd can reach is judged right then: a shell that is closed
// later does not make a closed terminal of it.
func TestQuitThenTheShellIsClosed(t *testing.T) {
	for name, entry := range map[string]string{"an old version": "", "a terminal": "cli"} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.asksNobody()
				r.terminal906()
				r.children.way = resume.Tmux
				r.start()
				id := r.entersTerminal906(entry)
				r.end(906)
				r.d.poke(r.d.session(r.d.agents[0], r.session(id))) // as the end of the process does
				r.pass(10 * time.Minute)
				r.end(900)
				r.pass(2 * time.Hour)
				r.wantQuit(id)
			})
		})
	}
}

// Not every kernel tells of the end of a process: a Mac's is not asked, and in some containers pidfd_open is refused.
func TestQuitWhereNoKernelTells(t *testing.T) {
	for name, entry := range map[string]string{"an old version": "", "a terminal": "cli"} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.asksNobody()
				r.terminal906()
				r.children.way = resume.Tmux
				r.start()
				r.d.awaits = func(s *session, pid int) {
					r.d.wg.Go(func() {
						s.awaitExit(r.d.effects.ctx, pid, func(context.Context, int) error { return errors.ErrUnsupported })
					})
				}
				id := r.entersTerminal906(entry)
				r.pass(time.Minute + time.Second) // between two rescans
				r.end(906)
				r.pass(5 * time.Second)
				r.end(900)
				r.pass(2 * time.Hour)
				r.wantQuit(id)
			})
		})
	}
}

// With /proc mounted with hidepid, a session leader of another user, as sudo's is, cannot be seen: whether it lives on is not known.
func TestQuitBelowAHiddenLeader(t *testing.T) {
	in(t, func(r *rig) {
		r.asksNobody()
		r.terminal906()
		r.end(900) // it is there, and hidden
		r.children.way = resume.Tmux
		r.start()
		id := r.entersTerminal906("cli")
		r.pass(time.Minute)
		r.end(906)
		r.pass(2 * time.Hour)
		r.wantQuit(id)
	})
}

// Where the end of the process itself is not told, the rescan finds the quit.
func TestQuitIsFoundByTheRescan(t *testing.T) {
	in(t, func(r *rig) {
		r.asksNobody()
		r.terminal906()
		r.children.way = resume.Tmux
		r.start()
		id := r.entersTerminal906("")
		r.end(906)
		r.pass(2 * time.Minute)
		r.wantQuit(id)
	})
}

// A script that goes on in a session whose terminal was quit before is no person.
func TestScriptAfterAQuit(t *testing.T) {
	in(t, func(r *rig) {
		r.terminal906()
		r.start()
		id := uuid.NewString()
		r.add(id, r.entered(id, "user", ""), r.entered(id, "plan", ""))
		r.pass(10 * time.Minute)
		r.end(906)
		r.pass(2 * time.Hour)
		r.add(id, r.entered(id, "user", ""), r.entered(id, "plan", ""))
		r.pass(2 * time.Hour)
		r.wantStarts(1)
	})
}

// served is an agent whose server has a session open, or may have; terminals may show it.
type served struct {
	whole
	r    *rig
	sure bool // a background server that keeps it open for sure
}

func (s served) Live(context.Context, detect.Session, detect.Info) (all []detect.Holder, err error) {
	procs, err := s.r.procs.List()
	for _, p := range procs {
		switch p.PID {
		case 901:
			all = append(all, detect.Holder{Liveness: detect.Alive, Kind: detect.Server, PID: p.PID, Start: p.Start, Sure: s.sure, Outlives: s.sure, Boot: "boot-1"})
		case 902, 903:
			all = append(all, detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, PID: p.PID, Start: p.Start, Leader: 900, LeaderStart: 90, Boot: "boot-1"})
		}
	}
	if all == nil {
		all = []detect.Holder{{Liveness: detect.Gone, Boot: "boot-1"}}
	}
	return all, err
}

func (s served) Wake(r agent.Request) (resume.Plan, error) {
	if r.Holder.Kind != detect.Server {
		return resume.Plan{}, &agent.Unfit{Why: "its server alone takes prompts"}
	}
	return resume.Plan{Way: resume.HTTP, Form: resume.FormPrompt, Session: r.Session.ID, Dir: r.Info.Dir, Argv: []string{"/bin/true"}, Holder: r.Holder}, nil
}

// serves has processes of such an agent, beside a shell.
func (r *rig) serves(sure bool, pids ...int) {
	r.wrapAgent(func(a whole) agent.Agent { return served{a, r, sure} })
	r.procs.set(func() {
		r.procs.all = []agent.Proc{{PID: 900, Start: 90, Leader: 900}}
		for _, pid := range pids {
			r.procs.all = append(r.procs.all, agent.Proc{PID: pid, Start: uint64(pid), Leader: 900, Started: time.Now().Add(-time.Minute)})
		}
	})
	r.children.act = func(c *child) { c.ask(); c.say("answer") }
}

// A server that has a session open when its terminal has ended is not somebody who wants it to go on.
func TestQuitBehindAServer(t *testing.T) {
	for _, c := range []struct {
		name         string
		before, at   bool // a terminal shows it: at the stop, when the wait ends
		hangs        bool // the whole terminal goes
		leave        bool // [resume] after_hangup = "leave"
		ordered      bool
		sure, unsure int // starts, where the server has it for sure, and where it may have it
		why          string
	}{
		{name: "it is shown", before: true, at: true, sure: 1}, // unsure: both may have it open
		{name: "quit while it waits", before: true, why: "after_quit"},
		{name: "closed while it waits", before: true, hangs: true, sure: 1, unsure: 1},
		{name: "closed, and that is to be left", before: true, hangs: true, leave: true, why: "after_hangup"},
		{name: "no terminal at the stop", unsure: 1, why: "after_quit"},
		{name: "its user wants it", before: true, ordered: true, sure: 1, unsure: 1},
	} {
		for _, sure := range []bool{true, false} {
			starts := c.unsure
			if sure {
				starts = c.sure
			}
			t.Run(fmt.Sprintf("%s, sure %t", c.name, sure), func(t *testing.T) {
				in(t, func(r *rig) {
					if c.leave {
						r.o.Config.Resume.AfterHangup = "leave"
					}
					all := []int{901}
					if c.before {
						all = append(all, 902)
					}
					r.serves(sure, all...)
					r.start()
					id := uuid.NewString()
					r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive))
					r.pass(30 * time.Minute)
					if !c.at {
						r.end(902)
					}
					if c.hangs {
						r.end(900)
					}
					if c.ordered {
						r.order(id, resume.Order{Now: true})
					}
					r.pass(2 * time.Hour)
					r.wantStarts(starts)
					if left := r.log.events("session_left"); starts == 0 && c.why != "" && (len(left) != 1 || !strings.Contains(fmt.Sprint(left[0]["why"]), c.why)) {
						t.Errorf("told %v", left)
					}
				})
			})
		}
	}
}

// Which of two terminals shows what a background server has open is not recorded: when one of them is quit the session is
// left, also by a clawd that was not there then.
func TestQuitBesideATerminal(t *testing.T) {
	for _, c := range []struct {
		name   string
		quits  int
		down   bool // clawd is, meanwhile
		starts int
	}{
		{"both stay", 0, false, 1}, {"the first one", 902, false, 0}, {"the second one", 903, false, 0}, {"the first one, unseen", 902, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.serves(true, 901, 902, 903)
				r.start()
				id := uuid.NewString()
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive))
				r.pass(30 * time.Minute)
				if c.down {
					r.down()
				}
				if c.quits != 0 {
					r.end(c.quits)
				}
				if c.down {
					r.start()
				}
				r.pass(2 * time.Hour)
				r.wantStarts(c.starts)
				if left := r.log.events("session_left"); c.starts == 0 && (len(left) != 1 || !strings.Contains(fmt.Sprint(left[0]["why"]), "may have shown it")) {
					t.Errorf("told %v", left)
				}
			})
		})
	}
}

// A server that was started after the prompt did not run the turn, so it tells nothing of who closed the session.
func TestClosedBeforeTheServer(t *testing.T) {
	for started, starts := range map[time.Duration]int{0: 1, time.Minute: 0, 3 * time.Minute: 0} {
		t.Run(started.String(), func(t *testing.T) {
			in(t, func(r *rig) {
				r.serves(false, 901)
				id := uuid.NewString()
				r.add(id, r.record(id, "user", "", interactive))
				if started > 0 {
					r.procs.set(func() { r.procs.all[1].Started = time.Now().Add(started) })
				}
				r.pass(2 * time.Minute)
				r.add(id, r.record(id, "plan", "", interactive))
				r.pass(2 * time.Minute)
				r.start()
				r.pass(2 * time.Hour)
				r.wantStarts(starts)
			})
		})
	}
}

// closedIn902 has a session stop in a terminal that is closed then, and clawd, which saw that, end.
func (r *rig) closedIn902(id string) {
	r.serves(false, 902)
	r.start()
	r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive))
	r.pass(10 * time.Minute)
	r.end(902, 900)
	r.pass(10 * time.Minute)
	r.down()
}

// A terminal that was started after the prompt did not run the turn. Whether it shows the session nobody knows, so how it goes says
// nothing of how the one went that did.
func TestTerminalAfterThePrompt(t *testing.T) {
	for _, c := range []struct {
		name    string
		began   time.Duration // before clawd's start
		before  bool          // the session was closed with a terminal before its last prompt, which clawd saw
		wrapped bool          // clawd wrap tells how the terminal went
		starts  int
	}{
		{name: "it ran the turn", began: time.Hour, starts: 1},
		{name: "it ran the turn under clawd wrap", began: time.Hour, wrapped: true, starts: 1},
		{name: "it came after the stop", began: time.Minute},
		{name: "it came after the stop, under clawd wrap", began: time.Minute, wrapped: true},
		{name: "it came after the stop, and another one was closed before", began: time.Minute, before: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				id := uuid.NewString()
				if c.before {
					r.closedIn902(id)
				}
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive))
				r.pass(2 * time.Minute)
				r.serves(false, 903)
				r.procs.set(func() { r.procs.all[1].Started = time.Now().Add(-c.began) })
				if c.wrapped {
					r.children.wrapped = wrap.Info{Wrapper: wrap.Process{PID: 899, Start: 89}, Child: wrap.Process{PID: 903, Start: 903}, Boot: "boot-1", End: &wrap.End{Cause: wrap.Hangup}}
					r.o.Wraps = filepath.Join(r.root, "wraps")
					b, err := json.Marshal(r.children.wrapped)
					if err != nil {
						t.Fatal(err)
					}
					put(t, filepath.Join(r.o.Wraps, "903.json"), string(b))
				}
				r.start()
				r.pass(10 * time.Minute)
				r.end(903, 900)
				r.pass(2 * time.Hour)
				r.wantStarts(c.starts)
				if left := r.log.events("session_left"); c.starts == 0 && (len(left) != 1 || !strings.Contains(fmt.Sprint(left[0]["why"]), "after_quit")) {
					t.Errorf("told %v", left)
				}
			})
		})
	}
}

// A terminal that was closed before the last prompt says nothing of the one in which that was typed while clawd did not run.
func TestClosedBeforeThePrompt(t *testing.T) {
	in(t, func(r *rig) {
		id := uuid.NewString()
		r.closedIn902(id)
		r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive))
		r.pass(2 * time.Minute)
		r.start()
		r.pass(2 * time.Hour)
		r.wantStarts(0)
	})
}

// A quit of the terminal that ran the turn counts, though another one is there that was started later and may show the session.
func TestQuitBesideALaterTerminal(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		t.Run(fmt.Sprint("closed ", hangs), func(t *testing.T) {
			in(t, func(r *rig) {
				id := uuid.NewString()
				r.serves(false, 902)
				r.start()
				r.add(id, r.record(id, "user", "", interactive), r.record(id, "plan", "", interactive))
				r.pass(10 * time.Minute)
				r.procs.set(func() {
					if hangs {
						r.procs.all = nil
					} else {
						r.procs.all = r.procs.all[:1]
					}
					r.procs.all = append(r.procs.all, agent.Proc{PID: 903, Start: 903, Leader: 900, Started: time.Now()})
				})
				r.pass(10 * time.Minute)
				r.end(903, 900)
				r.pass(2 * time.Hour)
				r.wantStarts(map[bool]int{false: 0, true: 1}[hangs])
			})
		})
	}
}
