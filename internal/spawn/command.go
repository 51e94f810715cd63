package spawn

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// Command is a child in a process group of its own, so that it can be ended with all it starts. in,
// out and errs are files: nothing is copied in this process.
func Command(argv, env []string, in, out, errs *os.File) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// Stdin gives a child's input: a file without a name with the text, else nothing. path is where
// it lies until it has been opened.
func Stdin(text []byte, path string) (*os.File, error) {
	if text == nil {
		return os.Open(os.DevNull)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err = errors.Join(err, os.Remove(path)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
