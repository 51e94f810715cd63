// Package agenttest is the suite that every agent must pass.
//
// An agent package gives a [Fixture]: one recorded session whose records can be written step by
// step to where the agent reads them. The suite never looks at the records; it checks what the
// rest of clawd relies on:
//
//   - the cursor only moves forward, and stands still where nothing was written
//   - reading again from a cursor repeats nothing
//   - reading in portions, and reading portions twice, gives the verdict of reading the whole
//   - a cursor that does not fit gives Anew and everything from the beginning
//   - records that cannot be read are skipped and counted, kinds nobody knows change nothing
//   - Tail never hides a stop, and its cursor stands at the end of what it judged
//   - Scan lists the session, with another stamp after each write
//   - Live always answers with at least one Holder
package agenttest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Fixture is one recorded session. Nothing of it exists before the first step.
type Fixture struct {
	Session detect.Session
	// Steps write the session's records, in the agent's own order.
	Steps []func(t *testing.T)
	// Unknown writes a whole record of a kind that the agent does not know; nil: it has none.
	Unknown func(t *testing.T)
	// Broken writes a record that cannot be read; nil: there can be none.
	Broken func(t *testing.T)
	// Replace puts another store with the same records in the place of the old one, so that a
	// cursor of the old one does not fit; nil: the agent cannot tell.
	Replace func(t *testing.T)
	// Position gives the number by which cursors of one store are ordered; nil: only equality
	// is checked.
	Position func(c agent.Cursor) int64
	// Changed is a path that the watcher would report after a step: Scan with it as its hint must
	// list the session.
	Changed string
	// Want is the verdict when all steps are done and nobody is known to hold the session.
	Want detect.Stop
}

// Race runs, of the suites that the tests run, what is done at once. A test that calls it is named
// TestRace: only those are run with the race detector, too, in a package that starts no goroutine.
func Race(t *testing.T, tests ...func(t *testing.T)) {
	for i, f := range tests {
		t.Run(strconv.Itoa(i), f)
	}
}

func inRace(t *testing.T) bool { return strings.HasPrefix(t.Name(), "TestRace/") }

// Run runs the suite. open gives a new agent over new, empty folders each time it is called.
func Run(t *testing.T, open func(t *testing.T) (agent.Agent, Fixture)) {
	_, has := open(t)
	for _, c := range []struct {
		name   string
		run    func(t *testing.T, a agent.Agent, f Fixture)
		cannot bool // the agent has no such thing
		atOnce bool
	}{
		{name: "Portions", run: portions},
		{name: "Whole", run: whole},
		{name: "ReadsNothingTwice", run: nothingTwice},
		{name: "PortionsTwice", run: portionsTwice},
		{name: "UnknownCursor", run: unknownCursor},
		{name: "Replaced", run: replaced, cannot: has.Replace == nil},
		{name: "UnknownRecord", run: unknownRecord, cannot: has.Unknown == nil},
		{name: "BrokenRecord", run: brokenRecord, cannot: has.Broken == nil},
		{name: "Tail", run: tails},
		{name: "Scan", run: scan},
		{name: "Live", run: live},
		{name: "Parallel", run: parallel, atOnce: true},
		{name: "Cancelled", run: cancelled},
		{name: "Absent", run: absent},
	} {
		if c.cannot || inRace(t) && !c.atOnce {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			a, f := open(t)
			c.run(t, a, f)
		})
	}
}

// Batch is what a Read found, with its events.
type Batch struct {
	agent.Batch
	Events []detect.Event
}

// Read collects the events of a Read.
func Read(ctx context.Context, a agent.Agent, s detect.Session, from agent.Cursor) (b Batch, err error) {
	b.Batch, err = a.Read(ctx, s, from, func(e detect.Event) { b.Events = append(b.Events, e) })
	return b, err
}

// fold is what a daemon keeps of a session.
type fold struct {
	c      detect.Classifier
	info   detect.Info
	cursor agent.Cursor
	events int
}

