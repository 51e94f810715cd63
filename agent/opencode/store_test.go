package opencode

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

const (
	testID = "ses_e0490bdf4ffetoGb2yI1hytQKC"
	at0    = 1795219737195
)

const schema = `
create table session (id text primary key, parent_id text, directory text, version text, permission text, time_created integer, time_updated integer, time_archived integer);
create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text);
create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text);
create index message_session_time_created_id_idx on message (session_id, time_created, id);
create index part_message_id_id_idx on part (message_id, id);
insert into session values ('` + testID + `', null, '/home/dev/work/demo', '1.18.33', null, 1795219735051, 1795219735051, null);`

func insert(t *testing.T, db *sql.DB, id string, at int64, data string) {
	t.Helper()
	exec(t, db, "insert into message values (?, ?, ?, ?, ?)", id, testID, at, at, data)
}

func insertPart(t *testing.T, db *sql.DB, id, msg string, at int64, data string) {
	t.Helper()
	exec(t, db, "insert into part values (?, ?, ?, ?, ?, ?)", id, msg, testID, at, at, data)
}

func update(t *testing.T, db *sql.DB, id string, at int64, data string) {
	t.Helper()
	exec(t, db, "update message set data = ?, time_updated = ? where id = ?", data, at, id)
}

const (
	user  = `{"role":"user","time":{"created":%d}}`
	begun = `{"role":"assistant","parentID":"%s","providerID":"fake","modelID":"demo-1","time":{"created":%d}}`
	stop  = `{"role":"assistant","parentID":"%s","providerID":"fake","modelID":"demo-1","time":{"created":%d,"completed":%d},"finish":"stop","tokens":{"input":100,"output":10}}`
	fail  = `{"role":"assistant","parentID":"%s","providerID":"fake","modelID":"demo-1","time":{"created":%d,"completed":%d},"error":{"name":"APIError","data":{"message":"m","statusCode":429,"isRetryable":true,"responseHeaders":{"retry-after":"5"}}}}`
)

func newStore(t *testing.T) (*OpenCode, *sql.DB, detect.Session) {
	t.Helper()
	o, dir := open(t, &testProcs{})
	path := filepath.Join(dir, "opencode.db")
	db := writer(t, path)
	exec(t, db, schema)
	return o, db, detect.Session{Agent: Name, ID: testID, Path: path}
}

// A row is written when a request begins and again when it ends.
func TestFollow(t *testing.T) {
	o, db, s := newStore(t)
	var cursor agent.Cursor
	next := func() []string {
		t.Helper()
		b := read(t, o, s, cursor)
		if b.Anew || b.Skipped != 0 {
			t.Errorf("%+v", b)
		}
		cursor = b.Cursor
		return kinds(b.Events)
	}
	want := func(what string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, next()); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
		if again := next(); len(again) != 0 {
			t.Errorf("%s: read twice: %v", what, again)
		}
	}
	want("an empty session")
	insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
	want("a message, its text not yet there", "prompt")
	insertPart(t, db, "prt_1", "msg_1", at0, `{"type":"text","text":"\"Say hello\""}`)
	want("the text", "prompt")
	insert(t, db, "msg_2", at0+1, fmt.Sprintf(begun, "msg_1", at0+1))
	want("a request", "open")
	insertPart(t, db, "prt_2", "msg_2", at0+2, `{"type":"tool","state":{"status":"running"}}`)
	want("a tool", "open tool")
	update(t, db, "msg_1", at0+3, `{"role":"user","time":{"created":1795219737195},"summary":{"diffs":[]}}`)
	want("the summary of an old prompt is no news")
	update(t, db, "msg_2", at0+4, fmt.Sprintf(fail, "msg_1", at0+1, at0+4))
	want("the failure", "failure")
	insert(t, db, "msg_3", at0+9, fmt.Sprintf(user, at0+9))
	insert(t, db, "msg_4", at0+10, fmt.Sprintf(stop, "msg_3", at0+10, at0+11))
	want("resumed", "prompt", "answer done")

	// The clock was set back an hour: the new rows sort before the old ones.
	insert(t, db, "msg_0a", at0-3600e3, fmt.Sprintf(user, int64(at0-3600e3)))
	insert(t, db, "msg_0b", at0-3599e3, fmt.Sprintf(begun, "msg_0a", int64(at0-3599e3)))
	want("after the clock was set back", "prompt", "open")
	update(t, db, "msg_0b", at0-3598e3, fmt.Sprintf(stop, "msg_0a", int64(at0-3599e3), int64(at0-3598e3)))
	want("and its end", "answer done")

	// Rows get other numbers.
	exec(t, db, "delete from message where id = 'msg_1'")
	exec(t, db, "update message set rowid = rowid - 1")
	insert(t, db, "msg_5", at0+20, fmt.Sprintf(user, at0+20))
	if got := next(); !slices.Contains(got, "prompt") {
		t.Errorf("after a vacuum: %v", got)
	}

	// The user takes the last message back.
	exec(t, db, "delete from message where id = 'msg_5'")
	b := read(t, o, s, cursor)
	if !b.Anew || len(b.Events) == 0 {
		t.Errorf("after an undo: %+v", b)
	}
}

