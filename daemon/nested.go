package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// deepest bounds how far up from a process its parents are looked at.
const deepest = 64

// inside gives the agent that runs a process of an agent as its tool, or that runs what started it, a hook or a server of tools say; 0: none
// does. What clawd itself runs in, too, tells nothing.
func inside(procs agent.Procs, own string, pid int) int {
	begun := true                                          // up to here it is the agent itself: a launcher, or what leads its sessions
	sandboxed := agent.Sets(procs.Environ(pid), "SANDBOX") // of Gemini CLI and qwen-code: what makes it stands between
	for _, n := range above(procs, pid) {
		switch name := agentOf(procs, n); {
		case name == own && (begun || sandboxed):
		case name != "":
			if slices.Contains(above(procs, os.Getpid()), n) {
				return 0
			}
			return n
		default:
			begun = false
		}
	}
	return 0
}

// above gives the parents of a process, the nearest first.
func above(procs agent.Procs, pid int) (all []int) {
	for range deepest {
		p, ok := procs.Get(pid)
		if !ok || p.PPID <= 1 {
			return all
		}
		pid = p.PPID
		all = append(all, pid)
	}
	return all
}

// runtimes are programs that run an agent's script.
var runtimes = []string{"node", "nodejs", "bun", "MainThread"}

// agentOf gives the agent whose program a process runs; empty: none's. A shell's script of such a name is none: it may do anything.
func agentOf(procs agent.Procs, pid int) string {
	argv := procs.Argv(pid)
	if len(argv) > 0 && slices.Contains(runtimes, filepath.Base(argv[0])) {
		argv = slices.DeleteFunc(slices.Clone(argv[1:]), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	}
	if len(argv) == 0 {
		return ""
	}
	base := strings.TrimPrefix(filepath.Base(argv[0]), ".")
	n := slices.Index(all.Names(), strings.TrimSuffix(base, filepath.Ext(base)))
	if n < 0 {
		return ""
	}
	return all.Names()[n]
}

// others refuses what another agent ran as its tool: that was told how the run ended, and asks again by itself, or has gone on without it.
// What a person drove is his, and his order stands.
func (s *session) others(rec *state.Session, l *detect.Launch) error {
	by := "another agent"
	switch {
	case rec.Decision.Asked:
		return nil
	case rec.Info.Entry == detect.ByAgent:
	case l == nil || l.Inside == 0 || rec.Driven():
		return nil
	default:
		by = fmt.Sprintf("another agent (process %d)", l.Inside)
	}
	return &agent.Unfit{Why: by + " ran it as a tool, and was told how it ended", Command: "clawd resume " + rec.ID}
}

// beginsWithin is how long an agent may take from its start to the beginning of its session.
const beginsWithin = time.Minute

// nested notes that a session was begun by a process that another agent runs as its tool. Where nothing names a process's session, that one of the
// folder's began it that was started last before it.
func (s *session) nested(rec *state.Session, holders []detect.Holder) {
	begun, procs := rec.Info.Created, s.d.o.Env.Procs
	if begun.IsZero() || rec.Info.Parent != "" {
		return
	}
	var last agent.Proc
	for _, h := range holders {
		p, there := procs.Get(h.PID)
		switch {
		case h.Liveness != detect.Alive || h.Kind == detect.Server || !there || agent.OwnRun(procs, h.PID):
			return // it may be that one's
		case h.Kind == detect.Interactive: // what a person begins there is known as his
		case p.Started.Before(begun.Add(truncated)) && p.Started.After(last.Started):
			last = p
		}
	}
	if last.PID == 0 || begun.Sub(last.Started) > beginsWithin {
		return
	}
	if by := inside(procs, s.ds.Agent, last.PID); by != 0 {
		s.d.launches.nested(s.key, detect.Launch{PID: last.PID, Start: last.Start, Boot: s.d.boot, Inside: by, Lost: []string{hadItDo}}, s.d.now())
	}
}

// hadItDo stands for all that is not known of a process.
const hadItDo = "what another agent had it do"

// nested takes in a process of which nothing but that is known. What the agent's own adapter saw counts more.
func (l *launches) nested(key string, seen detect.Launch, now time.Time) {
	l.mu.Lock()
	_, known := l.all[key]
	l.mu.Unlock()
	if !known {
		l.saw(key, seen, now)
	}
}
