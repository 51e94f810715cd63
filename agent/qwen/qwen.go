// Package qwen knows the coding agent qwen-code, 0.15 to 0.24: its sessions (projects/<folder>/chats/<session>.jsonl,
// append-only), the list of its open terminals (sessions/<pid>.json, from 0.24 on), and what its runs print.
//
// A failed try has a record, and that the agent gave up has none: it asks again by itself, for an hour. A
// run that ends by itself leaves a line in usage_record.jsonl, and one that is stopped while it waits leaves none, so
// a headless run has failed where that line says that it ended. A terminal stays open; its screen tells the rest.
//
// Sessions hold text from anywhere. Only regular files of this user that others cannot write are read;
// below the agent's folder no symbolic link is followed (the folder itself may be one). A stop is only what
// the agent wrote as an event of its own. The folder's credentials and .env files are never opened, and of
// settings.json only where the sessions lie counts, and whether runs ask before they act.
package qwen

import (
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

// Name of the agent, in the config and in every log line.
const Name = "qwen"

const (
	homeVar    = "QWEN_HOME"
	runtimeVar = "QWEN_RUNTIME_DIR"
	ext        = ".jsonl"
)

// Qwen implements agent.Agent.
type Qwen struct {
	env   agent.Env
	cfg   agent.Config
	root  string // links resolved; empty: no home folder is known
	given string // as configured or set in the environment; empty: the default
	base  string // links resolved: the folder that the sessions lie in, which is root unless the user moved it
	moved string // where the user moved the sessions; empty: nowhere
	zone  *time.Location
	now   func() time.Time

	cache jsonl.Cache
	ends  ends

	mu      sync.Mutex
	entries map[string]string     // by registry entry: the session that it named when it was last read
	writers map[string]agent.Proc // by session's file: who was seen to write it
}

// Kind is qwen-code, for turn.Request and for whoever lists the agents.
var Kind = agent.Kind{
	Name: Name,
	Open: func(env agent.Env, cfg agent.Config) agent.Agent { return New(env, cfg) },
	// The last one would put other arguments in the place of a run's own.
	Marks: []string{sessionVar, "QWEN_CODE_PROMPT_ID", "QWEN_CODE_LAUNCHER_PID", "QWEN_CODE_MODEL", "QWEN_CODE_RELAUNCH_ARGS"},
	Vars:  []string{homeVar, runtimeVar, "QWEN_SANDBOX"},
	Layout: agent.Layout{
		Named: func(path string) bool { _, ok := idOf(path); return ok },
		Homes: []string{"projects/*/chats"},
		Below: []string{"projects/*/chats"},
		Lay: func(path string) []agent.Copy {
			return []agent.Copy{{From: path, To: filepath.Join("projects", "copy", "chats", filepath.Base(path))}}
		},
	},
}

// New gives the agent over cfg.ConfigDir, else $QWEN_HOME, else ~/.qwen. The folder need not exist.
func New(env agent.Env, cfg agent.Config) *Qwen {
	env = env.Whole()
	q := &Qwen{env: env, cfg: cfg, zone: env.Location(), now: time.Now, entries: map[string]string{}, writers: map[string]agent.Proc{}}
	if q.given = cfg.ConfigDir; q.given == "" {
		q.given = cfg.Getenv(env, homeVar)
	}
	switch {
	case q.given != "":
		q.given = filepath.Clean(q.home(q.given))
		q.root = q.given
	case env.Home != "":
		q.root = filepath.Join(env.Home, ".qwen")
	}
	q.root = agent.Resolved(q.root)
	if q.root == "" {
		return q
	}
	q.base = q.root
	if q.moved = q.movedTo(); q.moved != "" {
		q.base = agent.Resolved(filepath.Clean(q.home(q.moved)))
	}
	return q
}

// home puts the home folder in the place of a leading "~".
func (q *Qwen) home(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		return q.env.Home + path[1:]
	}
	return path
}

