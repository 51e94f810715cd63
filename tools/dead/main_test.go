package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	got, err := find("testdata/toy", regexp.MustCompile(`/lib$`), "linux", "darwin")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"cmd/prog/main.go: func spare",
		"inner/inner.go: const Two",
		"inner/inner.go: field gone.dead",
		"inner/inner.go: func ForTests",
		"inner/inner.go: func Loop",
		"inner/inner.go: func back",
		"inner/inner.go: method Thing.Open",
		"inner/inner.go: method list.drop",
		"inner/inner.go: type gone",
		"inner/inner.go: var other",
		"lib/lib.go: field T.Nowhere",
		"lib/lib.go: method T.unused",
	}
	for i, g := range got { // the places do not matter
		file, rest, _ := strings.Cut(g, ":")
		got[i] = file + rest[strings.LastIndex(rest, ": "):]
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("found\n%s", strings.Join(got, "\n"))
	}
}

func TestBrokenCode(t *testing.T) {
	if got, err := find("testdata/broken", regexp.MustCompile(`^$`), "linux"); err == nil {
		t.Errorf("found %q in what does not compile", got)
	}
}
