package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// maxFires is after how many attempts the model's decisions give up.
const maxFires = 4

// machine plays two sessions against one store, in any order of events, and knows from outside
// what was done: what it fired, what it claimed, what it told.
type machine struct {
	dir    string
	s      *Store
	clock  *clock
	t      *rapid.T // of the step under way
	stops  int
	claims map[detect.Session]resume.Claim // of the newest claim
	keys   map[detect.Session][]string     // every stop that was ever taken in
	marks  map[string]bool                 // session, key and number of each attempt that was made
	fires  map[detect.Session]int          // in the episode, since its user last ordered one
	sent   map[string]int                  // prompts, by session and key
	proofs map[string]int                  // that a prompt had no effect
	orders map[string]int                  // that opened a closed stop again
	days   map[string]int                  // fires that count, by day
	told   map[string]bool                 // session and event
	before map[detect.Session]Session      // before the step
	did    string                          // the step
}

func (m *machine) open() {
	s, err := Open(filepath.Join(m.dir, "clawd.db"), Options{Now: m.clock.now})
	must(m.t, err)
	s.db.NoSync = true // the disk is not what is tested
	m.s = s
}

func (m *machine) pick() detect.Session {
	return rapid.SampledFrom([]detect.Session{one, two}).Draw(m.t, "session")
}

// in gives a session that is in one of the phases, or ends the step.
func (m *machine) in(phases ...Phase) (detect.Session, Session) {
	var fit []detect.Session
	for _, ds := range []detect.Session{one, two} {
		if slices.Contains(phases, m.before[ds].Phase) {
			fit = append(fit, ds)
		}
	}
	if len(fit) == 0 {
		m.t.Skip("none is in this phase")
	}
	ds := rapid.SampledFrom(fit).Draw(m.t, "session")
	return ds, m.before[ds]
}

func (m *machine) read(ds detect.Session) Read {
	r := read(ds)
	m.stops++
	r.Cursor = fmt.Sprint(m.stops)
	return r
}

// next decides as a policy does: again, left, or given up.
func (m *machine) next(rec Session) resume.Decision {
	switch {
	case rec.Episode.Attempts >= maxFires:
		return resume.Decision{Strategy: resume.Leave, GivenUp: true, Tell: true, Why: "enough"}
	case rapid.IntRange(0, 9).Draw(m.t, "left") == 9:
		return resume.Decision{Strategy: resume.Leave, Why: "by rule"}
	}
	return resume.Decision{Strategy: resume.SameSession, WakeAt: m.clock.Time, Attempt: rec.Episode.Attempts + 1, Why: "backoff"}
}

func (m *machine) stopped(ds detect.Session, key string) {
	r := m.read(ds)
	st := stopped(key)
	st.At = m.clock.Time
	decided := m.next(Session{})
	if m.before[ds].Stop.Key == key {
		decided = m.next(m.before[ds])
	}
	rec, err := m.s.Stopped(r, st, decided, nil)
	if m.before[ds].open() {
		if !errors.Is(err, ErrPhase) {
			m.t.Fatalf("a stop over an open attempt: %v", err)
		}
		return
	}
	must(m.t, err)
	if rec.Cursor != r.Cursor {
		m.t.Fatal("the cursor did not move with the stop")
	}
	if rec.Stop.Key != key && !slices.Contains(m.keys[ds], key) {
		m.t.Fatal("I4: the cursor is behind a stop that is not stored")
	}
	m.keys[ds] = append(m.keys[ds], key)
}

