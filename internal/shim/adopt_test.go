package shim

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

func TestAdopt(t *testing.T) {
	t.Parallel()
	c := claim(t, `echo ready; read x < release || while [ ! -e release ]; do /bin/sleep 0.05; done`)
	x := newExec(t)
	r := start(t, x, c)
	open(t, r, resume.GateExec)
	until(t, "the script", func() bool { return strings.Contains(text(t, c.Output), "ready") })
	c.PID, c.Start = r.PID(), r.Start()

	other := c
	other.Boot = "another boot"
	wait(t, x.Adopt(other)) // its pid means nothing
	reused := c
	reused.Start--
	reused.Plan.Argv = []string{"/bin/other"}
	if x.Adopt(reused).Alive() {
		t.Error("another process with this pid was taken for ours")
	}
	a := x.Adopt(c)
	if !a.Alive() {
		t.Fatal("ours is not seen")
	}
	if err := os.WriteFile(filepath.Join(c.Plan.Dir, "release"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wait(t, a)
}

// asked counts how often the process table is asked for a process.
type asked struct {
	agent.Procs
	n *atomic.Int64
}

func (a asked) Boot() string { return "boot" }
func (a asked) Get(pid int) (agent.Proc, bool) {
	if a.n.Add(1) > 100 {
		return agent.Proc{}, false // it ends
	}
	return agent.Proc{PID: pid, Group: pid, Start: 100}, true
}
func (asked) List() ([]agent.Proc, error) { return nil, nil }

// To ask once whether an adopted child lives leaves nothing behind that goes on asking.
func TestAdoptOnlyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		procs := asked{n: &atomic.Int64{}}
		r := (&Exec{Procs: procs}).Adopt(resume.Claim{PID: 10, Start: 100, Boot: "boot", Plan: resume.Plan{Argv: []string{"/bin/agent"}}})
		if !r.Alive() {
			t.Error("it lives")
		}
		<-time.After(10 * time.Second)
		if n := procs.n.Load(); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
		<-r.Done()
		<-r.Done()
		if n := procs.n.Load(); n != 101 {
			t.Errorf("asked %d times until its end, want 101", n)
		}
	})
}
