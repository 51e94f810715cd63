package state

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
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
			path := filepath.Join(t.TempDir(), "clawd.db")
			s, _ := openAt(t, path)
			must(t, s.Close())
			must(t, os.Remove(path))
			at := &clock{noon.Add(time.Hour)}
			s, err := Open(path, Options{Now: at.now, Fired: func(time.Time) []resume.Claim { return c.fired }})
			must(t, err)
			t.Cleanup(func() { s.Close() })
			is(t, s.Lost, true)
			rec, _, err := s.Session(c.ds)
			must(t, err)
			if is(t, cmp.Or(rec.Phase, Following), c.phase); c.phase == Fired {
				is(t, rec.Info.Dir, "/work")
				rec = settle(t, s, *rec.Claim, outcome(resume.StoppedAgain, "after"))
			} else {
				stop := stopped("after")
				stop.At = noon.Add(30 * time.Minute)
				rec, err = s.Stopped(read(c.ds), stop, wait, nil)
				must(t, err)
			}
			is(t, rec.Phase, Waiting)
			is(t, rec.Episode.Attempts, c.want)
		})
	}
}

// An attempt that a snapshot has under way was followed by another one, as its mark tells: that one is to be judged.
func TestNewerMarkTakesOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.db")
	s, clock := openAt(t, path)
	waiting(t, s, one, "k")
	first := fire(t, s, one, "k")
	must(t, s.Snapshot())
	clock.Time = clock.Add(time.Minute)
	settle(t, s, first, outcome(resume.StoppedAgain, "k2"))
	second := fire(t, s, one, "k2")
	must(t, s.Close())
	must(t, os.Remove(path))
	s, err := Open(path, Options{Now: clock.now, Fired: func(time.Time) []resume.Claim { return []resume.Claim{second, first} }})
	must(t, err)
	defer s.Close()
	rec := get(t, s, one)
	is(t, rec.Phase, Fired)
	is(t, rec.Claim.Token, second.Token)
	is(t, rec.Stop.Key, "k2")
	is(t, rec.Episode.Attempts, 2)
}

// An attempt that a snapshot has as claimed was made, as its mark tells: it is under way.
func TestMarkOfAClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.db")
	s, clock := openAt(t, path)
	waiting(t, s, one, "k")
	c := claimed(t, s, one, "k")
	must(t, s.Snapshot())
	must(t, s.Close())
	must(t, os.Remove(path))
	c.PID = 7
	s, err := Open(path, Options{Now: clock.now, Fired: func(time.Time) []resume.Claim { return []resume.Claim{c} }})
	must(t, err)
	defer s.Close()
	rec := get(t, s, one)
	is(t, rec.Phase, Fired)
	is(t, rec.Claim.PID, 7)
	is(t, rec.Episode.Attempts, 1)
}

// An attempt on which a snapshot has a verdict is not judged once more, also where a later one was given back.
func TestMarkOfAJudgedAttempt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.db")
	s, clock := openAt(t, path)
	waiting(t, s, one, "k")
	first := fire(t, s, one, "k")
	settle(t, s, first, outcome(resume.StoppedAgain, "k2"))
	_, err := s.Unclaim(claimed(t, s, one, "k2"), "no process could be had", false)
	must(t, err)
	must(t, s.Snapshot())
	must(t, s.Close())
	must(t, os.Remove(path))
	s, err = Open(path, Options{Now: clock.now, Fired: func(time.Time) []resume.Claim { return []resume.Claim{first} }})
	must(t, err)
	defer s.Close()
	rec := get(t, s, one)
	is(t, rec.Phase, Waiting)
	is(t, rec.Stop.Key, "k2")
	is(t, rec.Episode.Attempts, 1)
}

// A session that a snapshot has waiting, or held, was resumed since, as a mark tells: that attempt is under way until it is
// judged. What its user took back stays so.
func TestMarkOfALaterAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		held  bool
		stop  string
		phase Phase
	}{
		"waiting":            {false, "k", Fired},
		"waiting, overtaken": {false, "later", Fired},
		"held":               {true, "k", Held}, // the user knows that he has to look
		"held, overtaken":    {true, "later", Fired},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "clawd.db")
			s, clock := openAt(t, path)
			waiting(t, s, one, "k")
			if c.held {
				settle(t, s, fire(t, s, one, "k"), outcome(resume.Unsure, ""))
			}
			must(t, s.Snapshot())
			must(t, s.Close())
			must(t, os.Remove(path))
			clock.Time = clock.Add(time.Minute)
			later := resume.Claim{Token: "t", Session: one, Stop: stopped(c.stop), N: 2, Attempts: 2, At: clock.now(), Plan: resume.Plan{Form: resume.FormPrompt, Prompt: "h"}}
			clock.Time = clock.Add(time.Minute)
			s, err := Open(path, Options{Now: clock.now, Fired: func(time.Time) []resume.Claim { return []resume.Claim{later} }})
			must(t, err)
			defer s.Close()
			rec := get(t, s, one)
			is(t, rec.Phase, c.phase)
			if c.phase == Fired {
				is(t, rec.Stop.Key, c.stop)
				is(t, rec.Claim.Token, "t")
				is(t, rec.Episode.Attempts, 2)
				is(t, rec.Episode.Key, c.stop)
			}
		})
	}
}
