package trigger

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// server is the agent's server; its answers are for the prompt.
type server struct {
	*httptest.Server
	mu    sync.Mutex // guards calls
	calls []string
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
		case r.URL.Path == "/abort":
		default:
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
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
		Plan: resume.Plan{Way: resume.HTTP, URL: base + "/prompt", Health: base + "/health", Abort: base + "/abort", Body: []byte("{}"), User: "opencode",
			Password: "secret", Holder: detect.Holder{PID: self.PID, Start: self.Start}}}
}

func TestHTTP(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		proof  bool // that nothing was taken
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
			if gate, why, _ := run.Open(t.Context()); gate != resume.GateExec {
				t.Fatalf("gate %s %s", gate, why)
			}
			if got := s.asked(); got != "GET /health \nPOST /abort \nPOST /prompt {}" {
				t.Errorf("asked:\n%s", got)
			}
			if proof := run.Untouched(t.Context()); (proof != "") != c.proof {
				t.Errorf("proof %q", proof)
			}
		})
	}
}

func TestHTTPNotReady(t *testing.T) {
	good := newServer(t, func(http.ResponseWriter, *http.Request) {})
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })) // the asker judges
	t.Cleanup(page.Close)
	for _, c := range []struct {
		name, why string
		change    func(p *resume.Plan)
	}{
		{"no password", "wants a password", func(p *resume.Plan) { p.Password = "" }},
		{"another program", "answers its health check with", func(p *resume.Plan) { p.Health = page.URL }},
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
