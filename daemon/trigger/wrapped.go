package trigger

import (
	"context"
	"errors"
	"fmt"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/wrap"
)

// wrapped is a terminal of clawd wrap. It knows when a person types.
type wrapped struct {
	holder holder
	info   wrap.Info
	keys   uint64 // as counted when the screen was looked at
}

// Wrapped finds the terminal of clawd wrap that a process runs in: the program that was wrapped is the
// process or one above it. False: there is none.
func (t *Trigger) Wrapped(h detect.Holder) (wrap.Info, bool) {
	const deepest = 16
	pid := h.PID
	for range deepest {
		p, ok := t.Procs.Get(pid)
		if !ok || pid == h.PID && p.Start != h.Start {
			break
		}
		if i, ok := wrap.Find(t.Wraps, pid, p.Start); ok && i.Boot == t.Procs.Boot() {
			return i, true
		}
		pid = p.PPID
	}
	return wrap.Info{}, false
}

// shows checks that the terminal shows the process, and that keys would reach it: a shell that is
// wrapped may have put it into the background, or run it in a terminal within the terminal.
func (w *wrapped) shows() error {
	if !w.holder.Alive() {
		return errors.New("the process that had the session open is gone")
	}
	p, ok := w.holder.procs.Get(w.holder.pid)
	child, known := w.holder.procs.Get(w.info.Child.PID)
	switch {
	case !ok || !known || child.Start != w.info.Child.Start || p.TTY == "" || p.TTY != child.TTY:
		return errors.New("the terminal of clawd wrap does not show it")
	case p.Foreground != p.Group:
		return &BlockedError{"another program is in the foreground of its terminal"}
	}
	return nil
}

func (w *wrapped) Look(ctx context.Context) (agent.Screen, error) {
	if err := w.shows(); err != nil {
		return agent.Screen{}, err
	}
	s, keys, err := w.info.Screen(ctx)
	if err != nil {
		return s, &BlockedError{"the terminal of clawd wrap does not answer: " + err.Error()}
	}
	w.keys = keys
	return s, nil
}

func (w *wrapped) Press(ctx context.Context, keys []byte) error {
	if err := w.shows(); err != nil {
		return err
	}
	r := wrap.TypeRequest{Keys: w.keys, Text: string(keys)}
	switch r.Text {
	case enter:
		r.Text, r.Key = "", wrap.Enter
	case "\x1b":
		r.Text, r.Key = "", wrap.Escape
	}
	if err := w.info.Type(ctx, r); err != nil {
		return fmt.Errorf("clawd wrap: %w", err)
	}
	return nil
}
