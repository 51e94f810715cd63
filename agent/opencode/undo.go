package opencode

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// undo is what the user of a session took back with /undo: the messages from one on. opencode notes that in the session
// alone, and deletes them with the next prompt; until then /redo brings them back.
type undo struct {
	mark string // undoneFrom and the id of the first of them; empty: nothing is undone
	at   time.Time
}

const undoneFrom = "undone:"

// has tells whether a message is undone. Ids are in the order in which they were made, and opencode goes by that.
func (u undo) has(id string) bool {
	first, undone := strings.CutPrefix(u.mark, undoneFrom)
	return undone && id >= first
}

// undone asks only databases that have the column. A value that names no message is none of opencode's, which then refuses the session;
// one that is too large to be read still says that its user undid something.
func (d dbStore) undone(ctx context.Context) (u undo, err error) {
	var has bool
	err = d.tx.QueryRowContext(ctx, "select count(*) from pragma_table_info('session') where name = 'revert'").Scan(&has)
	if err != nil || !has {
		return undo{}, err
	}
	var first sql.NullString
	var updated sql.NullInt64
	err = d.tx.QueryRowContext(ctx, `select case
			when octet_length(revert) > 16777216 then ''
			when json_valid(revert) then substr(revert->>'$.messageID', 1, 200)
			end, time_updated from session where id = ?`, d.id).Scan(&first, &updated)
	if err != nil || !first.Valid {
		return undo{}, err
	}
	return undo{mark: undoneFrom + first.String, at: millis(float64(updated.Int64))}, nil
}

// undo tells of an undo as of an interruption: nobody but its user may go on from there. It stands behind all that the
// messages say, and is told again with whatever they say anew.
func (r *reader) undo(last *message) {
	mark := r.undone.mark
	if mark == "" || mark == r.from.Undone && len(r.events) == 0 {
		return
	}
	r.events = append(r.events, detect.Event{Kind: detect.KindInterrupt, ID: mark, At: later(r.undone.at, last.at()), Offset: last.Row})
}
