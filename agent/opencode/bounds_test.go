package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

// A view may never end, and neither its rows nor their size are bounded by the file. opencode makes plain
// tables only, so anything else is not read.
func TestStrangeTables(t *testing.T) {
	view := func(table string) string {
		return "alter table " + table + " rename to real_" + table + "; create view " + table + " as select rowid, * from real_" + table
	}
	for table, change := range map[string]string{
		"session": view("session"),
		"message": view("message"),
		"part":    view("part"),
		"Message": "drop table message; create virtual table Message using fts5(id, session_id, time_created, time_updated, data)",
		"PART":    "alter table part rename to other; create view PART as select * from other",
	} {
		t.Run(table, func(t *testing.T) {
			o, db, s := newStore(t)
			insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
			exec(t, db, change)
			_, scanErr := o.Scan(t.Context(), "")
			_, _, findErr := o.Find(t.Context(), testID)
			_, readErr := agenttest.Read(t.Context(), o, s, "")
			_, promptErr := o.LastPrompt(t.Context(), s)
			for what, err := range map[string]error{"Scan": scanErr, "Find": findErr, "Read": readErr, "LastPrompt": promptErr} {
				if r := (*agent.Refused)(nil); !errors.As(err, &r) || r.Path != s.Path || !strings.Contains(r.Why, fmt.Sprintf("%q", table)) {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

// What takes too long is ended, and not begun again for a while, as other sessions wait for it meanwhile. Then it
// may take longer: a slow disk is no reason never to read it.
func TestEndless(t *testing.T) {
	o, db, s := newStore(t)
	insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
	o.patience = 100 * time.Millisecond
	begun := 0
	endless := func(ctx context.Context, tx *sql.Tx) error {
		begun++
		var n int
		return tx.QueryRowContext(ctx, "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n").Scan(&n)
	}
	for n, took := range []string{"100ms", "200ms", "400ms"} {
		for range 2 {
			if err := o.view(t.Context(), s.Path, endless); err == nil || !strings.Contains(err.Error(), s.Path+": it took longer than "+took) {
				t.Errorf("%v", err)
			}
		}
		if begun != n+1 {
			t.Errorf("begun %d times", begun)
		}
		was := o.slow[s.Path]
		if left := time.Until(was.until); left <= 0 || left > leave*was.took {
			t.Errorf("it is left alone for %s", left)
		}
		was.until = time.Now()
		o.slow[s.Path] = was
	}
	if b := read(t, o, s, ""); len(b.Events) != 1 {
		t.Errorf("%+v", b)
	}
	// Who gave it up is not told that it takes long.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := o.view(ctx, s.Path, endless); err == nil || len(o.slow) != 0 {
		t.Errorf("%v, %v", err, o.slow)
	}
}

// One message has no end of parts, or no end of text.
func TestManyParts(t *testing.T) {
	o, db, s := newStore(t)
	insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
	exec(t, db, `with recursive n(i) as (select 1 union all select i + 1 from n limit 5000)
		insert into part select printf('prt_%05d', i), 'msg_1', '`+testID+`', 1, 1, '{"type":"text","text":"`+strings.Repeat("x", 10)+`"}' from n`)
	err := o.view(t.Context(), s.Path, func(ctx context.Context, tx *sql.Tx) error {
		m := message{ID: "msg_1"}
		err := dbStore{tx, testID}.parts(ctx, &m, true)
		if len(m.Parts) != maxParts {
			t.Errorf("%d parts", len(m.Parts))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
