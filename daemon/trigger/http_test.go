package trigger

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// server is the agent's server; its answers are for the prompt.
type server struct {
	*httptest.Server
	mu     sync.Mutex // guards what follows
	calls  []string
	status string   // what the session does; empty: it waits for an hour
	newest []string // what it shows as its newest messages, one look after the other; the last stays
}

func newServer(t *testing.T, answer http.HandlerFunc) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // of a test's own request
		user, password, _ := r.BasicAuth()
		s.mu.Lock()
		s.calls = append(s.calls, r.Method+" "+r.URL.Path+" "+string(body))
		s.mu.Unlock()
		switch {
		case user != "opencode" || password != "secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/health":
			w.Header().Set("Content-Type", "application/json")
		case r.URL.Path == "/status":
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.status == "" {
				s.status = retrying(time.Hour)
			}
			_, _ = io.WriteString(w, s.status) // the asker judges
		case r.URL.Path == "/abort":
		case r.URL.Path == "/newest":
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.newest) == 0 {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			_, _ = io.WriteString(w, s.newest[0]) // the asker judges
			s.newest = s.newest[min(1, len(s.newest)-1):]
		default:
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func retrying(d time.Duration) string {
	return fmt.Sprintf(`{"ses":{"type":"retry","attempt":1,"message":"m","next":%d},"other":{"type":"busy"}}`, time.Now().Add(d).UnixMilli())
}

func (s *server) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.calls, "\n")
}

func httpClaim(t *testing.T, base string) (*Trigger, resume.Claim) {
	procs := agent.NewProcs()
	self, ok := procs.Get(os.Getpid())
	if !ok {
		t.Skip("this system does not tell about processes")
	}
	tr := &Trigger{Procs: procs, HTTP: &http.Transport{}}
	t.Cleanup(tr.HTTP.(*http.Transport).CloseIdleConnections)
	return tr, resume.Claim{Boot: procs.Boot(), Stop: detect.Stop{Key: "k"}, N: 1, Mark: filepath.Join(t.TempDir(), "mark"),
		Plan: resume.Plan{Way: resume.HTTP, Session: "ses", Status: base + "/status", URL: base + "/prompt", Health: base + "/health", Abort: base + "/abort", Newest: base + "/newest", Body: []byte("{}"), User: "opencode",
			Password: "secret", Holder: detect.Holder{PID: self.PID, Start: self.Start}}}
}

func TestHTTP(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		proof  bool // that nothing was taken, where no wait was ended before
	}{
		{"taken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, false},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, true},
		{"failed", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, false},
		{"the answer is lost", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false},
		{"sent elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, c.answer)
			tr, claim := httpClaim(t, s.URL)
			run, err := tr.Start(t.Context(), claim)
			if err != nil || s.asked() != "" {
				t.Fatalf("%v; asked before the gate opened: %s", err, s.asked())
			}
			calm := newServer(t, c.answer)
			calm.status = "{}"
			_, plain := httpClaim(t, calm.URL)
			plain.Plan.Abort = ""
			other, err := tr.Start(t.Context(), plain)
			if err != nil {
				t.Fatal(err)
			}
			_, _, _ = other.Open(t.Context()) // what came of it is asked below
			if proof := other.Untouched(t.Context()); (proof != "") != c.proof {
				t.Errorf("proof %q", proof)
			}
			if gate, why, _ := run.Open(t.Context()); gate != resume.GateExec {
				t.Fatalf("gate %s %s", gate, why)
			}
			if got := s.asked(); got != "GET /health \nGET /status \nPOST /abort \nGET /newest \nPOST /prompt {}" {
				t.Errorf("asked:\n%s", got)
			}
			if proof := run.Untouched(t.Context()); proof != "" {
				t.Errorf("its wait was ended, and that is said to be nothing: %q", proof)
			}
		})
	}
}

// TestAbortIsOver: the prompt is sent when the turn is over whose wait was ended. It would be ended with it.
func TestAbortIsOver(t *testing.T) {
	const waits, over = `[{"info":{"role":"assistant","time":{"created":1}}}]`, `[{"info":{"role":"assistant","time":{"created":1,"completed":2}}}]`
	for name, c := range map[string]struct {
		newest []string
		looks  int
	}{
		"at once":           {[]string{over}, 1},
		"a little later":    {[]string{waits, waits, over}, 3},
		"a prompt waits":    {[]string{`[{"info":{"role":"user","time":{"created":1}}}]`}, 1},
		"it shows nothing":  {[]string{`[]`}, 1},
		"it cannot be read": {[]string{`{}`}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
			s.newest = c.newest
			tr, claim := httpClaim(t, s.URL)
			run, err := tr.Start(t.Context(), claim)
			if err != nil {
				t.Fatal(err)
			}
			if gate, why, _ := run.Open(t.Context()); gate != resume.GateExec {
				t.Fatalf("gate %s %s", gate, why)
			}
			want := "GET /health \nGET /status \nPOST /abort \n" + strings.Repeat("GET /newest \n", c.looks) + "POST /prompt {}"
			if got := s.asked(); got != want {
				t.Errorf("asked:\n%s", got)
			}
		})
	}
}

