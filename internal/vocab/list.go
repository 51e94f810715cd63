package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/detect"
)

// What a string of an agent is.
const (
	ends         = "stop"   // it ends a turn, or says why none goes on
	waits        = "wait"   // the agent goes on by itself, or asks its user
	notice       = "notice" // the agent says it beside a turn that goes on
	foreign      = "other"  // of something else: a tool, a dialog, a log, a library
	unclassified = "new"    // nobody has looked at it yet
)

var classes = []string{ends, waits, notice, foreign, unclassified}

// entry is one string.
type entry struct {
	class  string
	reason detect.Reason // of a stop
	text   string        // with {} for each value that the agent puts in
	shown  string        // as a user may see it; empty: as it is
}

// seen is the string as a user may see it.
func (e entry) seen() string {
	if e.shown != "" {
		return e.shown
	}
	return strings.ReplaceAll(e.text, hole, "demo")
}

func (e entry) meaning() string { return strings.TrimSpace(e.class + " " + string(e.reason)) }

// list is what one version says.
type list []entry

func listFile(repo string, p pin) string {
	return filepath.Join(repo, "testdata", "vocab", p.name()+".tsv")
}

// readAll reads the list of every version that has one.
func readAll(repo string, pins []pin) (map[pin]list, error) {
	all := map[pin]list{}
	for _, p := range pins {
		l, err := readList(listFile(repo, p))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all[p] = l
	}
	return all, nil
}

// onLine keeps a string on its line.
var (
	onLine  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	offLine = strings.NewReplacer(`\\`, `\`, `\n`, "\n")
)

func readList(path string) (list, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var l list
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := append(strings.Split(line, "\t"), "")
		if len(f) != 4 && len(f) != 5 {
			return nil, fmt.Errorf("%s:%d: %d columns, want class, reason, string, and perhaps how it is shown", path, n, len(f)-1)
		}
		e := entry{class: f[0], reason: detect.Reason(f[1]), text: offLine.Replace(f[2]), shown: offLine.Replace(f[3])}
		switch {
		case !slices.Contains(classes, e.class):
			return nil, fmt.Errorf("%s:%d: %q is not one of %q", path, n, e.class, classes)
		case (e.class == ends) != slices.Contains(detect.Reasons, e.reason):
			return nil, fmt.Errorf("%s:%d: a stop has a reason, and nothing else has: %q", path, n, e.reason)
		}
		l = append(l, e)
	}
	return l, nil
}

const listHead = `# What this version says about errors and limits (internal/vocab). {} stands for a value.
# class	reason	string	as a user may see it, where a value or the rest of the sentence is needed
# stop: it ends a turn, for this reason. wait: the agent goes on by itself, or asks. notice: beside a turn. other: not of a turn.
`

func (l list) write(path string) error {
	var b strings.Builder
	b.WriteString(listHead)
	for _, e := range l {
		fmt.Fprintf(&b, "%s\t%s\t%s", e.class, e.reason, onLine.Replace(e.text))
		if e.shown != "" {
			b.WriteString("\t" + onLine.Replace(e.shown))
		}
		b.WriteString("\n")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
