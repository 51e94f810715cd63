package opencode

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/holders"
	"github.com/clawd-project/clawd/detect"
)

// Live goes by the arguments and the working folder of every opencode process of this user.
// opencode writes nothing down about who has a session open, and leaves nothing behind.
func (o *OpenCode) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	if err := o.check(s); err != nil {
		return nil, err
	}
	// Few processes need it, and all of one look the same.
	look := sync.OnceValues(func() (project, error) { return o.project(ctx, s, i.Dir) })
	const gone = "no opencode process runs in the session's folder or project"
	found, err := holders.Find(ctx, o.env.Procs, gone, func(p agent.Proc) (detect.Holder, bool) { return o.holder(p, s, i, look) })
	if found = slices.DeleteFunc(found, o.starter); len(found) == 0 {
		found = holders.Gone(o.env.Procs, gone)
	}
	o.several(found, s)
	return found, err
}

// starter tells whether a holder is a script that started an opencode with its own arguments and waits for it: up to 1.14 the package
// has one. It listens nowhere and opens nothing, so what it started is judged alone.
func (o *OpenCode) starter(h detect.Holder) bool {
	procs := o.env.Procs
	argv := procs.Argv(h.PID)
	if h.PID <= 1 || !o.scripted(argv) {
		return false
	}
	list, err := procs.List()
	return err == nil && slices.ContainsFunc(list, func(p agent.Proc) bool {
		if p.PPID != h.PID || !o.isProgram(p.Comm) {
			return false
		}
		args, _ := o.arguments(p, procs.Argv(p.PID))
		return slices.Equal(argv[2:], args)
	})
}

// several: where two servers may have a session, such as an editor's and "opencode serve", a prompt may reach the one in which its user is not, and
// both would work on it. So none is given as one that takes prompts. A script that has started a server neither listens nor opens the store.
func (o *OpenCode) several(found []detect.Holder, s detect.Session) {
	var servers []int
	for n, h := range found {
		if h.Kind == detect.Server && h.Liveness == detect.Alive && (h.URL != "" || o.opens(o.env.Procs.Opens(h.PID), s) == ourStore) {
			servers = append(servers, n)
		}
	}
	if len(servers) < 2 {
		return
	}
	for _, n := range servers {
		found[n].URL = ""
		found[n].Why += fmt.Sprintf(", one of %d", len(servers))
	}
}

// holder tells whether a process may have the session open. look gives the session's project.
func (o *OpenCode) holder(p agent.Proc, s detect.Session, i detect.Info, look func() (project, error)) (detect.Holder, bool) {
	procs := o.env.Procs
	argv := procs.Argv(p.PID)
	args, named := o.arguments(p, argv)
	if !named && !interpreters[p.Comm] {
		return detect.Holder{}, false
	}
	store := o.opens(procs.Opens(p.PID), s)
	if store == otherStore || !named && store != ourStore {
		return detect.Holder{}, false
	}
	if slices.Contains(procs.Environ(p.PID), asBun) {
		return detect.Holder{}, false
	}
	c := classify(args)
	if store == ourStore && c.part { // the part of an app that runs the sessions
		c.kind = detect.Server
	}
	cwd := procs.Cwd(p.PID)
	h := detect.Holder{Liveness: detect.Alive, Kind: c.kind, PID: p.PID, Boot: procs.Boot()}
	holders.Describe(procs, &h, p)
	if c.kind == detect.Server && !c.none {
		h.URL = serverURL(c.port, procs.Listens(p.PID))
	}
	switch {
	case !named:
		h.Kind, h.Why = detect.Server, fmt.Sprintf("process %d (%s) has the database open", p.PID, p.Comm)
	case c.none:
		return h, false
	case c.kind == detect.Server:
		h.Why = fmt.Sprintf("process %d is an opencode server, which may have any session open", p.PID)
	case c.copied == s.ID && c.kind == detect.Headless:
		return h, false
	case c.session == s.ID:
		h.Sure, h.Named, h.Why = true, true, fmt.Sprintf("process %d was started with this session's id", p.PID)
	case c.kind == detect.Headless && c.session != "":
		return h, false
	case !related(folders(cwd, c.dir), i.Dir):
		if store != ourStore || !c.lists() {
			return h, false
		}
		return elsewhere(h, folders(cwd, c.dir), look)
	case c.copied == s.ID: // too unlikely for typing into it
		h.Liveness, h.Why = detect.HolderUnknown, fmt.Sprintf("process %d was started with a copy of this session, and may have gone over to it", p.PID)
	default:
		h.Why = fmt.Sprintf("process %d is an opencode in the session's folder; which session it shows is not recorded", p.PID)
	}
	if i.Dir == "" && !h.Sure && h.Kind != detect.Server {
		h.Liveness, h.Why = detect.HolderUnknown, fmt.Sprintf("process %d is an opencode, and in which folder the session is stands nowhere yet", p.PID)
	}
	return h, true
}