// listing is what a server answers that is asked for its agents.
func listing(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `[{"name":"plan","mode":"primary"},{"name":"every","mode":"all"},{"name":"sub","mode":"subagent"}]`)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestHTTPRole(t *testing.T) {
	s := newServer(t, func(http.ResponseWriter, *http.Request) {})
	tr, claim := httpClaim(t, s.URL)
	for _, claim.Plan.Role = range []string{"plan", "every"} {
		claim.Plan.Roles = listing(t).URL
		if _, err := tr.Ready(t.Context(), claim.Session, claim.Stop, claim.Plan); err != nil {
			t.Errorf("%s: %v", claim.Plan.Role, err)
		}
	}
}

func TestHTTPNotReady(t *testing.T) {
	good := newServer(t, func(http.ResponseWriter, *http.Request) {})
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })) // the asker judges
	t.Cleanup(page.Close)
	agents := listing(t)
	for _, c := range []struct {
		name, why string
		change    func(p *resume.Plan)
	}{
		{"no password", "wants a password", func(p *resume.Plan) { p.Password = "" }},
		{"another program", "answers its health check with", func(p *resume.Plan) { p.Health = page.URL }},
		{"no word on the session", "cannot be seen (200)", func(p *resume.Plan) { p.Status = p.Health }},
		{"its agent is gone", `"gone", which is gone`, func(p *resume.Plan) { p.Roles, p.Role = agents.URL, "gone" }},
		{"its agent is a sub-agent now", `"sub", which is gone`, func(p *resume.Plan) { p.Roles, p.Role = agents.URL, "sub" }},
		{"no list of agents", "does not list its agents", func(p *resume.Plan) { p.Roles, p.Role = page.URL, "plan" }},
		{"nobody", "does not answer", func(p *resume.Plan) { p.Health = "http://127.0.0.1:1/health" }},
		{"not on loopback", "not on loopback", func(p *resume.Plan) { p.Health = "http://192.0.2.1/health" }},
		{"a name", "not on loopback", func(p *resume.Plan) { p.Health = "http://localhost/health" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, claim := httpClaim(t, good.URL)
			c.change(&claim.Plan)
			_, err := tr.Ready(t.Context(), claim.Session, claim.Stop, claim.Plan)
			if !errors.As(err, new(*BlockedError)) || !strings.Contains(err.Error(), c.why) || strings.Contains(err.Error(), "secret") {
				t.Errorf("Ready: %v", err)
			}
			run, err := tr.Start(t.Context(), claim)
			if err != nil {
				t.Fatal(err)
			}
			gate, _, _ := run.Open(t.Context())
			if _, err := os.Stat(claim.Mark); gate != resume.GateTaken || !os.IsNotExist(err) {
				t.Errorf("gate %s, mark %v", gate, err)
			}
		})
	}
	if strings.Contains(good.asked(), "/prompt") {
		t.Errorf("asked %s", good.asked())
	}
}

// A turn that is at work is neither ended nor prompted into, and a wait that is nearly over is let be.
func TestHTTPNotAtRest(t *testing.T) {
	for _, c := range []struct {
		name, status string
		abort, sent  bool
	}{
		{"waits long", retrying(time.Hour), true, true},
		{"asks again soon", retrying(time.Minute), true, false},
		{"asks right now", `{"ses":{"type":"busy"}}`, true, false},
		{"has ended meanwhile", `{}`, true, false},
		{"at rest", `{"other":{"type":"busy"}}`, false, true},
		{"idle", `{"ses":{"type":"idle"}}`, false, true},
		{"at work", `{"ses":{"type":"busy"}}`, false, false},
		{"waits by itself", retrying(time.Hour), false, false},
		{"no JSON", `<html>`, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, func(http.ResponseWriter, *http.Request) {})
			s.status = c.status
			tr, claim := httpClaim(t, s.URL)
			if !c.abort {
				claim.Plan.Abort = ""
			}
			if _, err := tr.Ready(t.Context(), claim.Session, claim.Stop, claim.Plan); (err == nil) != c.sent {
				t.Errorf("Ready: %v", err)
			}
			run, err := tr.Start(t.Context(), claim)
			if err != nil {
				t.Fatal(err)
			}
			gate, why, _ := run.Open(t.Context())
			if sent := strings.Contains(s.asked(), "/prompt"); sent != c.sent || (gate == resume.GateExec) != c.sent {
				t.Errorf("gate %s %s; asked:\n%s", gate, why, s.asked())
			}
			if aborted := strings.Contains(s.asked(), "/abort"); aborted != (c.abort && c.sent) {
				t.Errorf("asked:\n%s", s.asked())
			}
		})
	}
}

// Where no mark can be made (the disk is full, say) nothing is sent, and the attempt does not count.
func TestHTTPNoMark(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	tr, claim := httpClaim(t, s.URL)
	file := filepath.Join(t.TempDir(), "a file where the folder should be")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	claim.Mark = filepath.Join(file, "mark")
	run, err := tr.Start(t.Context(), claim)
	if err != nil {
		t.Fatal(err)
	}
	if gate, why, err := run.Open(t.Context()); gate != resume.GateShort || why == "" || err != nil || strings.Contains(s.asked(), "POST") {
		t.Errorf("gate %s %q %v; asked:\n%s", gate, why, err, s.asked())
	}
}
