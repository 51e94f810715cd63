package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const turnLine = `{"id":"u1","timestamp":"2026-11-21T00:09:01.000Z","type":"user","content":[{"text":"say hi"}]}`

// TestScanOneIDInTwoProjects: a session is listed once, whichever project has the file that counts.
func TestScanOneIDInTwoProjects(t *testing.T) {
	for _, real := range []string{"a", "b"} {
		home := filepath.Join(t.TempDir(), "home")
		for _, project := range []string{"a", "b"} {
			text := stubLine + "\n"
			if project == real {
				text += turnLine + "\n"
			}
			put(t, filepath.Join(home, "tmp", project, "chats", "session-2026-11-21T00-09-df27f882.jsonl"), text)
		}
		all, err := over(home, procs{}).Scan(t.Context(), "")
		must(t, err)
		if want := filepath.Join(home, "tmp", real) + "/"; len(all) != 1 || !strings.HasPrefix(all[0].Session.Path, want) {
			t.Errorf("listed %+v, want one below %s", all, want)
		}
	}
}

// TestScanReadsTurnsOnce: files of one session are read again only when they have changed.
func TestScanReadsTurnsOnce(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	chats := filepath.Join(home, "tmp", "demo", "chats")
	stub, own := filepath.Join(chats, "session-2026-11-21T00-10-df27f882.jsonl"), filepath.Join(chats, "session-2026-11-21T00-09-df27f882.jsonl")
	put(t, stub, stubLine+"\n")
	put(t, own, stubLine+"\n"+turnLine+"\n")
	must(t, os.Chtimes(stub, noon, noon))
	before := noon.Add(-time.Hour)
	must(t, os.Chtimes(own, before, before))
	g := over(home, procs{})
	path := func() string { return named(t, g, "df27f882").Path }
	if got := path(); got != own {
		t.Fatalf("listed %s, want the file with a turn", got)
	}
	put(t, own, stubLine+"\n"+strings.Repeat("\n", len(turnLine)+1))
	must(t, os.Chtimes(own, before, before))
	if got := path(); got != own {
		t.Errorf("a file with the same stamp was read again")
	}
	must(t, os.Chtimes(own, before.Add(time.Second), before.Add(time.Second)))
	if got := path(); got != stub {
		t.Errorf("a file that changed was not read again: %s", got)
	}
}
