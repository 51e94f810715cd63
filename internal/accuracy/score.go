package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// figure is one line of docs/accuracy.md: how many of how many are right.
type figure struct {
	Name  string
	Right int
	Of    int
}

// scores counts figures by name.
type scores struct {
	figures   map[string]*figure
	confusion map[string]map[[2]string]int // by agent and version: truth, verdict
	misses    []string                     // differences in words
	cannot    []string                     // sessions of which the files cannot tell the truth
}

func newScores() *scores {
	return &scores{figures: map[string]*figure{}, confusion: map[string]map[[2]string]int{}}
}

// count adds one case to a figure.
func (s *scores) count(name string, right bool) {
	f := s.figures[name]
	if f == nil {
		f = &figure{Name: name}
		s.figures[name] = f
	}
	f.Of++
	if right {
		f.Right++
	}
}

func (s *scores) sorted() []figure {
	var all []figure
	for _, name := range slices.SortedFunc(maps.Keys(s.figures), compareNames) {
		all = append(all, *s.figures[name])
	}
	return all
}

// compareNames orders by text, numbers in it by value: 2.1.99 before 2.1.197.
func compareNames(a, b string) int {
	for x, y := split(a), split(b); ; x, y = x[1:], y[1:] {
		if len(x) == 0 || len(y) == 0 {
			return len(x) - len(y)
		}
		m, errA := strconv.Atoi(x[0])
		n, errB := strconv.Atoi(y[0])
		c := cmp.Compare(x[0], y[0])
		if errA == nil && errB == nil {
			c = cmp.Compare(m, n)
		}
		if c != 0 {
			return c
		}
	}
}

func split(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == ' ' || r == '-' })
}

// scoreRuns judges every run and compares.
func (s *scores) scoreRuns(ctx context.Context, runs []run) error {
	for _, r := range runs {
		err := inScratch(func(dir string) error {
			verdicts, err := r.judge(ctx, dir)
			if err == nil {
				s.scoreRun(r, verdicts)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s/%s: %w", r.Agent, r.name, err)
		}
	}
	return nil
}

func inScratch(do func(dir string) error) error {
	dir, err := os.MkdirTemp("", "accuracy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return do(dir)
}

func (s *scores) scoreRun(r run, verdicts map[string]verdict) {
	listed := map[string]bool{}
	for _, want := range r.Sessions {
		listed[want.ID] = true
		got, ok := verdicts[want.ID]
		if !ok && want.Parent {
			continue // what clawd does not even see, it never resumes
		}
		got.missing = !ok
		s.scoreSession(r, want, got)
		if want.CannotTell != "" {
			s.cannot = append(s.cannot, fmt.Sprintf("%s %s, `%s`: %s. It was `%s`; clawd may say `%s`.",
				r.Agent, r.Version, r.name, want.CannotTell, want.TruthReason, label(want.State, want.Reason)))
		}
		if len(want.CouldBe) > 0 {
			s.cannot = append(s.cannot, fmt.Sprintf("%s %s, `%s`: the files leave open which of %v it is. %s", r.Agent, r.Version, r.name, want.CouldBe, r.About))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(verdicts)) {
		if !listed[id] {
			s.scoreSession(r, session{ID: id, State: "no session"}, verdicts[id])
		}
	}
}

func (s *scores) scoreSession(r run, want session, got verdict) {
	who := r.Agent + " " + r.Version
	truth, said := label(want.State, want.Reason), label(got.stop.State, got.stop.Reason)
	if got.missing {
		said = "not found"
	}
	if s.confusion[who] == nil {
		s.confusion[who] = map[[2]string]int{}
	}
	s.confusion[who][[2]string{truth, said}]++
	var diffs []string
	check := func(name, want, got string, counted bool) {
		if want != got {
			diffs = append(diffs, fmt.Sprintf("%s: truth %s, verdict %s", name, orNone(want), orNone(got)))
		}
		if counted {
			s.count(who+" "+name, want == got)
		}
	}
	// Only what exists on one side at least is counted, lest empty fields make the figures look good.
	either := func(name, want, got string) { check(name, want, got, want != "" || got != "") }
	check("state and reason", truth, said, true)
	check("resumable", strconv.FormatBool(want.Resumable), strconv.FormatBool(got.resumable), true)
	either("window", string(want.Window), string(got.stop.Window))
	either("reset time", cutTo(want.ResetAt, want.Minute), cutTo(got.stop.ResetAt, want.Minute))
	either("self-resume time", cutTo(want.SelfResumeAt, false), cutTo(got.stop.SelfResumeAt, false))
	either("retry-after", seconds(want.RetryAfterS), seconds(got.retryAfter()))
	either("sub-agent stops", inWords(want.SubStops, want.SubStops), inWords(got.subs, want.SubStops))
	if len(want.CouldBe) > 0 {
		check("could be", fmt.Sprint(want.CouldBe), fmt.Sprint(got.stop.CouldBe), false)
	}
	if len(diffs) > 0 {
		s.misses = append(s.misses, fmt.Sprintf("%s, `%s`, %s: %s", who, r.name, want.ID, strings.Join(diffs, "; ")))
	}
}

func (v verdict) retryAfter() *float64 {
	if v.stop.RetryAfter == nil {
		return nil
	}
	s := v.stop.RetryAfter.Seconds()
	return &s
}

func seconds(s *float64) string {
	if s == nil {
		return ""
	}
	return strconv.FormatFloat(*s, 'f', -1, 64) + " s"
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
