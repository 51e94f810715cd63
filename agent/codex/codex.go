// Package codex knows the Codex CLI, 0.80 to 0.171: its rollouts
// (sessions/YYYY/MM/DD/rollout-<local time>-<session>.jsonl, one a session, append-only; from 0.169 on, seen, a session whose
// user went back in it goes on in a further one, rollout-<local time>-<session>_<revision>.jsonl, and the newest counts), the locks of
// their writers (thread-writer-locks/<session>.lock, from 0.150 on), and what it prints.
//
// The rollout is the only authority on a turn. thread_history_1.sqlite is not read: it is a
// projection of the rollout that may lag or lack a thread, and a turn that was killed stays
// "inProgress" in it for ever, which the rollout and the lock tell better. logs_N.sqlite is read for
// one thing that stands nowhere else: that a turn under way waits to be tried again. Why a turn failed in a
// terminal of 0.104 or of 0.135 to 0.144 stands in the log alone (log/codex-tui.log, logs_N.sqlite), which is
// written later than the rollout and not read for it: such a session is left, unless a window was used up.
//
// Rollouts hold text from anywhere. Only regular files of this user that others cannot write are
// read; below the agent's folder no symbolic link is followed (the folder itself may be one). A stop
// is only what the agent wrote as a field of its own record.
package codex

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
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// Codex implements agent.Agent.
type Codex struct {
	env   agent.Env
	cfg   agent.Config
	root  string         // links resolved; empty: no home folder is known
	given string         // as configured or set in the environment; empty: the default
	zone  *time.Location // in which the agent prints times
	locks holders.Locks

	mu      sync.Mutex
	paths   map[string]string     // by session: where a scan saw its rollout
	open    map[string]bool       // sessions with a turn under way, as last read
	writers map[string]agent.Proc // by session: who was seen to have its rollout open
	cache   jsonl.Cache

	logs logBook
}

// Kind is Codex, for turn.Request and for whoever lists the agents.
var Kind = agent.Kind{
	Name: "codex",
	Open: func(env agent.Env, cfg agent.Config) agent.Agent { return New(env, cfg) },
	Vars: []string{"CODEX_HOME"},
	Layout: agent.Layout{
		Named: func(path string) bool { return rolloutName.MatchString(filepath.Base(path)) },
		Homes: []string{"sessions/[0-9]*/[0-9]*/[0-9]*", "archived_sessions"},
		Below: []string{"sessions", "archived_sessions"},
		Lay: func(path string) []agent.Copy {
			return []agent.Copy{{From: path, To: filepath.Join("sessions", "2000", "01", "01", filepath.Base(path))}}
		},
	},
}

// rolloutName is the form of a rollout's name, whatever stands in it.
var rolloutName = lazyregexp.New(`^rollout-.*\.jsonl(?:\.zst)?$`)

// New gives the agent over cfg.ConfigDir, else $CODEX_HOME, else ~/.codex. The folder need not
// exist. Times that the agent prints are read in env.Zone, else in $TZ, else in local time.
func New(env agent.Env, cfg agent.Config) *Codex {
	env = env.Whole()
	c := &Codex{env: env, cfg: cfg, zone: env.Location(), locks: holders.KernelLocks, paths: map[string]string{}, open: map[string]bool{}, writers: map[string]agent.Proc{}}
	c.given = cmp.Or(cfg.ConfigDir, cfg.Getenv(env, "CODEX_HOME"))
	switch {
	case c.given != "":
		c.root = filepath.Clean(c.given)
	case env.Home != "":
		c.root = filepath.Join(env.Home, ".codex")
	}
	c.root = agent.Resolved(c.root)
	return c
}

// Name is "codex".
func (c *Codex) Name() string { return "codex" }

// Command is the configured program, else "codex".
func (c *Codex) Command() string { return c.cfg.Program("codex") }

// Folders gives the rollouts by day, the archived ones, and the locks of their writers.
func (c *Codex) Folders() []agent.Folder {
	if c.root == "" {
		return nil
	}
	return []agent.Folder{{Path: c.sessions(), Depth: 3}, {Path: c.archive()}, {Path: c.lockDir()}}
}

