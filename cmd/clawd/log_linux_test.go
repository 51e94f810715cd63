package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A terminal that was stopped with Ctrl-S, or a program that does not read the log any more, holds up no resume, no answer and no end.
func TestLogIsNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	raw, err := out.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { _, err = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 4096) })
	}
	if err == nil {
		_, err = out.Write(make([]byte, 4096))
	}
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range 3 {
		id, _ := w.limitedIn(fmt.Sprintf("%s/%d", w.root, i))
		ids = append(ids, id)
	}
	cmd := exec.Command(build(t).clawd, "run")
	cmd.Env, cmd.Dir, cmd.Stderr = w.env, w.root, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	out.Close()
	w.settled(len(ids))
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	w.resumedOnce(ids...)
	if _, err := bufio.NewReader(r).Peek(4096); err != nil { // it has been open and full all the time
		t.Error(err)
	}
}