// elsewhere tells whether an opencode that works outside the session's folder may show it all the same,
// because it lists every session of its project. That it does is too unlikely for typing into it, and
// too likely for starting a second one beside it.
func elsewhere(h detect.Holder, dirs []string, look func() (project, error)) (detect.Holder, bool) {
	p, err := look()
	same := false
	if err == nil {
		same, err = p.hasAny(dirs)
	}
	h.Liveness = detect.HolderUnknown
	h.Why = fmt.Sprintf("process %d is an opencode of the session's project in another folder; which session it shows is not recorded", h.PID)
	if err != nil {
		h.Why = fmt.Sprintf("process %d is an opencode in another folder, and clawd can't tell whether of the session's project: %v", h.PID, err)
	}
	return h, same || err != nil
}

// asBun is the variable with which opencode has its own program be the Bun that it is built on: to install packages, and for
// language servers ("opencode run server.js --stdio").
const asBun = "BUN_BE_BUN=1"

// interpreters may run opencode from its sources under a name of their own.
var interpreters = map[string]bool{"node": true, "bun": true, "deno": true, "electron": true, "MainThread": true}

// shells start the wrapper scripts that packagers put around it.
var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true}

// arguments gives what follows the program in argv; named: the process is opencode by name.
func (o *OpenCode) arguments(p agent.Proc, argv []string) (args []string, named bool) {
	if len(argv) == 0 {
		return nil, o.isProgram(p.Comm)
	}
	if o.scripted(argv) {
		return argv[2:], true
	}
	if o.isProgram(argv[0]) {
		return argv[1:], true
	}
	return argv[1:], o.isProgram(p.Comm) && !agent.NamedByScript(p, argv)
}

// scripted tells whether an interpreter or a shell runs a script that is opencode by name.
func (o *OpenCode) scripted(argv []string) bool {
	return len(argv) > 1 && (interpreters[filepath.Base(argv[0])] || shells[filepath.Base(argv[0])]) && o.isProgram(argv[1])
}

func (o *OpenCode) isProgram(path string) bool {
	base := filepath.Base(path)
	if o.cfg.Command != "" && base == filepath.Base(o.cfg.Command) {
		return true
	}
	return strings.HasPrefix(strings.TrimPrefix(strings.ToLower(base), "."), "opencode") && !agent.IsScript(base)
}

const (
	noStore    = iota // none is open, or the descriptors are closed to us
	ourStore          // this session's database, or the log beside it
	otherStore        // only those of another data folder
)

func (o *OpenCode) opens(paths []string, s detect.Session) int {
	found := noStore
	for _, p := range paths {
		base := filepath.Base(storeOf(p))
		if strings.HasPrefix(base, "opencode") && strings.HasSuffix(base, ".db") || isJSON(s) && isLog(p) {
			found = otherStore
		}
	}
	want := []string{s.Path, filepath.Join(o.data, "log") + "/"}
	if anyOf(paths, want) {
		return ourStore
	}
	if len(paths) > 0 { // the system names files by their real paths
		for i, p := range want {
			if real, err := filepath.EvalSymlinks(p); err == nil {
				want[i] = real + p[len(filepath.Clean(p)):]
			}
		}
		if anyOf(paths, want) {
			return ourStore
		}
	}
	return found
}

// isLog tells whether a file is a log in a data folder. Versions with JSON files hold nothing else open.
func isLog(path string) bool {
	dir := filepath.Dir(path)
	return strings.HasSuffix(path, ".log") && filepath.Base(dir) == "log" && filepath.Base(filepath.Dir(dir)) == "opencode"
}

// storeOf is the database that a file belongs to.
func storeOf(path string) string { return strings.TrimSuffix(strings.TrimSuffix(path, "-wal"), "-shm") }

// anyOf tells whether one of the files is wanted, or lies in a wanted folder.
func anyOf(paths, want []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		p = storeOf(p)
		return slices.ContainsFunc(want, func(w string) bool {
			dir, base := filepath.Split(w)
			in := agent.SameDir(filepath.Dir(p), filepath.Clean(dir))
			return in && filepath.Base(p) == base || base == "" && (in || strings.HasPrefix(p, w))
		})
	})
}

// call is what the arguments of an opencode process say.
type call struct {
	kind    detect.HolderKind
	session string // --session
	copied  string // --session with --fork: it goes on in a copy, under an id of its own
	newest  bool   // --continue: the newest session of the project
	dir     string // --dir, or the folder that a TUI was given
	port    int    // --port; 0: none, or any
	none    bool   // a command that opens no session
	part    bool   // one process of an app with a window of its own
}

