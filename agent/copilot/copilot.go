// Package copilot knows the GitHub Copilot CLI, 1.0.65 to 1.0.102: its sessions
// (session-state/<session>/events.jsonl, one a session), who has one open (inuse.PID.lock beside it, and from
// 1.0.92 on inuse.PID.hold, which is locked), and what it prints.
//
// The transcript grows, but for a prompt that its user takes back: then a shorter file takes its place. Lines of
// sub-agents stand among those of the session, and say nothing of it.
//
// From 1.0.83 on a headless run that meets most limits never ends: it waits for an answer to a question that
// nobody sees. The failure in the transcript is the stop all the same.
//
// Sessions hold text from anywhere. Only regular files of this user that others cannot write are read; below the
// agent's folder no symbolic link is followed (the folder itself may be one). A stop is only what the agent wrote as
// a session.error of its own. Of settings it is seen whether they are whole, and nothing else; the databases are never opened.
package copilot

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
)

const (
	homeVar = "COPILOT_HOME"
	state   = "session-state"
	events  = "events.jsonl"
)

// Copilot implements agent.Agent.
type Copilot struct {
	env   agent.Env
	cfg   agent.Config
	root  string // links resolved; empty: no home folder is known
	given string // as configured or set in the environment; empty: the default
	zone  *time.Location
	now   func() time.Time
	locks holders.Locks
	cache jsonl.Cache

	mu      sync.Mutex
	writers map[string]agent.Proc // by session: the process whose launch was told
}

// Kind is the Copilot CLI, for turn.Request and for whoever lists the agents.
var Kind = agent.Kind{
	Name: "copilot",
	Open: func(env agent.Env, cfg agent.Config) agent.Agent { return New(env, cfg) },
	Marks: []string{"COPILOT_AGENT_SESSION_ID", "COPILOT_LOADER_PID", "COPILOT_RUN_APP", "COPILOT_DETACHED_SESSION",
		"COPILOT_DETACHED_PARENT_SESSION_ID", "COPILOT_DETACHED_PARENT_ENGAGEMENT_ID"},
	Vars: []string{homeVar},
	Layout: agent.Layout{
		Named: func(path string) bool {
			return filepath.Base(path) == events && agent.IsUUID(filepath.Base(filepath.Dir(path)))
		},
		Homes: []string{state + "/*"},
		Below: []string{state + "/*", state},
		Lay: func(path string) []agent.Copy {
			id := filepath.Base(filepath.Dir(path))
			return []agent.Copy{{From: path, To: filepath.Join(state, id, events)}}
		},
	},
}

// New gives the agent over cfg.ConfigDir, else $COPILOT_HOME, else ~/.copilot. The folder need not exist.
func New(env agent.Env, cfg agent.Config) *Copilot {
	env = env.Whole()
	c := &Copilot{env: env, cfg: cfg, zone: env.Location(), now: time.Now, locks: holders.KernelLocks, writers: map[string]agent.Proc{}}
	if c.given = cfg.ConfigDir; c.given == "" {
		c.given = cfg.Getenv(env, homeVar)
	}
	switch {
	case c.given != "":
		c.given = filepath.Clean(c.given)
		c.root = c.given
	case env.Home != "":
		c.root = filepath.Join(env.Home, ".copilot")
	}
	c.root = agent.Resolved(c.root)
	return c
}

// Name is "copilot".
func (c *Copilot) Name() string { return "copilot" }

// Command is the configured program, else "copilot".
func (c *Copilot) Command() string { return c.cfg.Program("copilot") }

func (c *Copilot) sessions() string { return filepath.Join(c.root, state) }

// Folders gives the sessions, each with its locks.
func (c *Copilot) Folders() []agent.Folder {
	if c.root == "" {
		return nil
	}
	return []agent.Folder{{Path: c.sessions(), Depth: 1}}
}

// Files gives the session's own folder: its transcript, and what the agent keeps beside it.
func (c *Copilot) Files(s detect.Session) ([]string, error) {
	if err := c.check(s); err != nil {
		return nil, err
	}
	return []string{filepath.Dir(s.Path)}, nil
}

// Beside names the session with the given id.
func (c *Copilot) Beside(s detect.Session, id string) detect.Session {
	return detect.Session{Agent: s.Agent, ID: id, Path: filepath.Join(filepath.Dir(filepath.Dir(s.Path)), id, events)}
}

// Account is the folder, and whether GitHub or a provider of the user's own answers.
func (c *Copilot) Account(i detect.Info) string {
	return "copilot:" + c.root + ":" + i.Provider
}

// check refuses a session whose id is none or does not name its file, and files that are not this user's own. It
// opens none.
func (c *Copilot) check(s detect.Session) error {
	if !agent.IsUUID(s.ID) {
		return errors.New("the session id is not a lower-case UUID")
	}
	_, err := c.own(s)
	return err
}

func (c *Copilot) own(s detect.Session) (fs.FileInfo, error) {
	if c.root == "" {
		return nil, fs.ErrNotExist
	}
	if s.Path != filepath.Join(c.sessions(), s.ID, events) {
		return nil, &agent.Refused{Path: s.Path, Why: "it is not the session's file among the agent's sessions"}
	}
	if err := agent.Inside(c.root, s.Path); err != nil {
		return nil, err
	}
	return agent.Own(s.Path)
}

// vars are for a command that a person types, who may not have them: where the agent has its folder.
func (c *Copilot) vars() []string { return []string{homeVar + "=" + c.given} }
