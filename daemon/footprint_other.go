//go:build !linux

package daemon

import "runtime/debug"

// footprint gives back what the start needed and waiting does not.
func footprint() { debug.FreeOSMemory() }
