package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// TestFailureBeforeItsPrompt: the terminal of Claude 2.1.197 writes now and then the failure before the prompt that it answers, with
// attachments between them (as recorded). Here that prompt is clawd's own.
func TestFailureBeforeItsPrompt(t *testing.T) {
	raw, err := os.ReadFile("../agent/claude/testdata/order.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	const id = "58d41b17-86d9-4fbb-bb40-f051ef7f6342"
	ds := detect.Session{Agent: "claude", ID: id, Path: filepath.Join(root, "projects", "-home-dev-work-demo", id+".jsonl")}
	if err := os.MkdirAll(filepath.Dir(ds.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	// What stood before: the claimed stop.
	before := strings.NewReplacer("6bd56e36", "aaaaaaaa", "85025d01", "bbbbbbbb", "b62d3b61", "cccccccc", "b5b2fb3d", "dddddddd", "21582623", "eeeeeeee",
		"21:32:2", "20:32:2").Replace(string(raw))
	if err := os.WriteFile(ds.Path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	a := claude.New(agent.Env{}, agent.Config{ConfigDir: root})
	var cl detect.Classifier
	b, err := a.Read(t.Context(), ds, "", cl.Feed)
	if err != nil {
		t.Fatal(err)
	}
	stop := cl.Stop()
	prompt := cl.LastPrompt.Hash
	c := resume.Claim{Session: ds, Stop: stop, Cursor: string(b.Cursor), N: 1, Token: "t",
		Plan: resume.Plan{Way: resume.Tmux, Form: resume.FormPrompt, Session: id, Prompt: prompt}}
	f, err := os.OpenFile(ds.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(strings.Replace(string(raw), `"parentUuid":null`, `"parentUuid":"eeeeeeee-1801-41e6-9dd0-32223d56afb3"`, 1))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	d := &Daemon{clock: Clock{Wall: func() time.Time { return time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC) }}}
	e := &evidence{s: &session{d: d, a: a, ds: ds}, a: a, ds: ds, begun: true, cursor: b.Cursor, size: -1}
	if err := e.readEvents(t.Context()); err != nil {
		t.Fatal(err)
	}
	o, ok := resume.JudgeLive(c, resume.Sight{Events: e.events, SameBoot: true, Marked: true}, true, false)
	if !ok || o.Verdict != resume.StoppedAgain {
		t.Errorf("verdict %q (decided: %v), want stopped_again", o.Verdict, ok)
	}
}
