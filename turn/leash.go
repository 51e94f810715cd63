package turn

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// leash has a process group ended when this process is gone before the release, after a SIGKILL say: nothing else sees to that
// then, and an agent that nobody waits for would work on. It is a shell that waits at a pipe, in a group of its own, so that whoever kills ours
// does not kill it. Without one all is as it was.
func leash(group int) (release func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", `read -r over || kill -s TERM -- "-$1"`, "sh", strconv.Itoa(group))
	cmd.Env, cmd.Dir, cmd.Stdin = []string{}, "/", r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return func() {}
	}
	return func() {
		if _, err := w.WriteString("over\n"); err != nil {
			_ = cmd.Process.Kill() // it has ended anyway
		}
		w.Close()
		_ = cmd.Wait() // it has nothing to say
	}
}
