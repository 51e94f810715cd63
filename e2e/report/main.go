// Command report reads the output of `go test -json` and prints what a person wants to know: each
// package, the output of what failed, every skip with its reason, and the number of skips. With
// -cases it prints every test's seconds too. It exits with 1 when anything failed.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
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

type summary struct {
	out     io.Writer
	cases   bool
	output  map[string][]string // by package and test
	passed  int
	failed  int
	skipped int
	seen    bool
}

func main() {
	cases := flag.Bool("cases", false, "print every test's seconds")
	flag.Parse()
	s := &summary{out: os.Stdout, cases: *cases, output: map[string][]string{}}
	if err := s.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	if !s.ok() {
		os.Exit(1)
	}
}

func (s *summary) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		text, err := lines.ReadString('\n')
		if text != "" {
			s.line(text)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	s.print("%d passed, %d failed, %d skipped", s.passed, s.failed, s.skipped)
	return nil
}

// ok: something ran, and nothing failed.
func (s *summary) ok() bool { return s.seen && s.failed == 0 }

func (s *summary) print(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...) // a closed terminal is no failure of the tests
}

func (s *summary) line(text string) {
	var l line
	if json.Unmarshal([]byte(text), &l) != nil {
		s.print("%s", strings.TrimRight(text, "\n")) // the go command itself speaks
		return
	}
	s.seen = true
	key := l.Package + l.ImportPath + " " + l.Test
	switch l.Action {
	case "output", "build-output":
		s.output[key] = append(s.output[key], l.Output)
	case "build-fail":
		s.failed++
		s.dump(key)
	case "fail":
		if l.Test != "" {
			s.failed++
			s.print("FAIL  %s (%.1f s)", name(l), l.Elapsed)
		} else {
			s.failed = max(s.failed, 1)
			s.print("FAIL  %s", l.Package)
		}
		s.dump(key)
	case "skip":
		s.skip(l, key)
	case "pass":
		s.pass(l)
	}
	if l.Action == "pass" || l.Action == "skip" || l.Action == "fail" {
		delete(s.output, key)
	}
}

func (s *summary) pass(l line) {
	if l.Test == "" {
		s.print("ok    %s (%.1f s)", l.Package, l.Elapsed)
		return
	}
	s.passed++
	if s.cases {
		s.print("ok    %s (%.1f s)", name(l), l.Elapsed)
	}
}

// skip prints the reason; a package without tests is no skip.
func (s *summary) skip(l line, key string) {
	if l.Test == "" {
		return
	}
	s.skipped++
	reason := ""
	for _, o := range s.output[key] {
		if o = strings.TrimSpace(o); o != "" && !strings.HasPrefix(o, "=== ") && !strings.HasPrefix(o, "--- ") {
			reason = o
		}
	}
	s.print("skip  %s: %s", name(l), reason)
}

func (s *summary) dump(key string) {
	for _, o := range s.output[key] {
		if !strings.HasPrefix(o, "=== ") {
			s.print("      %s", strings.TrimRight(o, "\n"))
		}
	}
}

func name(l line) string {
	return l.Package[strings.LastIndex(l.Package, "/")+1:] + "." + l.Test
}