func TestScan(t *testing.T) {
	o, db, s := newStore(t)
	scan := func(hint string) agent.Touched {
		t.Helper()
		all, err := o.Scan(t.Context(), hint)
		if err != nil || len(all) != 1 || all[0].Session != s {
			t.Fatalf("%q: %+v, %v", hint, all, err)
		}
		return all[0]
	}
	insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
	insert(t, db, "msg_2", at0+1, fmt.Sprintf(begun, "msg_1", at0+1))
	stamp := scan("").Stamp
	for what, change := range map[string]func(){
		"a part": func() { insertPart(t, db, "prt_1", "msg_2", at0+5, `{"type":"text","text":""}`) },
		"a row":  func() { update(t, db, "msg_2", at0+6, fmt.Sprintf(fail, "msg_1", at0+1, at0+6)) },
		"moved":  func() { exec(t, db, "update session set time_updated = time_updated + 1") },
	} {
		change()
		got := scan(s.Path + "-wal")
		if got.Stamp == stamp || got.Stamp != scan("").Stamp {
			t.Errorf("%s: stamp %q, was %q", what, got.Stamp, stamp)
		}
		stamp = got.Stamp
	}
	if got := scan(s.Path); got.ModTime.UnixMilli() != at0+6 {
		t.Errorf("ModTime %v", got.ModTime)
	}
	for _, hint := range []string{filepath.Join(o.data, "auth.json"), filepath.Join(o.data, "log", "opencode.log"), "/etc/opencode.db", filepath.Join(o.data, "storage", "part", "x.json")} {
		if all, err := o.Scan(t.Context(), hint); err != nil || len(all) != 0 {
			t.Errorf("%s: %+v, %v", hint, all, err)
		}
	}
}

// A session that waits for hours stays in sight while another one writes thousands of rows.
func TestScanRemembersWaiting(t *testing.T) {
	o, db, s := newStore(t)
	insert(t, db, "msg_1", at0, fmt.Sprintf(begun, "msg_0", at0))
	if all, err := o.Scan(t.Context(), ""); err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	exec(t, db, `with recursive n(i) as (values(1) union all select i+1 from n where i < 3000)
		insert into message select 'msg_x'||i, 'ses_e047a531cffesBeTRrTfaQc0DI', ?, ?, '{"role":"user"}' from n`, at0, at0)
	update(t, db, "msg_1", at0+9, fmt.Sprintf(fail, "msg_0", at0, at0+9))
	all, err := o.Scan(t.Context(), s.Path+"-wal")
	if err != nil || !slices.ContainsFunc(all, func(x agent.Touched) bool { return x.Session == s }) {
		t.Fatalf("%+v, %v", all, err)
	}
}

