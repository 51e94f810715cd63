package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/detect"
)

const repo = "../.."

// mostGaps is how many strings clawd may misread (testdata/vocab/gaps.tsv). It only falls.
const mostGaps = 6

// gapsFile has a line for each string that clawd misreads: agent, string.
const gapsFile = "testdata/vocab/gaps.tsv"

// What a pinned version says, clawd reads as its list has it.
func TestReadsEveryString(t *testing.T) {
	known, found := readGaps(t), map[string]bool{}
	for _, p := range pinned(t) {
		t.Run(p.name(), func(t *testing.T) {
			l, err := readList(listFile(repo, p))
			if err != nil {
				t.Fatal(err)
			}
			r, err := newReader(repo, p.agent)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range l {
				gap := p.agent + "\t" + onLine.Replace(e.text)
				switch wrong := r.wrong(e); {
				case e.class == unclassified:
					t.Errorf("nobody has said what this means: %q", e.text)
				case wrong == "":
				case known[gap]:
					found[gap] = true
				default:
					t.Errorf("%q is %s", e.seen(), wrong)
				}
			}
		})
	}
	for gap := range known {
		if !found[gap] {
			t.Errorf("clawd reads this now, or no list has it: take it out of %s, and lower mostGaps: %s", gapsFile, gap)
		}
	}
	if len(known) > mostGaps {
		t.Errorf("%d gaps, and there were %d", len(known), mostGaps)
	}
}

func readGaps(t *testing.T) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(repo, gapsFile))
	if err != nil {
		t.Fatal(err)
	}
	gaps := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			gaps[line] = true
		}
	}
	return gaps
}

func pinned(t *testing.T) []pin {
	t.Helper()
	pins, err := readPins(repo)
	if err != nil {
		t.Fatal(err)
	}
	return pins
}

// Every pinned version has a lock file and a list, and nothing else has one.
func TestPinned(t *testing.T) {
	var names []string
	for _, p := range pinned(t) {
		names = append(names, p.name())
	}
	slices.Sort(names)
	for _, pattern := range []string{"e2e/agents/*/package-lock.json", "testdata/vocab/*-*.tsv"} {
		paths, err := filepath.Glob(filepath.Join(repo, pattern))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, path := range paths {
			if strings.HasSuffix(path, "package-lock.json") {
				path = filepath.Dir(path)
			}
			got = append(got, strings.TrimSuffix(filepath.Base(path), ".tsv"))
		}
		slices.Sort(got)
		if !slices.Equal(got, names) {
			t.Errorf("%s: %q, want those of e2e/agents/pinned: %q", pattern, got, names)
		}
	}
}

// wrong tells how clawd misreads a string; empty: it does not.
func (r *reader) wrong(e entry) string {
	text, record := r.text(e), r.record(e)
	if e.class == ends {
		if e.reason == detect.Unknown { // clawd says no more of what it does not know
			text, record = unknown(text), unknown(record)
		}
		if text == string(e.reason) && (record == text || record == unasked) {
			return ""
		}
		return fmt.Sprintf("%s: record %s, text %s", e.meaning(), record, text)
	}
	for _, said := range []string{text, record} {
		if said != noStop && said != unasked && said != string(detect.Retrying) && said != string(detect.Asking) {
			return fmt.Sprintf("%s: record %s, text %s", e.meaning(), record, text)
		}
	}
	return ""
}

func unknown(said string) string {
	if said == noStop {
		return string(detect.Unknown)
	}
	return said
}
