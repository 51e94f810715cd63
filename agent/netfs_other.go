//go:build !linux

package agent

// NetworkFS is not known on this system.
func NetworkFS(string) string { return "" }
