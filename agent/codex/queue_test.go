package codex

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// A message that lies in the queue would run before clawd's prompt, whose turn it would be taken for: a person's would end that run,
// and one of clawd's would run twice.
func TestPlanBehindAQueuedMessage(t *testing.T) {
	for name, w := range map[string]struct {
		file, thread string
		open         bool // its agent runs
		killed       bool // it was, and has left what it wrote beside the database
		home         string
		queued       bool
	}{
		"for it, nobody runs":          {file: "queue_1.sqlite", thread: sid, queued: true},
		"for it, the agent runs":       {file: "queue_1.sqlite", thread: sid, open: true, queued: true},
		"for it, the agent was killed": {file: "queue_1.sqlite", thread: sid, open: true, killed: true, queued: true},
		"in a folder of its own":       {file: "queue_1.sqlite", thread: sid, home: "databases", queued: true},
		"the next generation":          {file: "queue_2.sqlite", thread: sid, queued: true},
		"for another session":          {file: "queue_1.sqlite", thread: "019a0000-0000-7000-8000-000000000000"},
	} {
		root := t.TempDir()
		dir := filepath.Join(root, w.home)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, w.file)
		db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		for _, text := range []string{
			`CREATE TABLE queued_items (id TEXT PRIMARY KEY NOT NULL, thread_id TEXT NOT NULL, payload_json TEXT NOT NULL, queue_order INTEGER NOT NULL)`,
			`INSERT INTO queued_items VALUES ('01a1fb7c-74c9-7df3-ba35-0c0835f35a36', '` + w.thread + `', '{"UserInput":{}}', 0)`} {
			if _, err := db.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		if !w.open {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if w.killed {
			left := t.TempDir()
			for _, suffix := range []string{"", "-wal", "-shm"} {
				b, err := os.ReadFile(path + suffix)
				if err != nil {
					t.Fatal(err)
				}
				put(t, filepath.Join(left, w.file+suffix), string(b))
			}
			dir, path = left, filepath.Join(left, w.file)
		}
		c := over(root, procTable{}, agent.Config{}, "CODEX_SQLITE_HOME="+dir)
		r := request(t, root)
		_, err = c.Plan(r)
		unfit := (*agent.Unfit)(nil)
		if is := errors.As(err, &unfit); is != w.queued || is && (unfit.Command == "" || unfit.Key != "") || !is && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r.Handoff = []byte("go on")
		if _, err := c.Fresh(r); err != nil {
			t.Errorf("%s, fresh: %v", name, err)
		}
		if _, err := os.Stat(path + "-wal"); (err == nil) != w.open {
			t.Errorf("%s: the reader changed what lies there: %v", name, err)
		}
	}
	root := t.TempDir()
	put(t, filepath.Join(root, "queue_1.sqlite"), "no database")
	if _, err := over(root, procTable{}, agent.Config{}).Plan(request(t, root)); err != nil {
		t.Errorf("damaged: %v", err)
	}
}