func (m *machine) actions() map[string]func(*rapid.T) {
	step := func(name string, f func()) func(*rapid.T) {
		return func(t *rapid.T) {
			m.t, m.did = t, name
			m.before = map[detect.Session]Session{one: get(t, m.s, one), two: get(t, m.s, two)}
			f()
		}
	}
	all := map[string]func(){
		"new stop": func() {
			m.stopped(m.pick(), fmt.Sprint("k", m.stops))
		},
		"same stop": func() {
			ds := m.pick()
			if len(m.keys[ds]) == 0 {
				m.t.Skip("none yet")
			}
			m.stopped(ds, rapid.SampledFrom(m.keys[ds]).Draw(m.t, "key"))
		},
		"went on": func() {
			ds := m.pick()
			_, err := m.s.WentOn(m.read(ds), "somebody went on")
			if m.before[ds].open() != errors.Is(err, ErrPhase) {
				m.t.Fatalf("went on in phase %s: %v", m.before[ds].Phase, err)
			}
		},
		"progress": func() { must(m.t, m.s.Progress([]Read{m.read(m.pick())})) },
		"claim":    m.claim,
		"fire": func() {
			ds, _ := m.in(Claimed)
			m.fire(ds)
		},
		"unclaim": func() {
			ds, _ := m.in(Claimed, Fired)
			c := m.claims[ds]
			if m.before[ds].Phase == Fired {
				delete(m.marks, mark(c))
				m.fires[ds]--
				m.sent[sentKey(ds, c.Stop.Key)]--
			}
			_, err := m.s.Unclaim(c, "no shim", rapid.Bool().Draw(m.t, "counts"))
			must(m.t, err)
			m.days[c.At.Local().Format(time.DateOnly)]--
		},
		"verdict": m.verdict,
		"holder":  func() { must(m.t, m.s.SetHolder(m.pick(), detect.Holder{Liveness: detect.Alive}, "")) },
		"leave": func() {
			ds, rec := m.in(Waiting)
			must(m.t, m.s.Leave(ds, rec.Stop.Key, "held by a person", ""))
		},
		"decide anew": func() {
			ds, rec := m.in(Waiting)
			if err := m.s.Wait(ds, rec.Stop.Key, m.next(rec)); rec.Decision.Asked != errors.Is(err, ErrPhase) {
				m.t.Fatalf("decided anew, ordered %v: %v", rec.Decision.Asked, err)
			}
		},
		"order": m.order,
		"cancel": func() {
			ds := m.pick()
			_, err := m.s.Cancel(ds, rapid.Bool().Draw(m.t, "a run of ours"))
			if may := m.before[ds].open() || m.before[ds].Phase == Waiting; may && err != nil {
				m.t.Fatalf("cancelled in phase %s: %v", m.before[ds].Phase, err)
			}
			if m.before[ds].Phase == Claimed {
				m.days[m.claims[ds].At.Local().Format(time.DateOnly)]--
			}
		},
		"ignore": func() {
			_, err := m.s.Ignore(m.pick(), rapid.Bool().Draw(m.t, "off"))
			must(m.t, err)
		},
		"tell": func() {
			notices, err := m.s.Outbox()
			must(m.t, err)
			must(m.t, m.s.Told(notices))
		},
		"time": func() {
			m.clock.Time = m.clock.Add(time.Duration(rapid.IntRange(1, 30).Draw(m.t, "hours")) * time.Hour)
		},
		"restart": func() {
			was := snapshot(m.t, m.s, one) + snapshot(m.t, m.s, two)
			must(m.t, m.s.Close())
			m.open()
			if snapshot(m.t, m.s, one)+snapshot(m.t, m.s, two) != was {
				m.t.Fatal("a restart changed the store")
			}
		},
	}
	steps := map[string]func(*rapid.T){"": func(t *rapid.T) { m.t = t; m.check() }}
	for name, f := range all {
		steps[name] = step(name, f)
	}
	for _, name := range []string{"claim", "fire", "verdict", "order"} { // in vain most of the time, so more often
		for n := range 3 {
			steps[fmt.Sprint(name, n)] = steps[name]
		}
	}
	return steps
}

// order is given in any phase, for a stop that was taken in or for one that was too old then.
func (m *machine) order() {
	ds := m.pick()
	was := m.before[ds]
	stop := was.Stop
	if stop.Key == "" || rapid.IntRange(0, 9).Draw(m.t, "too old to be known") == 9 {
		m.stops++
		stop = stopped(fmt.Sprint("k", m.stops))
	}
	order := resume.Decision{Strategy: resume.SameSession, WakeAt: m.clock.Time, Asked: true, Why: "ordered"}
	if was.Rev > 0 {
		if _, err := m.s.Order(ds, was.Rev-1, stop, order); err == nil {
			m.t.Fatal("an order on a look at an older record is taken")
		}
	}
	rec, err := m.s.Order(ds, was.Rev, stop, order)
	if was.open() {
		if !errors.Is(err, ErrPhase) {
			m.t.Fatalf("an order over an open attempt: %v", err)
		}
		return
	}
	must(m.t, err)
	is(m.t, rec.Phase, Waiting)
	if !slices.Contains(m.keys[ds], stop.Key) {
		m.keys[ds] = append(m.keys[ds], stop.Key)
	}
	if m.sent[sentKey(ds, stop.Key)] > 0 && was.Phase != Waiting {
		m.orders[sentKey(ds, stop.Key)]++
	}
	m.fires[ds] = 0
}