func TestFolders(t *testing.T) {
	env := func(home string, vars map[string]string) agent.Env {
		return agent.Env{Home: home, Getenv: func(k string) string { return vars[k] }}
	}
	for name, c := range map[string]struct {
		env  agent.Env
		cfg  agent.Config
		want []string
	}{
		"home":        {env("/home/x", nil), agent.Config{}, []string{"/home/x/.local/share/opencode"}},
		"XDG":         {env("/home/x", map[string]string{"XDG_DATA_HOME": "/mnt/d"}), agent.Config{}, []string{"/mnt/d/opencode"}},
		"XDG, no use": {env("/home/x", map[string]string{"XDG_DATA_HOME": "d"}), agent.Config{}, []string{"/home/x/.local/share/opencode"}},
		"config":      {env("/home/x", map[string]string{"XDG_DATA_HOME": "/mnt/d"}), agent.Config{ConfigDir: "/mnt/c/"}, []string{"/mnt/c"}},
		"database":    {env("/home/x", map[string]string{"OPENCODE_DB": "/mnt/db/my.db"}), agent.Config{}, []string{"/home/x/.local/share/opencode", "/mnt/db"}},
		"no home":     {env("", nil), agent.Config{}, nil},
	} {
		var got []string
		for _, f := range New(c.env, c.cfg).Folders() {
			if !strings.Contains(f.Path, "storage") {
				got = append(got, f.Path)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestDatabases(t *testing.T) {
	o, dir := open(t, nil)
	for _, n := range []string{"opencode.db", "opencode-dev.db", "opencode.db-wal", "other.db", "my.db"} {
		writeFile(t, filepath.Join(dir, n), "")
	}
	for env, want := range map[string][]string{
		"":                             {"opencode-dev.db", "opencode.db"},
		":memory:":                     nil,
		"my.db":                        {"my.db"},
		"gone.db":                      nil,
		"../x.db":                      nil,
		filepath.Join(dir, "other.db"): {"other.db"},
	} {
		o.env.Getenv = func(string) string { return env }
		var got []string
		for _, p := range o.databases() {
			got = append(got, filepath.Base(p))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("OPENCODE_DB=%q: %s", env, d)
		}
	}
}

func TestFiles(t *testing.T) {
	o, db, s := newStore(t)
	names := func() []string {
		t.Helper()
		all, err := o.Files(s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			all[i] = filepath.Base(all[i])
		}
		return all
	}
	if d := cmp.Diff([]string{"opencode.db", "opencode.db-wal"}, names()); d != "" {
		t.Error(d)
	}
	db.Close()
	if d := cmp.Diff([]string{"opencode.db"}, names()); d != "" {
		t.Error(d)
	}
	if err := os.Truncate(s.Path, maxBackup+1); err != nil {
		t.Fatal(err)
	}
	if all, err := o.Files(s); err == nil || !strings.Contains(err.Error(), "256 MB") {
		t.Errorf("%v, %v", all, err)
	}
	o, s, _ = one(t, "old-1.1.53-finished")
	if all := names(); len(all) != 3+4 || all[0] != s.ID+".json" {
		t.Errorf("%v", all)
	}
}

// JSON files that a database has taken over are no sessions of their own.
func TestMigrated(t *testing.T) {
	o, s, _ := one(t, "old-1.1.53-finished")
	if all, err := o.Scan(t.Context(), filepath.Join(o.data, "storage", "message", s.ID)); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
	db := writer(t, filepath.Join(o.data, "opencode.db"))
	exec(t, db, schema)
	exec(t, db, "update session set id = ?", s.ID)
	if all, err := o.Scan(t.Context(), ""); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

// An old opencode rewrites a file in place, and a reader may meet it half written.
func TestHalfWrittenFile(t *testing.T) {
	o, s, b := one(t, "old-1.1.53-auth-401")
	last := b.Events[len(b.Events)-1].ID
	path := filepath.Join(o.data, "storage", "message", s.ID, last+".json")
	text := readFile(t, path)
	for _, half := range []string{"", text[:len(text)/2]} {
		writeFile(t, path, half)
		if b, err := agenttest.Read(t.Context(), o, s, b.Cursor); err == nil {
			t.Errorf("%d bytes: %+v", len(half), b)
		}
	}
	writeFile(t, path, text)
	if again := read(t, o, s, b.Cursor); len(again.Events) != 0 || again.Anew {
		t.Errorf("%+v", again)
	}
}

func TestSuite(t *testing.T) {
	agenttest.Run(t, func(t *testing.T) (agent.Agent, agenttest.Fixture) {
		o, dir := open(t, &testProcs{})
		path := filepath.Join(dir, "opencode.db")
		var db *sql.DB
		n := 0
		step := func(f func(t *testing.T)) func(t *testing.T) {
			return func(t *testing.T) {
				if db == nil {
					db = writer(t, path)
					exec(t, db, schema)
				}
				f(t)
			}
		}
		broken := func(data string) func(t *testing.T) {
			return step(func(t *testing.T) {
				n++
				insert(t, db, fmt.Sprintf("msg_b%d", n), at0+int64(n), data)
			})
		}
		return o, agenttest.Fixture{
			Session: detect.Session{Agent: Name, ID: testID, Path: path},
			Changed: path + "-wal",
			Steps: []func(t *testing.T){
				step(func(t *testing.T) {
					insert(t, db, "msg_1", at0+100, fmt.Sprintf(user, at0+100))
					insertPart(t, db, "prt_1", "msg_1", at0+100, `{"type":"text","text":"Say hello"}`)
				}),
				step(func(t *testing.T) {
					insert(t, db, "msg_2", at0+200, fmt.Sprintf(stop, "msg_1", at0+200, at0+201))
				}),
				step(func(t *testing.T) {
					insert(t, db, "msg_3", at0+300, fmt.Sprintf(user, at0+300))
				}),
				step(func(t *testing.T) {
					insert(t, db, "msg_4", at0+400, fmt.Sprintf(fail, "msg_3", at0+400, at0+401))
				}),
			},
			Unknown: step(func(t *testing.T) {
				n++
				insert(t, db, fmt.Sprintf("msg_u%d", n), at0+500+int64(n), `{"role":"oracle","time":{}}`)
			}),
			Broken: broken(`{"role":"assistant","time":{"comp`),
			Replace: func(t *testing.T) {
				exec(t, db, "pragma wal_checkpoint(truncate)")
				text := readFile(t, path)
				db.Close()
				if err := os.Rename(path, path+".old"); err != nil {
					t.Fatal(err)
				}
				writeFile(t, path, text)
			},
			Want: wantSuite(),
		}
	})
}

func TestRace(t *testing.T) { agenttest.Race(t, TestSuite) }

func wantSuite() detect.Stop {
	after := 5 * time.Second
	return detect.Stop{
		State: detect.Stopped, Reason: detect.RateLimit, Key: "msg_4", At: millis(at0 + 401), Status: 429, RetryAfter: &after,
		Evidence: detect.Evidence{Source: "database", Offset: 4, Field: "error.data.statusCode"},
	}
}

func TestCancelled(t *testing.T) {
	o, db, s := newStore(t)
	insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := agenttest.Read(ctx, o, s, ""); err == nil {
		t.Errorf("%+v", b)
	}
}

func TestBeside(t *testing.T) {
	const other = "ses_e047a531cffesBeTRrTfaQc0DI"
	o, _ := open(t, nil)
	for from, want := range map[string]string{
		"/d/opencode.db": "/d/opencode.db",
		"/d/storage/session/p/" + testID + ".json": "/d/storage/session/p/" + other + ".json",
	} {
		got := o.Beside(detect.Session{Agent: Name, ID: testID, Path: from}, other)
		if got != (detect.Session{Agent: Name, ID: other, Path: want}) {
			t.Errorf("%+v", got)
		}
	}
}

// Five cut answers in a long day are no loop.
func TestSlowUnknowns(t *testing.T) {
	for gap, want := range map[int64]detect.Kind{10e3: detect.KindFailure, 20e3: detect.KindOpen} {
		o, db, s := newStore(t)
		insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
		for i := range int64(5) {
			at := at0 + 1 + i*gap
			insert(t, db, fmt.Sprintf("msg_2%d", i), at, fmt.Sprintf(`{"role":"assistant","parentID":"msg_1","finish":"unknown","time":{"created":%d,"completed":%d}}`, at, at+1))
		}
		b := read(t, o, s, "")
		if last := b.Events[len(b.Events)-1]; last.Kind != want || last.ID != "msg_24" {
			t.Errorf("every %d ms: %+v", gap, last)
		}
		if b := read(t, o, s, b.Cursor); len(b.Events) != 0 {
			t.Errorf("every %d ms: read twice: %v", gap, kinds(b.Events))
		}
	}
}

// TestFind: a session is found by its id however many messages others have written since.
func TestFind(t *testing.T) {
	o, db, _ := newStore(t)
	const newer = "ses_e0490bdf4ffetoGb2yI1hytQKD"
	exec(t, db, "insert into session values (?, null, '/home/dev/work/demo', '1.18.33', null, 1795219735051, 1795219735051, null)", newer)
	insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
	for n := range int64(scanAll) {
		at := at0 + 10 + n
		exec(t, db, "insert into message values (?, ?, ?, ?, ?)", fmt.Sprintf("msg_9%05d", n), newer, at, at, fmt.Sprintf(user, at))
	}
	all, err := o.Scan(t.Context(), "")
	if err != nil || len(all) != 1 || all[0].Session.ID != newer {
		t.Errorf("listed %v, err %v", all, err)
	}
	s, ok, err := o.Find(t.Context(), testID)
	if !ok || err != nil || len(read(t, o, s, "").Events) == 0 {
		t.Errorf("found %+v %v, err %v", s, ok, err)
	}
	if s, ok, err := o.Find(t.Context(), "ses_e0490bdf4ffetoGb2yI1hytQKE"); ok || err != nil {
		t.Errorf("found %+v, err %v", s, err)
	}
}

// A window that is opened with a copy of a session writes the copy row by row, each with the time of the one that it
// copies. A prompt that is there before its text is read when that has come: by it the copy is known for what it is.
func TestHalfCopied(t *testing.T) {
	o, db, s := newStore(t)
	exec(t, db, "update session set time_created = ?, time_updated = time_created", time.Now().UnixMilli())
	insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
	early := read(t, o, s, "")
	if len(early.Events) != 0 || early.Info.FirstPrompt != "" {
		t.Fatalf("%+v", early)
	}
	insertPart(t, db, "prt_1", "msg_1", at0, `{"type":"text","text":"say done"}`)
	insert(t, db, "msg_2", at0+1, fmt.Sprintf(stop, "msg_1", at0+1, at0+2))
	b := read(t, o, s, early.Cursor)
	if d := cmp.Diff([]string{"prompt", "answer done"}, kinds(b.Events)); d != "" || b.Info.FirstPrompt != detect.HashText("say done") || b.Anew {
		t.Errorf("first prompt %q, anew %v, events (-want +got):\n%s", b.Info.FirstPrompt, b.Anew, d)
	}
}
