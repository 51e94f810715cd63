//go:build !linux && !darwin

package agent

// NewProcs knows no process on this system, so every holder is unknown and clawd stands down.
func NewProcs() Procs { return noProcs{} }