func sentKey(ds detect.Session, key string) string { return ds.ID + " " + key }

func mark(c resume.Claim) string { return fmt.Sprint(c.Session.ID, " ", c.Stop.Key, " ", c.N) }

func (m *machine) claim() {
	ds, rec := m.in(Waiting)
	limits := Limits{PerSession: 9 - rapid.IntRange(0, 8).Draw(m.t, "per session"), PerDay: 12 - rapid.IntRange(0, 11).Draw(m.t, "per day")}
	day := m.clock.Local().Format(time.DateOnly)
	c, err := m.s.Claim(ds, rec.Stop.Key, limits, func(rec Session) (resume.Claim, error) {
		if rapid.IntRange(0, 4).Draw(m.t, "held") == 4 {
			return resume.Claim{}, errors.New("held")
		}
		return free(rec)
	})
	if err != nil {
		return
	}
	if m.days[day] >= limits.PerDay && !rec.Decision.Asked {
		m.t.Fatal("over the budget of the day")
	}
	if cl, ok := m.closed(ds, rec.Stop.Key); ok && (cl.Verdict != resume.NoEffect || cl.Proof == "") && (cl.Reopened.IsZero() || !rec.Decision.Asked) {
		m.t.Fatalf("I6, I9: claimed again after %+v", cl)
	}
	m.days[day]++
	m.claims[ds] = c
}

func (m *machine) fire(ds detect.Session) {
	c := m.claims[ds]
	c.PID = 42
	must(m.t, m.s.Fired(c))
	if got := get(m.t, m.s, ds); got.Phase != Fired || got.Claim.Token != c.Token || got.Claim.PID != 42 {
		m.t.Fatalf("I3: the gate opens in phase %s", got.Phase)
	}
	if m.marks[mark(c)] {
		m.t.Fatalf("I2: a second mark %s", mark(c))
	}
	m.marks[mark(c)] = true
	key := sentKey(ds, c.Stop.Key)
	if m.sent[key]++; m.sent[key] > 1+m.proofs[key]+m.orders[key] {
		m.t.Fatalf("I1: %d prompts for %s, with %d proofs of no effect and %d orders", m.sent[key], key, m.proofs[key], m.orders[key])
	}
	if m.fires[ds]++; m.fires[ds] > maxFires {
		m.t.Fatalf("I7: %d fires in one episode", m.fires[ds])
	}
}

func (m *machine) closed(ds detect.Session, key string) (c Closed, ok bool) {
	must(m.t, m.s.view(func(tx tx) error {
		c, ok = fetch[Closed](tx, bucketClosed, closedKey(ds, key))
		return nil
	}))
	return c, ok
}

func (m *machine) verdict() {
	ds, _ := m.in(Fired)
	v := rapid.SampledFrom([]resume.Verdict{resume.Resumed, resume.StoppedAgain, resume.NoEffect, resume.Cut, resume.ByHand, resume.Unsure}).Draw(m.t, "verdict")
	key := ""
	if v == resume.StoppedAgain || v == resume.Cut || v == resume.NoEffect && rapid.Bool().Draw(m.t, "under a new key") {
		m.stops++
		key = fmt.Sprint("k", m.stops)
		m.keys[ds] = append(m.keys[ds], key)
	}
	c := m.claims[ds]
	_, _, err := m.s.Settle(c, outcome(v, key), Read{}, m.next)
	must(m.t, err)
	if cl, ok := m.closed(ds, c.Stop.Key); !ok || cl.Verdict != v || cl.N != c.N || (cl.Proof != "") != (v == resume.NoEffect) {
		m.t.Fatalf("I6: closed as %+v", cl)
	}
	if v == resume.NoEffect {
		m.proofs[sentKey(ds, c.Stop.Key)]++
	}
	m.did += " " + string(v)
}

