package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// A session that the store knows by a mark alone has no file there. It is looked at as soon as its file is found.
func TestSessionKnownByItsMark(t *testing.T) {
	in(t, func(r *rig) {
		id := uuid.NewString()
		if err := os.MkdirAll(r.o.StateDir, 0o700); err != nil {
			t.Fatal(err)
		}
		store, err := state.Open(filepath.Join(r.o.StateDir, "clawd.db"), state.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ds := detect.Session{Agent: "claude", ID: id}
		books := store.Books(time.Now, func(err error) { t.Error(err) })
		if err := store.Commit(state.Session{Session: ds, Phase: state.Following}.Noted(books, state.Read{Session: ds})); err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		r.start()
		r.add(id, r.line(id, "user"), r.line(id, "limit"))
		if rec := r.wantPhase(id, state.Waiting); rec.Path == "" {
			t.Error("its file is not stored")
		}
	})
}
