package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// reader makes a summary with a clock that stands still.
func reader(t *testing.T, out *strings.Builder) *summary {
	t.Helper()
	s := newSummary(out, readTimes(filepath.Join(t.TempDir(), "times", "t.json")), true, time.Minute)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.began, s.told, s.now = at, at, func() time.Time { return at }
	return s
}

func (s *summary) pass(d time.Duration) {
	at := s.now().Add(d)
	s.now = func() time.Time { return at }
}

func wants(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("no %q in\n%s", w, out)
		}
	}
}

func (s *summary) lines(text string) {
	for l := range strings.Lines(text) {
		s.line(&process{}, l)
	}
}

func TestReport(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		not      string
		ok       bool
	}{
		{"pass", `{"Action":"start","Package":"a/b"}
{"Action":"run","Package":"a/b","Test":"TestX"}
{"Action":"output","Package":"a/b","Test":"TestX","Output":"noise\n"}
{"Action":"pass","Package":"a/b","Test":"TestX","Elapsed":1.25}
{"Action":"pass","Package":"a/b","Elapsed":2}`, []string{"ok    b.TestX (1.2 s)", "ok    a/b (2.0 s)", "1 test: 1 passed, 0 failed, 0 skipped"}, "noise", true},
		{"skip", `{"Action":"run","Package":"a/b","Test":"TestX"}
{"Action":"output","Package":"a/b","Test":"TestX","Output":"    x_test.go:1: no agent\n"}
{"Action":"output","Package":"a/b","Test":"TestX","Output":"--- SKIP: TestX\n"}
{"Action":"skip","Package":"a/b","Test":"TestX"}
{"Action":"pass","Package":"a/b"}`, []string{"skip  b.TestX: x_test.go:1: no agent", "1 skipped"}, "", true},
		{"fail", `{"Action":"output","Package":"a/b","Test":"TestX","Output":"it broke\n"}
{"Action":"fail","Package":"a/b","Test":"TestX"}
{"Action":"fail","Package":"a/b"}`, []string{"FAIL  b.TestX", "it broke", "1 test: 0 passed, 1 failed, 0 skipped", "1 package: 0 passed (0 of them cached), 1 failed"}, "", false},
		{"build", `{"Action":"build-output","ImportPath":"a/b","Output":"x.go:1: no\n"}
{"Action":"build-fail","ImportPath":"a/b"}
{"Action":"fail","Package":"a/b"}`, []string{"x.go:1: no", "0 tests: 0 passed, 0 failed", "1 failed"}, "", false},
		{"time-out", `{"Action":"start","Package":"a/b"}
{"Action":"run","Package":"a/b","Test":"TestX"}
{"Action":"run","Package":"a/b","Test":"TestX/one"}
{"Action":"output","Package":"a/b","Test":"TestX/one","Output":"panic: test timed out\n"}
{"Action":"output","Package":"a/b","Output":"FAIL\n"}
{"Action":"fail","Package":"a/b","Elapsed":600}`, []string{"FAIL  b.TestX did not end", "FAIL  b.TestX/one did not end", "panic: test timed out",
			"1 test: 0 passed, 1 failed", "1 sub-test: 0 passed, 1 failed"}, "", false},
		{"cut", `{"Action":"start","Package":"a/b"}
{"Action":"run","Package":"a/b","Test":"TestX"}`, []string{"FAIL  b.TestX did not end", "FAIL  a/b", "1 test: 0 passed, 1 failed"}, "", false},
		{"panic behind the last test", `{"Action":"start","Package":"a/b"}
{"Action":"run","Package":"a/b","Test":"TestX"}
{"Action":"pass","Package":"a/b","Test":"TestX"}
{"Action":"output","Package":"a/b","Test":"TestX","Output":"panic: late\n"}
{"Action":"fail","Package":"a/b"}`, []string{"panic: late", "1 test: 1 passed, 0 failed", "1 failed, 0 without tests"}, "", false},
		{"cached", `{"Action":"start","Package":"a/b"}
{"Action":"output","Package":"a/b","Output":"ok  \ta/b\t(cached)\n"}
{"Action":"pass","Package":"a/b","Elapsed":0}
{"Action":"start","Package":"a/c"}
{"Action":"skip","Package":"a/c","Elapsed":0}`, []string{"ok    a/b (cached)", "2 packages: 1 passed (1 of them cached), 0 failed, 1 without tests"}, "", true},
		{"nothing ran", "go: no such thing\n", []string{"go: no such thing"}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s := reader(t, &out)
			s.lines(c.in)
			s.close("")
			wants(t, out.String(), c.want...)
			if c.not != "" && strings.Contains(out.String(), c.not) {
				t.Errorf("%q in\n%s", c.not, out.String())
			}
			if s.ok() != c.ok {
				t.Errorf("ok = %v, want %v", s.ok(), c.ok)
			}
		})
	}
}

