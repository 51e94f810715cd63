package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Without a daemon the list comes from its store.
func TestListUnknown(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", home)
	t.Setenv("XDG_RUNTIME_DIR", home)
	s, err := state.Open(filepath.Join(userPaths().state, "clawd.db"), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop := detect.Stop{State: detect.Stopped, Reason: detect.Unknown, Key: "k", Status: 418, Text: "odd\x1b[2J <path>",
		At: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), Evidence: detect.Evidence{Field: "error"}}
	r := state.Read{Session: detect.Session{Agent: "claude", ID: "x"}, Info: detect.Info{Version: "9.9.9"}}
	c, err := state.Session{Session: r.Session, Phase: state.Following}.Stopped(s.Books(time.Now, func(err error) { t.Fatal(err) }), r, stop,
		resume.Decision{Strategy: resume.Leave}, nil)
	if err == nil {
		err = s.Commit(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    detectOptions
		want string
	}{
		{detectOptions{}, "claude 9.9.9, HTTP 418, error, seen 1 time, last 2026-11-21T00:00:00Z\n> odd"},
		{detectOptions{json: true}, `"text":"odd`},
		{detectOptions{agent: "codex"}, "no failure"},
	} {
		var out bytes.Buffer
		if err := listUnknown(t.Context(), c.o, nil, &out); err != nil || !strings.Contains(out.String(), c.want) || strings.Contains(out.String(), "\x1b") {
			t.Errorf("%+v: %v\n%s", c.o, err, out.String())
		}
	}
}
