package agent

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestLayout(t *testing.T) {
	l := Layout{Named: func(path string) bool { return strings.HasSuffix(path, ".jsonl") }, Homes: []string{"tmp/*/chats", "old"}, Below: []string{"tmp/*/chats"}}
	if (Layout{}).Has("/x/a.jsonl") || !l.Has("/x/a.jsonl") || l.Has("/x/a.txt") {
		t.Error("which files are sessions")
	}
	for dir, home := range map[string]bool{"/a/tmp/b/chats": true, "/old": true, "/a/old": true, "/a/tmp/chats": false, "/a/tmp/b/c/chats": false, "/": false, "tmp/b/chats": true} {
		if l.Holds(dir) != home {
			t.Errorf("%s is a home: %v, want %v", dir, !home, home)
		}
	}
	if !(Layout{}).Holds("/anywhere") {
		t.Error("without homes every folder is one")
	}
	for dir, root := range map[string]string{"/a/.x/tmp/b/chats": "/a/.x", "/tmp/b/chats": "", "/a/old": "-", "/": "-"} {
		if got, ok := l.Root(dir); ok != (root != "-") || ok && got != root {
			t.Errorf("%s lies in %q, %v; want %q", dir, got, ok, root)
		}
	}
}

func TestUnmarked(t *testing.T) {
	given := []string{"A=1", "AB=2", "A", "B=A=1"}
	if got := Unmarked(given, []string{"A"}); !slices.Equal(got, []string{"AB=2", "B=A=1"}) || given[0] != "A=1" {
		t.Errorf("%q of %q", got, given)
	}
}

func TestWhatAnAgentLacks(t *testing.T) {
	a := withName{}
	_, err1 := TerminalOf(a)
	_, err2 := WakerOf(a)
	_, err3 := StarterOf(a)
	for want, err := range map[string]error{"clawd can't type into x's terminal": err1, "x takes prompts in its terminal alone": err2,
		"clawd can't begin a session or a turn of x": err3} {
		if u := (*Unfit)(nil); !errors.As(err, &u) || u.Why != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// withName is an agent that has a name alone.
type withName struct{ Agent }

func (withName) Name() string { return "x" }
