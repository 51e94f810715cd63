package notify

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/clawd-project/clawd/internal/plain"
)

var titles = map[string]string{
	"session_held":        "clawd holds a session",
	"resume_given_up":     "clawd has given up a session",
	"session_left":        "A session is left to you",
	"session_unreachable": "An open session cannot be woken",
	"session_blocked":     "An open session cannot be typed into now",
	"session_put_off":     "A session still waits",
	"session_handed_over": "Another agent took over",
	"subagent_stopped":    "A sub-agent stopped",
	"many":                "News of your sessions",
	"test":                "clawd: a test",
}

// sendDesktop shows the notice through the desktop's own program. What it says are arguments: no shell
// and no script sees it.
func sendDesktop(ctx context.Context, n Notice) error {
	program := "notify-send"
	if runtime.GOOS == "darwin" {
		program = "osascript"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return fmt.Errorf("%w: %s is not in PATH", ErrMissing, program)
	}
	if program == "notify-send" && !hasBus() {
		return fmt.Errorf("%w: there is no desktop session (no session bus)", ErrMissing)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, arguments(program, n)...)
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	return nil
}

func hasBus() bool {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus"))
	return err == nil && os.Getenv("XDG_RUNTIME_DIR") != ""
}

// banner is the script for macOS; the texts come as its arguments.
const banner = `on run argv
	display notification (item 2 of argv) with title (item 1 of argv)
end run`

func arguments(program string, n Notice) []string {
	title := titles[n.Event]
	if title == "" {
		title = "clawd"
	}
	if program == "osascript" {
		return []string{"-e", banner, title, body(n)}
	}
	return []string{"--app-name=clawd", "--", title, markup.Replace(body(n))}
}

// markup: the body of a notice on a Linux desktop may hold a subset of HTML.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// body is one line for each fact; what strangers chose in them cannot make more.
func body(n Notice) string {
	var lines []string
	add := func(before, text string) {
		if text != "" {
			lines = append(lines, before+plain.Local(printed(text)))
		}
	}
	add("Project: ", n.Project)
	add("Stopped by: ", n.Reason)
	add("Why: ", n.Why)
	add("Type: ", n.Command)
	return strings.Join(lines, "\n")
}

// printed takes out what is not plainly printed.
func printed(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return unicode.ReplacementChar
	}, s)
}
