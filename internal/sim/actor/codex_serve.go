package actor

import (
	"path/filepath"
	"slices"
	"time"
)

// CodexServer plays Codex's background server: one process that keeps sessions open for the terminals attached to it, and for
// nobody when those are gone.
type CodexServer struct {
	c      *Codex
	proc   *Proc
	guests []*codex
}

// Serve starts the background server.
func (c *Codex) Serve(now time.Time) *CodexServer {
	program := filepath.Join(c.root, "packages", "app-server-daemon", "releases", "0.169.0", "bin", "codex")
	v := &CodexServer{c: c, proc: c.w.Procs.Spawn("codex", []string{program, "app-server", "--listen", "unix://", "--managed-daemon"}, c.w.Env, c.w.Home, "", now)}
	v.proc.Open = []string{filepath.Join(c.root, "config.toml")}
	return v
}

// Up tells whether it runs.
func (v *CodexServer) Up() bool { return v.c.w.Procs.Proc(v.proc.PID) == v.proc }

// Begin has a terminal begin a session, which comes with its first prompt.
func (v *CodexServer) Begin(s Start, now time.Time) (Session, error) {
	p := v.guest("", s, now)
	p.attach(now)
	return p, nil
}

// Open has a terminal show a session.
func (v *CodexServer) Open(id string, s Start, now time.Time) (Session, error) {
	i := slices.IndexFunc(v.guests, func(p *codex) bool { return p.id == id && !p.ended })
	switch {
	case i >= 0:
		v.guests[i].attach(now)
		return v.guests[i], nil
	case v.c.open[id] != nil || v.c.files[id] == "":
		return nil, ErrCannot
	}
	p := v.guest(id, s, now)
	if err := p.read(); err != nil {
		return nil, err
	}
	p.attach(now)
	return p, p.take(now)
}

func (v *CodexServer) guest(id string, s Start, now time.Time) *codex {
	p := v.c.process(id, s, now)
	p.proc, p.server = v.proc, v
	v.guests = append(v.guests, p)
	return p
}

// attach has its user's terminal show the session.
func (p *codex) attach(now time.Time) {
	if !p.attached() {
		p.shown = p.w.Procs.Spawn("codex", []string{"codex"}, p.w.Env, p.start.Dir, p.start.TTY, now)
		p.shown.Open = []string{filepath.Join(p.c.root, "config.toml")}
	}
}

// attached tells whether a terminal shows the session.
func (p *codex) attached() bool { return p.shown != nil && p.w.Procs.Proc(p.shown.PID) == p.shown }

// detach ends the terminal that shows the session, which goes on.
func (p *codex) detach() {
	if p.shown != nil {
		p.w.Procs.End(p.shown.PID)
		p.shown = nil
	}
}

// end ends the process, and with it every turn.
func (v *CodexServer) end(now time.Time, code int) (err error) {
	for _, p := range v.guests {
		p.detach()
		if e := p.exit(now, code, true); e != nil {
			err = e
		}
	}
	return err
}

// Own tells whether the process works in this session alone.
func (p *codex) Own() bool { return p.server == nil }
