package spawn

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/resume"
)

var reVersion = regexp.MustCompile(`\b\d+\.\d+\.\d+(?:-[\w.]+)?\b`)

// AskTimeout: opencode needs up to 6 s of CPU for a cold start, on a busy machine several
// times that.
const AskTimeout = 60 * time.Second

// Version asks a program for its version.
func Version(ctx context.Context, path string) (string, error) {
	out, err := Ask(ctx, resume.Plan{Argv: []string{path, "--version"}})
	if err != nil {
		return "", err
	}
	v := reVersion.Find(out)
	if v == nil {
		return "", fmt.Errorf("%s --version names no version", path)
	}
	return string(v), nil
}

// Ask runs a command of an agent that asks no provider, and gives what it printed on stdout, at most 1 MB.
func Ask(ctx context.Context, p resume.Plan) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, AskTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env = p.Dir, Environ(os.Environ(), p, "")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out capped
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(p.Argv, " "), err)
	}
	return out.Bytes(), nil
}

// capped keeps the first megabyte.
type capped struct{ bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	c.Buffer.Write(b[:min(len(b), max(0, 1<<20-c.Len()))])
	return len(b), nil
}
