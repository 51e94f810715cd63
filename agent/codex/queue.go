package codex

import (
	"context"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// queued tells whether a message lies in the agent's queue for a session. The session's next run begins with it, whoever starts that
// (0.169, 0.171): with a prompt of its user's, or with one of clawd's whose turn never began. What cannot be read tells nothing.
func (c *Codex) queued(s detect.Session) bool {
	path := c.database("queue")
	if path == "" {
		return false
	}
	if _, err := agent.Own(path); err != nil {
		return false
	}
	pragmas := logPragmas
	if _, err := agent.Own(path + "-wal"); err != nil { // nobody writes, and an ordinary connection would make one
		pragmas += "&immutable=1"
	}
	db, err := openDatabase(path, pragmas)
	if err != nil {
		return false
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), logTime)
	defer cancel()
	var n int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM queued_items WHERE thread_id = ?`, s.ID).Scan(&n)
	return err == nil && n > 0
}
