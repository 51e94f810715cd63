package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// inRoles is an agent with roles, which a script lists.
type inRoles struct {
	whole
	list string // the script
}

func (a *inRoles) Role(agent.Request) string { return "plan" }
func (a *inRoles) ListRoles(agent.Request) (resume.Plan, error) {
	return resume.Plan{Argv: []string{"/bin/sh", "-c", a.list}}, nil
}
func (a *inRoles) HasRole(printed []byte, role string) bool { return string(printed) == role }
func (a *inRoles) RoleGone(agent.Request) *agent.Unfit {
	return &agent.Unfit{Why: "its role is gone", Command: "type this"}
}

// A session is resumed in its role, left when that is gone, and not touched while nobody can tell.
func TestRoles(t *testing.T) {
	for name, c := range map[string]struct {
		list   string
		starts int
		phase  state.Phase
	}{
		"there":      {"printf plan", 1, state.Following},
		"gone":       {"printf build", 0, state.Following},
		"not to see": {"exit 1", 0, state.Waiting},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.wrap = func(of whole) agent.Agent { return &inRoles{of, c.list} }
				r.start()
				id, _ := r.stopped("limit")
				r.pass(3 * time.Minute)
				r.wantPhase(id, c.phase)
				if n := len(r.children.started()); n != c.starts {
					t.Errorf("%d starts, want %d", n, c.starts)
				}
				left := r.log.events("session_left")
				if gone := c.starts == 0 && c.phase == state.Following; gone != (len(left) == 1 && left[0]["why"] == "its role is gone" && left[0]["command"] == "type this") {
					t.Errorf("left: %v", left)
				}
			})
		})
	}
}

// A claim that a killed clawd left behind is given back, and is no way around the question for the role.
func TestRoleAfterCrash(t *testing.T) {
	in(t, func(r *rig) {
		role := filepath.Join(r.root, "role")
		put(t, role, "plan")
		r.wrap = func(of whole) agent.Agent { return &inRoles{of, "cat " + role} }
		var claimed []byte
		r.children.claimed = func(resume.Claim) {
			if claimed == nil {
				var err error
				if claimed, err = os.ReadFile(filepath.Join(r.o.StateDir, "clawd.db")); err != nil {
					t.Error(err)
				}
			}
		}
		r.children.fail = errors.New("no")
		r.start()
		id, _ := r.stopped("limit")
		r.pass(31 * time.Second)
		r.down()
		if err := os.WriteFile(filepath.Join(r.o.StateDir, "clawd.db"), claimed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(role, []byte("build"), 0o600); err != nil {
			t.Fatal(err)
		}
		r.children.fail = nil
		r.start()
		r.pass(10 * time.Minute)
		r.wantStarts(0)
		r.wantPhase(id, state.Following)
	})
}

// The agent is asked when nothing else keeps the session from being resumed, and ever more seldom while it
// does not answer: that takes seconds each time.
func TestRolesAreAskedSeldom(t *testing.T) {
	for name, c := range map[string]struct {
		list string
		open bool
		most int
	}{
		"somebody has it open": {"printf plan", true, 2},
		"no answer":            {"exit 1", false, 40},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				asked := filepath.Join(r.root, "asked")
				r.wrap = func(of whole) agent.Agent { return &inRoles{of, "echo >>" + asked + "; " + c.list} }
				r.seldom()
				r.start()
				id, _ := r.stopped("limit")
				if c.open {
					r.procs.set(func() {
						r.procs.all = []agent.Proc{{PID: 901, Group: 901, Leader: 901, Start: 91, Comm: "claude"}}
						r.procs.argv[901] = []string{"claude", "-p", "--resume", id, "go on"}
					})
					put(t, filepath.Join(r.agentDir(), "sessions", "901.json"),
						fmt.Sprintf(`{"pid":901,"sessionId":%q,"cwd":%q,"procStart":"91","entrypoint":"sdk-cli","status":"idle"}`, id, r.project))
				}
				r.pass(24 * time.Hour)
				b, err := os.ReadFile(asked)
				if err != nil || len(b) > c.most {
					t.Errorf("asked %d times in a day: %v", len(b), err)
				}
				r.wantPhase(id, state.Waiting)
			})
		})
	}
}

