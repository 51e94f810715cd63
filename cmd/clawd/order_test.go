package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// order gives the running clawd an order; 0: no whole answer came.
func (w *world) order(verb string, o daemon.Order) (status int, answer string) {
	w.t.Helper()
	body, err := json.Marshal(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.call(http.MethodPost, "/v1/"+verb, bytes.NewReader(body))
}

func (w *world) call(method, path string, body io.Reader) (status int, answer string) {
	w.t.Helper()
	socket := filepath.Join(w.state, "clawd", "clawd.sock")
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	req, err := http.NewRequest(method, "http://clawd"+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(b)
}

// configure adds to the [resume] section, which stands last.
func (w *world) configure(more string) {
	w.t.Helper()
	path := filepath.Join(w.root, "clawd.toml")
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(path, string(b)+more)
}

// TestOrderWalk gives "resume --now" in each phase that takes it, and kills clawd or the shim at every
// durable step on both sides: one order, one start, never two.
func TestOrderWalk(t *testing.T) {
	t.Parallel()
	points := []string{"gate", "mark.before", "mark.half", "mark.after", "exec"}
	for _, p := range []string{"order", "T2", "T3", "T4"} {
		points = append(points, p+".before", p+".after")
	}
	for _, c := range []struct {
		phase  state.Phase
		config string
		modes  []string
		before int // starts
	}{
		{state.Waiting, "", []string{"succeed"}, 0},
		{state.Held, "", []string{"die after init", "succeed"}, 1},
		{state.GivenUp, "give_up_after = \"1ms\"\n", []string{"limit", "succeed"}, 1},
		{state.Following, "[resume.reasons]\nrate_limit = \"leave\"\n", []string{"succeed"}, 0},
	} {
		for _, point := range points {
			t.Run(string(c.phase)+"/"+point, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, c.modes...)
				if c.phase == state.Waiting {
					w.slow()
				}
				w.configure(c.config)
				id, _ := w.limited()
				first := w.start()
				w.until("phase "+string(c.phase), func() bool { return w.phase(id) == c.phase && len(w.starts()) == c.before })
				first.stop()
				once := filepath.Join(w.root, "once")
				if err := os.Mkdir(once, 0o700); err != nil {
					t.Fatal(err)
				}
				d := w.start("CLAWD_CRASH_AT="+point, "CLAWD_CRASH_ONCE="+once)
				d.await("daemon_started")
				w.until("it answers", func() bool { return w.phase(id) == c.phase })
				now := daemon.Order{Session: id, Order: resume.Order{Now: true}}
				status, answer := w.order("resume", now)
				w.until("the crash point "+point, func() bool { _, err := os.Stat(filepath.Join(once, "crashed")); return err == nil })
				shim := !strings.Contains(point, "T") && !strings.HasPrefix(point, "order")
				if !shim {
					d.ended(false)
					d = w.start()
					w.until("it answers", func() bool { return w.phase(id) != "" })
				}
				if point == "order.before" { // the order was never given
					if w.phase(id) != c.phase || status != 0 {
						t.Fatalf("phase %s, status %d", w.phase(id), status)
					}
					status, answer = w.order("resume", now)
				}
				if status != http.StatusOK && status != 0 {
					t.Fatalf("the order is refused: %d %s", status, answer)
				}
				if (c.phase == state.GivenUp || c.phase == state.Waiting) && (shim || point == "T3.after") {
					// Proved: nothing ran. This config then waits for an hour, or gives up at once.
					w.until("it rests again", func() bool { return w.phase(id) == c.phase && w.count(id, "no_effect") > 0 })
					w.order("resume", now)
				}
				w.until("it is resumed", func() bool { st, ok := w.status(); return ok && st.Stats.TotalResumes == 1 && len(st.Sessions) == 0 })
				d.stop()
				l := w.ledger()
				if n := len(w.starts()); n != c.before+1 || l.sessions[id].Phase != state.Following {
					t.Errorf("%d starts, phase %s; want %d, following", n, l.sessions[id].Phase, c.before+1)
				}
			})
		}
	}
}

// slow makes waits long.
func (w *world) slow() {
	w.t.Helper()
	path := filepath.Join(w.root, "clawd.toml")
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(path, strings.Replace(string(b), `base = "1s"`, `base = "1h"`+"\n"+`cap = "2h"`, 1))
}

// count asks the running clawd how often something happened to a session.
func (w *world) count(id, kind string) (n int) {
	_, answer := w.call(http.MethodGet, "/v1/why?session="+id, nil)
	var why daemon.Why
	if json.Unmarshal([]byte(answer), &why) != nil {
		return 0
	}
	for _, e := range why.History {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// phase asks the running clawd for it; empty: no answer.
func (w *world) phase(id string) state.Phase {
	status, answer := w.call(http.MethodGet, "/v1/why?session="+id, nil)
	var why daemon.Why
	if status != http.StatusOK || json.Unmarshal([]byte(answer), &why) != nil {
		return ""
	}
	return why.Phase
}

// TestCancelRun ends a real group, and its stop is nobody's interruption.
func TestCancelRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hang")
	id, _ := w.limited()
	d := w.start()
	w.until("the agent starts", func() bool { return len(w.starts()) == 1 && w.phase(id) == state.Fired })
	at := time.Now()
	if status, answer := w.order("cancel", daemon.Order{Session: id}); status != http.StatusOK || !strings.Contains(answer, "being ended") {
		t.Fatalf("%d %s", status, answer)
	}
	w.until("it is held", func() bool { return w.phase(id) == state.Held })
	d.stop()
	l := w.ledger()
	if n := len(w.starts()); n != 1 || l.count("interrupted", "") != 0 || len(d.events("session_held")) != 0 {
		t.Errorf("%d starts since %s, history %+v", n, at, l.history)
	}
}
