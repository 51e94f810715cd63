package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/resume"
)

// A program that cannot tell its version at the start is asked again, ever more seldom, and by nobody who
// waits for the answer.
func TestVersionIsAskedAgain(t *testing.T) {
	in(t, func(r *rig) {
		asked, broken := filepath.Join(r.root, "asked"), filepath.Join(r.root, "broken")
		put(t, broken, "")
		program := filepath.Join(r.root, "claude")
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho x >>"+asked+"\n[ -e "+broken+" ] && exit 1\necho '2.1.329 (Claude Code)'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		times := func() int {
			b, err := os.ReadFile(asked)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Count(string(b), "x")
		}
		r.start()
		if n := times(); n != 1 {
			t.Fatalf("asked %d times at the start", n)
		}
		r.pass(20 * time.Second)
		r.stopped("limit")
		r.pass(35 * time.Second) // its claim
		if n := times(); n != 1 {
			t.Errorf("asked %d times by an attempt", n)
		}
		if all := r.children.started(); len(all) != 1 || all[0].claim.Plan.Form != resume.FormPrompt {
			t.Errorf("%d starts; the version is not known", len(all))
		}
		r.pass(20 * time.Minute)
		if n := times(); n < 4 || n > 6 {
			t.Errorf("asked %d times in twenty minutes", n)
		}
		if n := len(r.log.events("agent_version_unknown")); n != 1 {
			t.Errorf("told %d times", n)
		}
		if err := os.Remove(broken); err != nil {
			t.Fatal(err)
		}
		r.pass(40 * time.Minute)
		known := times()
		r.stopped("limit")
		r.pass(3 * time.Hour)
		if all := r.children.started(); len(all) != 2 || all[1].claim.Plan.Form != resume.FormIdempotent {
			t.Errorf("%d starts; the version is known", len(all))
		}
		if found := r.log.events("agent_found"); len(found) != 2 || found[1]["version"] != "2.1.329" {
			t.Errorf("agent_found: %v", found)
		}
		if n := times(); n != known+1 { // by the attempt, as a script may start another version by now
			t.Errorf("asked %d times more although it is known", n-known)
		}
	})
}

// An order does not wait for a program that takes its time at the start.
func TestOrderWaitsNotForVersion(t *testing.T) {
	t.Parallel()
	d := &Daemon{shared: shared{programs: map[string]*program{}}}
	a := claude.New(agent.Env{Home: t.TempDir(), Getenv: func(string) string { return "" }}, agent.Config{})
	p := d.slot(a)
	p.asking.Lock()
	if d.lookedFor(a) {
		t.Error("the program is still being asked")
	}
	p.asking.Unlock()
	if !d.lookedFor(a) {
		t.Error("the program was asked")
	}
}

// TestProgramBehindAScript: what a version manager puts into PATH stays the same file while it starts a newer agent.
func TestProgramBehindAScript(t *testing.T) {
	in(t, func(r *rig) {
		version := filepath.Join(r.root, "version")
		set := func(v string) {
			if err := os.WriteFile(version, []byte(v+" (Claude Code)\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		set("2.1.100")
		if err := os.WriteFile(filepath.Join(r.root, "claude"), []byte("#!/usr/bin/env sh\ncat "+version+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		r.start()
		r.stopped("plan")
		r.pass(30 * time.Minute)
		set("2.1.329")
		r.pass(time.Hour)
		if all := r.children.started(); len(all) != 1 || all[0].claim.Plan.Form != resume.FormIdempotent {
			t.Errorf("%d starts; the agent is a newer one", len(all))
		}
		if found := r.log.events("agent_found"); len(found) != 2 || found[1]["version"] != "2.1.329" {
			t.Errorf("agent_found: %v", found)
		}
	})
}
