package turn

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// A leash whose shell somebody has stopped keeps nothing from ending, and its group lives on.
func TestLeashIsStopped(t *testing.T) {
	t.Parallel()
	l := newLeash()
	if l.shell == nil {
		t.Fatal("no leash")
	}
	agent := exec.Command("sleep", "60")
	agent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = agent.Process.Kill(); _ = agent.Wait() }()
	l.hold(agent.Process.Pid)
	if err := l.shell.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { l.release(); close(done) }()
	select {
	case <-done:
	case <-time.After(patient):
		t.Fatal("it waits for a stopped shell")
	}
	if err := agent.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the group was ended: %v", err)
	}
}
