package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// look is what was seen right before a claim, and the plan that it allows. It is taken outside the store's
// transaction, for which all others would have to wait: a file or a process may take its time to answer.
type look struct {
	at    time.Time     // when it was taken
	rev   uint64        // of the record that it was taken of
	stamp string        // of the session's files, as the watch last told it
	rec   state.Session // with what was read since it was stored
	live  bool          // the plan reaches who has the session open
	plan  resume.Plan
}

const (
	// lookLasts is how old a look may be when the attempt is about to be claimed. Whatever fires looks
	// once more.
	lookLasts = 50 * time.Millisecond
	// lookEnds is how old it may have become when the store is reached, where that does not take longer.
	lookEnds = time.Second
)

// lag is how long it takes now from a look to the store: other transactions come first, and a disk may be slow.
// Looks are accepted as long as they are not older than that, else no attempt would ever be made there. A shim
// looks once more anyway, and so does who types.
type lag struct {
	since func(time.Time) time.Duration // tests have a slow store
	ns    atomic.Int64
}

// late tells whether a look is too old. It is the next time if that takes much longer still.
func (l *lag) late(look time.Time) bool {
	age := l.since(look)
	most := max(lookEnds, time.Duration(l.ns.Load()))
	switch {
	case age > most:
		l.ns.Store(int64(2 * age))
		return true
	case age < most/4:
		l.ns.Store(int64(most / 2))
	}
	return false
}

// stale says that a look does not count any more: it is too old, or something happened in the session meanwhile. rec is
// the record as it is now.
func (s *session) stale(seen look, rec state.Session) error {
	if s.d.reach.late(seen.at) {
		return fmt.Errorf("%w: it took too long to reach the store", state.ErrMoved)
	}
	if rec.Rev != seen.rev || s.stampNow() != seen.stamp {
		return state.ErrMoved
	}
	return nil
}

// stampNow is what the watch last told of the session's files.
func (s *session) stampNow() string {
	if stamp := s.stamp.Load(); stamp != nil {
		return *stamp
	}
	return ""
}

// see looks at everything that may speak against an attempt. The error says why there can be none now.
func (s *session) see(ctx context.Context, d resume.Decision, roles *roles) (look, error) {
	seen := look{stamp: s.stampNow()}
	rec, ok, err := s.d.store.Session(s.ds)
	if err == nil && !ok {
		err = state.ErrPhase
	}
	if err != nil {
		return look{}, err
	}
	seen.rev, rec.Decision = rec.Rev, d
	var f rules.Facts
	f.Tail, seen.rec = s.tailOf(ctx, rec)
	var handOff []byte
	var unwritten error
	if d.Strategy == resume.FreshSession { // first, for it may take a while
		handOff, unwritten = s.handOff(ctx, seen.rec)
	}
	holders, err := s.holders(ctx, seen.rec)
	if err != nil {
		return look{}, err
	}
	h, attended := attendedBy(holders)
	if h.Liveness != detect.Alive && h.Liveness != detect.HolderUnknown && !h.Foreign && unwritten == nil && roles != nil && f.Tail == (rules.Tail{}) {
		late, err := roles.stands(ctx, seen.rec)
		if err != nil {
			return look{}, err
		}
		if late { // asking took a while
			f.Tail, seen.rec = s.tailOf(ctx, seen.rec)
			if holders, err = s.holders(ctx, seen.rec); err != nil {
				return look{}, err
			}
			h, attended = attendedBy(holders)
		}
	}
	tail := f.Tail
	f = s.d.facts(seen.rec, h)
	f.Tail, f.Plan.HandOff, f.Who.ServerOnly = tail, unwritten, serverOnly(holders)
	s.d.seeProject(&f)
	if err := s.d.askCallers(&f); err != nil {
		return look{}, postponed(s.d.sleeper.Now().Add(lookAgain), "%v", err)
	}
	if found, ok := rules.Ask(rules.Claim, &f); ok {
		return look{}, &ruledError{found}
	}
	if err := s.unsettled(seen.rec); err != nil {
		return look{}, err
	}
	if seen.live = attended; attended {
		seen.plan, err = s.ready(ctx, seen.rec, d, holders)
	} else {
		seen.plan, err = s.planned(seen.rec, d, handOff)
	}
	if err != nil {
		return look{}, err
	}
	f.World = s.d.siblings(seen.rec) // what keeps an open session from being reached is told first
	if found, ok := rules.Ask(rules.Claim, &f); ok {
		return look{}, &ruledError{found}
	}
	seen.at = time.Now()
	return seen, nil
}

