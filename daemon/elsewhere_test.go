package daemon

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// besides is an agent that has a process of which it cannot tell whether it has the session open.
type besides struct {
	whole
	open, alone atomic.Bool // alone: and nobody else is seen
	pid         int         // 0: nobody is seen at all
}

func (b *besides) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	holders, err := b.whole.Live(ctx, s, i)
	if b.alone.Load() {
		holders = nil
	}
	if b.open.Load() {
		holders = append(holders, detect.Holder{Liveness: detect.HolderUnknown, Kind: detect.Interactive, PID: b.pid, Start: 95, Boot: "boot-1",
			TTY: "/dev/pts/5", Tmux: "/tmp/tmux", Pane: "%5", Why: "process 950 may show it"})
	}
	return holders, err
}

func (r *rig) besides() *besides {
	b := &besides{pid: 950}
	b.open.Store(true)
	r.wrapAgent(func(a whole) agent.Agent {
		b.whole = a
		return b
	})
	return b
}

// A terminal that may show the session keeps clawd from starting a second process beside it, and is not
// typed into. When it ends, the session goes on.
func TestMayBeShownElsewhere(t *testing.T) {
	in(t, func(r *rig) {
		other := r.besides()
		r.children.way = resume.Tmux
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Hour)
		if n, looks := len(r.children.started()), r.children.looked(); n != 0 || looks != 0 {
			t.Fatalf("%d starts, %d looks at its terminal; log:\n%s", n, looks, r.log)
		}
		r.wantPhase(id, state.Waiting)
		if e := r.log.events("resume_postponed"); len(e) != 1 || !strings.Contains(e[0]["why"].(string), "process 950 may show it") {
			t.Errorf("postponed: %v", e)
		}
		other.open.Store(false)
		r.pass(2 * time.Minute)
		all := r.children.started()
		if len(all) != 1 || r.resumes() != 1 || all[0].claim.Plan.Way != resume.Exec {
			t.Errorf("%d starts, %d resumes; log:\n%s", len(all), r.resumes(), r.log)
		}
	})
}

// A terminal is opened elsewhere when the claim is made already.
func TestLastLookElsewhere(t *testing.T) {
	in(t, func(r *rig) {
		other := r.besides()
		other.open.Store(false)
		why := ""
		r.children.claimed = func(c resume.Claim) {
			other.open.Store(true)
			why = LastLook(r.work, r.d.agents[0], c, "")
		}
		r.start()
		r.stopped("limit")
		r.pass(10 * time.Minute)
		if !strings.Contains(why, "process 950 may show it") {
			t.Errorf("it goes on: %q", why)
		}
	})
}

// Whether a user quit shows right when the process ends, whatever other terminals there are: later its
// shell may be gone, too.
func TestQuitBesideAnother(t *testing.T) {
	for _, c := range []struct {
		name    string
		pids    []int
		end     state.HolderEnd
		resumes int
	}{
		{"quit", []int{901}, state.HolderQuit, 0},
		{"terminal closed", []int{900, 901}, state.HolderHangup, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.asksNobody()
				other := r.besides()
				id := r.open(resume.Exec, "limit")
				r.pass(10 * time.Minute)
				r.end(c.pids...)
				r.watch.send(fsnotify.Event{Name: r.entryGone(), Op: fsnotify.Remove})
				r.pass(10 * time.Minute)
				if rec := r.rec(id); rec.HolderEnd != c.end || len(r.children.started()) != 0 {
					t.Fatalf("holder end %q, %d starts; log:\n%s", rec.HolderEnd, len(r.children.started()), r.log)
				}
				r.end(900)
				other.open.Store(false)
				r.pass(10 * time.Minute)
				if n := len(r.children.started()); n != c.resumes || r.resumes() != c.resumes {
					t.Errorf("%d starts, %d resumes; log:\n%s", n, r.resumes(), r.log)
				}
			})
		})
	}
}

