package daemon

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// sub writes a line of a sub-agent of the session, and sends the file event.
func (r *rig) sub(id, name, kind string) {
	r.t.Helper()
	path := filepath.Join(strings.TrimSuffix(r.session(id).Path, ".jsonl"), "subagents", "agent-"+name+".jsonl")
	put(r.t, path, strings.Replace(r.line(id, kind), `"isSidechain":false`, `"isSidechain":true`, 1))
	r.watch.send(fsnotify.Event{Name: path, Op: fsnotify.Write})
}

// subNotices are what its user was told of sub-agents, by the log.
func (r *rig) subNotices() (whys []string) {
	for _, e := range r.log.events(state.SubStopped) {
		whys = append(whys, fmt.Sprint(e["why"]))
	}
	return whys
}

// TestSubStopped: its user is told once of each sub-agent that stopped, when its session's own turn has ended, whatever is read later
// and however often clawd is started. A session that has finished stays finished.
func TestSubStopped(t *testing.T) {
	in(t, func(r *rig) {
		desktop, _ := r.posts()
		r.start()
		id := uuid.NewString()
		r.add(id, r.line(id, "user"), r.line(id, "open"))
		r.sub(id, "a1", "plan")
		r.sub(id, "b2", "plan")
		r.sub(id, "c3", "answer")
		r.add(id, r.line(id, "open"))
		r.pass(time.Minute)
		if got := r.subNotices(); len(got) != 0 {
			t.Fatalf("told in mid turn: %q", got)
		}
		reset := time.Now().Add(time.Hour - time.Minute).UTC().Format(time.RFC3339)
		r.add(id, r.line(id, "answer"))
		r.pass(time.Minute)
		want := fmt.Sprintf("2 sub-agents stopped before they were done: a1, 5-hour limit, resets %s; b2, 5-hour limit, resets %s", reset, reset)
		if got := r.subNotices(); len(got) != 1 || got[0] != want {
			t.Fatalf("told %q, want %q", got, want)
		}
		if got := desktop.notices(); len(got) != 1 || got[0].Event != state.SubStopped || got[0].Reason != "usage_limit" || got[0].Command != "clawd why "+id {
			t.Errorf("on the desktop: %+v", got)
		}
		r.add(id, r.line(id, "user"), r.line(id, "answer"))
		r.pass(time.Hour)
		r.down()
		r.start()
		r.pass(time.Hour)
		r.add(id, r.line(id, "user"), r.line(id, "answer"))
		r.pass(3 * time.Hour) // the limit is over
		if got := r.subNotices(); len(got) != 1 {
			t.Errorf("told again: %q", got)
		}
		r.add(id, r.line(id, "user"))
		r.sub(id, "d4", "limit")
		r.add(id, r.line(id, "answer"))
		r.pass(time.Hour)
		if got := r.subNotices(); len(got) != 2 || got[1] != "a sub-agent stopped before it was done: d4, rate limit" {
			t.Errorf("told %q", got)
		}
		r.wantRest(id)
		if n := len(r.children.started()); n != 0 {
			t.Errorf("%d starts: a session was resumed because its sub-agent stopped", n)
		}
	})
}

// wantRest: the session is at rest, and nobody is asked for anything.
func (r *rig) wantRest(id string) {
	r.t.Helper()
	rec := r.wantPhase(id, state.Following)
	if standing, n := rec.Standing(time.Now()); standing != state.Done || rec.Notice != nil {
		r.t.Errorf("it is %s, %+v", standing, n)
	}
}

// TestSubRecovered: a sub-agent that went on, was sent on or has not failed is not told of.
func TestSubRecovered(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id := uuid.NewString()
		r.add(id, r.line(id, "user"), r.line(id, "open"))
		r.sub(id, "a1", "plan")
		r.sub(id, "a1", "answer")
		r.sub(id, "b2", "limit")
		r.sub(id, "b2", "say done") // it was sent a message
		r.sub(id, "c3", "open")
		r.add(id, r.line(id, "answer"))
		r.pass(time.Hour)
		if got := r.subNotices(); len(got) != 0 {
			t.Errorf("told %q", got)
		}
	})
}

