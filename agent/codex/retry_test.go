package codex

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// logged is a row of the recorded log.
type logged struct {
	TS     int64  `json:"ts"`
	Nanos  int64  `json:"ts_nanos"`
	Level  string `json:"level"`
	Target string `json:"target"`
	Body   string `json:"feedback_log_body"`
	Thread string `json:"thread_id"`
}

// openLog makes the agent's log in root and keeps it open, as a running agent does.
func openLog(t *testing.T, root string) func(logged) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(root, "logs_2.sqlite")+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE logs (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, ts_nanos INTEGER NOT NULL, level TEXT NOT NULL,
		target TEXT NOT NULL, feedback_log_body TEXT, thread_id TEXT)`); err != nil {
		t.Fatal(err)
	}
	return func(l logged) {
		t.Helper()
		if _, err := db.Exec(`INSERT INTO logs(ts, ts_nanos, level, target, feedback_log_body, thread_id) VALUES (?, ?, ?, ?, ?, ?)`,
			l.TS, l.Nanos, l.Level, l.Target, l.Body, l.Thread); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRetry replays a terminal that met a 429 with Retry-After 1800, then its user's Esc.
func TestRetry(t *testing.T) {
	const name = "tui-retrying-429-large"
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	source := rollouts(t, name)[0]
	all := linesOf(t, source)
	s := sessionAt(t, filepath.Join(root, day, filepath.Base(source)))
	put(t, filepath.Join(root, "thread-writer-locks", s.ID+".lock"), "")
	var f follower
	state := func() detect.Stop {
		t.Helper()
		f.read(t, c, s)
		f.class.Feed(detect.Event{Kind: detect.KindHolder, Holder: &detect.Holder{Liveness: detect.Alive}})
		return f.class.Stop()
	}
	for n, line := range all {
		if strings.Contains(line, "<turn_aborted>") {
			all = all[n:]
			break
		}
		put(t, s.Path, line)
	}
	if got := state(); got.State != detect.Running || len(got.CouldBe) == 0 {
		t.Errorf("before the log: %+v", got)
	}
	before := stampOf(t, c)
	add := openLog(t, root)
	b, err := os.ReadFile(filepath.Join(recordings, name, "logs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var l logged
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		add(l)
	}
	if stampOf(t, c) == before {
		t.Error("the stamp does not show that something was logged")
	}
	got := state()
	// 00:37:08.112804625 + 1799.998346509 s
	if want := time.Date(2026, 11, 21, 1, 7, 8, 111151134, time.UTC); got.State != detect.Retrying || !got.SelfResumeAt.Equal(want) {
		t.Errorf("state %s until %s, want retrying until %s", got.State, got.SelfResumeAt, want)
	}
	if x, err := agenttest.Read(t.Context(), c, s, f.cursor); err != nil || len(x.Events) != 0 {
		t.Errorf("the same try was told again: %+v, %v", x.Events, err)
	}
	put(t, s.Path, strings.Join(all, ""))
	if got := state(); got.Reason != detect.Interrupted {
		t.Errorf("after Esc: %+v", got)
	}
}

// TestRetryOther: rows of other turns, other sessions and other parts of the agent are not it.
func TestRetryOther(t *testing.T) {
	x := begin(t, "0.169.0", "")
	x.event("task_started", started(turn))
	add := openLog(t, x.c.root)
	body := func(id string) string {
		return "run: stream disconnected - retrying sampling request (1/5 in 2s)... turn_id=" + id
	}
	const target = "codex_core::responses_retry"
	ts := time.Date(2026, 11, 21, 0, 23, 0, 0, time.UTC).Unix()
	add(logged{ts, 0, "WARN", target, body(turn), other})
	add(logged{ts, 0, "WARN", target, body(other), sid})
	add(logged{ts, 0, "WARN", "tool", body(turn), sid})
	add(logged{ts, 0, "WARN", target, "something else turn_id=" + turn, sid})
	for _, e := range readAll(t, x) {
		if e.Kind == detect.KindRetry {
			t.Errorf("%+v", e)
		}
	}
	add(logged{ts + 1, 0, "WARN", target, body(turn), sid})
	events := readAll(t, x)
	if e := events[len(events)-1]; e.Kind != detect.KindRetry || e.Next.Unix() != ts+3 {
		t.Errorf("%+v", e)
	}
}

func readAll(t *testing.T, x *script) []detect.Event {
	t.Helper()
	b, err := agenttest.Read(t.Context(), x.c, x.s, "")
	if err != nil {
		t.Fatal(err)
	}
	return b.Events
}

func stampOf(t *testing.T, c *Codex) string {
	t.Helper()
	all, err := c.Scan(t.Context(), "")
	if err != nil || len(all) != 1 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	return all[0].Stamp
}
