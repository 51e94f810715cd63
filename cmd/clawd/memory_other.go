//go:build !linux

package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// inUse is the most memory that this process had, also what is not Go's: SQLite has its own.
func inUse() uint64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	peak := uint64(u.Maxrss)
	if runtime.GOOS != "darwin" { // which counts bytes, and others KB
		peak <<= 10
	}
	return peak
}
