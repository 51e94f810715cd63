package state

import (
	"testing"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Attempts never fall inside an episode: not when a stop of it is told again after its user had ordered a
// newer one.
func TestAttemptsOverAnOrder(t *testing.T) {
	s, _ := newStore(t)
	order := func(key string) {
		_, err := s.Order(one, func(Session) (detect.Stop, resume.Decision, error) {
			return stopped(key), resume.Decision{Strategy: resume.SameSession, WakeAt: noon, Asked: true}, nil
		})
		must(t, err)
	}
	waiting(t, s, one, "k2")
	settle(t, s, fire(t, s, one, "k2"), outcome(resume.NoEffect, "k3")) // refined: the attempt counts under the new key
	must(t, s.Leave(one, "k3", "by rule", ""))
	order("k3")
	order("k4")
	if got := get(t, s, one); got.Episode.Key != "k3" || got.Episode.Attempts != 1 {
		t.Fatalf("before: %+v", got.Episode)
	}
	_, err := s.Stopped(read(one), stopped("k3"), wait, nil)
	must(t, err)
	if got := get(t, s, one); got.Episode.Key != "k3" || got.Episode.Attempts != 1 {
		t.Errorf("after: %+v", got.Episode)
	}
}
