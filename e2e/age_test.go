//go:build linux

package e2e

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Stops that are old: the same stop, found late, is resumed once, by the daemon and by an order.

func TestAgeClaude332(t *testing.T) { ageCases(t, claude332) }
func TestAgeClaude329(t *testing.T) { ageCases(t, claude329) }
func TestAgeClaude197(t *testing.T) { ageCases(t, claude197) }
func TestAgeOpencode(t *testing.T)  { ageCases(t, opencode) }
func TestAgeCodex171(t *testing.T)  { ageCases(t, codex171) }
func TestAgeGemini061(t *testing.T) { ageCases(t, gemini061) }

var ages = []time.Duration{time.Hour, 7 * time.Hour, 30 * time.Hour, 8 * 24 * time.Hour}

func ageCases(t *testing.T, a agentCase) {
	t.Parallel()
	for name, run := range map[string]func(*testing.T, *world, map[string]time.Duration){"Daemon": agedByDaemon, "Order": agedByOrder} {
		t.Run(name, func(t *testing.T) {
			onlyInAll(t)
			t.Parallel()
			w := newWorld(t, a)
			of := map[string]time.Duration{}
			for n, age := range ages {
				w.project = w.folder(fmt.Sprintf("old%d", n)) // one stop a folder, so that none is another's sibling
				id := w.stopped(w.rateLimitFor(1))
				w.makeOld(id, age)
				of[id] = age
			}
			run(t, w, of)
		})
	}
}

// agedByDaemon: max_stop_age alone lets the daemon go on with them.
func agedByDaemon(t *testing.T, w *world, of map[string]time.Duration) {
	c := w.startClawd(settings{maxStopAge: "240h", args: w.unseenArgs()})
	for id := range of {
		c.wait("resume_scheduled", "session", id)
	}
	wentOnOnce(t, w, c, of)
}

// unseenArgs name model and tools to a version that records neither before the first answer.
func (w *world) unseenArgs() []string {
	if w.agent.isClaude() && w.agent.version == claude197.version {
		return []string{"--model=claude-opus-4-8", "--tools=Bash,Read,Write"}
	}
	return nil
}

// agedByOrder: the daemon leaves them, and goes on when it is told to.
func agedByOrder(t *testing.T, w *world, of map[string]time.Duration) {
	c := w.startClawd(settings{args: w.unseenArgs()})
	c.wait("agent_found") // before that it says so, and takes no order
	c.quiet(3 * time.Second)
	for id := range of {
		if out := w.startProgram(os.Getenv(envInside), "resume", "--now", id).wait(); out.code() != 0 {
			t.Fatalf("clawd resume --now %s: exit code %d\n%s", id, out.code(), out.output())
		}
	}
	wentOnOnce(t, w, c, of)
}

func wentOnOnce(t *testing.T, w *world, c *clawd, of map[string]time.Duration) {
	t.Helper()
	for id, age := range of {
		w.eventually(2*agentTime, fmt.Sprintf("the end of the resume of %s, %s old", id, age), func() bool {
			return len(c.entries("resume_succeeded", "session", id)) > 0
		})
		if n := c.starts("session", id); n != 1 {
			t.Errorf("%s old: %d attempts, want 1", age, n)
		}
	}
	c.quiet(4 * time.Second)
	w.wantMain((w.stops() + 1) * len(of))
	if got := w.sessions(); len(got) != len(of) {
		t.Errorf("sessions %v, want %v", got, of)
	}
}

// makeOld moves every time that the agent keeps of a session back, and those of its files.
func (w *world) makeOld(id string, by time.Duration) {
	w.t.Helper()
	if w.agent.isOpencode() {
		w.makeRowsOld(id, by)
		return
	}
	found := 0
	err := filepath.WalkDir(w.home(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), id) {
			return err
		}
		found++
		if err := os.WriteFile(path, []byte(moveBack(string(b), by)), 0o600); err != nil {
			return err
		}
		was := time.Now().Add(-by)
		return os.Chtimes(path, was, was)
	})
	if err != nil || found == 0 {
		w.t.Fatalf("%d files of %s: %v", found, id, err)
	}
	if w.agent.isGemini() {
		w.makeReportsOld(by)
	}
}

// makeReportsOld moves back the newest of Gemini's reports, which have their time in their names and say
// why a turn failed.
func (w *world) makeReportsOld(by time.Duration) {
	w.t.Helper()
	const form = "2006-01-02T15-04-05.000Z"
	for _, path := range w.matching(filepath.Join(w.root, "tmp", "gemini-client-error-*.json")) {
		kind, at, ok := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".json"), "-20")
		if !ok || len(at) != len(form)-2 {
			w.t.Fatalf("the report %s has no time in its name", path)
		}
		was, err := time.Parse(form, "20"+at[:len(at)-5]+"."+at[len(at)-4:])
		if err != nil {
			w.t.Fatal(err)
		}
		if time.Since(was) > 30*time.Minute {
			continue // of another one, moved before
		}
		now := strings.Replace(was.Add(-by).Format(form), ".", "-", 1)
		if err := os.Rename(path, filepath.Join(filepath.Dir(path), kind+"-"+now+".json")); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) matching(pattern string) []string {
	w.t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

var (
	dated  = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`)
	millis = regexp.MustCompile(`\b1[789]\d{11}\b`)
)

// moveBack changes the times in a text.
func moveBack(text string, by time.Duration) string {
	text = dated.ReplaceAllStringFunc(text, func(s string) string {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return s
		}
		return at.Add(-by).UTC().Format("2006-01-02T15:04:05.000Z")
	})
	return millis.ReplaceAllStringFunc(text, func(s string) string {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return s
		}
		return strconv.FormatInt(n-by.Milliseconds(), 10)
	})
}

func (w *world) makeRowsOld(id string, by time.Duration) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.home(), ".local", "share", "opencode", "opencode.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	for _, change := range []string{
		"update session set time_created=time_created-?1, time_updated=time_updated-?1 where id=?2",
		"update message set time_created=time_created-?1, time_updated=time_updated-?1, data=json_set(data,'$.time.created',json_extract(data,'$.time.created')-?1) where session_id=?2",
		"update message set data=json_set(data,'$.time.completed',json_extract(data,'$.time.completed')-?1) where session_id=?2 and json_extract(data,'$.time.completed') is not null",
		"update part set time_created=time_created-?1, time_updated=time_updated-?1 where session_id=?2",
	} {
		if _, err := db.Exec(change, by.Milliseconds(), id); err != nil {
			w.t.Fatal(err)
		}
	}
}
