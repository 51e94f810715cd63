//go:build !linux

package turn

import "os/exec"

// start starts a process. Where this one is killed before the leash knows its group, it runs on.
func start(cmd *exec.Cmd) error { return cmd.Start() }