// read does one step of a daemon.
func (f *fold) read(t *testing.T, a agent.Agent, s detect.Session) Batch {
	t.Helper()
	b, err := Read(t.Context(), a, s, f.cursor)
	if err != nil {
		t.Fatalf("Read from %q: %v", f.cursor, err)
	}
	if b.Anew {
		*f = fold{}
	}
	for _, e := range b.Events {
		if e.Kind != detect.KindHolder && e.ID == "" {
			t.Errorf("event of kind %s has no id", e.Kind)
		}
		f.c.Feed(e)
	}
	f.info.Merge(b.Info)
	f.cursor, f.events = b.Cursor, f.events+len(b.Events)
	return b
}

func writeAll(t *testing.T, f Fixture) {
	t.Helper()
	for _, step := range f.Steps {
		step(t)
	}
}

func wantFold(t *testing.T, what string, got, want fold) {
	t.Helper()
	if d := cmp.Diff(want.c, got.c); d != "" {
		t.Errorf("%s: classifier differs (-want +got):\n%s", what, d)
	}
	if d := cmp.Diff(want.info, got.info); d != "" {
		t.Errorf("%s: info differs (-want +got):\n%s", what, d)
	}
	if d := cmp.Diff(want.c.Stop(), got.c.Stop()); d != "" {
		t.Errorf("%s: verdict differs (-want +got):\n%s", what, d)
	}
}

// portions reads after every step and compares with one read of everything.
func portions(t *testing.T, a agent.Agent, f Fixture) {
	var bit fold
	for i, step := range f.Steps {
		step(t)
		before := bit.cursor
		b := bit.read(t, a, f.Session)
		if b.Anew {
			t.Errorf("step %d: Anew although the store only grew: %s", i, b.Problem)
		}
		if f.Position != nil && i > 0 && f.Position(b.Cursor) < f.Position(before) {
			t.Errorf("step %d: cursor went back from %q to %q", i, before, b.Cursor)
		}
	}
	var all fold
	all.read(t, a, f.Session)
	wantFold(t, "portions against whole", bit, all)
}

func whole(t *testing.T, a agent.Agent, f Fixture) {
	writeAll(t, f)
	var all fold
	if b := all.read(t, a, f.Session); b.Skipped != 0 {
		t.Errorf("skipped %d records of a sound session: %s", b.Skipped, b.Problem)
	}
	if d := cmp.Diff(f.Want, all.c.Stop()); d != "" {
		t.Errorf("verdict (-want +got):\n%s", d)
	}
}

func nothingTwice(t *testing.T, a agent.Agent, f Fixture) {
	for i, step := range f.Steps {
		step(t)
		var all fold
		all.read(t, a, f.Session)
		at := all.cursor
		if b := all.read(t, a, f.Session); len(b.Events) != 0 || b.Anew || b.Cursor != at {
			t.Errorf("step %d: nothing was written, but the read gave %d events, Anew %v, cursor %q -> %q",
				i, len(b.Events), b.Anew, at, b.Cursor)
		}
	}
}

// portionsTwice is a daemon that crashes after each read, before it could keep the cursor.
func portionsTwice(t *testing.T, a agent.Agent, f Fixture) {
	var twice fold
	for _, step := range f.Steps {
		step(t)
		before := twice.cursor
		twice.read(t, a, f.Session)
		once := twice.c.Stop()
		twice.cursor = before
		twice.read(t, a, f.Session)
		if d := cmp.Diff(once, twice.c.Stop()); d != "" {
			t.Errorf("reading a portion twice changed the verdict (-once +twice):\n%s", d)
		}
	}
	var all fold
	all.read(t, a, f.Session)
	wantFold(t, "portions twice against whole", twice, all)
}

func unknownCursor(t *testing.T, a agent.Agent, f Fixture) {
	writeAll(t, f)
	var all fold
	all.read(t, a, f.Session)
	for _, c := range []agent.Cursor{"?", "{}", "{\"x\":", "-1", "99999999999999999999", agent.Cursor("\x00")} {
		got := fold{cursor: c}
		b := got.read(t, a, f.Session)
		if !b.Anew {
			t.Errorf("cursor %q was taken for one of ours", c)
		}
		wantFold(t, "after an unknown cursor", got, all)
	}
}