// TestSubUntold: nobody is told of what he has clawd ignore, or of what is long over.
func TestSubUntold(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		told, ignored, late := uuid.NewString(), uuid.NewString(), uuid.NewString()
		for _, id := range []string{told, ignored, late} {
			r.add(id, r.line(id, "user"), r.line(id, "open"))
			r.sub(id, "a1", "limit")
		}
		if _, err := r.d.Obey(r.work, machine.Ignore, Order{Session: ignored}); err != nil {
			t.Fatal(err)
		}
		r.add(told, r.line(told, "answer"))
		r.add(ignored, r.line(ignored, "answer"))
		r.pass(time.Duration(r.o.Config.Watch.MaxStopAge) + time.Minute)
		r.add(late, r.line(late, "answer"))
		r.pass(time.Hour)
		if e := r.log.events(state.SubStopped); len(e) != 1 || e[0]["session"] != told {
			t.Errorf("told of %v", e)
		}
	})
}

// TestSubInPrompt: the prompt of a resume names the sub-agents that stopped in the same turn, those of earlier turns not, and clawd
// knows its own prompt again.
func TestSubInPrompt(t *testing.T) {
	in(t, func(r *rig) {
		const prompt = "continue (sub-agent a1 stopped early: check its work)"
		r.children.act = func(c *child) { c.say(prompt); c.say("answer"); c.end() }
		r.start()
		id := uuid.NewString()
		r.add(id, r.line(id, "user"), r.line(id, "open"))
		r.sub(id, "old", "plan")
		r.pass(time.Second)
		r.add(id, r.line(id, "answer"))
		r.pass(time.Minute)
		r.add(id, r.line(id, "user"), r.line(id, "meta"), r.line(id, "open")) // a resume behind such a line is by a prompt
		r.pass(time.Second)
		r.sub(id, "a1", "limit")
		r.add(id, r.line(id, "limit"))
		if got := r.subNotices(); len(got) != 2 {
			t.Errorf("told %q before the resume", got)
		}
		r.pass(2 * time.Minute)
		started := r.children.started()
		if len(started) != 1 || r.resumes() != 1 {
			t.Fatalf("%d starts, %d resumes", len(started), r.resumes())
		}
		if p := started[0].claim.Plan; p.Form != resume.FormPrompt || p.Argv[len(p.Argv)-1] != prompt || p.Prompt != detect.HashText(prompt) {
			t.Errorf("plan %+v", p)
		}
		if got := r.subNotices(); len(got) != 2 {
			t.Errorf("told %q", got)
		}
		if rec := r.rec(id); !rec.AtWork() && !rec.OursSince() {
			t.Error("clawd takes its own prompt for somebody else's")
		}
	})
}

// TestSubInTerminal: the prompt for a terminal has a longer form that names them, for a box with room for it.
func TestSubInTerminal(t *testing.T) {
	in(t, func(r *rig) {
		const prompt = "continue (sub-agent a1 stopped early: check its work)"
		id := uuid.NewString()
		r.openAs(id, resume.Tmux, "idle")
		r.add(id, r.record(id, "user", "", interactive), r.line(id, "open"))
		r.pass(time.Second)
		r.sub(id, "a1", "limit")
		r.add(id, r.record(id, "limit", "", interactive))
		r.pass(2 * time.Minute)
		started := r.children.started()
		if len(started) != 1 {
			t.Fatalf("%d starts; log:\n%s", len(started), r.log)
		}
		if p := started[0].claim.Plan; p.Way != resume.Tmux || p.Keys != "continue" || p.Longer != prompt || p.Prompt != detect.HashText("continue") {
			t.Errorf("plan %+v", p)
		}
	})
}

// TestNaming: nothing is in it but counts and ids.
func TestNaming(t *testing.T) {
	stops := func(ids ...string) (all []detect.SubStop) {
		for _, id := range ids {
			all = append(all, detect.SubStop{ID: id})
		}
		return all
	}
	for want, subs := range map[string][]detect.SubStop{
		"continue": nil,
		"continue (sub-agent a stopped early: check its work)":                           stops("a"),
		"continue (sub-agents a, b stopped early: check their work)":                     stops("a", "b"),
		"continue (sub-agents a, b, c, d, e and 2 more stopped early: check their work)": stops("a", "b", "c", "d", "e", "f", "g"),
	} {
		if got := naming("continue", subs); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, prompt := range []string{" ", "/work-on", " /work-on the list"} {
		if got := naming(prompt, stops("a")); got != prompt {
			t.Errorf("%q became %q", prompt, got)
		}
	}
}