// TestFigures: what passed, failed and was skipped is what ran, whatever the stream breaks off with.
func TestFigures(t *testing.T) {
	data, err := os.ReadFile("testdata/stream.json")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(string(data), "\n")
	for n := range all {
		var out strings.Builder
		s := reader(t, &out)
		run := map[bool]int{}
		for _, text := range all[:n] {
			var l line
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Fatal(err)
			}
			if l.Action == "run" {
				run[strings.Contains(l.Test, "/")]++
			}
			s.line(&process{}, text)
		}
		s.close("")
		if s.top.sum() != run[false] || s.sub.sum() != run[true] {
			t.Fatalf("after %d lines: %+v of %d tests, %+v of %d sub-tests\n%s", n, s.top, run[false], s.sub, run[true], out.String())
		}
		if len(s.open)+len(s.tests)+len(s.output) != 0 {
			t.Fatalf("after %d lines: %v %v %v are left", n, s.open, s.tests, s.output)
		}
	}
}

func TestProgress(t *testing.T) {
	var out strings.Builder
	s := reader(t, &out)
	s.packages = 3
	s.times.last = map[string]float64{keyAll: 118, keyTests: 7, "a/b TestX": 31, "a/b": 50}
	s.opening()
	s.lines(`{"Action":"start","Package":"a/b"}
{"Action":"run","Package":"a/b","Test":"TestX"}
{"Action":"run","Package":"a/b","Test":"TestP"}
{"Action":"pause","Package":"a/b","Test":"TestP"}
{"Action":"run","Package":"a/b","Test":"TestY"}
{"Action":"run","Package":"a/b","Test":"TestY/one"}
`)
	s.pass(pace)
	s.tick()
	s.tick()
	wants(t, out.String(), "3 packages, last time 118 s\n", "...   30 s, 0 of 3 packages, 0 tests of last time's 7; runs: b.TestX 30 s (last time 31 s), b.TestY/one 30 s\n")
	if n := strings.Count(out.String(), "..."); n != 1 {
		t.Errorf("said %d times what runs\n%s", n, out.String())
	}
	s.lines(`{"Action":"pass","Package":"a/b","Test":"TestX","Elapsed":30}
{"Action":"pass","Package":"a/b","Test":"TestY/one","Elapsed":30}
{"Action":"cont","Package":"a/b","Test":"TestP"}
`)
	s.pass(pace)
	s.tick()
	wants(t, out.String(), "...   60 s, 0 of 3 packages, 2 tests of last time's 7; runs: b.TestP 30 s, b.TestY 30 s\n")
	s.lines(`{"Action":"pass","Package":"a/b","Elapsed":61}`)
	wants(t, out.String(), "ok    a/b (61.0 s, last time 50 s)\n")
}

func TestTimesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x", "unit.json")
	first := readTimes(path)
	first.keep("a", 3)
	first.keep("a TestShort", 0.01)
	first.keep("b", 5)
	if err := first.write(); err != nil {
		t.Fatal(err)
	}
	second := readTimes(path)
	second.keep("a", 4)
	if err := second.write(); err != nil {
		t.Fatal(err)
	}
	third := readTimes(path)
	if third.before("a") != "last time 4 s" || third.before("b") != "last time 5 s" || third.before("a TestShort") != "" {
		t.Errorf("got %v", third.last)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := readTimes(path).before("a"); got != "" {
		t.Errorf("a broken file says %q", got)
	}
}

// TestNamesWhatHangs: a test that waits for its turn or for its sub-tests does not hang, nor does a
// package that gets on.
func TestNamesWhatHangs(t *testing.T) {
	var out strings.Builder
	s := reader(t, &out)
	var ended []string
	s.end = func(_ *process, pkg, _ string, sig syscall.Signal) { ended = append(ended, pkg+" "+sig.String()) }
	s.lines(`{"Action":"start","Package":"a/b"}
{"Action":"run","Package":"a/b","Test":"TestP"}
{"Action":"pause","Package":"a/b","Test":"TestP"}
{"Action":"run","Package":"a/b","Test":"TestY"}
{"Action":"run","Package":"a/b","Test":"TestY/one"}
{"Action":"start","Package":"a/c"}
`)
	s.pass(s.hang)
	s.tick()
	if len(ended) != 0 {
		t.Errorf("ended %v", ended)
	}
	s.lines(`{"Action":"run","Package":"a/c","Test":"TestZ"}`)
	s.pass(time.Second)
	s.tick()
	s.tick()
	wants(t, out.String(), "HANGS b.TestY/one 61 s\n")
	if got := strings.Join(ended, ", "); got != "a/b quit" {
		t.Errorf("ended %s", got)
	}
	s.pass(2 * time.Minute)
	s.tick()
	s.tick()
	wants(t, out.String(), "HANGS c.TestZ 121 s\n")
	if got := strings.Join(ended, ", "); got != "a/b quit, a/b killed, a/c quit" {
		t.Errorf("ended %s", got)
	}
	if strings.Contains(out.String(), "HANGS b.TestP") || strings.Contains(out.String(), "b.TestY 1") {
		t.Errorf("a waiting test hangs:\n%s", out.String())
	}
	s.lines(`{"Action":"start","Package":"a/d"}`)
	s.pass(2 * time.Minute)
	s.tick()
	wants(t, out.String(), "HANGS a/d, outside of its tests, 120 s\n")
}
