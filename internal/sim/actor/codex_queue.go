package actor

import (
	"database/sql"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/clawd-project/clawd/resume"
)

// queue is codex queue --thread ID --message=TEXT --resume. It ends well whatever comes of the prompt.
func (c *Codex) queue(plan resume.Plan, environ []string, now time.Time) (Session, error) {
	id, _ := option(plan.Argv, "--thread")
	run := c.spawn(id, Start{Dir: plan.Dir}, slices.Concat([]string{"codex"}, plan.Argv[1:]), slices.Concat(plan.Env, environ), now)
	for _, a := range plan.Argv {
		if text, ok := strings.CutPrefix(a, "--message="); ok {
			c.queued[id] = append(c.queued[id], text)
		}
	}
	if p := c.open[id]; p != nil && p.server != nil && p.Idle() {
		if err := p.takes(now); err != nil {
			return nil, err
		}
	}
	return run, errors.Join(c.keepQueue(), run.exit(now, 0, false))
}

// takes the next prompt of the queue, if there is one.
func (p *codex) takes(now time.Time) error {
	all := p.c.queued[p.id]
	if len(all) == 0 {
		return nil
	}
	p.c.queued[p.id] = all[1:]
	return errors.Join(p.c.keepQueue(), p.give(all[0], Clawd, now))
}

// Queued gives what lies in the queue of a session.
func (c *Codex) Queued(id string) []string { return c.queued[id] }

// keepQueue writes down what nobody has taken yet.
func (c *Codex) keepQueue() (err error) {
	path := filepath.Join(c.root, "queue_1.sqlite")
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(c.queued)), func(all []string) bool { return len(all) > 0 }) {
		return nil
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.Exec(`CREATE TABLE queued_items (id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, payload_json TEXT NOT NULL)`); err != nil {
		return err
	}
	for id, all := range c.queued {
		for _, text := range all {
			if _, err := db.Exec(`INSERT INTO queued_items (thread_id, payload_json) VALUES (?, ?)`, id, quote(text)); err != nil {
				return err
			}
		}
	}
	return os.Chmod(path, 0o600)
}
