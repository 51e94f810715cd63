package agenttest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Recording is a recorded session that is written again, in pieces that chance decides.
type Recording struct {
	Name    string
	Session detect.Session
	// Steps writes the session in the folders of Session.Path: see Growth for those of one file.
	Steps func(r *rand.Rand) []func(t *testing.T)
	// Open gives an agent that knows nothing yet.
	Open func() agent.Agent
}

// Pieces reads recordings as a daemon does that is late, crashes before it could keep its cursor, and
// starts again with nothing but the text of a cursor: the verdict must be that of one read of all.
// CLAWD_SEED=N repeats, without the race detector, the round of a failure. Each recording is opened in new folders for each round.
func Pieces(t *testing.T, rounds int, recordings []func(t *testing.T) Recording) {
	seeds := make([]uint64, rounds)
	for i := range seeds {
		seeds[i] = rand.Uint64()
	}
	if s, err := strconv.ParseUint(os.Getenv("CLAWD_SEED"), 10, 64); err == nil {
		seeds = []uint64{s}
	}
	if race { // it finds nothing in most of them, and is slow
		rand.Shuffle(len(recordings), func(i, j int) { recordings[i], recordings[j] = recordings[j], recordings[i] })
		recordings = recordings[:len(recordings)/4]
	}
	for _, open := range recordings {
		for _, seed := range seeds {
			rec := open(t)
			if !pieces(t, rec, rand.New(rand.NewPCG(seed, 0))) {
				t.Errorf("%s: repeat with CLAWD_SEED=%d", rec.Name, seed)
				break
			}
		}
	}
}

func pieces(t *testing.T, rec Recording, r *rand.Rand) (same bool) {
	t.Helper()
	a := rec.Open()
	var got, want fold
	older := []agent.Cursor{""}
	read := func() {
		t.Helper()
		before := got.cursor
		b := got.read(t, a, rec.Session)
		if b.Anew && before != "" {
			older = older[:1]
		}
		if b.Skipped > 0 {
			t.Errorf("%s: half a record was taken for a whole one: %s", rec.Name, b.Problem)
		}
		older = append(older, got.cursor)
	}
	for _, step := range rec.Steps(r) {
		step(t)
		if r.IntN(4) == 0 {
			a = rec.Open()
		}
		for range r.IntN(3) {
			read()
			if r.IntN(4) == 0 { // what came after it is read again; the later cursors were never kept
				older = older[:1+r.IntN(len(older))]
				got.cursor = older[len(older)-1]
			}
		}
	}
	read()
	want.read(t, rec.Open(), rec.Session)
	d := cmp.Diff(want.c.Stop(), got.c.Stop())
	if d != "" {
		t.Errorf("%s (-whole +pieces):\n%s", rec.Name, d)
	}
	return d == ""
}

// Growth gives the steps in which a file grows by chance, and sometimes loses its end again. At least
// the first bytes are there from the first step on.
func Growth(path, text string, first int) func(r *rand.Rand) []func(t *testing.T) {
	return func(r *rand.Rand) (steps []func(t *testing.T)) {
		longest := max(400, len(text)/25)
		for at := 0; at < len(text); {
			n := min(len(text)-at, max(first-at, 1+r.IntN(longest)))
			piece := text[at : at+n]
			at += n
			steps = append(steps, func(t *testing.T) {
				must(t, os.MkdirAll(filepath.Dir(path), 0o700))
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
				must(t, err)
				_, err = f.WriteString(piece)
				must(t, err)
				must(t, f.Close())
			})
			if lost := r.IntN(300); at < len(text) && at-lost > first && r.IntN(8) == 0 {
				at -= lost
				size := int64(at)
				steps = append(steps, func(t *testing.T) { must(t, os.Truncate(path, size)) })
			}
		}
		return steps
	}
}
