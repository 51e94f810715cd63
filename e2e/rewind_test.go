//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

// rewinds stops the second turn of a window, and has its user go back to before it, by some keys and what each leads to, and empty the
// box, where the agent puts the prompt.
func (w *world) rewinds(command string, ways ...[2]string) (*clawd, *terminal, string) {
	w.t.Helper()
	c := w.startClawd(settings{base: "20s"})
	p := w.openTerminal(false)
	p.asks("say hello")
	p.shows("All done.")
	w.provider.Queue(w.failing(w.rateLimitFor(5))...)
	p.asks("say done")
	id := c.wait("session_stopped", "reason", "rate_limit").text("session")
	p.text(command)
	for _, way := range ways {
		p.presses(way[0], way[1], p.showing(way[1]))
	}
	for range 2 * len("say done") { // a busy machine may lose some
		p.keys("BSpace")
	}
	return c, p, id
}

// The turn that stopped is taken back, which Claude Code writes down nowhere: nothing is typed behind the one that ended well before it.
func TestLiveRewindClaude(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, a := range []agentCase{claude332, claude329} {
		t.Run(a.version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			c, p, id := w.rewinds("/rewind", [2]string{"Enter", "(current)"}, [2]string{"Up", "❯ say done"}, [2]string{"Enter", "❯ 1. Restore conversation"}, [2]string{"Enter", "All done."})
			if e := c.wait("session_blocked", "session", id); !strings.Contains(e.text("why"), "ended well") {
				t.Errorf("why: %s", e.text("why"))
			}
			c.quiet(5 * time.Second)
			w.wantMain(2)
			if asksToGoOn(p.screen()) {
				t.Errorf("the screen:\n%s", p.screen())
			}
		})
	}
}

// Codex goes on in a file of its own from there: the stop is over, and the next one is seen, and resumed in the window.
func TestLiveRewindCodex(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	for _, a := range []agentCase{codex171, codex169} {
		t.Run(a.version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, a)
			c, p, id := w.rewinds("", [2]string{"Escape", "rewind"}, [2]string{"Enter", "reverted to this point"})
			c.wait("session_stopped", "session", id, "reason", "interrupted")
			c.quiet(25 * time.Second)
			w.wantMain(2)
			w.provider.Queue(w.failing(w.rateLimitFor(5))...)
			p.asks("say later")
			c.wait("resume_succeeded", "session", id)
			c.quiet(5 * time.Second)
			w.wantMain(4)
			if n := c.starts(); n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}
