//go:build linux

package e2e

import (
	"strings"
	"testing"
	"time"
)

const takesKeys = "its input box takes keys as vim's commands"

// TestLiveVim: with vim's keys nothing is typed in NORMAL mode, and in INSERT mode it is.
func TestLiveVim(t *testing.T) {
	t.Parallel()
	for a, shows := range map[agentCase]struct{ atFirst, insert, normal, why string }{
		qwen024:   {"for INSERT mode", "-- INSERT --", "-- NORMAL --", takesKeys},
		qwen015:   {"for INSERT mode", "-- INSERT --", "? for shortcuts", "there may be text in its input box"}, // it names one mode alone
		gemini061: {"for NORMAL mode", "[INSERT]", "[NORMAL]", takesKeys},
		gemini028: {"for NORMAL mode", "[INSERT]", "[NORMAL]", takesKeys},
	} {
		t.Run(a.kind+a.version, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, a)
			w.set("general", map[string]any{"vimMode": true}) // the input box takes vim's keys
			c := w.startClawd(settings{base: "20s"})
			p := w.openTerminal(false)
			p.shows(shows.atFirst)
			if a.isQwen() {
				p.presses("i", shows.insert, p.showing(shows.insert))
			}
			p.shows(shows.insert)
			looks := 0
			w.eventually(agentTime, "a letter in the box", func() bool { // it may name the mode before it takes letters
				if looks%20 == 0 {
					p.text("x")
				}
				looks++
				return strings.Contains(p.screen(), "> x") || strings.Contains(p.screen(), "> ix")
			})
			last, reason := w.stopsWindow(20 * time.Second)
			w.provider.Queue(w.failing(last)...)
			p.sends("say done")
			id := c.wait("session_stopped", "reason", reason).text("session")
			w.waitMain(w.stops())
			p.shows("[API Error") // an Escape before would end the turn
			p.presses("Escape", shows.normal, p.showing(shows.normal))
			c.wait("session_blocked", "session", id, "why", shows.why)
			w.wantMain(w.stops())
			p.keys("i")
			c.wait("resume_started", "session", id, "plan", "tmux")
			c.resumedOnce(id)
			p.shows("All done.")
			w.wantMain(w.stops() + 1)
		})
	}
}

// TestLiveCopilotVim: the same for Copilot, which takes letters from its start on.
func TestLiveCopilotVim(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	w := newWorld(t, copilot)
	w.writeJSON(".copilot/settings.json", map[string]any{"editorMode": "vim"})
	c := w.startClawd(settings{base: "20s"})
	p := w.openTerminal(false)
	p.shows("-- INSERT --")
	last, reason := w.stopsWindow(20 * time.Second)
	w.provider.Queue(w.failing(last)...)
	p.asks("say done")
	id := c.wait("session_stopped", "reason", reason).text("session")
	p.shows("✗ ")
	p.presses("Escape", "vim's normal mode", p.showing("-- NORMAL --"))
	c.wait("session_blocked", "session", id, "why", takesKeys)
	w.wantMain(w.stops())
	p.keys("i")
	c.resumedOnce(id)
	p.shows("All done.")
	w.wantMain(w.stops() + 1)
}
