package main

import (
	"bytes"
	"fmt"
	"os"
)

// inUse is the most memory that this process had, also what is not Go's: SQLite has its own. What getrusage tells counts the
// process that started this one, too: a large agent would leave clawd no room.
func inUse() uint64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var peak uint64
	for line := range bytes.Lines(b) {
		if _, err := fmt.Sscanf(string(line), "VmHWM: %d kB", &peak); err == nil {
			break
		}
	}
	return peak << 10
}
