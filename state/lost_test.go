package state

import (
	"cmp"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// A store that was lost has the newest attempt that the marks tell of under way: what it ran into is not the first stop of a new
// episode (I7), and one that was cut is told. A fresh session that it began counts on.
func TestLostAttemptsCountOn(t *testing.T) {
	fresh := detect.Session{Agent: one.Agent, ID: "chosen"}
	claim := func(n int, form resume.Form) resume.Claim {
		c := resume.Claim{Token: fmt.Sprint("t", n), Session: one, Stop: stopped("k"), N: n, Attempts: n, At: noon.Add(time.Duration(n) * time.Minute), Info: detect.Info{Dir: "/work"}}
		c.Plan = resume.Plan{Form: form, Session: one.ID, Prompt: "h"}
		if form == resume.FormFresh {
			c.Plan.Session = fresh.ID
		}
		return c
	}
	for name, c := range map[string]struct {
		fired []resume.Claim
		ds    detect.Session
		phase Phase
		want  int
	}{
		"nothing was fired":     {nil, one, Following, 0},
		"one":                   {[]resume.Claim{claim(1, resume.FormPrompt)}, one, Fired, 1},
		"several, in any order": {[]resume.Claim{claim(3, resume.FormPrompt), claim(1, resume.FormPrompt), claim(2, resume.FormPrompt)}, one, Fired, 3},
		"the fresh session":     {[]resume.Claim{claim(2, resume.FormFresh)}, fresh, Following, 2},
		"another session":       {[]resume.Claim{claim(2, resume.FormPrompt)}, two, Following, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLossy(t)
			l.at.Time, l.fired = noon.Add(time.Hour), c.fired
			l.lose()
			rec, _, err := l.Session(c.ds)
			must(t, err)
			if is(t, cmp.Or(rec.Phase, Following), c.phase); c.phase == Fired {
				is(t, rec.Info.Dir, "/work")
				rec = settle(t, l.Store, *rec.Claim, outcome(resume.StoppedAgain, "after"))
			} else {
				stop := stopped("after")
				stop.At = noon.Add(30 * time.Minute)
				rec, err = l.Stopped(read(c.ds), stop, wait, nil)
				must(t, err)
			}
			is(t, rec.Phase, Waiting)
			is(t, rec.Episode.Attempts, c.want)
		})
	}
}

// What is asked in a fresh session after the store was lost is still the prompt of the attempt that began it.
func TestLostHeirIsYetToAsk(t *testing.T) {
	fresh := detect.Session{Agent: one.Agent, ID: "chosen"}
	l := newLossy(t)
	l.at.Time = noon.Add(time.Minute)
	l.fired = []resume.Claim{{Token: "t", Session: one, Stop: stopped("k"), N: 1, Attempts: 1, At: noon, Plan: resume.Plan{Form: resume.FormFresh, Session: fresh.ID, Prompt: "h"}}}
	l.lose()
	r, stop := read(fresh), stopped("after")
	stop.At = noon.Add(4 * time.Minute)
	r.Classifier.LastPrompt = detect.Event{At: noon.Add(3 * time.Minute), Hash: "h"}
	rec, err := l.Stopped(r, stop, wait, nil)
	must(t, err)
	is(t, rec.Episode.Attempts, 1)
}

// The stop of a fresh session may be read before the lost attempt that began it has its verdict: it is none of a new episode.
func TestLostHeirIsReadFirst(t *testing.T) {
	fresh := detect.Session{Agent: one.Agent, ID: "chosen"}
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	must(t, l.Snapshot())
	c := claimed(t, l.Store, one, "k")
	c.Plan = resume.Plan{Form: resume.FormFresh, Session: fresh.ID, Prompt: "h"}
	l.fired = []resume.Claim{c}
	l.lose()
	is(t, get(t, l.Store, one).Phase, Fired)
	stop := stopped("after")
	stop.At = l.at.Add(time.Minute)
	rec, err := l.Stopped(read(fresh), stop, wait, nil)
	must(t, err)
	is(t, rec.Episode.Attempts, 1)
	is(t, rec.Episode.Fresh, 1)
}

// An attempt that a snapshot has under way was followed by another one, as its mark tells: that one is to be judged.
func TestNewerMarkTakesOver(t *testing.T) {
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	first := l.fire(one, "k")
	must(t, l.Snapshot())
	settle(t, l.Store, first, outcome(resume.StoppedAgain, "k2"))
	second := l.fire(one, "k2")
	l.lose()
	rec := get(t, l.Store, one)
	is(t, rec.Phase, Fired)
	is(t, rec.Claim.Token, second.Token)
	is(t, rec.Stop.Key, "k2")
	is(t, rec.Episode.Attempts, 2)
}

// The attempt that a snapshot has under way began a fresh session, and another one took its place: its verdict never comes, and
// the fresh session counts on all the same.
func TestNewerMarkLeavesTheHeir(t *testing.T) {
	fresh := detect.Session{Agent: one.Agent, ID: "chosen"}
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	first := claimed(t, l.Store, one, "k")
	first.Plan = resume.Plan{Form: resume.FormFresh, Session: fresh.ID, Prompt: "h"}
	must(t, l.Fired(first))
	must(t, l.Snapshot())
	second := first
	second.Token, second.N, second.Attempts, second.At, second.Plan.Session = "second", 2, 2, first.At.Add(time.Minute), "other"
	l.fired = []resume.Claim{first, second}
	l.lose()
	is(t, get(t, l.Store, one).Claim.Token, second.Token)
	stop := stopped("after")
	stop.At = first.At.Add(30 * time.Second)
	rec, err := l.Stopped(read(fresh), stop, wait, nil)
	must(t, err)
	is(t, rec.Episode.Attempts, 1)
}

