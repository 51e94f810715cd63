package pi

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// TestScan: what a hint lists, and what it does not.
func TestScan(t *testing.T) {
	root := t.TempDir()
	p := over(root, procTable{}, agent.Config{})
	a, b := fileOf(root, sid), fileOf(root, other)
	b.Path = filepath.Join(root, "sessions", "--home-dev-work-other--", filepath.Base(b.Path))
	put(t, a.Path, begun)
	put(t, b.Path, begun)
	put(t, filepath.Join(root, "sessions", "notes.txt"), "x")
	for hint, want := range map[string][]detect.Session{
		"":                                {a, b},
		filepath.Join(root, "sessions"):   {a, b},
		filepath.Dir(a.Path):              {a},
		b.Path:                            {b},
		b.Path + ".tmp":                   nil,
		filepath.Join(root, "auth.json"):  nil,
		"/etc/passwd":                     nil,
		filepath.Join(root, "sessions/x"): nil,
	} {
		all, err := p.Scan(t.Context(), hint)
		var got []detect.Session
		for _, x := range all {
			got = append(got, x.Session)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %+v, %v", hint, got, err)
		}
	}
	if none := New(agent.Env{}, agent.Config{}); none.Folders() != nil {
		t.Errorf("without a home folder: %+v", none.Folders())
	}
}

// TestSameID: users may give one id in two projects. clawd knows a session by its id, so it leaves both alone.
func TestSameID(t *testing.T) {
	root := t.TempDir()
	p := over(root, procTable{}, agent.Config{})
	a := fileOf(root, "nightly")
	b := a
	b.Path = filepath.Join(root, "sessions", "--home-dev-work-other--", "2026-11-23T12-06-27-824Z_nightly.jsonl")
	put(t, a.Path, begun)
	if all, err := p.Scan(t.Context(), ""); err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	put(t, b.Path, begun)
	for _, hint := range []string{b.Path, filepath.Dir(b.Path), ""} {
		all, err := p.Scan(t.Context(), hint)
		if told := agenttest.Refused(t, err); len(all) != 0 || !slices.Equal(told, []string{b.Path}) {
			t.Errorf("%q: %+v, told of %q", hint, all, told)
		}
	}
	if err := os.Remove(a.Path); err != nil {
		t.Fatal(err)
	}
	if all, err := p.Scan(t.Context(), b.Path); err != nil || len(all) != 1 {
		t.Errorf("the first is gone: %+v, %v", all, err)
	}
}

// TestBeside: a session that is to begin has no file yet, and the agent chooses its name.
func TestBeside(t *testing.T) {
	p, s := session(t, begun)
	soon := p.Beside(s, other)
	if _, err := agenttest.Read(t.Context(), p, soon, ""); soon.ID != other || filepath.Dir(soon.Path) != filepath.Dir(s.Path) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%+v, %v", soon, err)
	}
	b := fileOf(p.root, other)
	b.Path = filepath.Join(filepath.Dir(s.Path), "2026-11-23T01-02-03-004Z_"+other+ext)
	put(t, b.Path, strings.ReplaceAll(begun, sid, other))
	if got := p.Beside(s, other); got != b {
		t.Errorf("%+v", got)
	}
	if got, err := agenttest.Read(t.Context(), p, soon, ""); err != nil || len(got.Events) != 1 || got.Info.Dir != work {
		t.Errorf("under the name that it could have had: %+v, %v", got, err)
	}
	if files, err := p.Files(soon); err != nil || !slices.Equal(files, []string{b.Path}) {
		t.Errorf("%q, %v", files, err)
	}
	if _, err := p.path(p.Beside(s, "../../x")); err == nil {
		t.Error("a strange id")
	}
}
