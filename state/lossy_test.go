package state

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// lossy is a store that can be lost, with what outlives it.
type lossy struct {
	*Store
	t     *testing.T
	at    *clock
	path  string
	fired []resume.Claim
}

func newLossy(t *testing.T) *lossy {
	l := &lossy{t: t, at: &clock{noon}, path: filepath.Join(t.TempDir(), "clawd.db")}
	l.open()
	t.Cleanup(func() { l.Close() })
	return l
}

func (l *lossy) open() {
	l.t.Helper()
	s, err := Open(l.path, Options{Now: l.at.now, Orders: filepath.Join(filepath.Dir(l.path), "orders"), Fired: func(time.Time) []resume.Claim { return l.fired }})
	must(l.t, err)
	l.Store = s
}

// lose has the store come back from its newest snapshot, if there is one.
func (l *lossy) lose() {
	l.t.Helper()
	must(l.t, l.Close())
	must(l.t, os.Remove(l.path))
	l.later()
	l.open()
	is(l.t, l.Lost, true)
}

func (l *lossy) later() { l.at.Time = l.at.Add(time.Minute) }

// fire makes an attempt, with its mark.
func (l *lossy) fire(ds detect.Session, key string) resume.Claim {
	l.t.Helper()
	l.later()
	c := fire(l.t, l.Store, ds, key)
	l.fired = append(l.fired, c)
	l.later()
	return c
}

// stopsLater has a session stop now, and an attempt made for it.
func (l *lossy) stopsLater(r Read, key string) {
	l.t.Helper()
	st := stopped(key)
	st.At = l.at.Time
	_, err := l.Stopped(r, st, wait, nil)
	must(l.t, err)
	l.fire(r.Session, key)
}

// A snapshot may have the attempt under way that a cancelled stop came of: its verdict does not have the stop resumed.
func TestCancelOutlivesTheAttemptBefore(t *testing.T) {
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	c := l.fire(one, "k")
	must(t, l.Snapshot())
	settle(t, l.Store, c, outcome(resume.StoppedAgain, "k2"))
	l.later()
	_, err := l.Cancel(one, false)
	must(t, err)
	l.lose()
	is(t, get(t, l.Store, one).Phase, Fired)
	rec := settle(t, l.Store, c, outcome(resume.StoppedAgain, "k2"))
	is(t, rec.Phase, Held)
	is(t, rec.Stop.Key, "k2")
	is(t, rec.TakenBack(), true)
}

// An attempt that was made after a cancel tells that its user has gone on since: it is not ended for it.
func TestCancelBeforeTheAttempt(t *testing.T) {
	for _, running := range []bool{false, true} {
		l := newLossy(t)
		waiting(t, l.Store, one, "k")
		c := l.fire(one, "k")
		must(t, l.Snapshot())
		if running {
			_, err := l.Cancel(one, true)
			must(t, err)
			l.later()
			settle(t, l.Store, c, outcome(resume.Resumed, ""))
		} else {
			settle(t, l.Store, c, outcome(resume.StoppedAgain, "k1"))
			l.later()
			_, err := l.Cancel(one, false)
			must(t, err)
		}
		l.later()
		r := read(one)
		r.Classifier.LastPrompt = detect.Event{At: l.at.Time, Hash: "his own"}
		l.stopsLater(r, "k2")
		l.lose()
		rec := get(t, l.Store, one)
		is(t, rec.Phase, Fired)
		is(t, rec.Stop.Key, "k2")
		is(t, rec.Cancelled.IsZero(), true)
	}
}

// A fresh session's attempts count for the line that it belongs to, also when only the marks tell.
func TestLostLineHasOneBudget(t *testing.T) {
	l := newLossy(t)
	fresh := detect.Session{Agent: one.Agent, ID: "chosen"}
	c := resume.Claim{Token: "a", Session: one, Stop: stopped("k"), N: 1, Attempts: 1, At: noon, Plan: resume.Plan{Form: resume.FormFresh, Session: fresh.ID}}
	d := resume.Claim{Token: "b", Session: fresh, Stop: stopped("k2"), N: 2, Attempts: 2, At: noon.Add(time.Minute)}
	l.fired = []resume.Claim{d, c}
	l.lose()
	must(t, l.view(func(t2 tx) error {
		is(t, t2.spent(l.at.Time).Sessions[Key(one)], 2)
		return nil
	}))
}

