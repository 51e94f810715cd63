package notify

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var held = Notice{Event: "session_held", Agent: "claude", Session: "abcd", Project: "/home/dev/app", Reason: "rate_limit",
	Why: "the agent ran and left no record", Command: "clawd why abcd", At: time.Date(2026, 11, 21, 3, 10, 0, 0, time.UTC)}

func TestWebhook(t *testing.T) {
	var got map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(b, &got); err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %v", r.Method, b, err)
		}
	}))
	defer s.Close()
	if err := Channels(false, s.URL)[0].Send(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"event": "session_held", "agent": "claude", "session": "abcd", "project": "/home/dev/app",
		"reason": "rate_limit", "why": held.Why, "command": held.Command, "at": "2026-11-21T03:10:00Z"} {
		if got[key] != want {
			t.Errorf("%s is %v, want %s", key, got[key], want)
		}
	}
	if len(got) != 8 {
		t.Errorf("it says more: %v", got)
	}
}

// The address is a secret: no error tells any part of it. A redirect is not followed, for it would take
// the notice elsewhere.
func TestWebhookFails(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	code := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(code)
	}))
	defer s.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = nil
	const secret = "s3cret"
	send := func(url string) error { return Channels(false, url)[0].Send(t.Context(), held) }
	for _, code = range []int{301, 302, 307, 400, 404, 500, 503} {
		if err := send(s.URL + "/" + secret); err == nil || !strings.Contains(err.Error(), "the server answers") {
			t.Errorf("%d: %v", code, err)
		}
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, url := range map[string]string{
		"refused":     gone.URL + "/" + secret,
		"no such":     "http://" + secret + ".invalid/",
		"certificate": secure.URL + "/" + secret,
		"odd":         "http://user:" + secret + "@127.0.0.1:bad/",
		"control":     "http://127.0.0.1/" + secret + "\x7f",
	} {
		err := send(url)
		if err == nil || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "http") {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Channels(false, s.URL)[0].Send(ctx, held); err == nil || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("cancelled: %v", err)
	}
}

// desktop puts a notify-send of ours first in PATH and gives the arguments that it got, one a line with
// newlines shown.
func desktop(t *testing.T, exit string) (argv func() []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("notify-send is Linux's")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "argv")
	script := "#!/bin/sh\nfor a; do printf '%s\\0' \"$a\"; done > '" + out + "'\nexit " + exit + "\n"
	if err := os.WriteFile(filepath.Join(dir, "notify-send"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
	return func() []string {
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
	}
}

func TestDesktop(t *testing.T) {
	for name, c := range map[string]struct{ project, want string }{
		"plain":       {"/home/dev/app", "Project: /home/dev/app"},
		"quotes":      {`/a"b'c`, "Project: /a&quot;b&#39;c"},
		"shell":       {"/$(touch /tmp/owned)`id`;|&", "Project: /$(touch /tmp/owned)`id`;|&amp;"},
		"markup":      {"/<b>x</b><img src=y>&amp;", "Project: /&lt;b&gt;x&lt;/b&gt;&lt;img src=y&gt;&amp;amp;"},
		"newlines":    {"/a\nType: rm -rf ~\r\x1b[2J", "Project: /a Type: rm -rf ~ \uFFFD[2J"},
		"dashes":      {"--help", "Project: --help"},
		"bidi":        {"/a\u202eb", "Project: /a\uFFFDb"},
		"not unicode": {"/a\xffb", "Project: /a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			argv := desktop(t, "0")
			n := held
			n.Project = c.project
			if err := Channels(true, "")[0].Send(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			got := argv()
			if len(got) != 4 || got[0] != "--app-name=clawd" || got[1] != "--" || got[2] != "clawd holds a session" {
				t.Fatalf("arguments %q", got)
			}
			lines := strings.Split(got[3], "\n")
			if lines[0] != c.want || len(lines) != 4 || lines[3] != "Type: clawd why abcd" {
				t.Errorf("body %q", got[3])
			}
		})
	}
}

func TestDesktopFails(t *testing.T) {
	desktop(t, "1")
	if err := Channels(true, "")[0].Send(t.Context(), held); err == nil || errors.Is(err, ErrMissing) {
		t.Errorf("a failing program: %v", err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if err := Channels(true, "")[0].Send(t.Context(), held); !errors.Is(err, ErrMissing) {
		t.Errorf("without a bus: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := Channels(true, "")[0].Send(t.Context(), held); !errors.Is(err, ErrMissing) {
		t.Errorf("without the program: %v", err)
	}
}

// On macOS the texts are arguments, and nothing of them is in the script.
func TestOsascript(t *testing.T) {
	n := held
	n.Project = `"; do shell script "id`
	got := arguments("osascript", n)
	if len(got) != 4 || got[0] != "-e" || got[1] != banner || got[2] != "clawd holds a session" || !strings.Contains(got[3], n.Project) {
		t.Errorf("%q", got)
	}
}
