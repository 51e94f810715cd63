//go:build crashtest

package crash

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// At kills this process (SIGKILL, so nothing is cleaned up) at the point that the variable
// CLAWD_CRASH_AT names, the first time it is reached: a file beside the variable's CLAWD_CRASH_ONCE
// says that it was. With CLAWD_CRASH_BY=stop it stops instead (SIGSTOP), and goes on when it is told to;
// with CLAWD_CRASH_BY=panic it panics.
func At(point string) {
	if os.Getenv("CLAWD_CRASH_AT") != point {
		return
	}
	once := filepath.Join(os.Getenv("CLAWD_CRASH_ONCE"), "crashed")
	f, err := os.OpenFile(once, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	f.Close()
	switch os.Getenv("CLAWD_CRASH_BY") {
	case "stop":
		goesOn := make(chan os.Signal, 1)
		signal.Notify(goesOn, syscall.SIGCONT)
		defer signal.Stop(goesOn)
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		<-goesOn // another thread may take the stop, and this one run on for a while
		return
	case "panic":
		panic("crash point " + point)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
