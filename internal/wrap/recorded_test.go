package wrap

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// recordings are what the agents wrote to a terminal that is no tmux, from their start over a limit
// to the answer after "continue": testdata/tty.
func recordings(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "tty", "*.tty"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings (%v)", err)
	}
	all := map[string][]byte{}
	for _, p := range paths {
		if all[filepath.Base(p)], err = os.ReadFile(p); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The screen does not depend on how the output was cut: at every byte of it, once by bytes and once at once.
func TestRecordedCuts(t *testing.T) {
	for name, out := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := max(1, len(out)/400)
			bytewise := newEmulator(110, 40)
			for i := range out {
				bytewise.feed(out[i : i+1])
				if i%step != 0 && i != len(out)-1 {
					continue
				}
				whole := newEmulator(110, 40)
				whole.feed(out[:i+1])
				if a, b := shown(whole), shown(bytewise); a != b {
					t.Fatalf("after %d bytes:\n%s\nby bytes:\n%s", i+1, a, b)
				}
			}
		})
	}
}

func shown(e *emulator) string {
	s, ok := e.screen()
	return fmt.Sprint(ok, s.Row, s.Col, s.Faint, s.Plain, s.Title, "\n", strings.Join(s.Rows, "\n"))
}

// tmux is the judge of what the agents really draw, at sixteen moments of each recording.
func TestRecordedLikeTmux(t *testing.T) {
	m := newTmux(t)
	const moments = 16
	for name, out := range recordings(t) {
		from := 0
		e := newEmulator(110, 40)
		for i := range moments {
			to := len(out) * (i + 1) / moments
			for to < len(out) && !utf8.RuneStart(out[to]) {
				to++
			}
			e.feed(out[from:to])
			from = to
			want, at := m.draw(out[:to], 110, 40)
			if s, _ := e.screen(); !slices.Equal(s.Rows, want) || fmt.Sprint(s.Col, s.Row) != at {
				t.Errorf("%s after %d bytes\ntmux at %s:\n%s\nhere at %d %d:\n%s", name, to, at, strings.Join(want, "\n"), s.Col, s.Row, strings.Join(s.Rows, "\n"))
				break
			}
		}
	}
}

// tmux is a private server that shows what it is given.
type tmux struct {
	t       *testing.T
	program string
	dir     string
}

func newTmux(t *testing.T) tmux {
	t.Helper()
	program, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("no tmux here")
	}
	m := tmux{t, program, t.TempDir()}
	m.run("new-session", "-d", "exec sleep 100") // the server ends with its last session
	t.Cleanup(func() { m.run("kill-server") })
	return m
}

func (m tmux) run(args ...string) string {
	m.t.Helper()
	out, err := exec.Command(m.program, append([]string{"-u", "-S", filepath.Join(m.dir, "s"), "-f", os.DevNull}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v %s", args, err, out)
	}
	return string(out)
}

// draw gives the rows of a pane that got the output, and where its cursor is: column and row.
func (m tmux) draw(out []byte, cols, rows int) ([]string, string) {
	m.t.Helper()
	file := filepath.Join(m.dir, "out")
	if err := os.WriteFile(file, out, 0o600); err != nil {
		m.t.Fatal(err)
	}
	pane := strings.TrimSpace(m.run("new-session", "-d", "-P", "-F", "#{pane_id}", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows),
		"stty raw -echo; cat "+file+"; printf '\\033\\\\\\033]2;done\\007'; exec sleep 100"))
	until(m.t, "tmux", func() bool { return m.run("display-message", "-p", "-t", pane, "#{pane_title}") == "done\n" })
	var shown []string
	for line := range strings.Lines(m.run("capture-pane", "-p", "-t", pane)) {
		shown = append(shown, strings.TrimRight(line, " \n"))
	}
	var x, y int
	if _, err := fmt.Sscan(m.run("display-message", "-p", "-t", pane, "#{cursor_x} #{cursor_y}"), &x, &y); err != nil {
		m.t.Fatal(err)
	}
	m.run("kill-session", "-t", pane)
	return shown, fmt.Sprint(min(x, cols-1), y) // a line that is full has the cursor behind it there
}

// What the window is called is no text on the screen.
func TestRecordedTitles(t *testing.T) {
	for name, title := range map[string]string{"claude-2.1.330.tty": "✳", "gemini-0.61.0.tty": "Übung-东"} {
		out := recordings(t)[name]
		if !bytes.Contains(out, []byte(title)) {
			t.Fatalf("%s has no title with %s", name, title)
		}
		e, saw := newEmulator(110, 40), false
		for i := range out {
			e.feed(out[i : i+1])
			saw = saw || out[i] == bel && strings.Contains(e.title, title)
		}
		if !saw {
			t.Errorf("%s: no title with %s was seen; the last one is %q", name, title, e.title)
		}
	}
}