// What the marks have told of a fresh session's attempts is not counted once more when the attempt that began it is judged.
func TestLostHeirCountsOnce(t *testing.T) {
	l := newLossy(t)
	fresh := detect.Session{Agent: one.Agent, ID: "chosen"}
	waiting(t, l.Store, one, "k")
	c := claimed(t, l.Store, one, "k")
	c.Plan = resume.Plan{Form: resume.FormFresh, Session: fresh.ID}
	must(t, l.Fired(c))
	l.fired = append(l.fired, c)
	l.lose()
	_, err := l.Stopped(read(one), stopped("k"), wait, &c)
	must(t, err)
	o := outcome(resume.StoppedAgain, "k2")
	o.Session = fresh
	settle(t, l.Store, c, o)
	is(t, get(t, l.Store, fresh).Episode.Attempts, 1)
	is(t, get(t, l.Store, fresh).Episode.Fresh, 1)
}

// A later attempt that takes over is the one of its own stop: how long its episode lasts and what its user ordered are not
// those of an older one.
func TestNewerMarkIsAnotherEpisodes(t *testing.T) {
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	_, err := l.Order(one, get(t, l.Store, one).Rev, stopped("k"), resume.Decision{Strategy: resume.SameSession, WakeAt: noon, Asked: true})
	must(t, err)
	c := l.fire(one, "k")
	must(t, l.Snapshot())
	settle(t, l.Store, c, outcome(resume.Resumed, ""))
	l.at.Time = l.at.Add(20 * time.Hour)
	st := stopped("k2")
	st.At = l.at.Time
	r := read(one)
	r.Classifier.Ended = l.at.Add(-time.Minute)
	_, err = l.Stopped(r, st, wait, nil)
	must(t, err)
	d := l.fire(one, "k2")
	l.lose()
	rec := get(t, l.Store, one)
	is(t, rec.Claim.Token, d.Token)
	is(t, rec.Episode.Since, d.At)
	is(t, rec.Decision.Asked, false)
}

// A number names a mark: one that was judged is not taken again, whatever is known of the episode.
func TestNumberIsNeverThatOfAJudgedAttempt(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k")
	settle(t, s, fire(t, s, one, "k"), outcome(resume.NoEffect, ""))
	_, err := s.transition(one, func(rec Session, b Books) (*Change, error) { // a record of before, and what was closed since
		c := rec.change(b, "T1")
		c.Episode = Episode{}
		return c, nil
	})
	must(t, err)
	is(t, claimed(t, s, one, "k").N, 2)
}

// An attempt that was proved to have prompted nothing leaves whose the newest prompt is as it was: attempts never fall inside an
// episode.
func TestNoEffectLeavesWhosePromptItIs(t *testing.T) {
	for name, hash := range map[string]string{"the agent's own form": "", "another prompt": "new"} {
		t.Run(name, func(t *testing.T) {
			s, at := newStore(t)
			waiting(t, s, one, "k")
			c := fire(t, s, one, "k")
			c.Plan.Prompt = "old"
			at.Time = noon.Add(time.Minute)
			settle(t, s, c, outcome(resume.Resumed, ""))
			r := read(one)
			r.Classifier.LastPrompt = detect.Event{ID: "p", Kind: detect.KindPrompt, At: noon.Add(30 * time.Second), Hash: "old"}
			at.Time = noon.Add(time.Hour)
			st := stopped("k2")
			st.At = at.Time
			_, err := s.Stopped(r, st, wait, nil)
			must(t, err)
			c = fire(t, s, one, "k2")
			c.Plan.Prompt = hash
			settle(t, s, c, outcome(resume.NoEffect, ""))
			is(t, get(t, s, one).Episode.Attempts, 1)
			must(t, s.Progress([]Read{r}))
			is(t, get(t, s, one).Episode.Attempts, 1)
		})
	}
}