// movedTo is where the user has moved the sessions: by the variable, then by the settings. Another folder of
// the agent, which the config names, is not the one that a variable of the environment speaks of.
func (q *Qwen) movedTo() string {
	to := q.cfg.Env[runtimeVar]
	if to == "" && q.cfg.ConfigDir == "" {
		to = q.env.Getenv(runtimeVar)
	}
	if to == "" {
		to = q.settings().Advanced.Runtime
	}
	if !filepath.IsAbs(q.home(to)) { // relative to the folder of each run
		return ""
	}
	return to
}

type settings struct {
	Advanced struct {
		Runtime string `json:"runtimeOutputDir"`
	} `json:"advanced"`
	Tools struct {
		Mode string `json:"approvalMode"`
	} `json:"tools"`
}

const settingsMax = 1 << 20

func (q *Qwen) settings() settings { return settingsIn(q.root) }

// settingsIn reads those of the user's folder, or of a project's.
func settingsIn(dir string) (set settings) {
	if agent.ReadJSONC(filepath.Join(dir, "settings.json"), settingsMax, &set) != nil {
		return settings{}
	}
	return set
}

// Name is "qwen".
func (q *Qwen) Name() string { return Name }

// Command is the configured program, else "qwen".
func (q *Qwen) Command() string { return q.cfg.Program(Name) }

func (q *Qwen) projects() string { return filepath.Join(q.base, "projects") }
func (q *Qwen) registry() string { return filepath.Join(q.root, "sessions") }

// Folders gives the folder with the list of runs that ended, the sessions by project, and the open terminals.
func (q *Qwen) Folders() []agent.Folder {
	if q.root == "" {
		return nil
	}
	return []agent.Folder{{Path: q.root}, {Path: q.projects(), Depth: 2}, {Path: q.registry()}}
}

// Files gives the session's file, which is all that a resume needs.
func (q *Qwen) Files(s detect.Session) ([]string, error) {
	path, err := q.path(s)
	if err != nil {
		return nil, err
	}
	return []string{path}, nil
}

// Beside names the session with the given id in the same project.
func (q *Qwen) Beside(s detect.Session, id string) detect.Session {
	return detect.Session{Agent: s.Agent, ID: id, Path: filepath.Join(filepath.Dir(s.Path), id+ext)}
}

// Account is the folder and what the agent calls its way to pay, which the endpoint is no part of: no file tells it.
func (q *Qwen) Account(i detect.Info) string { return Name + ":" + q.root + ":" + i.Provider }

// idOf gives the session that a file is named for.
func idOf(path string) (string, bool) {
	id, ok := strings.CutSuffix(filepath.Base(path), ext)
	return id, ok && agent.IsUUID(id)
}

// path gives the file of a session. It refuses an id that is none or does not name the file, and files that are
// not this user's own. It opens none.
func (q *Qwen) path(s detect.Session) (string, error) {
	if !agent.IsUUID(s.ID) {
		return "", errors.New("the session id is not a lower-case UUID")
	}
	if id, ok := idOf(s.Path); !ok || id != s.ID {
		return "", errors.New("the session's file is not named for it")
	}
	_, err := q.own(s.Path)
	return s.Path, err
}

// own gives the stat of a file of this user alone that lies among the sessions, no link on the way.
func (q *Qwen) own(path string) (fs.FileInfo, error) {
	if q.base == "" {
		return nil, os.ErrNotExist
	}
	rel, err := filepath.Rel(q.projects(), path)
	if err != nil || !filepath.IsLocal(rel) || strings.Count(rel, string(filepath.Separator)) != 2 || filepath.Base(filepath.Dir(rel)) != "chats" {
		return nil, &agent.Refused{Path: path, Why: "it does not lie among the agent's sessions"}
	}
	if err := agent.Inside(q.base, path); err != nil {
		return nil, err
	}
	return agent.Own(path)
}

// vars are for a command that a person types, who may not have them: where the agent has its folder, and its sessions.
func (q *Qwen) vars() []string {
	return []string{homeVar + "=" + q.given, runtimeVar + "=" + q.cfg.Env[runtimeVar]}
}
