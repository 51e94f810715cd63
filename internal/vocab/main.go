// Command vocab shows what a new version of an agent says about errors and limits that the version before did not,
// and how clawd reads it (make vocab AGENT=claude VERSION=2.1.330). testdata/vocab has the whole list of each pinned
// version, with what every string means; "go test" holds clawd to it. docs/adding-a-version.md is the way from a new
// version to a green suite.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent/all"
)

func main() {
	repo := flag.String("repo", ".", "top of the repository")
	agent := flag.String("agent", "", strings.Join(all.Names(), ", "))
	version := flag.String("version", "", "its version, as npm has it")
	record := flag.Bool("record", false, "write the list into testdata/vocab; strings that no list has yet get the class new")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := mainErr(ctx, *repo, pin{*agent, *version}, *record, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "vocab:", err)
		os.Exit(1)
	}
}

func mainErr(ctx context.Context, repo string, p pin, record bool, out io.Writer) error {
	if p.agent == "" || p.version == "" {
		return fmt.Errorf("say which: make vocab AGENT=claude VERSION=2.1.330")
	}
	k, err := readKind(repo, p.agent)
	if err != nil {
		return err
	}
	pins, err := readPins(repo)
	if err != nil {
		return err
	}
	known, err := readAll(repo, pins)
	if err != nil {
		return err
	}
	dir, err := install(ctx, repo, k, p)
	if err != nil {
		return err
	}
	found, err := k.strings(dir)
	if err != nil {
		return err
	}
	said := classified(found, known, p.agent)
	if err := compare(out, repo, p, pins, said, known); err != nil || !record {
		return err
	}
	return said.write(listFile(repo, p))
}

// classified gives each string the meaning that it has in a list of another version.
func classified(found []string, known map[pin]list, agent string) list {
	meaning := map[string]entry{}
	for p, l := range known {
		for _, e := range l {
			if p.agent == agent {
				meaning[e.text] = e
			}
		}
	}
	var said list
	for _, s := range found {
		e, ok := meaning[s]
		if !ok {
			e = entry{class: unclassified, text: s}
		}
		said = append(said, e)
	}
	return said
}

// compare prints what is new against the pinned version before, and how clawd reads it. A version that has lost most of what
// the one before said was not read where its code is: that is an error.
func compare(out io.Writer, repo string, p pin, pins []pin, said list, known map[pin]list) error {
	before, ok := previous(pins, p)
	if !ok {
		before, ok = p, len(known[p]) > 0
	}
	had := map[string]bool{}
	for _, e := range known[before] {
		had[e.text] = true
	}
	var fresh list
	for _, e := range said {
		if !had[e.text] {
			fresh = append(fresh, e)
		}
		delete(had, e.text)
	}
	if ok {
		fmt.Fprintf(out, "%s: %d strings; %d are new against the list of %s, %d of that are gone\n", p, len(said), len(fresh), before, len(had))
	} else {
		fmt.Fprintf(out, "%s: %d strings; no version before has a list\n", p, len(said))
	}
	if lost := len(had); lost*2 > len(known[before]) {
		return fmt.Errorf("%d of the %d strings of %s are gone: the code of %s is elsewhere in its package, or laid out anew; "+
			"tell agent/%s/vocab.json where. Nothing is recorded", lost, len(known[before]), before, p, p.agent)
	}
	r, err := newReader(repo, p.agent)
	if err != nil {
		return err
	}
	for _, e := range fresh {
		fmt.Fprintf(out, "%-22s record %-16s text %-16s %s\n", e.meaning(), r.record(e), r.text(e), strings.ReplaceAll(e.text, "\n", `\n`))
	}
	if len(known[p]) == 0 {
		fmt.Fprintf(out, "What they mean goes into %s (RECORD=1 writes its draft).\n", filepath.Base(listFile(repo, p)))
	}
	return nil
}
