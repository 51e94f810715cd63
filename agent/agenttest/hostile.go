package agenttest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Trap is an agent's folder in which strangers leave things where a session's file belongs.
type Trap struct {
	Good detect.Session // a sound session that is there
	// Bad is a session whose file is not there yet, in a folder of its own below Folder. Content is
	// what a sound file of it would hold.
	Bad     detect.Session
	Content string
	// Folder is the folder next above Bad's file that the agent itself makes for one project or
	// session; a link may stand in its place.
	Folder string
	// Plant writes a sound session under another id, as far as a file or row can have it, and gives
	// how it would be named; nil: the ids of this agent are no names of files or rows.
	Plant func(t *testing.T, id string) detect.Session
	// Roots are folders that the agent expects.
	Roots []string
}

// strangeIDs are session ids that would do harm in a path, an argument, a terminal or a log.
var strangeIDs = []string{
	"--help", "--dangerously-skip-permissions", "-c", "..", "../../etc/passwd", "/etc/passwd", "a b", "x;touch y", "$(id)", "`id`", "",
	"a\nb", "\x1b[2J", "\x00", "a\u202eb", "\xff\xfe", strings.Repeat("a", 300), "0a8d26f8-e126-4d05-8111-000000000001/../x",
	"0A8D26F8-E126-4D05-8111-000000000001", "ses_short", "ses_" + strings.Repeat("a", 26) + "/", "ses_" + strings.Repeat("a", 26) + "\n",
}

// Traps checks that none of what strangers leave is opened, followed or listed, that each is told in
// one line, and that the sound session beside it is read. open gives a new trap in new folders.
func Traps(t *testing.T, open func(t *testing.T) (agent.Agent, Trap)) {
	for _, c := range []struct {
		name string
		set  func(t *testing.T, x Trap) (watch string)
	}{
		{"link", func(t *testing.T, x Trap) string {
			out := filepath.Join(t.TempDir(), filepath.Base(x.Bad.Path))
			write(t, out, x.Content, 0o600)
			must(t, os.MkdirAll(filepath.Dir(x.Bad.Path), 0o700))
			must(t, os.Symlink(out, x.Bad.Path))
			return out
		}},
		{"linked folder", func(t *testing.T, x Trap) string {
			rel, err := filepath.Rel(x.Folder, x.Bad.Path)
			must(t, err)
			out := t.TempDir()
			write(t, filepath.Join(out, rel), x.Content, 0o600)
			must(t, os.MkdirAll(filepath.Dir(x.Folder), 0o700))
			must(t, os.Symlink(out, x.Folder))
			return filepath.Join(out, rel)
		}},
		{"FIFO", node(syscall.S_IFIFO, 0)},
		{"socket", node(syscall.S_IFSOCK, 0)},
		{"device", node(syscall.S_IFCHR, 1<<8|5)}, // /dev/zero
		{"folder", func(t *testing.T, x Trap) string { must(t, os.MkdirAll(x.Bad.Path, 0o700)); return x.Bad.Path }},
		{"writable for everybody", func(t *testing.T, x Trap) string { write(t, x.Bad.Path, x.Content, 0o606); return x.Bad.Path }},
		{"another user's", func(t *testing.T, x Trap) string {
			if os.Getuid() != 0 {
				t.Skip("only root can give a file away")
			}
			write(t, x.Bad.Path, x.Content, 0o644)
			must(t, os.Chown(x.Bad.Path, 12345, 12345))
			return x.Bad.Path
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, x := open(t)
			opened := watchOpen(t, c.set(t, x))
			checkGood(t, a, x)
			all, err := a.Scan(t.Context(), "")
			told := Refused(t, err)
			if len(all) != 1 || all[0].Session.ID != x.Good.ID {
				t.Errorf("listed: %+v", all)
			}
			if n := len(told); n != 1 || !strings.HasPrefix(x.Bad.Path, told[0]) {
				t.Errorf("told of %q, want one line for %s", told, x.Bad.Path)
			}
			refuses(t, a, x.Bad)
			if opened() {
				t.Error("it was opened")
			}
		})
	}
	t.Run("unreadable", func(t *testing.T) {
		if !Unprivileged(t) {
			return
		}
		a, x := open(t)
		write(t, x.Bad.Path, x.Content, 0)
		checkGood(t, a, x)
		if b, err := Read(t.Context(), a, x.Bad, ""); err == nil {
			t.Errorf("%d events", len(b.Events))
		}
	})
	t.Run("ids", func(t *testing.T) { strangers(t, open) })
	t.Run("roots", func(t *testing.T) { roots(t, open) })
}

// node makes a special file.
func node(kind uint32, dev int) func(t *testing.T, x Trap) string {
	return func(t *testing.T, x Trap) string {
		must(t, os.MkdirAll(filepath.Dir(x.Bad.Path), 0o700))
		if err := unix.Mknod(x.Bad.Path, kind|0o600, dev); err != nil {
			t.Skipf("this system does not let us make one: %v", err)
		}
		return x.Bad.Path
	}
}

func strangers(t *testing.T, open func(t *testing.T) (agent.Agent, Trap)) {
	a, x := open(t)
	for _, id := range strangeIDs {
		s := x.Good
		s.ID = id
		refuses(t, a, s)
		refuses(t, a, a.Beside(x.Good, id))
		s = x.Good
		s.Path = id
		refuses(t, a, s)
		if x.Plant == nil {
			continue
		}
		refuses(t, a, x.Plant(t, id))
	}
	all, err := a.Scan(t.Context(), "")
	if len(all) != 1 || all[0].Session.ID != x.Good.ID {
		t.Errorf("listed: %+v", all)
	}
	if told := Refused(t, err); x.Plant != nil && len(told) < 8 {
		t.Errorf("told of %q only", told)
	}
	checkGood(t, a, x)
}

