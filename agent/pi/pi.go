// Package pi knows the coding agent pi, 0.73 to 1.6: its sessions
// (sessions/--<folder>--/<time>_<session>.jsonl, one a session, append-only), and what it prints.
//
// There is no lock, no pid file and no list of processes, and a live pi has overwritten its arguments, so
// a holder is rarely sure. A kill and a quit look alike: what ended in mid turn counts as interrupted.
// Versions before 0.99 write no file before the first answer.
//
// Sessions hold text from anywhere. Only regular files of this user that others cannot write are read;
// below the agent's folder no symbolic link is followed (the folder itself may be one). A stop is only what
// the agent wrote as the stopReason of its own record. auth.json is never opened.
package pi

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

const (
	dirVar     = "PI_CODING_AGENT_DIR"
	sessionVar = "PI_CODING_AGENT_SESSION_DIR"
)

// Pi implements agent.Agent.
type Pi struct {
	env      agent.Env
	cfg      agent.Config
	root     string // links resolved; empty: no home folder is known
	given    string // as configured or set in the environment; empty: the default
	sessions string // links resolved; with a folder a project, unless the user moved it
	moved    string // where the user moved the sessions, as he wrote it; empty: nowhere
	zone     *time.Location
	now      func() time.Time

	mu    sync.Mutex
	paths map[string]string    // by session: where the last scan of everything saw it
	held  map[string]time.Time // by path: when an error was written that was not told yet
}

// Kind is pi, for turn.Request and for whoever lists the agents.
var Kind = agent.Kind{
	Name: "pi",
	Open: func(env agent.Env, cfg agent.Config) agent.Agent { return New(env, cfg) },
	Vars: []string{dirVar, sessionVar},
	Layout: agent.Layout{
		Named: func(path string) bool { return looseForm.MatchString(filepath.Base(path)) },
		Homes: []string{"sessions", "sessions/*"},
		Below: []string{"sessions"},
		Lay: func(path string) []agent.Copy {
			return []agent.Copy{{From: path, To: filepath.Join("sessions", "copy", filepath.Base(path))}}
		},
	},
}

// looseForm is the form of the name of a session's file, whatever stands in it.
var looseForm = lazyregexp.New(`^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_.+\.jsonl$`)

// New gives the agent over cfg.ConfigDir, else $PI_CODING_AGENT_DIR, else ~/.pi/agent. The folder need not
// exist.
func New(env agent.Env, cfg agent.Config) *Pi {
	env = env.Whole()
	p := &Pi{env: env, cfg: cfg, zone: env.Location(), now: time.Now, paths: map[string]string{}, held: map[string]time.Time{}}
	if p.given = cfg.ConfigDir; p.given == "" {
		p.given = cfg.Getenv(env, dirVar)
	}
	switch {
	case p.given != "":
		p.given = filepath.Clean(p.home(p.given))
		p.root = p.given
	case env.Home != "":
		p.root = filepath.Join(env.Home, ".pi", "agent")
	}
	p.root = agent.Resolved(p.root)
	if p.root == "" {
		return p
	}
	p.sessions = filepath.Join(p.root, "sessions")
	if p.moved = p.movedTo(); p.moved != "" {
		p.sessions = agent.Resolved(filepath.Clean(p.home(p.moved)))
	}
	return p
}

// home puts the home folder in the place of a leading "~".
func (p *Pi) home(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		return p.env.Home + path[1:]
	}
	return path
}

const settingsMax = 1 << 20

// movedTo is where the user has moved the sessions: by the variable, then by the settings. Another folder of
// the agent, which the config names, is not the one that a variable of the environment speaks of.
func (p *Pi) movedTo() string {
	to := p.cfg.Env[sessionVar]
	if to == "" && p.cfg.ConfigDir == "" {
		to = p.env.Getenv(sessionVar)
	}
	if to == "" {
		var set struct {
			SessionDir string `json:"sessionDir"`
		}
		p.settings(&set)
		to = set.SessionDir
	}
	if !filepath.IsAbs(p.home(to)) { // relative to the folder of each run
		return ""
	}
	return to
}

// settings reads some of the user's. What cannot be read stays as it is.
func (p *Pi) settings(set any) {
	if b, err := agent.ReadSettings(filepath.Join(p.root, "settings.json"), settingsMax); err == nil {
		_ = agent.Unmarshal(b, set) // the defaults are in force then
	}
}

