package wrap

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// catchUp returns once the signals that we were sent before are in their channels, as far as can be told, or after a second.
func catchUp() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	_ = syscall.Kill(os.Getpid(), syscall.SIGWINCH)
	select {
	case <-c:
	case <-time.After(time.Second):
	}
	signal.Stop(c)
}
