package agent

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestEnding: a process that is ending counts as ended; state and flags as the kernel writes them.
func TestEnding(t *testing.T) {
	for text, want := range map[string]bool{"S 1 7 7 34817 7 4194304": false, "R 1 7 7 0 -1 4194308": true, "Z 1 7 7 0 -1 4194316": true, "D 1 7 7 0 -1 4194560": false} {
		p, ok := parseStat([]byte("7 (open code) " + text + " 0 0 0 0 3 4 0 0 20 0 1 0 500 0 0"))
		if !ok || p.Zombie != want || p.Start != 500 || p.CPU != 7 {
			t.Errorf("%s: %+v", text, p)
		}
	}
}

// TestStarting: a child that has not called exec yet, as the kernel writes its flags.
func TestStarting(t *testing.T) {
	for flags, want := range map[string]bool{"4194304": false, "4194368": true} {
		p, ok := parseStat([]byte("7 (claude) S 1 7 7 0 -1 " + flags + " 0 0 0 0 3 4 0 0 20 0 1 0 500 0 0"))
		if !ok || p.Starting != want {
			t.Errorf("%s: %+v", flags, p)
		}
	}
}

// TestInnerPID takes a process of two namespaces, as the kernel tells of it, and this process.
func TestInnerPID(t *testing.T) {
	root := t.TempDir()
	for pid, text := range map[string]string{
		"71": "Name:\tclaude\nNSpid:\t71\t7\nNSpgid:\t71\t7\n",
		"72": "Name:\tclaude\n", // a kernel before 4.1
		"73": "NSpid:\n",
	} {
		if err := os.Mkdir(filepath.Join(root, pid), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, pid, "status"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for pid, want := range map[int]int{71: 7, 72: 0, 73: 0, 74: 0} {
		if got := (procfs{root: root}).InnerPID(pid); got != want {
			t.Errorf("process %d: %d, want %d", pid, got, want)
		}
	}
	if got := NewProcs().InnerPID(os.Getpid()); got != os.Getpid() {
		t.Errorf("this process, %d, has the pid %d in its own namespace", os.Getpid(), got)
	}
}

// TestRemovedFolder: a process works on in a folder that was removed, also when one of the same name is there again.
func TestRemovedFolder(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"app", "app (deleted)"} {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		pid := standIn(t, dir)
		is := func(when string) {
			t.Helper()
			if got := NewProcs().Cwd(pid); got != dir {
				t.Errorf("%s: %q, want %q", when, got, dir)
			}
		}
		is("at first")
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		is("removed")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		is("made again")
	}
}

// standIn starts a process that works in a folder and waits for the end of its input, which is the test's.
func standIn(t *testing.T, dir string) int {
	t.Helper()
	cmd := exec.Command("cat")
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("no cat here: ", err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

// TestListensHere: a port in a network namespace of its own, as a container has one, is another one's or nobody's on this loopback.
func TestListensHere(t *testing.T) {
	const listen = "CLAWD_TEST_LISTEN"
	if os.Getenv(listen) != "" {
		l, err := net.Listen("tcp4", "0.0.0.0:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		os.Stdout.WriteString("listens\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		return
	}
	for _, contained := range []bool{false, true} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestListensHere$")
		cmd.Env = append(os.Environ(), listen+"=1")
		if contained {
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET}
		}
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			if !contained {
				t.Fatal(err)
			}
			t.Skip("no namespaces here: ", err)
		}
		t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "listens\n" {
			t.Fatal(line, err)
		}
		if got := NewProcs().Listens(cmd.Process.Pid); (len(got) == 1) == contained {
			t.Errorf("in a container %v: %d", contained, got)
		}
	}
}