// Many sessions that are due at one moment ask for their roles once in a folder, and at no time all at once.
func TestRolesAreAskedForTogether(t *testing.T) {
	in(t, func(r *rig) {
		asked := filepath.Join(r.root, "asked")
		r.wrap = func(of whole) agent.Agent { return &inRoles{of, "echo >>" + asked + "; printf plan"} }
		r.start()
		for range 12 {
			r.stopped("limit")
		}
		r.pass(20 * time.Second) // the wait is 30 s
		b, err := os.ReadFile(asked)
		if err != nil || len(b) == 0 || len(b) > askedAtOnce {
			t.Errorf("asked %d times: %v", len(b), err)
		}
	})
}

func TestQuestionsAreFewAtOnce(t *testing.T) {
	q, dir := newQuestions(nil), t.TempDir()
	// Each makes a folder for itself, and fails when it is not among the first ones.
	script := "i=0; while ! mkdir slot$i 2>/dev/null; do i=$((i+1)); [ $i -lt " + strconv.Itoa(askedAtOnce) + " ] || exit 1; done; ls / >/dev/null; rmdir slot$i; echo $0"
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			name := strconv.Itoa(n)
			got, err := q.ask(t.Context(), resume.Plan{Dir: dir, Argv: []string{"/bin/sh", "-c", script, name}}, true)
			if err != nil || strings.TrimSpace(string(got.printed)) != name {
				t.Errorf("%s: %q, %v", name, got.printed, err)
			}
		})
	}
	wg.Wait()
}

// eachAsks is an agent whose sessions each have a list of roles of their own, as those of different folders have.
type eachAsks struct{ inRoles }

func (a *eachAsks) ListRoles(q agent.Request) (resume.Plan, error) {
	return resume.Plan{Argv: []string{q.Session.ID}}, nil
}

// When all sessions of an account are due at one moment and each question takes a while, each session asks when it may
// start. One that has to wait for others does not ask before them, again and again, as its answer gets old.
func TestQuestionsFollowTheTurns(t *testing.T) {
	in(t, func(r *rig) {
		const sessions, takes, works = 20, 20 * time.Second, 25 * time.Second
		r.o.Config.Resume.MaxParallel = 2
		r.wrap = func(of whole) agent.Agent { return &eachAsks{inRoles{whole: of}} }
		r.children.act = func(c *child) {
			c.ask()
			<-time.After(works)
			c.say("answer")
			c.end()
		}
		r.start()
		var mu sync.Mutex
		asked := 0
		r.d.questions.run = func(ctx context.Context, _ resume.Plan) ([]byte, error) {
			mu.Lock()
			asked++
			mu.Unlock()
			select {
			case <-time.After(takes):
				return []byte("plan"), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		for range sessions {
			r.stopped("limit")
		}
		r.pass(30*time.Second + sessions/2*(takes+works+10*time.Second))
		r.wantStarts(sessions)
		if most := sessions + 2*askedAtOnce; asked > most {
			t.Errorf("asked %d times, want at most %d", asked, most)
		}
	})
}

// A login that became a key while a session waited for a plan's limit does not pay for it. clawd itself learns that from the agent alone.
func TestKeyInThePlaceOfThePlan(t *testing.T) {
	for method, starts := range map[string]int{"claude.ai": 1, "api_key": 0} {
		t.Run(method, func(t *testing.T) {
			in(t, func(r *rig) {
				login := filepath.Join(r.root, "login")
				program := "#!/bin/sh\n[ \"$1\" != auth ] || exec cat " + login + "\necho '2.1.329 (Claude Code)'\n"
				if err := os.WriteFile(filepath.Join(r.root, "claude"), []byte(program), 0o700); err != nil {
					t.Fatal(err)
				}
				r.start()
				id, _ := r.stopped("plan")
				r.pass(time.Minute)
				put(t, login, fmt.Sprintf(`{"authMethod":%q}`, method))
				r.pass(6 * time.Hour)
				r.wantStarts(starts)
				left := r.log.events("session_left")
				if told := len(left) > 0 && left[0]["session"] == id && left[0]["level"] != "debug"; told != (starts == 0) {
					t.Errorf("left: %v", left)
				}
			})
		})
	}
}
