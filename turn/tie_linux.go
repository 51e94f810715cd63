package turn

import (
	"os/exec"
	"syscall"
)

// start starts a process that the kernel ends with this one: a kill may come before the leash knows its group. The kernel minds the
// thread that has started it, and Go ends no thread but one that a caller has locked.
func start(cmd *exec.Cmd) error {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	started := make(chan error)
	go func() { started <- cmd.Start() }()
	return <-started
}
