//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/gemini"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/provider"
)

// What Gemini deletes by itself (0.61): a session that was resumed, at the start of the next process in
// the project, and a session without a turn.

// chats lists the files of a session, by name.
func (w *world) chats(id string) []string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home(), ".gemini", "tmp", "*", "chats", "session-*-"+id[:8]+".json*"))
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// keptCase: the user's next run in the project does not delete the session that clawd resumed.
func keptCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c := w.startClawd(settings{base: minuteApart})
	id := w.stopped(w.rateLimit())
	c.resumedOnce(id)
	c.wait("run_ended", "session", id)
	w.eventually(agentTime, "one file of the session", func() bool { return len(w.chats(id)) == 1 })
	w.provider.Queue(provider.Text("something else"))
	if r := w.prompt("something else"); r.code() != 0 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	files := w.chats(id)
	if len(files) != 1 || !strings.Contains(readAll(files[0]), "read_file") || !strings.Contains(readAll(files[0]), "All done.") {
		t.Errorf("the session's files after another run: %q", files)
	}
	if r := w.resume(id, "once more").wait(); r.code() != 0 || !strings.Contains(r.stdout(), id) {
		t.Errorf("exit code %d\n%s", r.code(), r.output())
	}
}

// minuteApart makes sure that the resume's second file has a name of its own: another minute.
const minuteApart = "61s"

// firstTurnCase: a session that stopped in its first turn cannot be resumed; a fresh one takes over
// with the prompt, also when the file is gone by then.
func firstTurnCase(t *testing.T, a agentCase) {
	w := newWorld(t, a)
	c := w.startClawd(settings{base: "20s"})
	w.provider.Queue(provider.RateLimit())
	if r := w.prompt("count the frogs"); r.code() < 128 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	id := w.only()
	c.wait("session_stopped", "session", id, "reason", "rate_limit")
	c.wait("resume_scheduled", "session", id, "strategy", "fresh_session")
	if r := w.start(w.project, nil, "--list-sessions").wait(); r.code() != 0 {
		t.Fatalf("exit code %d\n%s", r.code(), r.output())
	}
	if files := w.chats(id); len(files) != 0 {
		t.Fatalf("the agent has kept %q: then this case shows nothing", files)
	}
	c.wait("session_recovered", "old", id)
	main := w.provider.Main()
	if last := main[len(main)-1].LastUser; len(main) != 2 || !strings.Contains(last, "> count the frogs") {
		t.Errorf("%d requests, the last one: %s", len(main), last)
	}
}

// forgottenCase: what the daemon keeps young, as it does with what waits, is not deleted by the user's next run in
// the project, and one that does not wait is.
func forgottenCase(t *testing.T, a agentCase) {
	const day = 24 * time.Hour
	w := newWorld(t, a)
	kept := w.stopped(w.rateLimitFor(1))
	w.makeOld(kept, 25*day)
	g := gemini.New(agent.Env{Home: w.home(), Getenv: func(string) string { return "" }}, agent.Config{})
	done, err := g.Remember(detect.Session{Agent: g.Name(), ID: kept, Path: w.chats(kept)[0]}, time.Now())
	if !done || err != nil {
		t.Fatalf("kept: %v, %v", done, err)
	}
	w.makeOld(kept, 10*day)
	further := func() {
		w.provider.Queue(provider.Text("something else"))
		if r := w.prompt("something else"); r.code() != 0 {
			t.Fatalf("exit code %d\n%s", r.code(), r.output())
		}
	}
	further()
	if files := w.chats(kept); len(files) != 1 {
		t.Errorf("files of the session that waits: %q", files)
	}
	w.project = w.folder("forgotten")
	gone := w.stopped(w.rateLimitFor(1))
	w.makeOld(gone, 35*day)
	further()
	if files := w.chats(gone); len(files) != 0 {
		t.Errorf("the agent does not delete old sessions: %q", files)
	}
	w.project = w.folder("demo")
	if r := w.resume(kept, "once more").wait(); r.code() != 0 || !strings.Contains(r.stdout(), kept) {
		t.Errorf("exit code %d\n%s", r.code(), r.output())
	}
}
