// Package opencode reads the sessions of opencode: one SQLite database for all of them from 1.2
// on, JSON files before. It only ever reads, in short transactions.
//
// opencode leaves no lock, pid file or socket per session, so which process shows a session can
// only be guessed from its arguments and its folder: its holders are rarely Sure. Of a process that works
// elsewhere in the session's project nothing can be told at all.
package opencode

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
const Name = "opencode"

var idForm = lazyregexp.New(`^ses_[A-Za-z0-9]{20,40}$`)

// OpenCode is opencode on this machine. It is safe for concurrent use.
type OpenCode struct {
	env  agent.Env
	cfg  agent.Config
	data string // absolute; empty: no home folder is known
	// configs are the folders in which it keeps what its user sets for all projects.
	configs []string
	config  string // a further file of such, which OPENCODE_CONFIG names

	// One reader at a time: it bounds the memory, and the copy of a database that lacks its -shm
	// must not close a file whose POSIX locks another reader of this process holds.
	mu sync.Mutex
	// pending are the rows of messages without an end, by database. They are looked at in every
	// scan, because a long retry wait moves them out of the newest rows.
	pending map[string]map[int64]bool
	conns   map[string]conn // by database
	// slow are the databases of which a read took longer than patience.
	slow     map[string]slow
	patience time.Duration
	rows     keptRows
	// retried is when the newest failed try of a session was logged, and logged names the state of the logs that told it.
	retried map[string]time.Time
	logged  string

	judging  sync.Mutex
	launches map[program]*detect.Launch // of the processes that there were; nil: it has no bounds of its own
	sights   map[string]sight           // by session
}

// Kind is opencode, for turn.Request and for whoever lists the agents.
var Kind = agent.Kind{
	Name:   Name,
	Open:   func(env agent.Env, cfg agent.Config) agent.Agent { return New(env, cfg) },
	Vars:   []string{database, "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"},
	Layout: agent.Layout{Below: []string{"storage"}, Stores: map[string]string{".db": database}},
}

// database is the variable that names another database.
const database = "OPENCODE_DB"

// New gives opencode with the data folder of cfg, else of the environment, else of the home folder.
func New(env agent.Env, cfg agent.Config) *OpenCode {
	env = env.Whole()
	o := &OpenCode{env: env, cfg: cfg, pending: map[string]map[int64]bool{}, conns: map[string]conn{}, retried: map[string]time.Time{}, slow: map[string]slow{}, patience: patience,
		sights: map[string]sight{}, configs: configs(env), config: env.Getenv("OPENCODE_CONFIG")}
	switch xdg := cfg.Getenv(env, "XDG_DATA_HOME"); {
	case cfg.ConfigDir != "":
		o.data = filepath.Clean(cfg.ConfigDir)
	case filepath.IsAbs(xdg):
		o.data = filepath.Join(xdg, "opencode")
	case env.Home != "":
		o.data = filepath.Join(env.Home, ".local", "share", "opencode")
	}
	return o
}

// Name is "opencode".
func (o *OpenCode) Name() string { return Name }

// Command is the configured program, else "opencode".
func (o *OpenCode) Command() string { return o.cfg.Program("opencode") }

// Folders are the data folder, in which every write shows up as one of opencode.db-wal, and the
// folders of the JSON files that opencode wrote before 1.2.
func (o *OpenCode) Folders() []agent.Folder {
	if o.data == "" {
		return nil
	}
	all := []agent.Folder{
		{Path: o.data},
		{Path: filepath.Join(o.data, "storage", "session"), Depth: 1},
		{Path: filepath.Join(o.data, "storage", "message"), Depth: 1},
	}
	if p := o.named(); p != "" && filepath.Dir(p) != o.data {
		all = append(all, agent.Folder{Path: filepath.Dir(p)})
	}
	return all
}

// Lag is a quarter of a second: of 3,000 commits on a busy machine 64 could not be seen at the last event that they gave.
func (o *OpenCode) Lag() time.Duration { return 250 * time.Millisecond }

