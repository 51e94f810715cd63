package shim

import (
	"os/exec"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// TestEndHung: the very process that hangs is ended, and no other one.
func TestEndHung(t *testing.T) {
	procs := agent.NewProcs()
	c := exec.Command("sleep", "1000")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() { _ = c.Process.Kill() })
	p, ok := procs.Get(c.Process.Pid)
	if !ok {
		t.Fatal("it is not there")
	}
	h := detect.Holder{Liveness: detect.LeftBehind, PID: p.PID, Start: p.Start, Hung: true}
	other, plain, foreign := h, h, h
	other.Start++
	plain.Hung, foreign.Foreign = false, true
	if err := EndHung(procs, other); err != nil || !agent.Lives(procs, p) {
		t.Errorf("another process with its number: %v", err)
	}
	for _, x := range []detect.Holder{plain, foreign} {
		if err := EndHung(procs, x); err == nil || !agent.Lives(procs, p) {
			t.Errorf("%+v: %v", x, err)
		}
	}
	if err := EndHung(procs, h); err != nil || agent.Lives(procs, p) {
		t.Errorf("%v", err)
	}
	if err := <-ended; err == nil || err.Error() != "signal: killed" {
		t.Errorf("its caller is told %v", err)
	}
	if err := EndHung(procs, h); err != nil {
		t.Errorf("once more: %v", err)
	}
}

// TestNotCleared: what cannot be ended keeps the agent from being started, and the mark says so.
func TestNotCleared(t *testing.T) {
	x := newExec(t, "SHIM_CLEAR=process 7 does not end")
	c := claim(t, "echo started")
	r := start(t, x, c)
	gate, why, err := r.Open(t.Context())
	if gate != resume.GateFailed || why != "process 7 does not end" || err != nil {
		t.Errorf("%s %q, %v", gate, why, err)
	}
}
