package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// The title of a terminal, as 1.18.33 sets it: untitled at its first screen, and for a session whose own title is the one that
// it was made with. OPENCODE_DISABLE_TERMINAL_TITLE leaves the shell's.
const (
	untitled   = "OpenCode"
	titled     = "OC | "
	titleUnits = 40 // of UTF-16: a longer title is cut to 37, and dots follow
	titleCut   = 37
)

var madeTitle = lazyregexp.New(`^(?:New|Child) session - \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// Titled goes by the session's own title.
func (o *OpenCode) Titled(ctx context.Context, s detect.Session, title string) (shows, known bool, err error) {
	shown, named := strings.CutPrefix(title, titled)
	if !named && title != untitled {
		return false, false, nil
	}
	own, err := o.title(ctx, s)
	if err != nil {
		return false, false, err
	}
	if own = strings.TrimSpace(own); madeTitle.MatchString(own) || own == "" {
		return false, named, nil // another session with such a title looks the same
	}
	if !named || !sameTitle(own, shown) {
		return false, true, nil
	}
	twin, err := o.twin(ctx, s, own, shown)
	return !twin, !twin, err
}

// twin tells whether another session looks the same in a terminal's title.
func (o *OpenCode) twin(ctx context.Context, s detect.Session, own, shown string) (twin bool, err error) {
	if isJSON(s) {
		found, err := o.scanStorage(ctx, nil)
		for _, t := range found {
			if title, err := o.stored(t.Session).title(); err == nil && t.Session.ID != s.ID {
				twin = twin || sameTitle(strings.TrimSpace(title), shown)
			}
		}
		return twin, err
	}
	err = o.view(ctx, s.Path, func(ctx context.Context, tx *sql.Tx) error {
		twin = false
		return each(ctx, tx, func(scan func(...any) error) error {
			var title sql.NullString
			err := scan(&title)
			twin = twin || sameTitle(strings.TrimSpace(title.String), shown)
			return err
		}, "select substr(title, 1, 1000) from session where id <> ? and instr(title, ?) > 0", s.ID, string([]rune(own)[:min(len([]rune(own)), titleCut/2)]))
	})
	return twin, err
}

// sameTitle tells whether a terminal shows a title, in full or cut. Versions before 1.18 end in three dots.
func sameTitle(own, shown string) bool {
	shown = strings.TrimSpace(shown)
	units := utf16.Encode([]rune(own))
	if len(units) <= titleUnits {
		return own == shown
	}
	cut := string(utf16.Decode(units[:titleCut]))
	return shown == cut+"…" || shown == cut+"..."
}

func (o *OpenCode) title(ctx context.Context, s detect.Session) (title string, err error) {
	if err := o.check(s); err != nil {
		return "", err
	}
	if isJSON(s) {
		return o.stored(s).title()
	}
	err = o.view(ctx, s.Path, func(ctx context.Context, tx *sql.Tx) error {
		var t sql.NullString
		err := tx.QueryRowContext(ctx, "select substr(title, 1, 1000) from session where id = ?", s.ID).Scan(&t)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("session %s is not in it: %w", s.ID, fs.ErrNotExist)
		}
		title = t.String
		return err
	})
	return title, err
}

// Newer lists the other main sessions of the folder that began in a terminal and were written after a time.
func (o *OpenCode) Newer(ctx context.Context, s detect.Session, after time.Time) ([]detect.Session, error) {
	return o.others(ctx, s, after, func(interactive bool) bool { return interactive })
}

// Begun lists the other main sessions of the folder that were written after a time.
func (o *OpenCode) Begun(ctx context.Context, s detect.Session, after time.Time) ([]detect.Session, error) {
	return o.others(ctx, s, after, func(bool) bool { return true })
}

// MayShow is any that was used since then, whoever began it.
func (o *OpenCode) MayShow(ctx context.Context, s detect.Session, started time.Time) ([]detect.Session, error) {
	return o.Begun(ctx, s, started)
}

func (o *OpenCode) others(ctx context.Context, s detect.Session, after time.Time, fits func(interactive bool) bool) (all []detect.Session, err error) {
	if err := o.check(s); err != nil {
		return nil, err
	}
	if isJSON(s) {
		return o.othersStored(ctx, s, after, fits)
	}
	err = o.view(ctx, s.Path, func(ctx context.Context, tx *sql.Tx) error {
		all = nil
		return each(ctx, tx, func(scan func(...any) error) error {
			var id string
			var permission sql.NullString
			err := scan(&id, &permission)
			if fits(!headlessRules([]byte(permission.String))) {
				all = append(all, detect.Session{Agent: Name, ID: id, Path: s.Path})
			}
			return err
		}, `select substr(id, 1, 100), case when octet_length(permission) <= 65536 and json_valid(permission) then permission end from session
			where id <> ? and parent_id is null and directory = (select directory from session where id = ?)
			and (time_updated > ? or exists (select 1 from message m where m.session_id = session.id and m.time_created > ?))`,
			s.ID, s.ID, after.UnixMilli(), after.UnixMilli())
	})
	return all, err
}

func (o *OpenCode) othersStored(ctx context.Context, s detect.Session, after time.Time, fits func(interactive bool) bool) (all []detect.Session, err error) {
	own, err := o.stored(s).info(ctx)
	if err != nil {
		return nil, err
	}
	found, err := o.scanStorage(ctx, nil) // its error has the attempt put off
	for _, t := range found {
		if t.Session.ID == s.ID || !t.ModTime.After(after) {
			continue
		}
		i, err := o.stored(t.Session).info(ctx)
		half := err != nil && !errors.Is(err, fs.ErrNotExist) // it is being written, say: it may be one
		if half || err == nil && i.Parent == "" && fits(i.Interactive) && i.Dir == own.Dir {
			all = append(all, t.Session)
		}
	}
	return all, err
}

func (o *OpenCode) stored(s detect.Session) jsonStore {
	return jsonStore{root: o.storageOf(s.Path), path: s.Path, id: s.ID, kept: &o.rows}
}

var (
	_ agent.Titler   = (*OpenCode)(nil)
	_ agent.Lister   = (*OpenCode)(nil)
	_ agent.Beginner = (*OpenCode)(nil)
	_ agent.Lister   = (*OpenCode)(nil)
)
