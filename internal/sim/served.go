package sim

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/sim/actor"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// port is where the machine's server answers.
const port = 4096

// serves gives the machine's opencode server, which its user starts when he needs it.
func (r *run) serves(c *cast, s actor.Start) *actor.Server {
	if r.server == nil || !r.server.Up() {
		s.TTY = ""
		r.server = c.Agent.(*actor.OpenCode).Serve(s, port, r.wall())
		r.trace("a server of opencode starts")
	}
	return r.server
}

// background gives Codex's background server, which its terminals start.
func (r *run) background(c *cast) *actor.CodexServer {
	if r.daemon == nil || !r.daemon.Up() {
		r.daemon = c.Agent.(*actor.Codex).Serve(r.wall())
		r.trace("the background server of codex starts")
	}
	return r.daemon
}

// opened gives a process with the conversation's session: one of its own, or the server's.
func (t *talk) opened(s actor.Start) (actor.Session, error) {
	r, c := t.r, t.r.casts[t.Agent]
	switch {
	case t.Served && t.Agent == "codex":
		return r.background(c).Open(t.id, s, r.wall())
	case t.Served:
		return r.serves(c, s).Open(t.id, s)
	}
	return c.Open(t.id, s, r.wall())
}

// began gives a process with a new session.
func (t *talk) began(s actor.Start) (actor.Session, error) {
	r, c := t.r, t.r.casts[t.Agent]
	switch {
	case t.Served && t.Agent == "codex":
		return r.background(c).Begin(s, r.wall())
	case t.Served:
		return r.serves(c, s).Begin(s, r.wall())
	}
	return c.Begin(s, r.wall())
}

// guest gives what works in a session on the server; nil: the server does not know the session.
func (r *run) guest(id string) *body {
	for _, b := range r.alive {
		if b.PID() == r.server.PID() && b.ID() == id && !b.over {
			return b
		}
	}
	t := r.of("opencode", id)
	if t == nil {
		return nil
	}
	x, err := r.server.Open(id, t.start(false))
	if err != nil {
		return nil
	}
	return r.add(x, nil, r.casts["opencode"], t, "")
}

// wire takes the requests of a clawd to loopback.
type wire struct{ c *clawd }

// RoundTrip answers as the machine's server does.
func (w wire) RoundTrip(q *http.Request) (*http.Response, error) {
	r := w.c.run
	n, err := strconv.Atoi(q.URL.Port())
	switch {
	case err != nil:
		return nil, err
	case r.server == nil || !r.server.Listens(n):
		return nil, syscall.ECONNREFUSED
	}
	if err := r.broken(); err != nil {
		return nil, err
	}
	status, body := http.StatusOK, []byte("true")
	switch path := strings.Split(strings.TrimPrefix(q.URL.Path, "/"), "/"); {
	case q.URL.Path == "/session/status":
		body = r.server.Status()
	case q.URL.Path == "/agent":
		body = r.server.Agents()
	case len(path) == 3 && path[0] == "session" && q.Method == http.MethodGet:
		body = r.server.Newest(path[1])
	case len(path) == 3 && path[0] == "session":
		if status, err = w.posts(path[1], path[2], q.Body); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), Request: q}, nil
}

// posts is a request that does something in a session.
func (w wire) posts(id, what string, q io.Reader) (status int, err error) {
	r := w.c.run
	b := r.guest(id)
	if b == nil {
		return http.StatusNotFound, nil
	}
	if w.c.sends == nil {
		r.fails("http", "opencode/%s: %s without an attempt", id, what)
		return http.StatusOK, nil
	}
	w.c.sends.acts(b)
	r.trace("clawd asks the server for %s of %s", what, id)
	switch {
	case what == "abort":
		must(b.Do(actor.Interrupt, r.wall()))
	case !b.Idle():
		r.fails("http", "opencode/%s: a prompt while a turn runs", id)
	default:
		body, err := io.ReadAll(q)
		must(err)
		if r.chance.IntN(5) == 0 && !r.calm {
			r.hangsOver(b, body)
			return 0, context.DeadlineExceeded
		}
		must(r.server.Asks(b.Session, body, r.wall()))
	}
	r.follows(b)
	if r.chance.IntN(10) == 0 && !r.calm {
		return 0, fmt.Errorf("the answer is lost: %w", syscall.ECONNRESET)
	}
	return http.StatusNoContent, nil
}

// hangsOver has a server that hangs take a prompt later, when whoever asked has given up.
func (r *run) hangsOver(b *body, prompt []byte) {
	server, key := r.server, fmt.Sprint(b.PID(), "/", b.ID())
	claim := r.acting[key]
	r.at(time.Now().Add(drawer{r.chance}.span(16*time.Second, 20*time.Minute)), "the server wakes up", func() {
		if server.Up() && b.Idle() {
			if !r.wants[state.Key(claim.Session)].resumed.After(claim.At) {
				r.acting[key] = claim // of this attempt it is, whatever came since
			}
			must(server.Asks(b.Session, prompt, r.wall()))
			r.follows(b)
		}
	})
}

// mayHaveRun tells whether the machine's server was there already when somebody's newest turn in a session began.
func (r *run) mayHaveRun(c resume.Claim) bool {
	p := r.world.Procs.Proc(r.server.PID())
	all := r.world.Ledger.Asks
	for i := len(all) - 1; i >= 0; i-- {
		if a := all[i]; a.By == actor.Person && a.Agent == c.Session.Agent && a.Session == c.Session.ID {
			return p != nil && p.Started.Before(a.At)
		}
	}
	return false
}

// attached has its user's terminal show what the background server has open.
func (t *talk) attached() {
	if t.Agent != "codex" || !t.Served {
		return
	}
	if _, err := t.opened(t.start(true)); err == nil {
		t.sat = t.r.wall()
		t.r.person["codex/"+t.id] = deed{at: t.r.wall(), what: "opened it", boots: t.r.boots, known: true}
	}
}

// together are the processes that end with one.
func (r *run) together(b *body) []*body {
	return slices.DeleteFunc(slices.Clone(r.alive), func(x *body) bool { return x == b || x.PID() != b.PID() || x.cast != b.cast || x.over })
}

// knows tells whether every clawd that runs has found a session.
func (r *run) knows(agent, id string) bool {
	return !slices.ContainsFunc(r.clawds, func(c *clawd) bool {
		if c.hand == nil {
			return true
		}
		_, known, err := c.hand.Store().Session(detect.Session{Agent: agent, ID: id})
		must(err)
		return !known
	})
}
