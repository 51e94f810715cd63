package daemon

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// footprint gives back what the start needed and waiting does not: freed memory, and the pages of
// the program itself, of which the kernel maps sixteen where one was asked for. A page that is
// needed after all is mapped again, alone.
func footprint() {
	for range 5 { // a stack that is not used any more is halved each time
		debug.FreeOSMemory()
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var mode, offset, device, inode, path string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %s %s %s %s", &from, &to, &mode, &offset, &device, &inode, &path); n == 7 && path == self && mode[1] == '-' {
			// Both are advice on pages that nobody writes: a failure changes nothing.
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_RANDOM)
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
		}
	}
}
