package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	agents "github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
)

// corpora are the tables of texts in testdata, and what their figures are called. The second was
// gathered when the agents' own tables stood, from issues, bundles and other programs, to see how well
// those read what they were not made from. some: only its texts of a new form are planted, for each takes its time.
var corpora = []struct {
	file, name string
	some       bool
}{
	{"messages.tsv", "messages", false}, {"messages-2.tsv", "blind texts", false}, {"messages-3.tsv", "held-out texts", false},
	{"messages-4.tsv", "copied texts", false}, {"messages-5.tsv", "reported texts", false}, {"messages-6.tsv", "gathered texts", true},
}

// newForm ends the line with the source of a text of a new form.
const newForm = "; new form"

// message is one row of a table of texts.
type message struct {
	corpus        string // its name
	agent, reason string
	window        detect.Window
	reset         string // RFC 3339; empty: none is given
	text          string
	fresh         bool // of a new form
}

// All rows were written at this time, on a machine in this zone.
var written = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const writtenZone = "Europe/Rome"

func loadCorpora(data string) ([]message, error) {
	var all []message
	for _, c := range corpora {
		rows, err := loadMessages(filepath.Join(data, c.file), c.name)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i].fresh = rows[i].fresh || !c.some
		}
		all = append(all, rows...)
	}
	return all, nil
}

// loadBodies gives the answers of providers, each as it was sent.
func loadBodies(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const columns = 10
	var all []string
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", columns)
		if len(f) == columns && !strings.HasPrefix(line, "#") {
			all = append(all, f[columns-1])
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no bodies", path)
	}
	return all, nil
}

func loadMessages(path, corpus string) ([]message, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []message
	n, fresh := 0, false
	for line := range strings.Lines(string(b)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			fresh = strings.HasSuffix(line, newForm)
			continue
		}
		f := strings.SplitN(line, "\t", 5)
		if len(f) != 5 {
			return nil, fmt.Errorf("%s:%d: %d columns, want 5", path, n, len(f))
		}
		var word detect.State // a table of before has the word of before
		if err := word.UnmarshalText([]byte(f[1])); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all = append(all, message{corpus: corpus, agent: f[0], reason: string(word), window: detect.Window(f[2]), reset: f[3], text: strings.ReplaceAll(f[4], `\n`, "\n"), fresh: fresh})
	}
	return all, nil
}

// scoreMessages asks each agent about its own messages. Rows of unknown agents are not counted;
// their number is given.
func (s *scores) scoreMessages(all []message, known []string) (left int, err error) {
	zone, err := time.LoadLocation(writtenZone)
	if err != nil {
		return 0, err
	}
	return left, inScratch(func(dir string) error {
		for _, m := range all {
			if !slices.Contains(known, m.agent) {
				left++
				continue
			}
			a, err := openAgent(m.agent, dir, zone, table{})
			if err != nil {
				return err
			}
			stop, ok := agents.Message(a, m.text, written, zone)
			s.scoreMessage(m, stop, ok)
		}
		return nil
	})
}

func (s *scores) scoreMessage(m message, stop detect.Stop, ok bool) {
	said, at := "none", stop.ResetAt
	switch {
	case ok:
		said = label(stop.State, stop.Reason)
	case m.reason == string(detect.Unknown): // an agent says no more of what it does not know
		said = m.reason
	}
	if stop.State == detect.Retrying && !stop.SelfResumeAt.IsZero() {
		at = stop.SelfResumeAt
	}
	who := m.agent + " " + m.corpus
	var diffs []string
	check := func(name, want, got string) {
		if want != got {
			diffs = append(diffs, fmt.Sprintf("%s: truth %s, verdict %s", name, orNone(want), orNone(got)))
		}
		s.count(who+" "+name, want == got)
	}
	if m.reason == "none" {
		check("that are no stops", "none", said)
	} else {
		want := m.reason
		if slices.Contains(strings.Split(want, "|"), said) { // either is right
			want = said
		}
		check("reason", want, said)
		got := ""
		if ok {
			got = cutTo(at, false)
		}
		if m.reset != "" || got != "" {
			check("reset time", m.reset, got)
		}
		if m.window != "" {
			check("window", string(m.window), string(stop.Window))
		}
	}
	if len(diffs) > 0 {
		s.misses = append(s.misses, fmt.Sprintf("%s, %q: %s", who, m.text, strings.Join(diffs, "; ")))
	}
}
