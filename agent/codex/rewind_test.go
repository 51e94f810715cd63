package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// Recorded in the terminal of 0.171: an answer, a failure, Escape twice and Enter, by which its user goes back to before the prompt that
// failed, and a further prompt, which fails. The session goes on in a rollout of its own, under the same id.
const (
	rewound  = "01a226ce-7456-7c02-a017-1e8bb3f551d9"
	before   = "rollout-2026-11-29T11-16-34-" + rewound + ".jsonl"
	behind   = "rollout-2026-11-29T11-16-37-" + rewound + "_01a226ce-82fa-7920-a48c-f07db7352e58.jsonl"
	rewindIn = "sessions/2026/11/29"
)

// rewind puts a part of what was recorded into a folder.
func rewind(t *testing.T, root, name string, lines int) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "rewind", name))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(root, rewindIn, name), strings.Join(strings.SplitAfter(string(b), "\n")[:lines], ""))
}

// The stop that its user went back behind is over, and the session is followed in its newest rollout, however much of that was there
// when it was found.
func TestRewind(t *testing.T) {
	for lines := 1; lines <= 8; lines++ {
		root := t.TempDir()
		c := over(root, procTable{}, agent.Config{})
		rewind(t, root, before, 20)
		var cl detect.Classifier
		cursor := agent.Cursor("")
		read := func(c *Codex, hint, name string) agenttest.Batch {
			t.Helper()
			all, err := c.Scan(t.Context(), hint)
			if err != nil || len(all) != 1 || all[0].Session.ID != rewound || filepath.Base(all[0].Session.Path) != name {
				t.Fatalf("%d lines: %+v, %v, want %s", lines, all, err, name)
			}
			b, err := agenttest.Read(t.Context(), c, all[0].Session, cursor)
			if err != nil || b.Anew || b.Skipped != 0 {
				t.Fatalf("%d lines: anew %v, skipped %d, %v", lines, b.Anew, b.Skipped, err)
			}
			for _, e := range b.Events {
				cl.Feed(e)
			}
			cursor = b.Cursor
			return b
		}
		read(c, "", before)
		if s := cl.Stop(); s.Reason != detect.RateLimit {
			t.Fatalf("%+v", s)
		}
		want := detect.Interrupted
		switch {
		case lines == 8:
			want = detect.RateLimit
		case lines > 3:
			want = "" // the next turn is under way
		}
		rewind(t, root, behind, lines)
		first := cl.Stop().Key
		read(c, filepath.Join(root, rewindIn, behind), behind)
		if s := cl.Stop(); s.Reason != want || s.Key == first {
			t.Errorf("%d lines: %+v, want %q", lines, s, want)
		}
		if b := read(c, "", behind); len(b.Events) != 0 {
			t.Errorf("%d lines: read twice: %+v", lines, b.Events)
		}
		if all, err := c.Scan(t.Context(), filepath.Join(root, rewindIn, before)); err != nil || len(all) != 0 {
			t.Errorf("the older rollout is still listed: %+v, %v", all, err)
		}
		cl, cursor = detect.Classifier{}, "" // another clawd, which saw nothing of it
		b := read(over(root, procTable{}, agent.Config{}), "", behind)
		if s := cl.Stop(); s.Reason != want || !b.Info.Created.Equal(time.Date(2026, 11, 29, 10, 16, 34, 134e6, time.UTC)) {
			t.Errorf("%d lines, at first sight: %+v, created %s", lines, s, b.Info.Created)
		}
	}
}

// A rollout that is archived, or packed, does not take the place of a newer one, nor an older one its place.
func TestRewindNewestCounts(t *testing.T) {
	for _, moved := range []string{before, behind} {
		root := t.TempDir()
		rewind(t, root, before, 20)
		rewind(t, root, behind, 8)
		archived := filepath.Join(root, "archived_sessions", moved)
		put(t, archived, "")
		if err := os.Rename(filepath.Join(root, rewindIn, moved), archived); err != nil {
			t.Fatal(err)
		}
		all, err := over(root, procTable{}, agent.Config{}).Scan(t.Context(), "")
		if err != nil || len(all) != 1 || filepath.Base(all[0].Session.Path) != behind {
			t.Errorf("%s is archived: %+v, %v", moved, all, err)
		}
		if path := over(root, procTable{}, agent.Config{}).find(rewound); filepath.Base(path) != behind {
			t.Errorf("%s is archived: %s is found", moved, path)
		}
	}
}

// The window has the newer rollout open, or still the older one: it is the same session.
func TestRewindKeepsItsWindow(t *testing.T) {
	for _, open := range []string{before, behind} {
		root := t.TempDir()
		rewind(t, root, before, 20)
		rewind(t, root, behind, 1)
		paths := []string{filepath.Join(root, rewindIn, behind), filepath.Join(root, rewindIn, open)}
		c := over(root, procTable{All: []agent.Proc{{PID: 61, Leader: 50, Group: 61, Start: 77, Comm: "codex"}}, Files: map[int][]string{61: paths},
			Args: map[int][]string{61: {"/opt/codex/bin/codex", "resume", rewound}}}, agent.Config{})
		all, err := c.Live(t.Context(), detect.Session{Agent: "codex", ID: rewound, Path: paths[0]}, detect.Info{})
		if err != nil || len(all) != 1 || all[0].Liveness != detect.Alive || all[0].Named {
			t.Errorf("%s is open, too: %+v, %v", open, all, err)
		}
	}
}
