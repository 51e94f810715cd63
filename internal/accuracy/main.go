// Command accuracy measures how well clawd's verdicts agree with the truth about recorded runs of
// the real agents (testdata/<agent>/<case>/want.json), about messages that they printed
// (testdata/messages*.tsv), and about sessions in which such messages are merely quoted.
//
// It prints a confusion table for each agent and version, every difference, and the figures. With
// -record it writes the figures into docs/accuracy.md, below which "go test" lets none fall.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	agents "github.com/clawd-project/clawd/agent/all"
)

func main() {
	repo := flag.String("repo", ".", "top of the repository")
	record := flag.Bool("record", false, "write the figures into docs/accuracy.md")
	flag.Parse()
	if err := mainErr(*repo, *record, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func mainErr(repo string, record bool, out io.Writer) error {
	s, err := measure(context.Background(), repo, out)
	if err != nil {
		return err
	}
	s.print(out)
	page := filepath.Join(repo, "docs", "accuracy.md")
	if record {
		return s.record(page)
	}
	recorded, err := readFigures(page)
	if err != nil {
		return err
	}
	if worse := s.worse(recorded); len(worse) > 0 {
		for _, w := range worse {
			fmt.Fprintln(out, "WORSE:", w)
		}
		return fmt.Errorf("%d figures are worse than docs/accuracy.md records", len(worse))
	}
	return nil
}

// measure does everything that is counted. What is left out is said on out.
func measure(ctx context.Context, repo string, out io.Writer) (*scores, error) {
	known, data := agents.Names(), filepath.Join(repo, "testdata")
	runs, left, err := loadRuns(data, known)
	if err != nil {
		return nil, err
	}
	for _, l := range left {
		fmt.Fprintln(out, "left out:", l)
	}
	messages, err := loadCorpora(data)
	if err != nil {
		return nil, err
	}
	s := newScores()
	if err := s.scoreRuns(ctx, runs); err != nil {
		return nil, err
	}
	others, err := s.scoreMessages(messages, known)
	if err != nil {
		return nil, err
	}
	if others > 0 {
		fmt.Fprintf(out, "left out: %d texts of agents that this clawd does not know\n", others)
	}
	var texts []string
	for _, m := range messages {
		if m.fresh {
			texts = append(texts, m.text)
		}
	}
	bodies, err := loadBodies(filepath.Join(data, "vocab", "bodies.tsv"))
	if err != nil {
		return nil, err
	}
	picked, err := bases(runs)
	if err != nil {
		return nil, err
	}
	all := seeds(append(texts, bodies...))
	for n, r := range picked {
		if err := s.scorePlanted(ctx, r, planted(picked, n, all)); err != nil {
			return nil, err
		}
	}
	return s, nil
}
