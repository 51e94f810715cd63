package turn

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// leash ends a process group if this process goes before the release, by a SIGKILL say: nothing else could end it then, and
// the agent would work on for nobody. A shell waits at a pipe for that, in a group of its own, so that it outlives a kill of
// ours. Where it cannot be started, there is none.
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