// An order came back before the mark of what clawd did after it: that is of a later stop, whose user had gone on.
func TestMarkAfterAnOrderThatCameBack(t *testing.T) {
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	must(t, l.Snapshot())
	l.later()
	_, err := l.Cancel(one, false)
	must(t, err)
	l.lose()
	is(t, get(t, l.Store, one).TakenBack(), true)
	must(t, l.Snapshot())
	l.later()
	l.stopsLater(read(one), "k2")
	l.lose()
	rec := get(t, l.Store, one)
	is(t, rec.Phase, Fired)
	is(t, rec.Stop.Key, "k2")
}

// A fresh session that clawd went on with keeps its own attempts when the lost one that began it is judged, and they count for
// the line's budget.
func TestLostBeginningLeavesTheHeir(t *testing.T) {
	l := newLossy(t)
	fresh := detect.Session{Agent: one.Agent, ID: "chosen"}
	waiting(t, l.Store, one, "k")
	must(t, l.Snapshot())
	c := claimed(t, l.Store, one, "k")
	c.Plan = resume.Plan{Form: resume.FormFresh, Session: fresh.ID}
	l.later()
	d := resume.Claim{Token: "d", Session: fresh, Stop: stopped("k2"), N: 3, Attempts: 3, At: l.at.Time}
	l.fired = []resume.Claim{c, d}
	l.lose()
	settle(t, l.Store, d, outcome(resume.StoppedAgain, "k3"))
	was := get(t, l.Store, fresh)
	o := outcome(resume.Resumed, "")
	o.Session = fresh
	settle(t, l.Store, c, o)
	rec := get(t, l.Store, fresh)
	is(t, rec.OldSession, one.ID)
	is(t, rec.Episode.Fresh, 1)
	is(t, rec.Episode.Attempts, was.Episode.Attempts)
	is(t, rec.LastFire, was.LastFire)
	_, err := l.Claim(fresh, "k3", Limits{PerSession: 2, PerDay: 9}, free)
	refusedWith(t, err, resume.Postponed)
}

// The mark of an attempt that began a session of another agent counts for that one.
func TestLostHeirOfAnotherAgent(t *testing.T) {
	l := newLossy(t)
	fresh := detect.Session{Agent: "codex", ID: "chosen"}
	waiting(t, l.Store, one, "k")
	must(t, l.Snapshot())
	c := claimed(t, l.Store, one, "k")
	c.Plan = resume.Plan{Agent: fresh.Agent, Form: resume.FormFresh, Session: fresh.ID}
	l.later()
	l.fired = []resume.Claim{c}
	l.lose()
	is(t, get(t, l.Store, fresh).OldSession, Key(one))
	o := outcome(resume.Resumed, "")
	o.Session = fresh
	settle(t, l.Store, c, o)
	old, heir := get(t, l.Store, one), get(t, l.Store, fresh)
	is(t, old.NewSession, Key(fresh))
	is(t, old.Named(old.NewSession), fresh)
	is(t, heir.OldSession, Key(one))
	is(t, heir.root(), Key(one))
	how, _ := old.Standing(l.at.Time)
	is(t, how, Done)
	told, err := l.Outbox()
	must(t, err)
	is(t, told[len(told)-1].Event, "session_handed_over")
}

// Where a fresh session lies is known by its own attempts: the mark of the one that began it does not tell.
func TestLostHeirHasItsFile(t *testing.T) {
	l := newLossy(t)
	fresh := detect.Session{Agent: one.Agent, ID: "chosen", Path: "/its/file"}
	l.fired = []resume.Claim{
		{Token: "a", Session: one, Stop: stopped("k"), N: 1, Attempts: 1, At: noon, Plan: resume.Plan{Form: resume.FormFresh, Session: fresh.ID}},
		{Token: "b", Session: fresh, Stop: stopped("k2"), N: 2, Attempts: 2, At: noon.Add(time.Minute)}}
	l.lose()
	rec := get(t, l.Store, fresh)
	is(t, rec.Phase, Fired)
	is(t, rec.Path, fresh.Path)
}

// What had not been told when the snapshot was made is told.
func TestNoticesComeBack(t *testing.T) {
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	settle(t, l.Store, l.fire(one, "k"), outcome(resume.Unsure, ""))
	before, err := l.Outbox()
	must(t, err)
	must(t, l.Snapshot())
	l.lose()
	after, err := l.Outbox()
	must(t, err)
	is(t, len(after), 1)
	is(t, after[0].Event, before[0].Event)
}
