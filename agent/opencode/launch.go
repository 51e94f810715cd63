package opencode

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
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
var bounds = append([]string{"OPENCODE_PERMISSION", "OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR", "OPENCODE_DISABLE_PROJECT_CONFIG",
	"OPENCODE_DISABLE_DEFAULT_PLUGINS", "OPENCODE_PURE", "XDG_CONFIG_HOME"}, agent.Targets...)

// options are those that a run is given again. The others set what is recorded, what the config says, or nothing in the work.
var options = func() agent.Options {
	t := agent.Options{}
	t.Add(agent.Switch, agent.Any, pure)
	t.Limit(pure)
	return t
}()

// Launches looks for processes that have bounds, or that a run of clawd's would have other bounds than, and in which sessions they may have
// run a turn: none names its own. What bounds one of a session's processes bounds its resume.
func (o *OpenCode) Launches(hint string) ([]agent.Launched, error) {
	procs, err := o.env.Procs.List()
	if err != nil {
		return nil, agent.SkipNoProcs(err)
	}
	bound, since := map[int]detect.Launch{}, time.Time{}
	judged := o.judged(procs)
	for _, p := range procs {
		l := judged[p.PID]
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
	launch detect.Launch // of a process that has bounds; none: it has no such process
}

// looked gives what the last look at a session showed; false: another one may show more. That is so when somebody has written since,
// unless its process with bounds is still there, and there is none with others that clawd's runs would not have.
func (o *OpenCode) looked(t agent.Touched, bound map[int]detect.Launch) (detect.Launch, bool) {
	o.judging.Lock()
	defer o.judging.Unlock()
	was, ok := o.sights[t.Session.ID]
	if l := was.launch; ok && l.PID != 0 {
		now, lives := bound[l.PID]
		lives = lives && now.Start == l.Start && maps.Equal(now.Bounds, l.Bounds) && reflect.DeepEqual(now.Flags, l.Flags) // else it may have become another program
		return l, lives && (was.stamp == t.Stamp || o.unlike(l) || !slices.ContainsFunc(slices.Collect(maps.Values(bound)), o.unlike))
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
	args  string // of what is named as opencode is: one in exec has none yet, and a wrapper keeps its name when it becomes the agent
}

func (o *OpenCode) programOf(p agent.Proc) program {
	r := program{pid: p.PID, start: p.Start, comm: p.Comm}
	if strings.Contains(p.Comm, Name) || interpreters[p.Comm] {
		r.args = strings.Join(o.env.Procs.Argv(p.PID), "\x00")
	}
	return r
}

// judged gives for each process, by its number, how it was started, if it has bounds. opencode writes all the time, so each
// program is looked at once.
func (o *OpenCode) judged(procs []agent.Proc) map[int]*detect.Launch {
	o.judging.Lock()
	defer o.judging.Unlock()
	all, by := make(map[program]*detect.Launch, len(procs)), make(map[int]*detect.Launch, len(procs))
	for _, p := range procs {
		key := o.programOf(p)
		l, known := o.launches[key]
		if !known {
			if found, ok := agent.Judge(o.env.Procs, p, o.launch); ok {
				l = &found
			}
		}
		all[key], by[p.PID] = l, l
	}
	o.launches = all
	return by
}

// startSlack: the time of a process's start is coarse.
const startSlack = 2 * time.Second

// launched gives how the first process was started that may have a session open and has bounds; those come first that a run of clawd's would not
// have. None: there is no such process.
func (o *OpenCode) launched(ctx context.Context, s detect.Session, bound map[int]detect.Launch) (detect.Launch, error) {
	info, err := o.about(ctx, s)
	if err != nil {
		return detect.Launch{}, agent.SkipAbsent(err)
	}
	holders, err := o.Live(ctx, s, info)
	if err != nil {
		return detect.Launch{}, agent.SkipNoProcs(err)
	}
	first := detect.Launch{}
	for _, h := range holders {
		if l, ok := bound[h.PID]; ok && (first.PID == 0 || o.unlike(l) && !o.unlike(first)) {
			first = l
		}
	}
	return first, nil
}

// unlike tells whether a run of clawd's would have other bounds.
func (o *OpenCode) unlike(l detect.Launch) bool {
	return len(l.Flags) > 0 || len(o.cfg.Unlike(o.env, l.Bounds)) > 0
}

// launch gives how a process was started; false: it is no opencode that its user started, or nothing bounds it, nor a run of clawd's.
func (o *OpenCode) launch(p agent.Proc) (detect.Launch, bool) {
	procs := o.env.Procs
	argv := procs.Argv(p.PID)
	args, named := o.arguments(p, argv)
	if !named || len(argv) == 0 || p.Zombie || agent.OwnRun(procs, p.PID) {
		return detect.Launch{}, false
	}
	l := detect.Launch{PID: p.PID, Start: p.Start, Boot: procs.Boot(), Bounds: o.env.Bounds(bounds, procs.Environ(p.PID))}
	options.Read(args, func(name string, values []string) {
		if !slices.Contains(values, "false") {
			l.Flags = []detect.Flag{{Name: name, Limits: true}}
		}
	})
	return l, agent.Bound(l.Bounds) || o.unlike(l)
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
	flags, lost := options.Kept(r.Launch, o.env, o.cfg, section)
	if lost != nil {
		lost.Command = agent.Command(o.vars(), r.Info.Dir, o.Command(), "--session", r.Session.ID)
		return nil, lost
	}
	for _, f := range flags {
		args = append(args, f.Args()...)
	}
	return args, nil
}
