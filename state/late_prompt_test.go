package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// A server that hung may take clawd's prompt when its attempt is held already. The id tells that it is clawd's own: the hold stays
// while it works, and what it runs into is of the same episode (I7).
func TestServerTakesThePromptLate(t *testing.T) {
	l := newLossy(t)
	waiting(t, l.Store, one, "k")
	c := claimed(t, l.Store, one, "k")
	c.Plan = resume.Plan{Way: resume.HTTP, Form: resume.FormPrompt, Session: one.ID, MessageID: "msg_own", Prompt: "h"}
	must(t, l.Fired(c))
	settle(t, l.Store, c, resume.Outcome{Verdict: resume.Unsure, Why: "nothing is seen"})
	r, stop := read(one), stopped("after")
	r.Classifier.LastPrompt = detect.Event{ID: "msg_own", Hash: "h", At: l.at.Add(time.Minute)}
	stop.At = l.at.Add(2 * time.Minute)
	rec := get(t, l.Store, one)
	is(t, rec.Phase, Held)
	rec.Classifier = r.Classifier
	is(t, rec.AtWork(), true)
	rec, err := l.Stopped(r, stop, wait, nil)
	must(t, err)
	is(t, rec.Episode.Attempts, 1)
}

// It may take one even later, when its user has gone on since and a newer attempt has had its verdict: the episode of that one goes on.
func TestServerTakesAnEarlierPromptLate(t *testing.T) {
	for name, c := range map[string]struct {
		id    string
		ended time.Duration // a turn ended well, after the newest stop
		want  int
	}{
		"its own":              {"msg_first", 0, 1},
		"somebody else's":      {"msg_other", 0, 0},
		"its own, ended well":  {"msg_first", 3 * time.Minute, 0},
		"ended well before it": {"msg_first", time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLossy(t)
			attempt := func(key, id string, o resume.Outcome) {
				t.Helper()
				a := claimed(t, l.Store, one, key)
				a.Plan = resume.Plan{Way: resume.HTTP, Form: resume.FormPrompt, Session: one.ID, MessageID: id, Prompt: "h"}
				must(t, l.Fired(a))
				settle(t, l.Store, a, o)
			}
			waiting(t, l.Store, one, "k1")
			attempt("k1", "msg_first", resume.Outcome{Verdict: resume.ByHand, Why: "it was continued"})
			waiting(t, l.Store, one, "k2")
			attempt("k2", "msg_second", outcome(resume.StoppedAgain, "k3"))
			r := read(one)
			r.Classifier.LastPrompt = detect.Event{ID: c.id, Hash: "h", At: l.at.Add(2 * time.Minute)}
			if c.ended > 0 {
				r.Classifier.Ended = l.at.Add(c.ended)
			}
			_, err := l.WentOn(r, "it goes on")
			must(t, err)
			rec := get(t, l.Store, one)
			is(t, rec.Phase, Following)
			is(t, rec.Episode.Attempts, c.want)
		})
	}
}

// The ids that are kept have a bound.
func TestSentIsBounded(t *testing.T) {
	s, _ := newStore(t)
	waiting(t, s, one, "k0")
	for n := range maxSent + 3 {
		c := claimed(t, s, one, fmt.Sprint("k", n))
		c.Plan.MessageID = fmt.Sprint("msg_", n)
		must(t, s.Fired(c))
		settle(t, s, c, outcome(resume.StoppedAgain, fmt.Sprint("k", n+1)))
	}
	rec := get(t, s, one)
	is(t, len(rec.Sent), maxSent)
	is(t, rec.Sent[maxSent-1], fmt.Sprint("msg_", maxSent+2))
}

// A hook of its user's may have changed the prompt of an attempt: its records say in which words it stands there, and the episode goes on (I7).
func TestHookChangesThePrompt(t *testing.T) {
	for hash, over := range map[string]bool{"changed": false, "of a person": true} {
		l := newLossy(t)
		waiting(t, l.Store, one, "k")
		c := claimed(t, l.Store, one, "k")
		c.Plan = resume.Plan{Form: resume.FormPrompt, Session: one.ID, Prompt: "h"}
		must(t, l.Fired(c))
		o := outcome(resume.StoppedAgain, "k2")
		o.Prompt = "changed"
		l.at.Time = l.at.Add(time.Minute)
		rec := settle(t, l.Store, c, o)
		rec.Classifier.LastPrompt = detect.Event{ID: "p", Hash: hash, At: rec.FireEnd}
		rec.LastFire = rec.FireEnd.Add(-time.Second)
		is(t, rec.Overcome(), over)
		is(t, rec.Made(detect.Stop{At: rec.FireEnd.Add(time.Second)}), !over)
	}
}
