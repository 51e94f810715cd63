package state

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

func TestUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clawd.db")
	all, err := ReadUnknown(path)
	must(t, err)
	is(t, len(all), 0)
	s, _ := openAt(t, path)
	leave := resume.Decision{Strategy: resume.Leave, Why: "x"}
	say := func(key, text string, reason detect.Reason, at time.Duration) {
		t.Helper()
		stop := stopped(key)
		stop.Reason, stop.Text, stop.Status, stop.At = reason, text, 418, noon.Add(at)
		r := read(one)
		r.Info.Version = "9.9"
		_, err := s.Stopped(r, stop, leave, nil)
		must(t, err)
	}
	say("a", "I'm a teapot", detect.Unknown, 0)
	say("b", "I'm a teapot", detect.Unknown, time.Hour)
	say("c", "", detect.Unknown, time.Hour)
	say("d", "never kept", detect.Auth, time.Hour)
	all, err = s.Unknown()
	must(t, err)
	is(t, len(all), 1)
	is(t, all[0], Unknown{Agent: one.Agent, Version: "9.9", Status: 418, Text: "I'm a teapot", Count: 2, First: noon, Last: noon.Add(time.Hour)})
	for i := range maxUnknown + 5 {
		say(fmt.Sprint("n", i), fmt.Sprint("text ", i), detect.Unknown, time.Duration(i+2)*time.Hour)
	}
	must(t, s.Close())
	all, err = ReadUnknown(path)
	must(t, err)
	is(t, len(all), maxUnknown)
	is(t, all[0].Text, fmt.Sprint("text ", maxUnknown+4))
	is(t, all[maxUnknown-1].Text, "text 5")
}

// A re-read of the same stop is the same failure, not another one.
func TestUnknownIsCountedOnce(t *testing.T) {
	s, _ := newStore(t)
	stop := stopped("a")
	stop.Reason, stop.Text = detect.Unknown, "odd"
	for range 2 {
		_, err := s.Stopped(read(one), stop, resume.Decision{Strategy: resume.Leave}, nil)
		must(t, err)
	}
	all, err := s.Unknown()
	must(t, err)
	is(t, all[0].Count, 1)
}