func replaced(t *testing.T, a agent.Agent, f Fixture) {
	writeAll(t, f)
	var all fold
	all.read(t, a, f.Session)
	f.Replace(t)
	got := fold{cursor: all.cursor}
	if b := got.read(t, a, f.Session); !b.Anew {
		t.Error("the store was replaced, and the read went on as if nothing had happened")
	}
	wantFold(t, "after the store was replaced", got, all)
}

func unknownRecord(t *testing.T, a agent.Agent, f Fixture) {
	var got fold
	for _, step := range f.Steps {
		step(t)
		got.read(t, a, f.Session)
		stop := got.c.Stop()
		f.Unknown(t)
		if b := got.read(t, a, f.Session); b.Anew {
			t.Error("a record of an unknown kind led to Anew")
		}
		if d := cmp.Diff(stop, got.c.Stop()); d != "" && !cautious(stop, got.c.Stop()) {
			t.Errorf("a record of an unknown kind changed the verdict:\n%s", d)
		}
	}
	if d := cmp.Diff(f.Want.Reason, got.c.Stop().Reason); d != "" && !cautious(f.Want, got.c.Stop()) {
		t.Errorf("reason (-want +got):\n%s", d)
	}
}

// cautious: behind a failure such a record may say that the session went on, or that its user stopped it. Then nobody knows
// any more why it stands still, and it is left. Nothing else may change.
func cautious(before, now detect.Stop) bool {
	switch before.Reason {
	case "", detect.Completed, detect.Interrupted, detect.Crashed:
		return false
	}
	return now.State == detect.Stopped && now.Reason == detect.Unknown && now.Key == before.Key && now.At.Equal(before.At)
}

func brokenRecord(t *testing.T, a agent.Agent, f Fixture) {
	var got fold
	skipped := 0
	for _, step := range f.Steps {
		f.Broken(t)
		step(t)
		b := got.read(t, a, f.Session)
		skipped += b.Skipped
		if b.Skipped > 0 && b.Problem == "" {
			t.Error("a record was skipped and Problem does not say why")
		}
	}
	if skipped != len(f.Steps) {
		t.Errorf("skipped %d records, want %d", skipped, len(f.Steps))
	}
	stop := got.c.Stop()
	stop.Evidence.Offset = f.Want.Evidence.Offset // the broken records lie before it
	if d := cmp.Diff(f.Want, stop); d != "" {
		t.Errorf("verdict (-want +got):\n%s", d)
	}
}

// tails checks after each step that Tail does not hide what a whole read would have found.
func tails(t *testing.T, a agent.Agent, f Fixture) {
	for i, step := range f.Steps {
		step(t)
		var all fold
		all.read(t, a, f.Session)
		maybe, cursor, err := a.Tail(t.Context(), f.Session)
		if err != nil {
			t.Fatalf("step %d: Tail: %v", i, err)
		}
		// A process that is gone turns an unfinished turn into a stop, so the worst case counts.
		for _, l := range []detect.Liveness{detect.HolderUnknown, detect.LeftBehind, detect.Gone} {
			c := all.c
			c.Feed(detect.Event{Kind: detect.KindHolder, Holder: &detect.Holder{Liveness: l}})
			if stop := c.Stop(); stop.IsStop() && !maybe {
				t.Errorf("step %d: Tail hides a stop (%s, holder %s)", i, stop.Reason, l)
			}
		}
		if maybe {
			continue
		}
		b, err := Read(t.Context(), a, f.Session, cursor)
		if err != nil || b.Anew || len(b.Events) != 0 {
			t.Errorf("step %d: reading on from Tail's cursor: %d events, Anew %v, err %v", i, len(b.Events), b.Anew, err)
		}
	}
}

func find(all []agent.Touched, id string) (agent.Touched, int) {
	var found agent.Touched
	n := 0
	for _, x := range all {
		if x.Session.ID == id {
			found, n = x, n+1
		}
	}
	return found, n
}

