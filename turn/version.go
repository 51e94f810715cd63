package turn

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/resume"
)

var reVersion = regexp.MustCompile(`\b\d+\.\d+\.\d+(?:-[\w.]+)?\b`)

// versionTimeout: opencode needs up to 6 s of CPU for a cold start, on a busy machine several
// times that.
const versionTimeout = 60 * time.Second

// Version asks a program for its version.
func Version(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = Environ(os.Environ(), resume.Plan{}, "")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	v := reVersion.Find(out.Bytes())
	if v == nil {
		return "", fmt.Errorf("%s --version names no version", path)
	}
	return string(v), nil
}
