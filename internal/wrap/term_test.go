package wrap

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
)

// A service manager that ends a scope at a logout tells all who are in it, in either order.
func TestScopeEnds(t *testing.T) {
	for _, mode := range []string{"term", "tidy"} {
		for _, wrapperFirst := range []bool{true, false} {
			o := newOuter(t).wrap(mode)
			o.wait("ready>")
			child := o.info().Child.PID
			p, _ := agent.NewProcs().Get(child)
			pids := []int{o.cmd.Process.Pid, p.PPID, child}
			if !wrapperFirst {
				slices.Reverse(pids)
			}
			// It sleeps meanwhile: on a busy machine this test may be held up between two of its signals.
			_ = o.cmd.Process.Signal(syscall.SIGSTOP)
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGTERM)
			}
			_ = o.cmd.Process.Signal(syscall.SIGCONT)
			<-o.ended
			if end := o.info().End; end == nil || end.Cause != Hangup {
				t.Errorf("%s, the wrapper first: %v: the end is %+v", mode, wrapperFirst, end)
			}
		}
	}
}

// The SIGTERM that the wrapper got counts, too, when it has not been taken in before the end of the program.
func TestTermBehindTheEnd(t *testing.T) {
	for _, code := range []int{0, 143} {
		h, signals := &host{}, make(chan os.Signal, 4)
		signal.Notify(signals, syscall.SIGTERM)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		e := event{Ended: true, Code: code}
		h.settled(e, signals)
		signal.Stop(signals)
		if end := h.ended(e, false); end.Cause != Hangup {
			t.Errorf("exit code %d: %s, want %s", code, end.Cause, Hangup)
		}
	}
}

// A program that went on after a SIGTERM and is quit an hour later is quit.
func TestSurvivedTerm(t *testing.T) {
	for ago, want := range map[time.Duration]Cause{time.Hour: Quit, time.Second: Hangup} {
		h := &host{termed: time.Now().Add(-ago)}
		if got := h.ended(event{Ended: true}, false); got.Cause != want {
			t.Errorf("%s after SIGTERM: %s, want %s", ago, got.Cause, want)
		}
	}
}
