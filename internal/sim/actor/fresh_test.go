package actor

import (
	"bytes"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// TestFreshSessions: the real adapters' plan of a session that takes over begins one, with the hand-off as its prompt.
func TestFreshSessions(t *testing.T) {
	for name, open := range map[string]func(*World) Agent{"claude": newClaude, "codex": newCodex, "copilot": newCopilot, "gemini": newGemini, "opencode": newOpenCode, "pi": newPi, "qwen": newQwen} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, 7, many(Answer{Kind: TooLong}, map[string]int{"copilot": 5}[name]+1)...) // of which five are tried again
			x := open(s.w)
			if c, ok := x.(*Codex); ok {
				c.Provider = "fake"
			}
			if p, ok := x.(*Pi); ok {
				p.Compacts = false
			}
			old, err := x.Begin(Start{Dir: s.w.Home}, s.now)
			must(t, err)
			must(t, old.Prompt("say done", Person, s.now))
			s.run(old, time.Minute)
			a := s.reader(name, x.Root())
			stop, b := s.look(a, old.ID())
			if stop.Reason != detect.ContextFull {
				t.Errorf("it stopped by %q", stop.Reason)
			}
			starter, err := agent.StarterOf(a)
			must(t, err)
			p, err := starter.Fresh(agent.Request{Session: detect.Session{Agent: name, ID: old.ID(), Path: old.Path()}, Info: b.Info, Stop: stop,
				Program: agent.Program{Path: "/usr/bin/" + name, Version: map[string]string{"claude": claudeVersion, "gemini": "0.61.0", "opencode": "1.1.53", "pi": "1.5.2", "qwen": "0.24.4"}[name]},
				NewID:   uuid(s.w.Rand), Handoff: []byte("take over"), Answered: true, Launch: &detect.Launch{Pays: map[string]string{"codex": "key", "copilot": "login"}[name]}})
			must(t, err)
			var out bytes.Buffer
			run, err := x.Resume(p, nil, &out, s.now)
			must(t, err)
			s.run(run, time.Minute)
			if code, ended := run.Exit(); code != 0 || !ended || run.ID() == old.ID() || p.Session != "" && run.ID() != p.Session {
				t.Errorf("code %d, ended %v, session %s of plan %s", code, ended, run.ID(), p.Session)
			}
			if got := s.w.Ledger.Prompts(name, run.ID(), "", Clawd); got != 1 {
				t.Errorf("%d prompts", got)
			}
			fresh, b := s.look(a, run.ID())
			if fresh.Reason != detect.Completed || b.Info.FirstPrompt != detect.HashText("take over") {
				t.Errorf("%+v, first prompt %s", fresh, b.Info.FirstPrompt)
			}
			o, err := a.Output(bytes.NewReader(out.Bytes()), nil)
			must(t, err)
			if !o.Began || o.Failed || o.Session != run.ID() {
				t.Errorf("%+v\n%s", o, out.Bytes())
			}
			if p.Form != resume.FormFresh {
				t.Error(p.Form)
			}
			if p.Session == "" || name == "pi" || name == "copilot" { // which go on in a session that is there
				return
			}
			// Once more with the same id: it is taken, but where a start of the agent has deleted the session.
			again, err := x.Resume(p, nil, nil, s.now)
			must(t, err)
			s.run(again, time.Minute)
			if code, ended := again.Exit(); !ended || code == 0 {
				t.Errorf("the same id once more: code %d, ended %v", code, ended)
			}
		})
	}
}
