package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// status is what "clawd status --json" prints, as far as it is looked at.
type status struct {
	Watched  int             `json:"watched"`
	Sessions []sessionStatus `json:"sessions"`
}

type sessionStatus struct {
	Session string     `json:"session"`
	Phase   string     `json:"phase"`
	Status  string     `json:"status"`
	Why     string     `json:"why"`
	WakeAt  *time.Time `json:"wake_at"`
}

// calm tells whether clawd knows so many sessions and has nothing to do with any.
func (st status) calm(sessions int) bool {
	for _, s := range st.Sessions {
		if s.underWay() {
			return false
		}
	}
	return st.Watched >= sessions
}

func (s sessionStatus) underWay() bool {
	return s.Phase == "waiting" || s.Phase == "claimed" || s.Phase == "fired" || s.Status == "running"
}

var errNotFound = errors.New("clawd does not know the session")

// ask asks the running clawd over its socket, as its commands do.
func (w *world) ask(path string, into any) error {
	c, err := net.DialTimeout("unix", filepath.Join(w.state, "clawd.sock"), 5*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.0\r\nHost: clawd\r\n\r\n"); err != nil {
		return err
	}
	r := bufio.NewReader(c)
	for first := true; ; first = false {
		l, err := r.ReadString('\n')
		switch {
		case err != nil:
			return err
		case first && strings.Contains(l, " 404 "):
			return errNotFound
		case first && !strings.Contains(l, " 200 "):
			return errors.New("clawd answers " + strings.TrimSpace(l))
		case l == "\r\n":
			return json.NewDecoder(r).Decode(into)
		}
	}
}

// restTime bounds how long clawd may need, once it is left alone, until all is at rest. A session that somebody
// has open by hand is looked at again after a minute.
const restTime = 75 * time.Second

// settle waits until all is at rest, and judges.
func (w *world) settle(ctx context.Context) (verdict, error) {
	var v verdict
	calm := 0
	for over := time.Now().Add(restTime); ; time.Sleep(250 * time.Millisecond) {
		var e evidence
		err, late := w.ask("/v1/status", &e.status), time.Now().After(over)
		if err == nil && (late || e.status.calm(len(w.plan.subjects))) {
			if err = w.look(&e); err != nil {
				return v, err
			}
			calm++
			if v = judge(e); len(v.pending) > 0 {
				calm = 0
			}
		}
		switch {
		case ctx.Err() != nil:
			return v, ctx.Err()
		case calm >= 2 || late && err == nil:
			return w.last(e)
		case late:
			return v, fmt.Errorf("clawd cannot be asked: %w", err)
		case w.daemon().gone():
			if err := w.revive(w.daemon()); err != nil {
				return v, err
			}
		}
	}
}

// last is the verdict with the sessions' histories. What still is not at rest never will be.
func (w *world) last(e evidence) (verdict, error) {
	e.resumed = map[string]int{}
	for _, id := range e.sessions {
		var why struct {
			History []struct{ Kind string }
		}
		err := w.ask("/v1/why?"+url.Values{"session": {id}}.Encode(), &why)
		if errors.Is(err, errNotFound) { // it is at rest, and was when it was found
			continue
		}
		if err != nil {
			return verdict{}, fmt.Errorf("clawd cannot say why about %s: %w", id, err)
		}
		for _, h := range why.History {
			if h.Kind == "resumed" {
				e.resumed[id]++
			}
		}
	}
	v := judge(e)
	for _, p := range v.pending {
		v.add(lost, "", "%s", p)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.broken {
		v.add(broken, "", "%s", b)
	}
	return v, nil
}

// look gathers what can be seen from outside.
func (w *world) look(e *evidence) error {
	e.now, e.tails, e.told = time.Now(), map[string]line{}, map[string][]said{}
	for _, s := range w.plan.subjects {
		tail, _, err := readTail(w.path(s))
		if err != nil {
			return err
		}
		e.sessions, e.tails[s.id] = append(e.sessions, s.id), tail
	}
	b, err := os.ReadFile(w.log.Name())
	if err != nil {
		return err
	}
	for l := range bytes.Lines(b) {
		var s said
		switch err := json.Unmarshal(l, &s); {
		case err == nil:
			e.told[s.Session] = append(e.told[s.Session], s)
		case bytes.HasPrefix(l, []byte("panic:")), bytes.HasPrefix(l, []byte("fatal error:")), bytes.HasPrefix(l, []byte("unexpected fault")):
			return fmt.Errorf("clawd: %s", bytes.TrimSpace(l))
		}
	}
	e.rows, err = readLedger(w.dir)
	return err
}