// roots puts files in the place of folders, and takes folders away.
func roots(t *testing.T, open func(t *testing.T) (agent.Agent, Trap)) {
	_, x := open(t)
	for i := range x.Roots {
		for _, gone := range []bool{true, false} {
			a, x := open(t)
			dir := x.Roots[i]
			must(t, os.RemoveAll(dir))
			if !gone {
				write(t, dir, "no folder", 0o600)
			}
			all, err := a.Scan(t.Context(), "")
			if within, _ := filepath.Rel(dir, x.Good.Path); filepath.IsLocal(within) && len(all) != 0 {
				t.Errorf("%s is gone, listed: %+v", dir, all)
			}
			if gone && err != nil {
				t.Errorf("%s is gone: %v", dir, err)
			}
			if h, err := a.Live(t.Context(), x.Good, detect.Info{}); err == nil && len(h) == 0 {
				t.Errorf("%s: Live gave no Holder", dir)
			}
			b, err := Read(t.Context(), a, x.Good, "")
			if err == nil && verdict(b.Events).IsStop() {
				t.Errorf("%s is gone: %+v", dir, verdict(b.Events))
			}
		}
	}
}

// refuses checks every method that would touch the session.
func refuses(t *testing.T, a agent.Agent, s detect.Session) {
	t.Helper()
	ctx := t.Context()
	if b, err := Read(ctx, a, s, ""); err == nil || len(b.Events) != 0 {
		t.Errorf("Read of %q at %q gave %d events, err %v", s.ID, s.Path, len(b.Events), err)
	} else {
		printable(t, err)
	}
	if maybe, c, err := a.Tail(ctx, s); err == nil && (maybe || c != "") {
		t.Errorf("Tail of %q at %q: %v %q", s.ID, s.Path, maybe, c)
	}
	if text, err := a.LastPrompt(ctx, s); err == nil || text != "" {
		t.Errorf("LastPrompt of %q at %q: %q, err %v", s.ID, s.Path, text, err)
	}
	if files, err := a.Files(s); err == nil {
		t.Errorf("Files of %q at %q: %q", s.ID, s.Path, files)
	}
}

func verdict(events []detect.Event) detect.Stop {
	var c detect.Classifier
	for _, e := range events {
		c.Feed(e)
	}
	return c.Stop()
}

func checkGood(t *testing.T, a agent.Agent, x Trap) {
	t.Helper()
	b, err := Read(t.Context(), a, x.Good, "")
	if err != nil || len(b.Events) == 0 || b.Skipped != 0 {
		t.Errorf("the sound session: %d events, %d skipped, err %v", len(b.Events), b.Skipped, err)
	}
	all, _ := a.Scan(t.Context(), "")
	if _, n := find(all, x.Good.ID); n != 1 {
		t.Errorf("the sound session is listed %d times", n)
	}
}

// Refused gives the paths that the error of a Scan tells of, each told in one line for people. Any
// other error fails the test.
func Refused(t testing.TB, err error) (paths []string) {
	t.Helper()
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, e := range many.Unwrap() {
			paths = append(paths, Refused(t, e)...)
		}
		return paths
	}
	var refused *agent.Refused
	if err != nil && !errors.As(err, &refused) {
		t.Fatalf("an error that is no refusal: %v", err)
	}
	if refused == nil {
		return nil
	}
	printable(t, err)
	return []string{refused.Path}
}

func printable(t testing.TB, err error) {
	t.Helper()
	if i := strings.IndexFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 || len(err.Error()) > 2000 {
		t.Errorf("an error of %d bytes that harms a terminal: %.300q", len(err.Error()), err.Error())
	}
}

// far is longer than any wait that clawd believes in.
const far = 33 * 24 * time.Hour

// CheckEvents checks what holds for the events of every record, whoever wrote it.
func CheckEvents(t testing.TB, events []detect.Event) {
	t.Helper()
	var c detect.Classifier
	for _, e := range events {
		if e.Kind != detect.KindHolder && e.ID == "" {
			t.Errorf("event of kind %s has no id", e.Kind)
		}
		if e.Kind == detect.KindFailure && (e.Failure == nil || e.Failure.Reason == "") {
			t.Errorf("failure without a reason: %+v", e)
		}
		at := []time.Time{e.At, e.Next}
		if f := e.Failure; f != nil {
			at = append(at, f.ResetAt)
			if f.RetryAfter != nil && (*f.RetryAfter < 0 || *f.RetryAfter > far) {
				t.Errorf("retry after %v for a failure of %v", f.RetryAfter, e.At)
			}
		}
		for _, x := range at {
			if y := x.Year(); !x.IsZero() && (y < 1970 || y > 2300) {
				t.Errorf("event of kind %s with the time %v", e.Kind, x)
			}
		}
		c.Feed(e)
		// A reset time counts from its own record, which may be long before the turn's end: the machine slept, or
		// its clock was set. What the end makes of it is bounded all the same.
		if s := c.Stop(); !s.ResetAt.IsZero() && s.ResetAt.Sub(s.At).Abs() > far {
			t.Errorf("reset at %v for a stop of %v", s.ResetAt, s.At)
		}
	}
	if _, err := json.Marshal([]any{events, c, c.Stop()}); err != nil {
		t.Errorf("what cannot be stored: %v", err)
	}
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	must(t, os.Chmod(path, mode))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
