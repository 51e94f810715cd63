package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/daemon"
)

// A daemon of another version, as one that was not restarted after an update, may know no such question, or answer it otherwise.
func TestDaemonOfAnotherVersion(t *testing.T) {
	dir, err := os.MkdirTemp("", "clawd") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_STATE_HOME", dir) // on a Mac it lies there
	socket := userPaths().socket
	if err := os.Mkdir(dir+"/clawd", 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/status", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[]`) })
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	for path, want := range map[string]string{"/v1/status": "the daemon's answer cannot be read: ", "/v1/new": "the daemon does not know this question"} {
		err := ask(t.Context(), path, &daemon.Status{})
		if c := (*codeError)(nil); err == nil || errors.As(err, &c) || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), otherVersion) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
