//go:build !linux

package daemon

// networkName is not known on this system.
func networkName(string) string { return "" }
