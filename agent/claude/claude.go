// Package claude knows Claude Code: its transcripts (projects/<folder>/<session>.jsonl), its
// registry of live processes (sessions/<pid>.json), and how it resumes.
//
// Transcripts are strangers' files that hold text from anywhere. Only regular files of this user
// that others cannot write are read, whose name is a session id; below the agent's folder no
// symbolic link is followed (the folder itself may be one). A stop is only what the agent wrote
// as a top-level field of its own record; message text is looked at in that record alone.
package claude

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
)

// Claude implements agent.Agent.
type Claude struct {
	env   agent.Env
	cfg   agent.Config
	root  string         // links resolved
	given string         // the folder as configured; empty: the default, which needs no variable
	zone  *time.Location // in which the agent prints times without a zone

	mu    sync.Mutex
	seen  map[string]string // registry path -> session it named last
	cache jsonl.Cache

	accounts map[string]account // by global file
}

// Kind is Claude Code, for turn.Request and for whoever lists the agents.
var Kind = agent.Kind{
	Name: "claude",
	Open: func(env agent.Env, cfg agent.Config) agent.Agent { return New(env, cfg) },
	Marks: []string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR",
		goOn, maxAge},
	Vars: append([]string{"CLAUDE_CONFIG_DIR"}, models...),
	Layout: agent.Layout{
		Named: func(path string) bool {
			id, ok := strings.CutSuffix(filepath.Base(path), ".jsonl")
			return ok && agent.IsUUID(id)
		},
		Below: []string{"projects"},
	},
}

// New gives the agent over cfg.ConfigDir, else $CLAUDE_CONFIG_DIR, else ~/.claude. The folder
// need not exist. Times that the agent prints without a zone are read in $TZ, else local time.
func New(env agent.Env, cfg agent.Config) *Claude {
	env = env.Whole()
	c := &Claude{env: env, cfg: cfg, zone: env.Location(), seen: map[string]string{}, accounts: map[string]account{}}
	c.given = cmp.Or(cfg.ConfigDir, cfg.Getenv(env, "CLAUDE_CONFIG_DIR"))
	c.root = agent.Resolved(cmp.Or(c.given, filepath.Join(env.Home, ".claude")))
	return c
}

// Name is "claude".
func (c *Claude) Name() string { return "claude" }

// Command is the configured program, else "claude".
func (c *Claude) Command() string { return c.cfg.Program("claude") }

// Folders gives the project folders and the registry.
func (c *Claude) Folders() []agent.Folder {
	return []agent.Folder{{Path: c.projects(), Depth: 1}, {Path: c.registry()}}
}

func (c *Claude) projects() string { return filepath.Join(c.root, "projects") }
func (c *Claude) registry() string { return filepath.Join(c.root, "sessions") }

// Files gives the transcript and the folder of its sub-agents, if there is one.
func (c *Claude) Files(s detect.Session) ([]string, error) {
	if err := fits(s); err != nil {
		return nil, err
	}
	if _, err := c.own(s.Path); err != nil {
		return nil, err
	}
	files := []string{s.Path}
	dir := strings.TrimSuffix(s.Path, ".jsonl")
	if fi, err := os.Lstat(dir); err == nil && fi.IsDir() {
		files = append(files, dir)
	}
	return files, nil
}

// Account is the folder with "login" or "key": who pays is not told by a session.
func (c *Claude) Account(detect.Info) string {
	return "claude:" + c.root + ":" + c.auth()
}

func (c *Claude) getenv(name string) string { return c.cfg.Getenv(c.env, name) }

// fits checks that a session's id is one and names its file.
func fits(s detect.Session) error {
	switch {
	case !agent.IsUUID(s.ID):
		return errors.New("the session id is not a lower-case UUID")
	case filepath.Base(s.Path) != s.ID+".jsonl":
		return errors.New("the session id is not the name of its file")
	}
	return nil
}

// own gives the stat of a transcript of this user alone that lies in the agent's folder, no link on
// the way.
func (c *Claude) own(path string) (fs.FileInfo, error) { return agent.OwnIn(c.root, c.given, path) }

// vars are for a command that a person types, who may not have them: where the agent has its folder.
func (c *Claude) vars() []string { return []string{"CLAUDE_CONFIG_DIR=" + c.given} }