// Nothing is concluded from a process table that is not seen, nor while the process lives.
func TestHolderNotToBeSeen(t *testing.T) {
	for _, c := range []struct {
		name string
		pid  int
		ends []int
		end  state.HolderEnd
	}{
		{"nothing is seen", 0, []int{901}, ""},
		{"it lives", 950, nil, ""},
		{"another is seen", 950, []int{901}, state.HolderQuit},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.asksNobody()
				other := r.besides()
				other.open.Store(false)
				other.pid = c.pid
				id := r.open(resume.Exec, "limit")
				r.pass(10 * time.Minute)
				other.open.Store(true)
				other.alone.Store(true)
				r.end(c.ends...)
				r.watch.send(fsnotify.Event{Name: r.entryGone(), Op: fsnotify.Remove})
				r.pass(10 * time.Minute)
				if rec := r.rec(id); rec.HolderEnd != c.end || rec.Holder.PID != 901 {
					t.Errorf("holder end %q of %d, want %q", rec.HolderEnd, rec.Holder.PID, c.end)
				}
			})
		})
	}
}

// It says nothing against the terminal that is known to be in the session's folder.
func TestTerminalBesideAnother(t *testing.T) {
	in(t, func(r *rig) {
		r.besides()
		r.open(resume.Tmux, "limit")
		r.pass(10 * time.Minute)
		if all := r.children.started(); len(all) != 1 || all[0].claim.Plan.Way != resume.Tmux || all[0].claim.Plan.Holder.PID != 901 {
			t.Errorf("%d starts; log:\n%s", len(all), r.log)
		}
	})
}

// looked is an agent that sees what it is told to.
type looked struct {
	agent.Agent
	holders []detect.Holder
	kind    detect.Kind // of a record behind the claim; empty: there is none
}

func (a looked) Live(context.Context, detect.Session, detect.Info) ([]detect.Holder, error) {
	return a.holders, nil
}

func (a looked) Read(_ context.Context, _ detect.Session, _ agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	if a.kind != "" {
		each(detect.Event{Kind: a.kind})
	}
	return agent.Batch{}, nil
}

// Before a prompt is typed or sent, the files and the holders are asked once more, as before an agent is started.
func TestLastLookLive(t *testing.T) {
	its := detect.Holder{PID: 901, Start: 91, Liveness: detect.Alive, Kind: detect.Interactive, Sure: true}
	script := detect.Holder{PID: 902, Start: 92, Liveness: detect.Alive, Kind: detect.Headless, Sure: true, Why: "a script"}
	perhaps, window := script, its
	perhaps.Sure, window.PID = false, 903
	reused := its
	reused.Start++
	for _, c := range []struct {
		name, why string
		kind      detect.Kind
		holders   []detect.Holder
		shown     []int
	}{
		{"at rest", "", "", []detect.Holder{its}, nil},
		{"its user went on, and that turn is over", "was continued", detect.KindPrompt, []detect.Holder{its}, nil},
		{"the agent armed its own continue", "was continued", detect.KindSelfResume, []detect.Holder{its}, nil},
		{"closing a dialog left a line", "", detect.KindAside, []detect.Holder{its}, nil},
		{"the agent asks again by itself", "", detect.KindRetry, []detect.Holder{its}, nil},
		{"gone", "is gone", "", nil, nil},
		{"another process has its number", "is gone", "", []detect.Holder{reused}, nil},
		{"a script is in the session, too", "a script", "", []detect.Holder{its, script}, nil},
		{"a script may be", "", "", []detect.Holder{its, perhaps}, nil},
		{"another window of the agent", "", "", []detect.Holder{window, its}, nil},
		{"the terminals that may show it are there", "", "", []detect.Holder{its, window}, []int{903}},
		{"one of them has just gone", "may have shown", "", []detect.Holder{its, window}, []int{903, 904}},
	} {
		for _, way := range []resume.Way{resume.Tmux, resume.PTY, resume.HTTP, resume.Queue} {
			t.Run(c.name+", "+string(way), func(t *testing.T) {
				claim := resume.Claim{Plan: resume.Plan{Way: way, Holder: its, Shown: c.shown}}
				why := LastLook(t.Context(), looked{holders: c.holders, kind: c.kind}, claim, t.TempDir())
				if (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
					t.Errorf("%q, want %q", why, c.why)
				}
			})
		}
	}
}
