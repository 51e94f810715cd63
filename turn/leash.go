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
type leash struct {
	pipe  *os.File
	shell *exec.Cmd
}

// newLeash is there before the group, but knows it only later: see start.
func newLeash() *leash {
	r, w, err := os.Pipe()
	if err != nil {
		return &leash{}
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", `read -r group && { read -r over || kill -s TERM -- "-$group"; }`)
	cmd.Env, cmd.Dir, cmd.Stdin = []string{}, "/", r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return &leash{}
	}
	return &leash{pipe: w, shell: cmd}
}

// hold names the group.
func (l *leash) hold(group int) {
	if l.shell != nil {
		_, _ = l.pipe.WriteString(strconv.Itoa(group) + "\n") // a shell that somebody has ended holds nothing
	}
}

// release lets the group be. The shell is killed, for one that is stopped takes no word, and before its pipe closes.
func (l *leash) release() {
	if l.shell != nil {
		_ = l.shell.Process.Kill()
		l.pipe.Close()
		_ = l.shell.Wait() // it has nothing to say
	}
}