// tailOf reads what is new in the session's files, and gives the record with it.
func (s *session) tailOf(ctx context.Context, rec state.Session) (rules.Tail, state.Session) {
	now, err := s.readOn(ctx, rec)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		tail := rules.Tail{Gone: !deleted(rec) || rec.Decision.Strategy != resume.FreshSession}
		tail.Away, tail.AwayFor = s.away(rec.Decision)
		return tail, rec
	case err != nil:
		return rules.Tail{Err: err}, rec
	}
	switch who := moved(rec, now); who {
	case "":
		return rules.Tail{}, folded(rec, now)
	case rules.Rewritten:
		return rules.Tail{Rewritten: true}, rec
	default:
		return rules.Tail{MovedOn: who}, rec
	}
}

// unsettled finds an attempt for the stop that has its mark, and that the store does not know of: it was lost, and
// came back from a snapshot.
func (s *session) unsettled(rec state.Session) error {
	switch made, err := s.marked(rec.Stop); {
	case err != nil:
		return postponed(s.d.sleeper.Now().Add(lookAgain), "the marks of earlier attempts cannot be read: %v", err)
	case made != nil && made.N > rec.Episode.Attempts:
		return &unsettledError{*made}
	}
	return nil
}

// planned gives the plan of a process of ours.
func (s *session) planned(rec state.Session, d resume.Decision, handOff []byte) (resume.Plan, error) {
	if _, err := s.d.program(s.a); err != nil { // it is being replaced, say
		return resume.Plan{}, postponed(s.d.sleeper.Now().Add(lookAgain), "%v", err)
	}
	p, err := s.plan(rec, d, handOff)
	switch {
	case aboutMachine(err):
		return p, s.d.short(err.Error())
	case err != nil:
		return p, s.d.unplanned(rec, err)
	}
	return p, nil
}

// claim gives the particulars of the attempt that a look allows.
func (s *session) claim(seen look) resume.Claim {
	rec, token := seen.rec, uuid.NewString()
	n := rec.Episode.Attempts + 1
	return resume.Claim{Token: token, Boot: s.d.boot, Info: rec.Info, Cursor: rec.Cursor, Plan: seen.plan,
		Mark:   marks.Path(s.d.marks(), s.ds, rec.Stop.Key, n),
		Output: filepath.Join(s.d.runs(), fmt.Sprintf("%s-%s-%d-%s.out", s.ds.Agent, s.ds.ID, n, token[:8]))}
}

// holders looks now who has the session open.
func (s *session) holders(ctx context.Context, rec state.Session) ([]detect.Holder, error) {
	s.d.procs.atMost(lookLasts)
	holders, err := s.a.Live(ctx, s.ds, rec.Info)
	if err != nil {
		return nil, postponed(s.d.sleeper.Now().Add(lookAgain), "who holds the session cannot be seen: %v", err)
	}
	return holders, nil
}

// folded is the record with what was read since it was stored. A plan is made from that alone: how the
// newest prompt came about, in which mode and model it ran, stands in the files before it stands in
// the store.
func folded(rec state.Session, now onward) state.Session {
	rec.Classifier = now.fold
	rec.Info.Merge(now.Info)
	rec.Cursor = string(now.Cursor)
	return rec
}

// moved tells whether the tail of the files is still the claimed stop; empty: it is.
func moved(rec state.Session, o onward) string {
	c := o.fold
	if o.Anew && !told(c, rec.Stop) {
		return rules.Rewritten
	}
	c.Holder = detect.Holder{Liveness: detect.Gone}
	if rec.Stop.Reason == detect.Crashed { // a proven crash stays one: the proof is not in the records
		c.Holder.Liveness = detect.LeftBehind
	}
	now := c.Stop()
	switch {
	case now.Reason == detect.Completed:
		return "the turn ended well"
	case now.Reason == detect.Interrupted && rec.Stop.Reason != detect.Interrupted && now.Key == rec.Stop.Key:
		return "its user stopped it"
	case now.State == detect.Stopped && (now.Key == rec.Stop.Key || "cut:"+now.Key == rec.Stop.Key || now.Key == "cut:"+rec.Stop.Key):
		return ""
	case now.Key == rec.Stop.Key:
		return fmt.Sprintf("the session is %s now", now.State)
	}
	return "somebody went on in this session"
}
