package trigger

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// shown is a terminal that shows the same whatever is typed.
type shown struct {
	screen  agent.Screen
	pressed []string
}

func (s *shown) Look(context.Context) (agent.Screen, error) { return s.screen, nil }

func (s *shown) Press(_ context.Context, keys []byte) error {
	s.pressed = append(s.pressed, string(keys))
	return nil
}

// An attempt left its prompt in the box, and its user has pressed Escape for vim's NORMAL mode since, as to delete it: Enter is not pressed.
func TestLeftAndVim(t *testing.T) {
	home := t.TempDir()
	text, err := os.ReadFile("../../agent/claude/testdata/screens/seen-2.1.197-vim-normal.txt") // its box holds "half"
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".claude", "settings.json"), []byte(`{"editorMode": "vim"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	a := claude.New(agent.Env{Home: home, Getenv: func(string) string { return "" }}, agent.Config{})
	synctest.Test(t, func(t *testing.T) {
		s := &shown{screen: agent.Screen{Rows: strings.Split(string(text), "\n"), Row: 14, Col: 5, Cols: 120, Title: "✳ Claude Code"}}
		tr := &Trigger{Agents: func(string) agent.Agent { return a }, Reach: func(detect.Holder, resume.Way) (Terminal, error) { return s, nil }}
		c := resume.Claim{Session: detect.Session{Agent: "claude"}, Stop: detect.Stop{Key: "k"},
			Plan: resume.Plan{Way: resume.Tmux, Form: resume.FormPrompt, Keys: "half", Holder: detect.Holder{PID: 7, Start: 8, Sure: true}}}
		tr.unsent.add(c.Plan.Holder, c.Stop, typed{keys: "half"})
		if err := attempt(t, tr, s, c); err == nil || len(s.pressed) > 0 {
			t.Errorf("pressed %q, %v", s.pressed, err)
		}
	})
}
