package codex

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// A wait inside the agent, of up to half an hour a try, leaves nothing in the rollout. A terminal
// and the background server write it into logs_N.sqlite; `codex exec` writes it nowhere.

const (
	// logPragmas bound what the reader costs; it waits for no writer for long.
	logPragmas = "mode=ro&_pragma=busy_timeout(200)&_pragma=cache_size(-256)&_pragma=temp_store(2)&_pragma=query_only(1)"
	logTime    = 500 * time.Millisecond // of one query
	// longestRetry bounds a single wait; the agent itself obeys any Retry-After.
	longestRetry = 24 * time.Hour
)

// logBook is the connection to the agent's log. It stays open between reads: the first connection
// to a database and the last one that is closed lock it for a moment, in which its writers must wait.
type logBook struct {
	mu    sync.Mutex
	db    *sql.DB
	path  string
	files [3]uint64 // inodes of the database, its -wal and its -shm
}

// retry gives the newest failed try of a turn that is under way. What cannot be read tells nothing:
// the session is then one that works, or retries.
func (c *Codex) retry(ctx context.Context, s detect.Session, turn string) (detect.Event, bool) {
	path := c.database("logs")
	if path == "" || !agent.IsUUID(turn) {
		return detect.Event{}, false
	}
	c.logs.mu.Lock()
	defer c.logs.mu.Unlock()
	db, err := c.logs.connect(path)
	if err != nil {
		return detect.Event{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, logTime)
	defer cancel()
	var sec, nano int64
	var body string
	err = db.QueryRowContext(ctx, `SELECT ts, ts_nanos, substr(feedback_log_body, 1, 8192) FROM logs
		WHERE thread_id = ? AND target = 'codex_core::responses_retry' AND instr(feedback_log_body, ?) > 0
		ORDER BY ts DESC, ts_nanos DESC LIMIT 1`, s.ID, "turn_id="+turn).Scan(&sec, &nano, &body)
	if err != nil {
		return detect.Event{}, false
	}
	e := detect.Event{Kind: detect.KindRetry, ID: turn, At: detect.Clamp(time.Unix(sec, nano))}
	m := retryText.FindStringSubmatch(body)
	if m == nil {
		return e, false
	}
	if d, err := time.ParseDuration(m[1]); err == nil && d >= 0 && d <= longestRetry {
		e.Next = e.At.Add(d)
	}
	return e, true
}

// retryText: "stream disconnected - retrying sampling request (1/5 in 1799.998346509s)... turn_id=…".
var retryText = lazyregexp.New(`- retrying sampling request \(\d+/\d+ in ([\d.]+m?s)\)`)

// connect gives the kept connection, a new one if a file was replaced. Without -wal and -shm no
// process writes, and an ordinary connection would leave them behind. Callers hold mu.
func (l *logBook) connect(path string) (*sql.DB, error) {
	var files [3]uint64
	for i, suffix := range []string{"", "-wal", "-shm"} {
		fi, err := agent.Own(path + suffix)
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		files[i] = agent.Inode(fi)
	}
	if l.db != nil && l.path == path && l.files == files {
		return l.db, nil
	}
	if err := l.close(); err != nil {
		return nil, err
	}
	db, err := openDatabase(path, logPragmas)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	l.db, l.path, l.files = db, path, files
	return db, nil
}

func openDatabase(path, pragmas string) (*sql.DB, error) {
	// A path may hold ?, # and %, which would end or change it in an URI.
	u := url.URL{Scheme: "file", Path: path}
	return sql.Open("sqlite", u.String()+"?"+pragmas)
}

func (l *logBook) close() error {
	if l.db == nil {
		return nil
	}
	db := l.db
	l.db = nil
	return db.Close()
}

// database is the path of the newest generation of a database, "logs" or "queue"; empty: there is none.
func (c *Codex) database(kind string) string {
	dir := c.getenv("CODEX_SQLITE_HOME")
	if dir == "" {
		dir = c.root
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	names, err := filepath.Glob(filepath.Join(globQuote.Replace(dir), kind+"_*.sqlite"))
	if err != nil {
		return ""
	}
	best, path := -1, ""
	for _, p := range names {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(p), kind+"_"), ".sqlite"))
		if err == nil && n > best {
			best, path = n, p
		}
	}
	return path
}

var globQuote = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// logStamp changes with every line that is logged; empty: nobody logs.
func (c *Codex) logStamp() string {
	path := c.database("logs")
	if path == "" {
		return ""
	}
	fi, err := os.Lstat(path + "-wal")
	if err != nil {
		return ""
	}
	return agent.Stamp(fi)
}
