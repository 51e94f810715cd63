package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/resume"
)

// TestTakeOver: each agent takes over from another one in a session of its own, with what the config gives it and nothing more.
func TestTakeOver(t *testing.T) {
	home := t.TempDir()
	for _, k := range all.Kinds() {
		env := agent.Env{Home: home, Getenv: func(string) string { return "" }, Procs: agent.NewProcs()}
		a := k.Open(env, agent.Config{Args: []string{"--flag-of-the-config"}, Env: map[string]string{"EXTRA": "1"}})
		s, err := agent.StarterOf(a)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		p, err := s.TakeOver(agent.TurnRequest{Program: agent.Program{Path: "/opt/" + k.Name, Version: "99.0.0"}, NewID: uuid.NewString(), Dir: home, Prompt: "go on"})
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if p.Form != resume.FormFresh || p.Way != resume.Exec || p.Dir != home || string(p.Stdin) != "go on" || p.Prompt == "" ||
			p.Argv[0] != "/opt/"+k.Name || !slices.Contains(p.Argv, "--flag-of-the-config") || !slices.Contains(p.Env, "EXTRA=1") {
			t.Errorf("%s: %+v", k.Name, p)
		}
		for _, arg := range p.Argv {
			for _, wide := range []string{"yolo", "dangerous", "bypass", "full-access", "allow-all", "--resume", "acceptEdits"} {
				if strings.Contains(arg, wide) {
					t.Errorf("%s: %q", k.Name, p.Argv)
				}
			}
		}
	}
}