// A store that had forgotten an attempt, for an older copy was put in its place, has left what came of it. When it is lost as well the
// mark does not bring the attempt back, or that stop is taken in once more (I14).
func TestMarkBeforeAStopThatWasLeft(t *testing.T) {
	l := newLossy(t)
	l.later()
	l.fired = []resume.Claim{{Token: "t", Session: one, Stop: stopped("k"), N: 1, Attempts: 1, At: l.at.Time}}
	l.later()
	stop := stopped("cut:after")
	stop.At = l.at.Time
	_, err := l.Stopped(read(one), stop, resume.Decision{Strategy: resume.Leave}, nil)
	must(t, err)
	must(t, l.Snapshot())
	l.lose()
	rec := get(t, l.Store, one)
	is(t, rec.Phase, Following)
	is(t, rec.Stop.Key, "cut:after")
}

// An attempt that a snapshot has as claimed was made, as its mark tells: it is under way.
func TestMarkOfAClaim(t *testing.T) {
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	c := claimed(t, l.Store, one, "k")
	must(t, l.Snapshot())
	c.PID = 7
	l.fired = append(l.fired, c)
	l.lose()
	rec := get(t, l.Store, one)
	is(t, rec.Phase, Fired)
	is(t, rec.Claim.PID, 7)
	is(t, rec.Episode.Attempts, 1)
}

// An older copy of the store that somebody has put back is sound, so nothing but the marks says that an attempt was made since.
func TestMarksBesideAnOlderCopy(t *testing.T) {
	for name, claimedBefore := range map[string]bool{"from before the attempt": false, "from right after its claim": true} {
		t.Run(name, func(t *testing.T) {
			l := newLossy(t)
			waiting(t, l.Store, one, "k")
			var c resume.Claim
			if claimedBefore {
				c = claimed(t, l.Store, one, "k")
				l.later()
				_, err := l.transition(one, func(rec Session, b Books) (*Change, error) { return rec.HolderSeen(b, detect.Holder{}, "gone"), nil })
				must(t, err)
			}
			must(t, l.Close())
			old, err := os.ReadFile(l.path)
			must(t, err)
			l.later()
			l.open()
			if !claimedBefore {
				c = claimed(t, l.Store, one, "k")
			}
			must(t, l.Fired(c))
			l.fired = append(l.fired, c)
			settle(t, l.Store, c, outcome(resume.Resumed, ""))
			must(t, l.Close())
			must(t, os.WriteFile(l.path, old, 0o600))
			l.later()
			l.open()
			is(t, l.Lost, false)
			rec := get(t, l.Store, one)
			is(t, rec.Phase, Fired)
			is(t, rec.Claim.Token, c.Token)
			settle(t, l.Store, c, outcome(resume.Resumed, ""))
			must(t, l.Close())
			l.later()
			l.open() // which knows of it by now
			is(t, get(t, l.Store, one).Phase, Following)
		})
	}
}

// A cancel of a run that began a fresh session holds for that one, also when only the marks tell that it did.
func TestLostHeirIsCanceled(t *testing.T) {
	fresh := detect.Session{Agent: one.Agent, ID: "chosen"}
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	c := claimed(t, l.Store, one, "k")
	must(t, l.Snapshot())
	c.Plan = resume.Plan{Form: resume.FormFresh, Session: fresh.ID}
	must(t, l.Fired(c))
	l.fired = append(l.fired, c)
	l.later()
	_, err := l.Cancel(one, true)
	must(t, err)
	l.lose()
	is(t, get(t, l.Store, fresh).CancelStands(), true)
}

// An attempt on which a snapshot has a verdict is not judged once more, also where a later one was given back.
func TestMarkOfAJudgedAttempt(t *testing.T) {
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	settle(t, l.Store, l.fire(one, "k"), outcome(resume.StoppedAgain, "k2"))
	_, err := l.Unclaim(claimed(t, l.Store, one, "k2"), "no process could be had", false)
	must(t, err)
	must(t, l.Snapshot())
	l.lose()
	rec := get(t, l.Store, one)
	is(t, rec.Phase, Waiting)
	is(t, rec.Stop.Key, "k2")
	is(t, rec.Episode.Attempts, 1)
}

// A session that a snapshot has waiting, or held, was resumed since, as a mark tells: that attempt is under way until it is
// judged.
func TestMarkOfALaterAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		held  bool
		stop  string
		n     int
		phase Phase
	}{
		"waiting":            {false, "k", 2, Fired},
		"waiting, overtaken": {false, "later", 2, Fired},
		"held for it":        {true, "k", 1, Held},
		"held, ordered":      {true, "k", 2, Fired},
		"held, overtaken":    {true, "later", 2, Fired},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLossy(t)
			waiting(t, l.Store, one, "k")
			if c.held {
				settle(t, l.Store, fire(t, l.Store, one, "k"), outcome(resume.Unsure, ""))
			}
			must(t, l.Snapshot())
			l.later()
			l.fired = []resume.Claim{{Token: "t", Session: one, Stop: stopped(c.stop), N: c.n, Attempts: c.n, At: l.at.now(), Plan: resume.Plan{Form: resume.FormPrompt, Prompt: "h"}}}
			l.lose()
			rec := get(t, l.Store, one)
			if is(t, rec.Phase, c.phase); c.phase == Fired {
				is(t, rec.Stop.Key, c.stop)
				is(t, rec.Claim.Token, "t")
				is(t, rec.Episode.Attempts, 2)
				is(t, rec.Episode.Key, c.stop)
			}
		})
	}
}