// named is the database that OPENCODE_DB asks for; empty: none does, or it is only in memory.
func (o *OpenCode) named() string {
	switch v := o.env.Getenv(database); {
	case v == "" || v == ":memory:":
		return ""
	case filepath.IsAbs(v):
		return filepath.Clean(v)
	case o.data != "" && filepath.IsLocal(v):
		return filepath.Join(o.data, v)
	}
	return ""
}

// databases lists the databases that exist: opencode.db, and one for each further channel.
func (o *OpenCode) databases() []string {
	if o.env.Getenv(database) != "" {
		p := o.named()
		if _, err := os.Lstat(p); p == "" || err != nil {
			return nil
		}
		return []string{p}
	}
	if o.data == "" {
		return nil
	}
	names, err := os.ReadDir(o.data)
	if err != nil {
		return nil
	}
	var all []string
	for _, n := range names {
		if strings.HasPrefix(n.Name(), "opencode") && strings.HasSuffix(n.Name(), ".db") {
			all = append(all, filepath.Join(o.data, n.Name()))
		}
	}
	return all
}

// isJSON tells a session of the JSON files from one of a database.
func isJSON(s detect.Session) bool { return strings.HasSuffix(s.Path, ".json") }

// check refuses a session that this agent did not name, before any of it becomes part of a path
// or an argument.
func (o *OpenCode) check(s detect.Session) error {
	if !idForm.MatchString(s.ID) {
		return fmt.Errorf("%q is no session id of opencode", s.ID)
	}
	if !isJSON(s) {
		if !o.ours(s.Path) {
			return fmt.Errorf("%q is no database of opencode's data folder", s.Path)
		}
		return nil
	}
	if filepath.Base(s.Path) != s.ID+".json" || o.storageOf(s.Path) == "" {
		return fmt.Errorf("%q is not the file of session %s", s.Path, s.ID)
	}
	if err := agent.Inside(o.data, s.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // who reads it says that it is gone
}

// Beside names another session of the same database, or of the same project of the JSON files.
func (o *OpenCode) Beside(s detect.Session, id string) detect.Session {
	path := s.Path
	if isJSON(s) {
		path = filepath.Join(filepath.Dir(path), id+".json")
	}
	return detect.Session{Agent: Name, ID: id, Path: path}
}

// Account is one for a data folder and a provider: opencode has one login or key for each.
func (o *OpenCode) Account(i detect.Info) string {
	return "opencode:" + o.data + ":" + i.Provider
}

// maxBackup is the size of a database above which a backup of one session is refused.
const maxBackup = 256 << 20

// Files lists the database with its -wal, which may hold everything, or the JSON files of one
// session. Whoever copies a database must not do so while this process reads it.
func (o *OpenCode) Files(s detect.Session) ([]string, error) {
	if err := o.check(s); err != nil {
		return nil, err
	}
	if isJSON(s) {
		return o.storageFiles(s)
	}
	// Who copies the files opens and closes them, which would take away the locks that a connection
	// of this process holds.
	o.mu.Lock()
	err := o.disconnect(s.Path)
	o.mu.Unlock()
	if err != nil {
		return nil, err
	}
	var all []string
	var size int64
	for _, p := range []string{s.Path, s.Path + "-wal"} {
		fi, err := agent.Own(p)
		if errors.Is(err, fs.ErrNotExist) && p != s.Path {
			continue
		}
		if err != nil {
			return nil, err
		}
		all, size = append(all, p), size+fi.Size()
	}
	if size > maxBackup {
		return nil, fmt.Errorf("%s holds all sessions of opencode in %d MB; it is copied up to %d MB only", s.Path, size>>20, maxBackup>>20)
	}
	return all, nil
}

// vars are for a command that a person types, who may not have them: in which folder the agent has its data.
func (o *OpenCode) vars() []string {
	data := o.cfg.Getenv(o.env, "XDG_DATA_HOME")
	if o.cfg.ConfigDir != "" {
		data = ""
		if dir, base := filepath.Split(o.data); base == "opencode" { // the agent finds no other
			data = filepath.Clean(dir)
		}
	}
	return []string{"XDG_DATA_HOME=" + data}
}
