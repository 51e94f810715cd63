package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// pin is one version of an agent.
type pin struct{ agent, version string }

func (p pin) String() string { return p.agent + " " + p.version }

// name is what the folders and files of a version are called.
func (p pin) name() string { return p.agent + "-" + p.version }

// readPins reads the versions that the tests use: the one file that says which these are.
func readPins(repo string) ([]pin, error) {
	path := filepath.Join(repo, "e2e", "agents", "pinned")
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var pins []pin
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || strings.HasPrefix(line, "#"):
		case len(f) != 2:
			return nil, fmt.Errorf("%s: %q is no agent and version", path, strings.TrimSpace(line))
		default:
			pins = append(pins, pin{f[0], f[1]})
		}
	}
	return pins, nil
}

// previous is the newest pinned version of an agent before another.
func previous(pins []pin, p pin) (before pin, ok bool) {
	for _, o := range pins {
		if o.agent == p.agent && older(o.version, p.version) && (!ok || older(before.version, o.version)) {
			before, ok = o, true
		}
	}
	return before, ok
}

// older compares two versions by their numbers.
func older(a, b string) bool {
	numbers := func(v string) (n []int) {
		for _, s := range strings.FieldsFunc(v, func(r rune) bool { return r < '0' || r > '9' }) {
			i, _ := strconv.Atoi(s) // digits; one that is too long is a large one
			n = append(n, i)
		}
		return n
	}
	return slices.Compare(numbers(a), numbers(b)) < 0
}
