package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"
)

// line is one line of test2json.
type line struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Elapsed    float64
	Output     string
}

func (l line) key() string { return l.Package + l.ImportPath + " " + l.Test }

func (l line) ends() bool { return l.Action == "pass" || l.Action == "skip" || l.Action == "fail" }

// test is a test that has begun and not ended.
type test struct {
	pkg, name string
	since     time.Time // it runs since then; zero: it waits for its turn or for its sub-tests
	inside    int       // its sub-tests that have not ended
}

// pkg is a package that has begun and not ended.
type pkg struct {
	by     *process
	idle   time.Time // no test of it runs since then
	cached bool
	asked  time.Time // when its goroutines were asked for
	killed bool
}

// count counts tests or packages.
type count struct{ passed, failed, skipped int }

func (c *count) of(action string) {
	switch action {
	case "pass":
		c.passed++
	case "fail":
		c.failed++
	case "skip":
		c.skipped++
	}
}

func (c count) sum() int { return c.passed + c.failed + c.skipped }

type summary struct {
	out   io.Writer
	cases bool
	hang  time.Duration
	times *times
	now   func() time.Time
	end   func(by *process, pkg, word string, sig syscall.Signal) // ends the test program of a package

	output   map[string][]string // by package and test
	open     map[string]*pkg
	tests    map[string]*test
	packages int // that were named
	cached   int
	all      count // packages; without tests: skipped
	top, sub count // tests and sub-tests
	began    time.Time
	told     time.Time
	broken   bool // a go command said so
	stopped  bool // before the end, by a signal
}

func newSummary(out io.Writer, t *times, cases bool, hang time.Duration) *summary {
	return &summary{
		out: out, times: t, cases: cases, hang: hang, now: time.Now, end: func(*process, string, string, syscall.Signal) {},
		output: map[string][]string{}, open: map[string]*pkg{}, tests: map[string]*test{}, began: time.Now(), told: time.Now(),
	}
}

// ok: something ran, and nothing failed.
func (s *summary) ok() bool {
	return !s.broken && !s.stopped && s.all.passed > 0 && s.all.failed+s.top.failed+s.sub.failed == 0
}

func (s *summary) print(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...) // a closed terminal is no failure of the tests
}

func (s *summary) opening() {
	text := counted("package", s.packages)
	if last := s.times.before(keyAll); last != "" {
		text += ", " + last
	}
	s.print("%s", text)
}

// line takes in what a go command printed.
func (s *summary) line(by *process, text string) {
	var l line
	if json.Unmarshal([]byte(text), &l) != nil || l.Action == "" {
		s.print("%s", strings.TrimRight(text, "\n")) // the go command itself speaks
		return
	}
	switch {
	case l.Action == "output" || l.Action == "build-output":
		s.output[l.key()] = append(s.output[l.key()], l.Output)
		if p := s.open[l.Package]; p != nil && l.Test == "" && strings.HasSuffix(l.Output, "\t(cached)\n") {
			p.cached = true
		}
	case l.Action == "build-fail":
		s.dump(l.key())
		delete(s.output, l.key())
	case l.Action == "start":
		s.open[l.Package] = &pkg{by: by, idle: s.now()}
	case l.Test == "" && l.ends():
		s.endPackage(l, by.kind)
	case l.ends():
		s.endTest(l, by.kind)
	case l.Test != "":
		s.move(l)
	}
}

// move notes that a test begins, waits for its turn, or has it.
func (s *summary) move(l line) {
	t := s.tests[l.key()]
	switch {
	case l.Action == "run":
		t = &test{pkg: l.Package, name: l.Test}
		s.tests[l.key()] = t
		if up := s.parent(t); up != nil {
			up.inside++
			up.since = time.Time{}
		}
	case t == nil:
		return
	}
	t.since = time.Time{}
	if l.Action != "pause" {
		t.since = s.now()
	}
	if p := s.open[l.Package]; p != nil {
		p.idle = s.now()
	}
}

func (s *summary) parent(t *test) *test {
	at := strings.LastIndex(t.name, "/")
	if at < 0 {
		return nil
	}
	return s.tests[t.pkg+" "+t.name[:at]]
}

func (s *summary) endTest(l line, kind string) {
	if t := s.tests[l.key()]; t != nil {
		delete(s.tests, l.key())
		if up := s.parent(t); up != nil {
			if up.inside--; up.inside == 0 {
				up.since = s.now()
			}
		}
	}
	p := s.open[l.Package]
	if p != nil {
		p.idle = s.now()
	}
	if p == nil || !p.cached {
		s.times.keep(l.key()+kind, l.Elapsed)
	}
	if strings.Contains(l.Test, "/") {
		s.sub.of(l.Action)
	} else {
		s.top.of(l.Action)
	}
	switch {
	case l.Action == "fail":
		s.print("FAIL  %s (%.1f s)", short(l.Package, l.Test), l.Elapsed)
		s.dump(l.key())
	case l.Action == "skip":
		s.print("skip  %s: %s", short(l.Package, l.Test), s.reason(l.key()))
	case s.cases:
		s.print("ok    %s (%.1f s)", short(l.Package, l.Test), l.Elapsed)
	}
	delete(s.output, l.key())
}

