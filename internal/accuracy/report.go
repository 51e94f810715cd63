package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// print writes the confusion tables, the differences and the figures.
func (s *scores) print(out io.Writer) {
	for _, who := range slices.SortedFunc(maps.Keys(s.confusion), compareNames) {
		fmt.Fprintf(out, "\n%s: truth (rows), verdict (columns)\n", who)
		printConfusion(out, s.confusion[who])
	}
	if len(s.misses) > 0 {
		fmt.Fprintf(out, "\ndifferences\n")
		for _, m := range s.misses {
			fmt.Fprintln(out, "  "+m)
		}
	}
	fmt.Fprintf(out, "\n%-58s %6s %6s\n", "figure", "right", "of")
	for _, f := range s.sorted() {
		fmt.Fprintf(out, "%-58s %6d %6d\n", f.Name, f.Right, f.Of)
	}
}

func printConfusion(out io.Writer, cells map[[2]string]int) {
	var truths, verdicts []string
	for c := range cells {
		truths, verdicts = append(truths, c[0]), append(verdicts, c[1])
	}
	slices.Sort(truths)
	slices.Sort(verdicts)
	truths, verdicts = slices.Compact(truths), slices.Compact(verdicts)
	fmt.Fprintf(out, "  %-16s", "")
	for _, v := range verdicts {
		fmt.Fprintf(out, " %*s", max(len(v), 4), v)
	}
	for _, t := range truths {
		fmt.Fprintf(out, "\n  %-16s", t)
		for _, v := range verdicts {
			cell := "."
			if n := cells[[2]string{t, v}]; n > 0 {
				cell = strconv.Itoa(n)
			}
			fmt.Fprintf(out, " %*s", max(len(v), 4), cell)
		}
	}
	fmt.Fprintln(out)
}

// The parts of docs/accuracy.md that are written by -record.
const (
	figuresPart = "figures"
	cannotPart  = "cannot tell"
	missesPart  = "differences"
)

func part(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)(<!-- ` + name + ` -->\n).*?(<!-- end -->)`)
}

var row = regexp.MustCompile(`(?m)^\| ([^|]+?) +\| +(\d+) +\| +(\d+) +\|$`)

// record writes the figures into the page, whose text around them stays.
func (s *scores) record(page string) error {
	b, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| %-58s | right | of   |\n|%s|------:|-----:|\n", "figure", strings.Repeat("-", 60))
	for _, f := range s.sorted() {
		fmt.Fprintf(&table, "| %-58s | %5d | %4d |\n", f.Name, f.Right, f.Of)
	}
	doc := string(b)
	for _, p := range []struct{ name, text string }{
		{figuresPart, table.String()}, {cannotPart, list(s.cannot)}, {missesPart, list(s.misses)},
	} {
		if !part(p.name).MatchString(doc) {
			return fmt.Errorf("%s: the marks <!-- %s --> and <!-- end --> are missing", page, p.name)
		}
		doc = part(p.name).ReplaceAllStringFunc(doc, func(string) string { return "<!-- " + p.name + " -->\n" + p.text + "<!-- end -->" })
	}
	return os.WriteFile(page, []byte(doc), 0o644)
}

func list(items []string) string {
	if len(items) == 0 {
		return "None.\n"
	}
	var b strings.Builder
	for _, i := range items {
		b.WriteString("- " + i + "\n")
	}
	return b.String()
}

// readFigures gives what the page records.
func readFigures(page string) ([]figure, error) {
	b, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	var all []figure
	for _, m := range row.FindAllStringSubmatch(part(figuresPart).FindString(string(b)), -1) {
		right, errRight := strconv.Atoi(m[2])
		of, errOf := strconv.Atoi(m[3])
		if err := cmp.Or(errRight, errOf); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", page, m[0], err)
		}
		all = append(all, figure{Name: m[1], Right: right, Of: of})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s records no figures: run make accuracy-record", page)
	}
	return all, nil
}

// worse lists the recorded figures that the scores fall below: fewer are right, or more are wrong.
func (s *scores) worse(recorded []figure) []string {
	var all []string
	for _, old := range recorded {
		now := figure{Name: old.Name}
		if f := s.figures[old.Name]; f != nil {
			now = *f
		}
		if now.Right < old.Right || now.Of-now.Right > old.Of-old.Right {
			all = append(all, fmt.Sprintf("%s: %d of %d are right, recorded are %d of %d", old.Name, now.Right, now.Of, old.Right, old.Of))
		}
	}
	return all
}
