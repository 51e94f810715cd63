package gemini

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

var _ agent.Launcher = (*Gemini)(nil)

// options of the command line, as of 0.61. Those that are absent here are lost: nobody knows what they do.
var options = optionTable()

func optionTable() map[string]agent.Option {
	t := map[string]agent.Option{}
	add := func(takes agent.Takes, fate func(string) agent.Fate, names ...string) {
		for _, group := range names {
			spellings := strings.Fields(group)
			for _, name := range spellings {
				t[name] = agent.Option{Name: spellings[0], Takes: takes, Fate: fate}
			}
		}
	}
	add(agent.One, agent.Word, "--model -m", "--approval-mode")
	add(agent.Many, agent.Any, "--include-directories", "--allowed-tools")
	add(agent.Many, agent.Word, "--allowed-mcp-server-names", "--extensions -e")
	add(agent.Many, agent.File, "--policy", "--admin-policy")
	add(agent.Nothing, agent.Any, "--sandbox -s", "--skip-trust")
	add(agent.Nothing, agent.Drop, "--yolo -y", "--debug -d", "--screen-reader", "--raw-output", "--accept-raw-output-risk")
	add(agent.One, agent.Drop, "--prompt -p", "--prompt-interactive -i", "--output-format -o", "--session-id", "--session-file")
	add(agent.Perhaps, agent.Drop, "--resume -r", "--worktree -w")
	return t
}

// soon is how long after its start a process begins its session.
const soon = time.Minute

// Launches looks which process writes a chat. None names its session but by its arguments; without that,
// the one headless process in the folder counts that was started right before the session began.
func (g *Gemini) Launches(hint string) ([]agent.Launched, error) {
	if hint == "" || nameForm.FindStringSubmatch(filepath.Base(hint)) == nil || g.env.Procs == nil || g.written(hint) {
		return nil, nil
	}
	touched, err := g.Scan(context.Background(), hint)
	if err != nil || len(touched) != 1 {
		return nil, err
	}
	s := touched[0].Session
	begun, err := g.begun(s.Path)
	if err != nil {
		return nil, agent.SkipAbsent(err)
	}
	holders, err := g.Live(context.Background(), s, detect.Info{})
	if err != nil {
		return nil, agent.SkipNoProcs(err)
	}
	var found []agent.Launched
	args := ""
	for _, h := range holders {
		p, ok := g.env.Procs.Get(h.PID)
		argv, isAgent := g.arguments(g.env.Procs.Argv(h.PID))
		if !ok || !isAgent || h.Liveness != detect.Alive {
			continue
		}
		if agent.OwnRun(g.env.Procs, h.PID) {
			return nil, nil
		}
		late := begun.Sub(p.Started)
		if !h.Named && (h.Kind != detect.Headless || p.Started.IsZero() || late < -time.Second || late > soon) {
			return nil, nil // it may be that one's
		}
		if words := strings.Join(argv, "\x00"); len(found) == 0 {
			args = words
		} else if words != args {
			return nil, nil // two that are started differently
		}
		l := detect.Launch{PID: h.PID, Start: h.Start, Boot: h.Boot, Pays: purse(g.env.Procs.Environ(h.PID))}
		l.Flags, l.Lost = agent.Parse(argv, options)
		found = []agent.Launched{{Session: s.ID, Launch: l}} // the last one: a launcher comes before its child
	}
	if len(found) > 0 {
		g.mu.Lock()
		g.writers[hint] = agent.Proc{PID: found[0].PID, Start: found[0].Start}
		g.mu.Unlock()
	}
	return found, nil
}

// written tells whether the process was seen that writes a chat.
func (g *Gemini) written(path string) bool {
	g.mu.Lock()
	p, ok := g.writers[path]
	g.mu.Unlock()
	return ok && agent.Lives(g.env.Procs, p)
}

// begun is when a session began, as its file says.
func (g *Gemini) begun(path string) (time.Time, error) {
	fi, err := agent.Own(path)
	if err != nil {
		return time.Time{}, err
	}
	h, _ := g.head(path, fi)
	return h.StartTime, nil // zero: no process began it
}

// restore gives the options that no record tells, and whether the approval mode is among them.
func (g *Gemini) restore(r agent.Request) (args []string, approval bool, known detect.Known, err error) {
	if r.Launch == nil {
		return g.model(r), false, detect.KnownNot, nil
	}
	given := agent.Given(g.cfg.Args, options)
	for _, name := range r.Launch.Lost {
		if !given[name] {
			return nil, false, "", g.unfit(r, "it was started with "+name+", which clawd cannot give it again")
		}
	}
	model := false
	for _, f := range r.Launch.Flags {
		mode := f.Name == "--approval-mode"
		switch {
		case given[f.Name]:
		case mode && slices.Contains(f.Values, "plan"):
			return nil, false, "", g.unfit(r, "it was started in plan mode, in which the agent asks without end once a daily quota is used up")
		case mode && slices.Contains(f.Values, "yolo") && !g.cfg.RestoreBypass:
		default:
			approval = approval || mode
			model = model || f.Name == "--model"
			args = append(args, f.Args()...)
		}
	}
	if r.Info.Interactive && !model { // its user may have chosen one there
		args = append(args, g.model(r)...)
	}
	return args, approval, detect.KnownSeen, nil
}

func (g *Gemini) unfit(r agent.Request, why string) error {
	return &agent.Unfit{Why: why, Key: "agent.gemini.args",
		Command: "cd " + quote(r.Info.Dir) + " && " + quote(g.Command()) + " --resume " + r.Session.ID}
}

// purse tells, from the presence of things and never from their content, who pays for a process with such
// an environment; empty: that is not known.
func purse(environ []string) string {
	who := ""
	for _, kv := range environ {
		if who == "" {
			who = "login"
		}
		if name, value, _ := strings.Cut(kv, "="); value != "" && slices.Contains(payers, name) {
			who = "key"
		}
	}
	return who
}
