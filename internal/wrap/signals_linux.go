package wrap

import (
	"bufio"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// catchUp returns once the SIGTERMs that we were sent before are in their channels, or after a second. The kernel gives one to any of
// our threads, which may be kept waiting while others go on. A thread handles one signal at a time: when one that it is
// sent itself has been taken in, so has what came before.
func catchUp() {
	end := time.Now().Add(time.Second)
	for pending("/proc/self", "ShdPnd:", syscall.SIGTERM) && time.Now().Before(end) {
		time.Sleep(time.Millisecond)
	}
	threads, _ := filepath.Glob("/proc/self/task/*") // the pattern is good
	for _, thread := range threads {
		if tid, err := strconv.Atoi(filepath.Base(thread)); err == nil {
			_ = unix.Tgkill(os.Getpid(), tid, syscall.SIGURG) // which programs in Go send themselves all the time
		}
	}
	for _, thread := range threads {
		for pending(thread, "SigPnd:", syscall.SIGURG) && time.Now().Before(end) {
			time.Sleep(time.Millisecond)
		}
	}
	// Stop returns when all that the runtime knows of is delivered.
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGURG)
	signal.Stop(c)
}

// pending tells whether a signal waits in a set of a process or thread.
func pending(proc, set string, s syscall.Signal) bool {
	f, err := os.Open(filepath.Join(proc, "status"))
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if signals, ok := strings.CutPrefix(lines.Text(), set); ok {
			mask, err := strconv.ParseUint(strings.TrimSpace(signals), 16, 64)
			return err == nil && mask&(1<<(s-1)) != 0
		}
	}
	return false
}