// lists tells whether the process may have gone to any session of its project.
func (c call) lists() bool {
	return c.session == "" && (c.kind == detect.Interactive || c.newest)
}

// Options of opencode that take a value. One that is missing here only makes the value look like
// a command or a folder, and an unknown command counts as a server.
var valued = map[string]bool{
	"--session": true, "-s": true, "--model": true, "-m": true, "--agent": true, "--prompt": true, "--port": true,
	"--hostname": true, "--log-level": true, "--format": true, "--file": true, "-f": true, "--title": true, "--attach": true,
	"--password": true, "-p": true, "--username": true, "-u": true, "--dir": true, "--variant": true, "--command": true,
	"--cors": true, "--mdns-domain": true,
}

var commands = map[string]detect.HolderKind{
	"run": detect.Headless, "serve": detect.Server, "web": detect.Server, "acp": detect.Server, "github": detect.Server,
	"attach": "", "auth": "", "providers": "", "models": "", "stats": "", "export": "", "upgrade": "", "uninstall": "",
	"completion": "", "db": "", "mcp": "", "session": "", "debug": "", "plugin": "", "agent": "",
}

func classify(args []string) call {
	c := call{kind: detect.Interactive}
	listens, command, copies := false, false, false
	for n := 0; n < len(args); n++ {
		a := args[n]
		if a == "--" {
			break
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			if !command {
				command = true
				c.positional(a)
			}
			continue
		}
		name, value, has := strings.Cut(a, "=")
		if len(name) > 2 && name[1] != '-' { // letters in one word: the last one takes the value
			c.newest = c.newest || strings.Contains(name, "c")
			name = "-" + name[len(name)-1:]
		}
		if !has && n+1 < len(args) && takes(name, args[n+1]) {
			n++
			value = args[n]
		}
		switch name {
		case "--session", "-s":
			c.session = value
		case "--continue", "-c":
			c.newest = value != "false"
		case "--fork":
			copies = value != "false"
		case "--dir":
			c.dir = value
		case "--type": // as Electron marks them
			c.part = true
		case "--port":
			listens = true
			c.port, _ = strconv.Atoi(value)
		case "--hostname", "--mdns":
			listens = true
		case "--version", "-v", "--help", "-h":
			c.none = true
		}
	}
	switch {
	case copies:
		c.copied, c.session, c.newest = c.session, "", false
	case c.newest && c.kind == detect.Interactive:
		c.session = "" // a terminal goes over to the newest once it has read the list
	}
	if listens && c.kind == detect.Interactive {
		c.kind = detect.Server
	}
	return c
}

// takes tells whether the next word is the option's value.
func takes(name, next string) bool {
	return valued[name] && !strings.HasPrefix(next, "-") || next == "true" || next == "false"
}

// defaultPort is the one that a server takes, when it is free, without --port.
const defaultPort = 4096

// serverURL gives where the server of a process answers, from the port in its arguments and those on which
// it listens. Other ports are of its tools: one that is not known for its own is not guessed.
func serverURL(port int, listens []int) string {
	switch {
	case slices.Contains(listens, port):
	case slices.Contains(listens, defaultPort):
		port = defaultPort
	case len(listens) == 1:
		port = listens[0]
	default:
		return ""
	}
	return "http://127.0.0.1:" + strconv.Itoa(port)
}

// positional is the first argument that is no option: a command, or the folder of a TUI.
func (c *call) positional(a string) {
	kind, ok := commands[a]
	switch {
	case ok && kind == "":
		c.none = true
	case ok:
		c.kind = kind
	case strings.ContainsAny(a, "/.~"):
		c.dir = a
	default:
		c.kind = detect.Server
	}
}

// folders in which a process may work.
func folders(cwd, dir string) []string {
	all := []string{cwd}
	switch {
	case filepath.IsAbs(dir):
		all = append(all, filepath.Clean(dir))
	case dir != "" && cwd != "":
		all = append(all, filepath.Join(cwd, dir))
	}
	return all
}

// related: a TUI shows the sessions of its project, so a process most likely holds those of its folder,
// of the ones below it, and, as the project may begin further up, of those above it. A folder that is
// not known may be any.
func related(dirs []string, session string) bool {
	if session == "" || dirs[0] == "" {
		return true
	}
	beside := func(d string) bool { return within(session, d) || within(d, session) }
	if slices.ContainsFunc(dirs, beside) {
		return true
	}
	real, err := filepath.EvalSymlinks(session)
	if err != nil || real == session {
		return false
	}
	session = real
	return slices.ContainsFunc(dirs, beside)
}

// within tells whether a path is that of a folder or lies below it.
func within(path, dir string) bool {
	for path = filepath.Clean(path); !agent.SameDir(path, filepath.Clean(dir)); path = filepath.Dir(path) {
		if path == filepath.Dir(path) {
			return false
		}
	}
	return true
}