func scan(t *testing.T, a agent.Agent, f Fixture) {
	all, err := a.Scan(t.Context(), "")
	if err != nil || len(all) != 0 {
		t.Fatalf("Scan before the first step: %d sessions, err %v", len(all), err)
	}
	var stamps []string
	for i, step := range f.Steps {
		step(t)
		all, err := a.Scan(t.Context(), "")
		if err != nil {
			t.Fatalf("step %d: Scan: %v", i, err)
		}
		got, n := find(all, f.Session.ID)
		if n != 1 {
			t.Fatalf("step %d: session is listed %d times", i, n)
		}
		if d := cmp.Diff(f.Session, got.Session); d != "" {
			t.Errorf("step %d: session (-want +got):\n%s", i, d)
		}
		if got.Stamp == "" || slices.Contains(stamps, got.Stamp) {
			t.Errorf("step %d: stamp %q says that nothing was written", i, got.Stamp)
		}
		stamps = append(stamps, got.Stamp)
		if f.Changed == "" {
			continue
		}
		hinted, err := a.Scan(t.Context(), f.Changed)
		if again, n := find(hinted, f.Session.ID); err != nil || n != 1 || again.Stamp != got.Stamp {
			t.Errorf("step %d: Scan of the changed path: session listed %d times, stamp %q, want %q, err %v",
				i, n, again.Stamp, got.Stamp, err)
		}
	}
}

func live(t *testing.T, a agent.Agent, f Fixture) {
	for i := -1; i < len(f.Steps); i++ {
		var info detect.Info
		if i >= 0 {
			f.Steps[i](t)
			b, err := Read(t.Context(), a, f.Session, "")
			if err != nil {
				t.Fatal(err)
			}
			info = b.Info
		}
		holders, err := a.Live(t.Context(), f.Session, info)
		if err != nil {
			t.Fatalf("step %d: Live: %v", i, err)
		}
		if len(holders) == 0 {
			t.Errorf("step %d: Live gave no Holder", i)
		}
		for _, h := range holders {
			if h.Liveness == "" || h.Why == "" {
				t.Errorf("step %d: holder without liveness or why: %+v", i, h)
			}
		}
	}
}

// parallel is for the race detector; the results must be equal, too.
func parallel(t *testing.T, a agent.Agent, f Fixture) {
	writeAll(t, f)
	var all fold
	all.read(t, a, f.Session)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			b, err := Read(t.Context(), a, f.Session, "")
			if err != nil || len(b.Events) != all.events || b.Cursor != all.cursor {
				t.Errorf("parallel read: %d events, want %d, err %v", len(b.Events), all.events, err)
			}
			if _, err := a.Scan(t.Context(), ""); err != nil {
				t.Errorf("parallel scan: %v", err)
			}
			if _, _, err := a.Tail(t.Context(), f.Session); err != nil {
				t.Errorf("parallel tail: %v", err)
			}
			if _, err := a.Live(t.Context(), f.Session, all.info); err != nil {
				t.Errorf("parallel live: %v", err)
			}
		})
	}
	wg.Wait()
}

// cancelled: a cancelled context ends a call with an error or is too late to matter; it must not
// give half a batch with a cursor past it.
func cancelled(t *testing.T, a agent.Agent, f Fixture) {
	writeAll(t, f)
	var all fold
	all.read(t, a, f.Session)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b, err := Read(ctx, a, f.Session, "")
	if err == nil && (b.Cursor != all.cursor || len(b.Events) != all.events) {
		t.Errorf("cancelled read gave %d of %d events and cursor %q without an error", len(b.Events), all.events, b.Cursor)
	}
}

func absent(t *testing.T, a agent.Agent, f Fixture) {
	if b, err := Read(t.Context(), a, f.Session, ""); err == nil && len(b.Events) != 0 {
		t.Errorf("reading a session that is not there gave %d events", len(b.Events))
	}
	if maybe, _, err := a.Tail(t.Context(), f.Session); err == nil && maybe {
		t.Error("Tail of a session that is not there says that it may end in a stop")
	}
}