func (c *Codex) sessions() string { return filepath.Join(c.root, "sessions") }
func (c *Codex) archive() string  { return filepath.Join(c.root, "archived_sessions") }
func (c *Codex) lockDir() string  { return filepath.Join(c.root, "thread-writer-locks") }

// Files gives the rollout, which is all that a resume needs.
func (c *Codex) Files(s detect.Session) ([]string, error) {
	if err := c.check(s); err != nil {
		return nil, err
	}
	return []string{s.Path}, nil
}

// Beside names the session with the given id. Its rollout is looked for where its id says when it
// was begun; if there is none, Path is a name that it could have.
func (c *Codex) Beside(s detect.Session, id string) detect.Session {
	beside := detect.Session{Agent: s.Agent, ID: id}
	if path := c.find(id); path != "" {
		beside.Path = path
		return beside
	}
	begun, _ := begunAt(id)
	beside.Path = filepath.Join(filepath.Dir(s.Path), "rollout-"+begun.Format("2006-01-02T15-04-05")+"-"+id+plainExt)
	return beside
}

// Account is the folder, the provider, and "login" or "key".
func (c *Codex) Account(i detect.Info) string {
	provider := i.Provider
	if provider == "" {
		provider = "openai"
	}
	return "codex:" + c.root + ":" + provider + ":" + c.auth()
}

// auth tells from the presence of things, never from their content, who pays. auth.json holds a
// login or, after `codex login --with-api-key`, a key: the former is what people have.
func (c *Codex) auth() string {
	_, err := os.Lstat(filepath.Join(c.root, "auth.json"))
	return c.cfg.Auth(c.env, payers, err == nil)
}

func (c *Codex) getenv(name string) string { return c.cfg.Getenv(c.env, name) }

const (
	plainExt  = ".jsonl"
	packedExt = ".jsonl.zst"
	stampLen  = len("2006-01-02T15-04-05-")
	idLen     = 36
)

// idOf gives the session that a rollout is named for; packed: it is compressed.
func idOf(name string) (id string, packed, ok bool) {
	rest, ok := strings.CutPrefix(name, "rollout-")
	if !ok {
		return "", false, false
	}
	base, packed := strings.CutSuffix(rest, packedExt)
	if !packed {
		if base, ok = strings.CutSuffix(rest, plainExt); !ok {
			return "", false, false
		}
	}
	base, revision, revised := strings.Cut(base, "_")
	if len(base) != stampLen+idLen || !agent.IsUUID(base[stampLen:]) || revised && !agent.IsUUID(revision) {
		return "", false, false
	}
	return base[stampLen:], packed, true
}

// revisionOf gives the part of a rollout's name that says how often its user went back in the session; empty: never. The ids
// begin with the time, so the newest is the greatest.
func revisionOf(path string) string {
	_, revision, _ := strings.Cut(filepath.Base(path), "_")
	revision, _, _ = strings.Cut(revision, ".")
	return revision
}

// begunAt reads the time out of a session's id (UUID version 7: milliseconds in the first 48 bits).
func begunAt(id string) (time.Time, bool) {
	if !agent.IsUUID(id) || id[14] != '7' {
		return time.Time{}, false
	}
	var ms int64
	for _, b := range []byte(id[:8] + id[9:13]) {
		ms = ms<<4 | int64(strings.IndexByte("0123456789abcdef", b))
	}
	return time.UnixMilli(ms).UTC(), true
}

// check refuses a session whose id is none or does not name its file, and files that are not
// this user's own. It never opens the file.
func (c *Codex) check(s detect.Session) error {
	if !agent.IsUUID(s.ID) {
		return errors.New("the session id is not a lower-case UUID")
	}
	if id, _, ok := idOf(filepath.Base(s.Path)); !ok || id != s.ID {
		return errors.New("the session's file is not a rollout that is named for it")
	}
	_, err := c.own(s.Path)
	return err
}

// own gives the stat of a file of this user alone that lies in the agent's folder, no link on the way.
func (c *Codex) own(path string) (fs.FileInfo, error) { return agent.OwnIn(c.root, c.given, path) }

// vars are for a command that a person types, who may not have them: where the agent has its folder.
func (c *Codex) vars() []string { return []string{"CODEX_HOME=" + c.given} }
