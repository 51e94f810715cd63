package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

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

// says puts another version of the agent in place, as an update does.
func (r *rig) says(version string) {
	r.t.Helper()
	program := r.o.Config.Agent["claude"].Command
	put(r.t, program+".new", "#!/bin/sh\necho '"+version+" (Claude Code)'\n")
	if err := errors.Join(os.Chmod(program+".new", 0o700), os.Rename(program+".new", program)); err != nil {
		r.t.Fatal(err)
	}
}

// TestUpdatedSinceTheStart: clawd runs for weeks, and its user's agents are updated meanwhile. What the version of then could not do
// keeps nobody from being resumed.
func TestUpdatedSinceTheStart(t *testing.T) {
	in(t, func(r *rig) {
		r.says("2.1.100")
		r.start()
		r.says("2.1.329")
		id := uuid.NewString()
		user, _, _ := strings.Cut(strings.ReplaceAll(r.line(id, "user"), "acceptEdits", "default"), "\n")
		r.pass(time.Second)
		r.add(id, user+"\n", r.line(id, "open"), r.line(id, "limit"))
		r.pass(time.Hour)
		if rec := r.rec(id); len(r.children.started()) != 1 {
			t.Errorf("%d starts; %s: %s", len(r.children.started()), rec.Phase, rec.Decision.Why)
		}
	})
}

// TestInstalledSinceTheStart: an order does not go by a look of then either.
func TestInstalledSinceTheStart(t *testing.T) {
	in(t, func(r *rig) {
		program := r.o.Config.Agent["claude"].Command
		if err := os.Rename(program, program+".old"); err != nil {
			t.Fatal(err)
		}
		r.start()
		id, _ := r.stopped("auth")
		r.pass(time.Minute)
		if err := os.Rename(program+".old", program); err != nil {
			t.Fatal(err)
		}
		r.order(id, resume.Order{Now: true})
		r.wantStarts(1)
	})
}

// TestRefusedProgram: a program that is there and that clawd does not take is not called missing.
func TestRefusedProgram(t *testing.T) {
	in(t, func(r *rig) {
		program := r.o.Config.Agent["claude"].Command
		if err := os.Chmod(program, 0o777); err != nil {
			t.Fatal(err)
		}
		r.start()
		r.pass(time.Minute)
		e := r.log.events("agent_missing")
		if len(e) != 1 || strings.Contains(e[0]["message"].(string), "not found") || e[0]["why"] != program+" is writable for others; type: chmod go-w "+program {
			t.Errorf("%v", e)
		}
	})
}
