package main

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// policy is clawd's default one, as far as it decides whether a session goes on by itself at all.
var policy = resume.Policy{Reasons: resume.DefaultReasons()}

// verdict is what clawd says of a session.
type verdict struct {
	stop      detect.Stop
	resumable bool
	missing   bool // clawd does not see the session at all
	subs      []subStop
}

// openAgent gives one agent over a folder of its own.
func openAgent(name, folder string, zone *time.Location, procs agent.Procs) (agent.Agent, error) {
	getenv := func(name string) string {
		if name == "TMPDIR" { // where an agent may leave reports of its failures
			return filepath.Join(filepath.Dir(folder), "tmp")
		}
		return ""
	}
	env := agent.Env{Home: filepath.Dir(folder), Getenv: getenv, Procs: procs, Zone: zone}
	kind, err := all.Kind(name)
	if err != nil {
		return nil, err
	}
	return kind.Open(env, agent.Config{ConfigDir: folder}), nil
}

// root is the agent's own folder of a run.
func (r run) root() string {
	if fi, err := os.Stat(filepath.Join(r.dir, "home")); err == nil && fi.IsDir() {
		return filepath.Join(r.dir, "home")
	}
	return r.dir
}

// layOut copies the run into a folder as the agent had it; the agent's own folder is "agent" in it,
// the temporary one "tmp".
func (r run) layOut(ctx context.Context, scratch string) (string, error) {
	folder := filepath.Join(scratch, "agent")
	if err := layOut(ctx, folder, r.root(), r.At); err != nil {
		return "", err
	}
	tmp := filepath.Join(r.dir, "tmp")
	if _, err := os.Stat(tmp); err != nil || r.root() == r.dir {
		return folder, nil
	}
	return folder, layOut(ctx, filepath.Join(scratch, "tmp"), tmp, r.At)
}

// judge gives clawd's verdicts on a run by session id, also on sessions that the truth does not
// list. scratch is an empty folder.
func (r run) judge(ctx context.Context, scratch string) (map[string]verdict, error) {
	folder, err := r.layOut(ctx, scratch)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return nil, err
	}
	a, err := openAgent(r.Agent, folder, zone, newTable(r.Procs, folder))
	if err != nil {
		return nil, err
	}
	found, err := a.Scan(ctx, "")
	if err != nil {
		return nil, err
	}
	verdicts := map[string]verdict{}
	for _, t := range found {
		if verdicts[t.Session.ID], err = look(ctx, a, t.Session); err != nil {
			return nil, err
		}
	}
	return verdicts, nil
}

// look says of one session what "clawd detect" says.
func look(ctx context.Context, a agent.Agent, s detect.Session) (verdict, error) {
	stop, b, err := agent.Look(ctx, a, s, true)
	if err != nil {
		return verdict{}, err
	}
	var subs []subStop
	if p, ok := a.(agent.Parent); ok && b.Info.Parent == "" {
		all, err := p.SubStops(ctx, s, time.Time{})
		if err != nil {
			return verdict{}, err
		}
		for _, x := range all {
			if x.Counts(stop) {
				subs = append(subs, subStop{ID: x.ID, Name: x.Name, Reason: x.Reason, Window: x.Window, ResetAt: x.ResetAt})
			}
		}
	}
	kind := policy.Select(stop, resume.Tried{}).Kind()
	return verdict{stop: stop, subs: subs, resumable: kind != resume.Leave && stop.State == detect.Stopped && b.Info.Parent == ""}, nil
}

// layOut copies an agent's folder as the agent had it, with db.sql made a database again. All
// files get the time at, for a checkout's own times mean nothing.
func layOut(ctx context.Context, to, from string, at time.Time) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case rel == "want.json":
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if rel == "db.sql" {
			target = filepath.Join(to, "opencode.db")
			err = makeDB(ctx, target, string(b))
		} else {
			err = os.WriteFile(target, b, 0o600)
		}
		return errors.Join(err, os.Chtimes(target, at, at))
	})
}

func makeDB(ctx context.Context, path, dump string) error {
	db, err := openDB(path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, dump)
	return errors.Join(err, db.Close())
}

func openDB(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(off)")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// table is the process table of a recording.
type table struct{ procs []process }

func newTable(procs []process, folder string) table {
	t := table{}
	for _, p := range procs {
		var opens []string
		for _, o := range p.Opens {
			if !filepath.IsAbs(o) {
				o = filepath.Join(folder, o)
			}
			opens = append(opens, o)
		}
		p.Opens = opens
		t.procs = append(t.procs, p)
	}
	return t
}

func (p process) proc() agent.Proc {
	comm := ""
	if len(p.Argv) > 0 {
		comm = filepath.Base(p.Argv[0])
	}
	return agent.Proc{PID: p.PID, PPID: 1, Group: p.PID, Leader: p.PID, Start: p.Start, Comm: comm[:min(len(comm), 15)]}
}

func (t table) find(pid int) process {
	for _, p := range t.procs {
		if p.PID == pid {
			return p
		}
	}
	return process{}
}

func (table) Boot() string         { return "recorded" }
func (table) Machine() string      { return "" }
func (table) PIDNamespace() string { return "" }
func (table) InnerPID(pid int) int { return pid }
func (t table) Get(pid int) (agent.Proc, bool) {
	p := t.find(pid)
	return p.proc(), p.PID != 0
}

func (t table) List() ([]agent.Proc, error) {
	var list []agent.Proc
	for _, p := range t.procs {
		list = append(list, p.proc())
	}
	return list, nil
}
func (t table) Argv(pid int) []string { return t.find(pid).Argv }
func (t table) Cwd(pid int) string    { return t.find(pid).Cwd }
func (table) Environ(int) []string    { return nil }
func (table) Listens(int) []int       { return nil }
func (t table) Opens(pid int) []string {
	return t.find(pid).Opens
}

// cutTo gives a time as precisely as the truth knows it: to the second, or to the minute.
func cutTo(t time.Time, minute bool) string {
	if t.IsZero() {
		return ""
	}
	if minute {
		t = t.Truncate(time.Minute)
	}
	return t.UTC().Format(time.RFC3339)
}
