// Package gemini knows the Gemini CLI: its sessions (tmp/<project>/chats/session-*.jsonl, in old
// versions session-*.json), and the reports that it leaves in the temporary folder when a request fails.
//
// A headless run writes no error into its session: a failed prompt is only taken back, and a request
// that fails after a tool's result leaves nothing at all. Why it failed is known from the record
// that the terminal UI writes, or from a report that is surely of this session; otherwise the reason
// is unknown, which is left. There is no lock and no pid file, so holders are rarely Sure.
package gemini

import (
	"errors"
	"fmt"
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

// Name of the agent, in the config and in every log line.
const Name = "gemini"

// nameForm: a session's file has the first eight characters of its id in its name.
var nameForm = lazyregexp.New(`^session-[0-9A-Za-z-]+-([0-9a-f]{8})\.jsonl?$`)

// Gemini is the Gemini CLI on this machine. It is safe for concurrent use.
type Gemini struct {
	env     agent.Env
	cfg     agent.Config
	root    string // links resolved; empty: no home folder is known
	given   string // the folder before that
	reports string // where the agent leaves its error reports
	zone    *time.Location
	now     func() time.Time

	mu      sync.Mutex
	writers map[string]agent.Proc // by chat: who was seen to write it
	heads   map[string]seenHead   // by path
	dirs    map[string]string     // by hash: folders that were seen, of projects that no file names
}

// Kind is the Gemini CLI, for turn.Request and for whoever lists the agents.
var Kind = agent.Kind{
	Name:   Name,
	Open:   func(env agent.Env, cfg agent.Config) agent.Agent { return New(env, cfg) },
	Vars:   []string{"GEMINI_CLI_HOME", "GEMINI_SANDBOX"},
	Layout: agent.Layout{Named: isNamed, Homes: []string{"tmp/*/chats"}, Below: []string{"tmp/*/chats"}, Lay: lay},
}

// New gives the agent over cfg.ConfigDir, else $GEMINI_CLI_HOME/.gemini, else ~/.gemini. Error
// reports are looked for in $TMPDIR, else in /tmp.
func New(env agent.Env, cfg agent.Config) *Gemini {
	env = env.Whole()
	g := &Gemini{env: env, cfg: cfg, reports: "/tmp", zone: env.Location(), now: time.Now, heads: map[string]seenHead{}, writers: map[string]agent.Proc{}, dirs: map[string]string{}}
	for _, name := range []string{"TEMP", "TMP", "TMPDIR"} { // the last one that is set counts
		if v := g.getenv(name); filepath.IsAbs(v) {
			g.reports = v
		}
	}
	switch home := g.getenv("GEMINI_CLI_HOME"); {
	case cfg.ConfigDir != "":
		g.root = filepath.Clean(cfg.ConfigDir)
	case filepath.IsAbs(home):
		g.root = filepath.Join(home, ".gemini")
	case env.Home != "":
		g.root = filepath.Join(env.Home, ".gemini")
	}
	g.given, g.root = g.root, agent.Resolved(g.root)
	return g
}

func (g *Gemini) getenv(name string) string { return g.cfg.Getenv(g.env, name) }

// Name is "gemini".
func (g *Gemini) Name() string { return Name }

// Withdrew tells of a prompt whose request failed before a tool ran. Versions without checkpoints (up to 0.40) keep it.
func (g *Gemini) Withdrew(at agent.Cursor) (back, turns bool) {
	c, _ := parseCursor(at)
	a := c.State.Ask
	back = a != nil && !a.Back.IsZero()
	return back, !back || !a.Empty
}

// Command is the configured program, else "gemini".
func (g *Gemini) Command() string { return g.cfg.Program("gemini") }

// Folders gives the project folders with their chats.
func (g *Gemini) Folders() []agent.Folder {
	if g.root == "" {
		return nil
	}
	return []agent.Folder{{Path: g.projects(), Depth: 2}}
}

func (g *Gemini) projects() string { return filepath.Join(g.root, "tmp") }

// Files gives the session's file and the folder of its sub-agents, if there is one. The next start
// of the agent in the same project may delete them (0.61), so a copy is the only way back.
func (g *Gemini) Files(s detect.Session) ([]string, error) {
	path, err := g.path(s)
	if err != nil {
		return nil, err
	}
	files := []string{path}
	dir := filepath.Join(filepath.Dir(path), s.ID)
	if fi, err := os.Lstat(dir); err == nil && fi.IsDir() {
		files = append(files, dir)
	}
	return files, nil
}

// Beside names the session with the given id in the same project. Its file need not exist yet: the
// agent puts the minute of its start into the name, so Read looks for it by its id.
func (g *Gemini) Beside(s detect.Session, id string) detect.Session {
	b := detect.Session{Agent: Name, ID: id, Path: filepath.Join(filepath.Dir(s.Path), "session-new.jsonl")}
	if agent.IsUUID(id) {
		b.Path = filepath.Join(filepath.Dir(s.Path), "session-new-"+id[:8]+".jsonl")
		if real, err := g.path(b); err == nil {
			b.Path = real
		}
	}
	return b
}

// Account is the folder with "login" or "key": who pays is not told by a session.
func (g *Gemini) Account(detect.Info) string { return Name + ":" + g.root + ":" + g.auth() }

// auth tells from the presence of things, never from their content, who pays. A login counts more
// than a key: its limit is the one that resets by itself.
func (g *Gemini) auth() string { return g.cfg.Auth(g.env, payers, g.hasLogin()) }

func (g *Gemini) hasLogin() bool {
	_, err := os.Lstat(filepath.Join(g.root, "oauth_creds.json"))
	return err == nil
}

// check refuses a session that this agent did not name, before any of it becomes part of a path or
// an argument.
func (g *Gemini) check(s detect.Session) error {
	if !agent.IsUUID(s.ID) {
		return errors.New("the session id is not a lower-case UUID")
	}
	m := nameForm.FindStringSubmatch(filepath.Base(s.Path))
	if m == nil || m[1] != s.ID[:8] {
		return fmt.Errorf("%q is not the file of session %s", s.Path, s.ID)
	}
	rel, err := filepath.Rel(g.projects(), filepath.Dir(s.Path))
	if part := strings.Split(rel, string(filepath.Separator)); g.root == "" || err != nil || !filepath.IsLocal(rel) || len(part) != 2 || part[1] != "chats" {
		return fmt.Errorf("%q does not lie in a project of the agent's folder", s.Path)
	}
	return nil
}

// latest gives the newest file of a session that an old version began: a newer one copies it from the folder that has the project's
// hash for a name, and writes a session that it resumes on in a file of its own form.
func (g *Gemini) latest(s detect.Session, fi fs.FileInfo) string {
	path, written := s.Path, fi.ModTime()
	dir, name := filepath.Split(path)
	chats := []string{filepath.Clean(dir)}
	for project, slug := range g.projectList() {
		if hashOf(project) == filepath.Base(filepath.Dir(chats[0])) && slug == filepath.Base(slug) {
			chats = append(chats, filepath.Join(g.projects(), slug, "chats"))
		}
	}
	for _, dir := range chats {
		for _, other := range []string{filepath.Join(dir, name), filepath.Join(dir, name+"l")} {
			if agent.Inside(g.root, other) != nil {
				continue
			}
			fi, err := agent.Own(other)
			if err != nil || !fi.ModTime().After(written) {
				continue
			}
			if h, ok := g.head(other, fi); ok && h.SessionID == s.ID && g.hasTurns(other) {
				path, written = other, fi.ModTime()
			}
		}
	}
	return path
}

// path gives the file of a session: the one it names or, when that is not there, the one in the
// same folder that holds the session's conversation.
func (g *Gemini) path(s detect.Session) (string, error) {
	if err := g.check(s); err != nil {
		return "", err
	}
	if err := agent.Inside(g.root, s.Path); err != nil {
		return "", err
	}
	dir := filepath.Dir(s.Path)
	fi, err := agent.Own(s.Path)
	if err == nil && strings.HasSuffix(s.Path, ".json") {
		return g.latest(s, fi), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return s.Path, err
	}
	found, _ := g.find(dir, s.ID[:8]) // whatever else lies there
	for _, t := range found {
		if t.Session.ID == s.ID && g.hasTurns(t.Session.Path) {
			return t.Session.Path, nil
		}
	}
	return "", err
}

// vars are for a command that a person types, who may not have them: in which folder the agent has its own.
func (g *Gemini) vars() []string {
	home := g.getenv("GEMINI_CLI_HOME")
	if g.cfg.ConfigDir != "" {
		home = ""
		if dir, base := filepath.Split(g.given); base == ".gemini" { // the agent finds no other
			home = filepath.Clean(dir)
		}
	}
	return []string{"GEMINI_CLI_HOME=" + home}
}
