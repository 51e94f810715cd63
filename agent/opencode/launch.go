package opencode

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

var _ agent.Launcher = (*OpenCode)(nil)

const (
	section = "agent.opencode"
	pure    = "--pure" // without its user's plugins, which may forbid, or do what nobody wants here
)

// bounds are variables that bound what a run may do, as of 1.18: its rules, and whose config and plugins count.
var bounds = []string{"OPENCODE_PERMISSION", "OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR", "OPENCODE_DISABLE_PROJECT_CONFIG",
	"OPENCODE_DISABLE_DEFAULT_PLUGINS", "OPENCODE_PURE"}

// options are those that a run is given again. The others set what is recorded, what the config says, or nothing in the work.
var options = func() agent.Options {
	t := agent.Options{}
	t.Add(agent.Switch, agent.Any, pure)
	return t
}()

// Launches looks for processes that were started with other bounds than a run of clawd's would have, and in which sessions they may have
// run a turn: none names its own. What bounds one of a session's processes bounds its resume.
func (o *OpenCode) Launches(hint string) ([]agent.Launched, error) {
	procs, err := o.env.Procs.List()
	if err != nil {
		return nil, agent.SkipNoProcs(err)
	}
	bound, since := map[int]detect.Launch{}, time.Time{}
	judged := o.judged(procs)
	for _, p := range procs {
		l := judged[programOf(p)]
		if l == nil {
			continue
		}
		if bound[p.PID] = *l; len(bound) == 1 || p.Started.Before(since) {
			since = p.Started
		}
	}
	if len(bound) == 0 {
		return nil, nil
	}
	ctx := context.Background()
	touched, _ := o.Scan(ctx, hint) // the scan that follows tells of its errors
	var all []agent.Launched
	for _, t := range touched {
		if t.ModTime.Before(since.Add(-startSlack)) {
			continue
		}
		l, known := o.looked(t, bound)
		if !known {
			var refused error
			if l, refused = o.launched(ctx, t.Session, bound); refused != nil {
				err = errors.Join(err, refused)
				continue
			}
			o.looks(t, l)
		}
		if l.PID != 0 && (!known || hint == "") {
			all = append(all, agent.Launched{Session: t.Session.ID, Launch: l})
		}
	}
	return all, err
}

// sight is what a look at a session showed.
type sight struct {
	stamp  string
	launch detect.Launch // of a process with bounds of its own; none: it has no process
}

// looked gives what the last look at a session showed; false: another one may show more. That is so when somebody has written since,
// unless its process with bounds is still there.
func (o *OpenCode) looked(t agent.Touched, bound map[int]detect.Launch) (detect.Launch, bool) {
	o.judging.Lock()
	defer o.judging.Unlock()
	was, ok := o.sights[t.Session.ID]
	if l := was.launch; ok && l.PID != 0 {
		return l, bound[l.PID].Start == l.Start
	}
	return detect.Launch{}, ok && was.stamp == t.Stamp
}

// looks remembers what a look at a session showed.
func (o *OpenCode) looks(t agent.Touched, l detect.Launch) {
	o.judging.Lock()
	defer o.judging.Unlock()
	if len(o.sights) > scanAll {
		clear(o.sights)
	}
	o.sights[t.Session.ID] = sight{t.Stamp, l}
}

// program is one that a process runs.
type program struct {
	pid   int
	start uint64
	comm  string
}

func programOf(p agent.Proc) program { return program{p.PID, p.Start, p.Comm} }

// judged gives for each process how it was started, if it has bounds of its own. opencode writes all the time, so each program is
// looked at once.
func (o *OpenCode) judged(procs []agent.Proc) map[program]*detect.Launch {
	o.judging.Lock()
	defer o.judging.Unlock()
	all := make(map[program]*detect.Launch, len(procs))
	for _, p := range procs {
		key := programOf(p)
		l, known := o.launches[key]
		if !known {
			if found, ok := agent.Judge(o.env.Procs, p, o.launch); ok {
				l = &found
			}
		}
		all[key] = l
	}
	o.launches = all
	return all
}

// startSlack: the time of a process's start is coarse.
const startSlack = 2 * time.Second

// launched gives how the first process was started that may have a session open and has bounds of its own; none: there is no such one.
func (o *OpenCode) launched(ctx context.Context, s detect.Session, bound map[int]detect.Launch) (detect.Launch, error) {
	info, err := o.about(ctx, s)
	if err != nil {
		return detect.Launch{}, agent.SkipAbsent(err)
	}
	holders, err := o.Live(ctx, s, info)
	i := slices.IndexFunc(holders, func(h detect.Holder) bool { _, ok := bound[h.PID]; return ok })
	if err != nil || i < 0 {
		return detect.Launch{}, agent.SkipNoProcs(err)
	}
	return bound[holders[i].PID], nil
}

// launch gives how a process was started; false: it is no opencode that its user started, or has no bounds of its own.
func (o *OpenCode) launch(p agent.Proc) (detect.Launch, bool) {
	procs := o.env.Procs
	argv := procs.Argv(p.PID)
	args, named := o.arguments(p, argv)
	if !named || len(argv) == 0 || p.Zombie || agent.OwnRun(procs, p.PID) {
		return detect.Launch{}, false
	}
	l := detect.Launch{PID: p.PID, Start: p.Start, Boot: procs.Boot(), Lost: o.cfg.Unlike(o.env, bounds, procs.Environ(p.PID))}
	options.Read(args, func(name string, values []string) {
		if !slices.Contains(values, "false") {
			l.Flags = []detect.Flag{{Name: name}}
		}
	})
	return l, len(l.Lost)+len(l.Flags) > 0
}

// about gives what is recorded of a session as a whole.
func (o *OpenCode) about(ctx context.Context, s detect.Session) (i detect.Info, err error) {
	if isJSON(s) {
		return o.stored(s).info(ctx)
	}
	err = o.view(ctx, s.Path, func(ctx context.Context, tx *sql.Tx) error {
		i, err = dbStore{tx, s.ID}.info(ctx)
		return err
	})
	return i, err
}

// restore gives the options that the session's process had and that no record tells.
func (o *OpenCode) restore(r agent.Request) (args []string, err error) {
	if r.Launch == nil {
		return nil, nil
	}
	flags, lost := options.Kept(r.Launch, o.cfg, section)
	if lost != nil {
		lost.Command = agent.Command(r.Info.Dir, "opencode", "--session", r.Session.ID)
		return nil, lost
	}
	for _, f := range flags {
		args = append(args, f.Args()...)
	}
	return args, nil
}