// padding is how far from its edges its user has the text of the input box begin.
func (p *Pi) padding() int {
	var set struct {
		Padding float64 `json:"editorPaddingX"`
	}
	if p.root != "" {
		p.settings(&set)
	}
	return int(min(max(set.Padding, 0), 3))
}

// Name is "pi".
func (p *Pi) Name() string { return "pi" }

// Command is the configured program, else "pi".
func (p *Pi) Command() string { return p.cfg.Program("pi") }

// Folders gives the sessions, by project.
func (p *Pi) Folders() []agent.Folder {
	if p.sessions == "" {
		return nil
	}
	return []agent.Folder{{Path: p.sessions, Depth: 1}}
}

// Lag is how long an error stays untold: a version that means to ask again says so a moment later.
func (p *Pi) Lag() time.Duration { return settle + settle/4 }

// Files gives the session's file, which is all that a resume needs.
func (p *Pi) Files(s detect.Session) ([]string, error) {
	path, err := p.path(s)
	if err != nil {
		return nil, err
	}
	return []string{path}, nil
}

// Beside names the session with the given id. Its file need not exist yet: the agent puts the time of its start
// into the name, so Read looks for it by its id.
func (p *Pi) Beside(s detect.Session, id string) detect.Session {
	dir := filepath.Dir(s.Path)
	path := p.find(dir, id)
	if path == "" {
		path = filepath.Join(dir, "2000-01-01T00-00-00-000Z_"+id+ext)
	}
	return detect.Session{Agent: s.Agent, ID: id, Path: path}
}

// find gives the file of a session in a folder; empty: there is none.
func (p *Pi) find(dir, id string) string {
	if !idForm.MatchString(id) {
		return ""
	}
	names, _ := agent.ReadDir(filepath.Dir(p.sessions), dir) // a scan tells why it cannot be read
	for _, n := range names {
		if got, ok := idOf(n.Name()); ok && got == id {
			return filepath.Join(dir, n.Name())
		}
	}
	return ""
}

// Account is the folder, the provider, and "login" or "key".
func (p *Pi) Account(i detect.Info) string {
	return "pi:" + p.root + ":" + i.Provider + ":" + p.auth(i.Provider)
}

const ext = ".jsonl"

var (
	// idForm is what the agent takes for an id: its own are UUIDs, and a user may give another.
	idForm   = lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$`)
	nameForm = lazyregexp.New(`^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_(.+)\.jsonl$`)
)

// idOf gives the session that a file is named for.
func idOf(name string) (string, bool) {
	m := nameForm.FindStringSubmatch(name)
	if m == nil || !idForm.MatchString(m[1]) {
		return "", false
	}
	return m[1], true
}

// path gives the file of a session: the one it names or, when that is not there, the one in the same folder that
// is named for the session. It refuses an id that is none or does not name the file, and files that are
// not this user's own. It opens none.
func (p *Pi) path(s detect.Session) (string, error) {
	if !idForm.MatchString(s.ID) {
		return "", errors.New("the session id is not one that the agent gives")
	}
	if id, ok := idOf(filepath.Base(s.Path)); !ok || id != s.ID {
		return "", errors.New("the session's file is not named for it")
	}
	_, err := p.own(s.Path)
	if !errors.Is(err, fs.ErrNotExist) {
		return s.Path, err
	}
	found := p.find(filepath.Dir(s.Path), s.ID)
	if found == "" {
		return "", err
	}
	_, err = p.own(found)
	return found, err
}

// own gives the stat of a file of this user alone that lies among the sessions, no link on the way.
func (p *Pi) own(path string) (fs.FileInfo, error) {
	if p.sessions == "" {
		return nil, os.ErrNotExist
	}
	above := filepath.Dir(p.sessions)
	if err := agent.Inside(above, path); err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(p.sessions, path)
	if err != nil || !filepath.IsLocal(rel) || strings.Count(rel, string(filepath.Separator)) > 1 {
		return nil, &agent.Refused{Path: path, Why: "it does not lie among the agent's sessions"}
	}
	return agent.Own(path)
}

// vars are for a command that a person types, who may not have them: where the agent has its folder, and its sessions.
func (p *Pi) vars() []string {
	return []string{dirVar + "=" + p.given, sessionVar + "=" + p.cfg.Env[sessionVar]}
}