// check holds after every step.
func (m *machine) check() {
	var resumed int
	ends := map[string]bool{} // session, key and kind
	must(m.t, m.s.History(func(e Entry) error {
		if e.Kind == string(resume.Resumed) {
			resumed++
		}
		ends[e.Session+" "+e.Key+" "+e.Kind] = true
		if e.Kind == "held" && e.Why == byUser { // who knows, so is not told
			m.told[e.Session+" session_held"] = true
		}
		return nil
	}))
	st, err := m.s.Stats()
	must(m.t, err)
	if st.TotalResumes != resumed {
		m.t.Fatalf("I15: %d resumes in the statistics, %d in the history", st.TotalResumes, resumed)
	}
	notices, err := m.s.Outbox()
	must(m.t, err)
	for _, n := range notices {
		m.told[n.Session+" "+n.Event] = true
	}
	for day, n := range m.days {
		at, err := time.ParseInLocation(time.DateOnly, day, time.Local)
		must(m.t, err)
		b := budget(m.t, m.s, at)
		if b.Total != n || b.Sessions[Key(one)]+b.Sessions[Key(two)] != n {
			m.t.Fatalf("budget of %s is %+v, want %d", day, b, n)
		}
	}
	for _, ds := range []detect.Session{one, two} {
		m.checkSession(ds, get(m.t, m.s, ds), ends)
	}
}

func (m *machine) checkSession(ds detect.Session, rec Session, ends map[string]bool) {
	was := m.before[ds]
	if was.open() && rec.Phase == Waiting && !slices.Contains([]string{"unclaim", "verdict no_effect", "verdict stopped_again"}, m.did) {
		m.t.Fatalf("I5: %s made %s of %s", m.did, rec.Phase, was.Phase)
	}
	if was.Phase != Claimed && rec.Phase == Claimed && (was.Phase != Waiting || m.did != "claim") || was.Phase != Fired && rec.Phase == Fired && m.did != "fire" {
		m.t.Fatalf("I3: %s made %s of %s", m.did, rec.Phase, was.Phase)
	}
	if rec.Episode.Key != "" && rec.Episode.Key == was.Episode.Key && rec.Episode.Attempts < was.Episode.Attempts && m.did != "unclaim" && (m.did != "cancel" || was.Phase != Claimed) {
		m.t.Fatalf("I7: %s made %d attempts of %d", m.did, rec.Episode.Attempts, was.Episode.Attempts)
	}
	if !was.Cancelled.IsZero() && was.Phase == Fired && rec.Phase == Waiting {
		m.t.Fatalf("%s: another attempt after its user cancelled one", m.did)
	}
	if rec.Episode.Key != was.Episode.Key {
		m.fires[ds] = 0
	}
	end := func(kinds ...string) bool {
		return slices.ContainsFunc(kinds, func(k string) bool { return ends[Key(ds)+" "+rec.Stop.Key+" "+k] })
	}
	ok := true
	switch rec.Phase {
	case Waiting:
		ok = !rec.Decision.WakeAt.IsZero() && rec.Decision.Strategy != resume.Leave
	case Held:
		ok = end("held") && m.told[Key(ds)+" session_held"]
	case GivenUp:
		ok = end("given_up") && m.told[Key(ds)+" resume_given_up"]
	case Following:
		ok = rec.Stop.Key == "" || end("left", string(resume.ByHand), string(resume.Resumed))
	case Claimed, Fired:
		ok = rec.Claim != nil && rec.Claim.Token == m.claims[ds].Token
	}
	if !ok {
		m.t.Fatalf("I8: at rest in %s: %+v", rec.Phase, rec)
	}
}

func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "clawd")
		must(t, err)
		defer os.RemoveAll(dir)
		m := &machine{t: t, dir: dir, clock: &clock{noon}, claims: map[detect.Session]resume.Claim{}, keys: map[detect.Session][]string{},
			marks: map[string]bool{}, fires: map[detect.Session]int{}, days: map[string]int{},
			sent: map[string]int{}, proofs: map[string]int{}, orders: map[string]int{}, told: map[string]bool{}, before: map[detect.Session]Session{}}
		m.open()
		defer func() { m.s.Close() }()
		t.Repeat(m.actions())
	})
}
