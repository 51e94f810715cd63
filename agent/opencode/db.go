package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/clawd-project/clawd/agent"
)

// pragmas bound what one reader costs: half a second behind a writer, 512 KB of pages, no
// temporary files.
const pragmas = "_pragma=busy_timeout(500)&_pragma=cache_size(-512)&_pragma=temp_store(2)&_pragma=query_only(1)"

var errNoTables = errors.New("the database has no sessions yet")

// What the first read of a database may take: a damaged or a hostile file can keep SQLite busy without end, and
// other sessions wait meanwhile. One that took more is left alone for ten times as long, and then may take twice
// as much: a large one on a slow disk is read in the end.
const (
	patience    = 10 * time.Second
	patienceMax = 10 * time.Minute
	leave       = 10
)

// slow is a database that took too long.
type slow struct {
	took  time.Duration // and was cut off then
	until time.Time     // it is left alone
}

// view runs f in one read transaction on one connection. It writes nothing and leaves no file
// behind:
//
//   - with -wal and -shm in place, an ordinary read-only connection, which sees the newest rows and
//     stays open (see conn);
//   - without a -wal, immutable=1: an ordinary connection would create -wal and -shm and leave
//     them. When a -wal appears meanwhile, what was read may be torn and is read again;
//   - with a -wal but no -shm (a copy, a backup), a private copy of both, for the same reason.
func (o *OpenCode) view(ctx context.Context, path string, f func(context.Context, *sql.Tx) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	was := o.slow[path]
	if time.Now().Before(was.until) {
		return was.err(path)
	}
	most := max(o.patience, min(2*was.took, patienceMax))
	within, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := o.viewOnce(within, path, f)
	if errors.Is(err, errMoved) {
		err = o.viewOnce(within, path, f)
	}
	var table strange
	switch {
	case err == nil:
		delete(o.slow, path)
		return nil
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &table):
		return &agent.Refused{Path: path, Why: table.Error()}
	case within.Err() != nil && ctx.Err() == nil:
		is := slow{most, time.Now().Add(leave * most)}
		o.slow[path] = is
		return is.err(path)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func (s slow) err(path string) error {
	return fmt.Errorf("%s: it took longer than %s to read, and is left alone for %s; look whether the file is damaged", path, s.took, leave*s.took)
}

var errMoved = errors.New("it was opened by its writer while it was read")

func (o *OpenCode) viewOnce(ctx context.Context, path string, f func(context.Context, *sql.Tx) error) error {
	fi, err := agent.Own(path)
	if err != nil {
		return err
	}
	wal, err := size(path + "-wal")
	if err != nil {
		return err
	}
	shm, err := size(path + "-shm")
	if err != nil {
		return err
	}
	switch {
	case fi.Size() == 0 && wal <= 0:
		return errNoTables
	case wal > 0 && shm < 0:
		return viewCopy(ctx, path, fi.Size()+wal, f)
	case wal >= 0 && shm >= 0:
		c, err := o.connect(path)
		if err != nil {
			return err
		}
		return inTx(ctx, c, f)
	}
	if j, err := size(path + "-journal"); err == nil && j > 0 {
		return query(ctx, path, "mode=ro", f)
	}
	err = query(ctx, path, "mode=ro&immutable=1", f)
	now, statErr := agent.Own(path)
	switch {
	case statErr != nil:
		return statErr
	case now.Size() != fi.Size() || !now.ModTime().Equal(fi.ModTime()):
		return errMoved
	}
	if w, statErr := size(path + "-wal"); statErr == nil && w > 0 && w != wal {
		return errMoved
	}
	return err
}

// size of a file of this user; -1: there is none.
func size(path string) (int64, error) {
	fi, err := agent.Own(path)
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

// conn is a connection that is kept between reads, without a transaction. The first connection to
// a database and the last one that is closed lock it for a moment, and opencode, which waits for
// no lock while it starts, would fail with "database is locked". One that is always there is
// neither.
type conn struct {
	db    *sql.DB
	files [3]uint64 // inodes of the database, its -wal and its -shm
}

// connect gives the kept connection, a new one if a file was replaced. Callers hold mu.
func (o *OpenCode) connect(path string) (*sql.DB, error) {
	var files [3]uint64
	for i, suffix := range []string{"", "-wal", "-shm"} {
		fi, err := agent.Own(path + suffix)
		if err != nil {
			return nil, err
		}
		files[i] = agent.Inode(fi)
	}
	if c, ok := o.conns[path]; ok && c.files == files {
		return c.db, nil
	}
	if err := o.disconnect(path); err != nil {
		return nil, err
	}
	db, err := dial(path, "mode=ro")
	if err != nil {
		return nil, err
	}
	o.conns[path] = conn{db, files}
	return db, nil
}

// disconnect closes the kept connection. Callers hold mu.
func (o *OpenCode) disconnect(path string) error {
	c, ok := o.conns[path]
	if !ok {
		return nil
	}
	delete(o.conns, path)
	return c.db.Close()
}

func dial(path, mode string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// A path may hold ?, # and %, which would end or change it in an URI.
	u := url.URL{Scheme: "file", Path: abs}
	db, err := sql.Open("sqlite", u.String()+"?"+mode+"&"+pragmas)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// query opens a connection for one read.
func query(ctx context.Context, path, mode string, f func(context.Context, *sql.Tx) error) error {
	db, err := dial(path, mode)
	if err != nil {
		return err
	}
	defer db.Close()
	return inTx(ctx, db, f)
}

// inTx runs f in one short transaction.
func inTx(ctx context.Context, db *sql.DB, f func(context.Context, *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if err := plainTables(ctx, tx); err != nil {
		return err
	}
	return f(ctx, tx)
}

// strangeTable finds what has the name of a table of opencode and is more than rows of a file: a view or a
// virtual table.
const strangeTable = `select substr(name, 1, 100) from sqlite_schema
	where lower(name) in ('session', 'message', 'part', 'project', 'project_directory') and type in ('table', 'view') and
		(type = 'view' or rootpage = 0) limit 1`

// strange is such a table.
type strange string

func (s strange) Error() string {
	return fmt.Sprintf("its table %q is none that opencode makes: it is a view, or virtual", string(s))
}

// plainTables refuses a database whose tables could be without end.
func plainTables(ctx context.Context, tx *sql.Tx) error {
	var name string
	switch err := tx.QueryRowContext(ctx, strangeTable).Scan(&name); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return strange(name)
}

func viewCopy(ctx context.Context, path string, total int64, f func(context.Context, *sql.Tx) error) error {
	if total > maxBackup {
		return fmt.Errorf("it has a -wal but no -shm, and is too large (%d MB) to be read from a copy", total>>20)
	}
	dir, err := os.MkdirTemp("", "clawd-opencode-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(to+suffix, path+suffix); err != nil {
			return err
		}
	}
	if shm, err := size(path + "-shm"); err != nil || shm >= 0 {
		return errors.Join(errMoved, err)
	}
	return query(ctx, to, "mode=rw", f)
}

func copyFile(to, from string) error {
	r, err := agent.OpenRegular(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.LimitReader(r, maxBackup))
	return errors.Join(err, w.Close())
}

// each calls f for every row, which f must scan.
func each(ctx context.Context, tx *sql.Tx, f func(scan func(...any) error) error, q string, args ...any) error {
	rows, err := tx.QueryContext(ctx, q, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