// endPackage counts a package. A test of it that did not end failed; its output tells why. kind: of its go command.
func (s *summary) endPackage(l line, kind string) {
	for _, key := range slices.Sorted(maps.Keys(s.tests)) {
		t := s.tests[key]
		if t == nil || t.pkg != l.Package {
			continue
		}
		delete(s.tests, key)
		if strings.Contains(t.name, "/") {
			s.sub.failed++
		} else {
			s.top.failed++
		}
		s.print("FAIL  %s did not end", short(t.pkg, t.name))
	}
	s.all.of(l.Action)
	p := s.open[l.Package]
	delete(s.open, l.Package)
	took := fmt.Sprintf("%.1f s", l.Elapsed)
	switch before := s.times.before(l.Package + kind); {
	case p != nil && p.cached:
		s.cached++
		took = "cached"
	default:
		s.times.keep(l.Package+kind, l.Elapsed)
		if before != "" && l.Elapsed >= 1 {
			took += ", " + before
		}
	}
	switch l.Action {
	case "fail":
		s.print("FAIL  %s (%s)", l.Package, took)
	case "pass":
		s.print("ok    %s (%s)", l.Package, took)
	}
	// What is printed behind the last test, as a panic is, stands under the name of any test.
	for _, key := range slices.Sorted(maps.Keys(s.output)) {
		if !strings.HasPrefix(key, l.Package+" ") {
			continue
		}
		if l.Action == "fail" {
			s.dump(key)
		}
		delete(s.output, key)
	}
}

// tick says from time to time what runs, and ends what hangs.
func (s *summary) tick() {
	now := s.now()
	s.unhang(now)
	if now.Sub(s.told) < pace {
		return
	}
	s.told = now
	var runs []string
	running := slices.Collect(maps.Values(s.tests))
	slices.SortFunc(running, func(a, b *test) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name))
	})
	for _, t := range running {
		if !t.since.IsZero() {
			runs = append(runs, s.running(t, now))
		}
	}
	if len(runs) == 0 {
		runs = []string{"the go command"}
	}
	tests := counted("test", s.top.sum()+s.sub.sum())
	if n := s.times.last[keyTests]; n > 0 {
		tests += fmt.Sprintf(" of last time's %.0f", n)
	}
	s.print("...   %.0f s, %d of %s, %s; runs: %s", now.Sub(s.began).Seconds(), s.all.sum(), counted("package", s.packages), tests, strings.Join(runs, ", "))
}

func (s *summary) running(t *test, now time.Time) string {
	text := fmt.Sprintf("%s %.0f s", short(t.pkg, t.name), now.Sub(t.since).Seconds())
	if p := s.open[t.pkg]; p != nil {
		if last := s.times.before(t.pkg + " " + t.name + p.by.kind); last != "" {
			text += " (" + last + ")"
		}
	}
	return text
}

// unhang names the tests that hang and has their package end: at first so that it prints its goroutines.
func (s *summary) unhang(now time.Time) {
	hung := map[string][]string{}
	busy := map[string]bool{}
	for _, t := range s.tests {
		if t.since.IsZero() {
			continue
		}
		busy[t.pkg] = true
		if now.Sub(t.since) > s.hang {
			hung[t.pkg] = append(hung[t.pkg], s.running(t, now))
		}
	}
	for name, p := range s.open {
		if !busy[name] && now.Sub(p.idle) > s.hang {
			hung[name] = []string{fmt.Sprintf("%s, outside of its tests, %.0f s", name, now.Sub(p.idle).Seconds())}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(hung)) {
		p := s.open[name]
		switch {
		case p == nil:
		case p.asked.IsZero():
			p.asked = now
			s.print("HANGS %s", strings.Join(slices.Sorted(slices.Values(hung[name])), ", "))
			s.end(p.by, name, "it is asked for its goroutines, and ends with that", syscall.SIGQUIT)
		case !p.killed && now.Sub(p.asked) > time.Minute:
			p.killed = true
			s.end(p.by, name, "it did not end, and is killed", syscall.SIGKILL)
		}
	}
}

// close counts what has no end and prints the figures.
func (s *summary) close(used string) {
	for _, name := range slices.Sorted(maps.Keys(s.open)) {
		s.endPackage(line{Action: "fail", Package: name}, s.open[name].by.kind)
	}
	took := s.now().Sub(s.began).Seconds()
	s.print("%s: %d passed (%d of them cached), %d failed, %d without tests", counted("package", s.all.sum()),
		s.all.passed, s.cached, s.all.failed, s.all.skipped)
	s.print("%s: %d passed, %d failed, %d skipped", counted("test", s.top.sum()), s.top.passed, s.top.failed, s.top.skipped)
	s.print("%s: %d passed, %d failed, %d skipped", counted("sub-test", s.sub.sum()), s.sub.passed, s.sub.failed, s.sub.skipped)
	text := fmt.Sprintf("%.0f s", took)
	if last := s.times.before(keyAll); last != "" {
		text += ", " + last
	}
	s.print("%s; %s", text, used)
	s.times.keep(keyAll, took)
	s.times.keep(keyTests, float64(s.top.sum()+s.sub.sum()))
}

// reason is what a skipped test said last.
func (s *summary) reason(key string) (reason string) {
	for _, o := range s.output[key] {
		if o = strings.TrimSpace(o); o != "" && !strings.HasPrefix(o, "=== ") && !strings.HasPrefix(o, "--- ") {
			reason = o
		}
	}
	return reason
}

func (s *summary) dump(key string) {
	for _, o := range s.output[key] {
		if !strings.HasPrefix(o, "=== ") {
			s.print("      %s", strings.TrimRight(o, "\n"))
		}
	}
}

// short is a test's name with the last part of its package's.
func short(pkg, test string) string { return pkg[strings.LastIndex(pkg, "/")+1:] + "." + test }

func counted(noun string, n int) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
