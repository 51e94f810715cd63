package daemon

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/state"
)

// Orders are a person's: none comes from below an agent, however that is known. Questions are answered to all.
func TestOrdersFromBelowAnAgent(t *testing.T) {
	wrapped := func(argv0, boot string, end *wrap.End) func(*testing.T, *rig) {
		return func(t *testing.T, r *rig) {
			b, err := json.Marshal(wrap.Info{Wrapper: wrap.Process{PID: 800, Start: 80}, Child: wrap.Process{PID: 901, Start: 91}, Boot: boot, Argv0: argv0, End: end})
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(r.o.Wraps, "901.json"), string(b))
		}
	}
	holds := func(start uint64) func(*testing.T, *rig) {
		return func(t *testing.T, r *rig) {
			s := detect.Session{Agent: "claude", ID: "11111111-2222-4333-8444-555555555555", Path: filepath.Join(r.root, "s.jsonl")}
			r.write(s, func(rec state.Session, b state.Books) (*state.Change, error) {
				return rec.HolderSeen(b, detect.Holder{Liveness: detect.Alive, PID: 901, Start: start, Boot: "boot-1"}, ""), nil
			})
		}
	}
	for name, c := range map[string]struct {
		agent   func(*testing.T, *rig)
		refused bool
	}{
		"a person's shell":        {func(*testing.T, *rig) {}, false},
		"a wrapped agent":         {wrapped("claude", "boot-1", nil), true},
		"a wrapped shell":         {wrapped("zsh", "boot-1", nil), false},
		"of an earlier boot":      {wrapped("claude", "boot-0", nil), false},
		"a wrapped one that went": {wrapped("claude", "boot-1", &wrap.End{Cause: wrap.Quit}), false},
		"one in tmux":             {holds(91), true},
		"an older one":            {holds(90), false},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := listening(t)
			r.o.Wraps = filepath.Join(r.root, "wraps")
			r.d.o.Wraps = r.o.Wraps
			r.procs.set(func() {
				r.procs.all = []agent.Proc{{PID: 901, PPID: 800, Start: 91}, {PID: 950, PPID: 901, Start: 95}, {PID: os.Getpid(), PPID: 950, Start: 99}}
			})
			c.agent(t, r)
			status, problem := r.post(t, "/v1/resume", `{"session":"99999999"}`)
			if refused := status == http.StatusConflict && strings.Contains(problem, "process 901"); refused != c.refused || !refused && status != http.StatusNotFound {
				t.Errorf("%d %s", status, problem)
			}
			if n := len(r.log.events("order_refused")); (n == 1) != c.refused {
				t.Errorf("%d times in the log", n)
			}
			if status, _ := r.post(t, "/v1/status", ""); status != http.StatusOK {
				t.Errorf("the status: %d", status)
			}
		})
	}
}

// post asks the daemon's socket; without a body it is a GET.
func (r *rig) post(t *testing.T, path, body string) (int, string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", r.o.Socket)
	}}}
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://clawd"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var p Problem
	_ = json.NewDecoder(resp.Body).Decode(&p) // other answers have no error
	return resp.StatusCode, p.Error
}
