package spawn

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/internal/lazyregexp"
	"github.com/clawd-project/clawd/resume"
)

var reVersion = lazyregexp.New(`\b\d+\.\d+\.\d+(?:-[\w.]+)?\b`)

// AskTimeout: opencode needs up to 6 s of CPU for a cold start, on a busy machine several
// times that.
const AskTimeout = 60 * time.Second

// Version asks a program for its version. environ is as for Ask. pi 0.73 says it on stderr, where others say all sorts
// of things: there it must be the only word.
func Version(ctx context.Context, environ []string, path string) (string, error) {
	out, errs, err := ask(ctx, environ, resume.Plan{Argv: []string{path, "--version"}})
	if err != nil {
		return "", err
	}
	v := reVersion.Find(out)
	if word := bytes.TrimSpace(errs); v == nil && bytes.Equal(reVersion.Find(word), word) {
		v = word
	}
	if len(v) == 0 {
		return "", fmt.Errorf("%s --version names no version", path)
	}
	return string(v), nil
}

// Ask runs a command of an agent that asks no provider, and gives what it printed on stdout, at most 1 MB. The
// plan's own variables come on top of environ; nil: that of this process.
func Ask(ctx context.Context, environ []string, p resume.Plan) ([]byte, error) {
	out, _, err := ask(ctx, environ, p)
	return out, err
}

func ask(ctx context.Context, environ []string, p resume.Plan) (stdout, stderr []byte, err error) {
	if environ == nil {
		environ = os.Environ()
	}
	ctx, cancel := context.WithTimeout(ctx, AskTimeout)
	defer cancel()
	var out, errs capped
	err = WhenWritten(ctx, func() error {
		cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
		cmd.Dir, cmd.Env = p.Dir, Environ(environ, p, "")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		cmd.WaitDelay = time.Second
		cmd.Stdout, cmd.Stderr = &out, &errs
		return cmd.Run()
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", strings.Join(p.Argv, " "), err)
	}
	return out.Bytes(), errs.Bytes(), nil
}

// capped keeps the first megabyte.
type capped struct{ bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	c.Buffer.Write(b[:min(len(b), max(0, 1<<20-c.Len()))])
	return len(b), nil
}
