package state

import (
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
