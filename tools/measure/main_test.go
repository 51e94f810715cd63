package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestMeasure(t *testing.T) {
	got, err := measure("testdata/toy")
	if err != nil {
		t.Fatal(err)
	}
	want := figures{
		Lines:   map[string]int{"daemon": 181, "resume": 4, "state": 5},
		Sum:     190,
		Structs: []size{{"session", 7}},
		Long:    []size{{"long", 61}},
		Complex: []size{{"text.folded", 18}},
		Atomics: map[string]int{"session": 4},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	var text strings.Builder
	got.print(&text)
	if head, _, _ := strings.Cut(text.String(), "\n"); head != "code lines: 190 (daemon 181, resume 4, state 5)" {
		t.Error(head)
	}
}

// TestLimits holds the daemon to what docs/architecture.md says of its size.
func TestLimits(t *testing.T) {
	f, err := measure("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Structs {
		if s.N > maxFields {
			t.Errorf("%s has %d fields; %d are the limit", s.Name, s.N, maxFields)
		}
	}
	for _, s := range f.Long {
		t.Errorf("%s has %d lines; %d are the limit", s.Name, s.N, maxLines)
	}
	for _, s := range f.Complex {
		t.Errorf("%s has a cognitive complexity of %d; %d are the limit", s.Name, s.N, maxComplexity)
	}
	for name, n := range f.Atomics {
		t.Errorf("%s has %d atomics; the loop alone owns what changes", name, n)
	}
}

func TestPlainStop(t *testing.T) {
	got, err := plainStop("testdata/toy")
	if err != nil {
		t.Fatal(err)
	}
	want := plain{[]string{"daemon/daemon.go: session.loop", "daemon/part/part.go: Add", "resume/resume.go: Decide", "resume/resume.go: one", "state/state.go: Store.Put"}, 4}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v\nwant\n%+v", *got, want)
	}
}

func TestNotAModule(t *testing.T) {
	if got, err := measure(t.TempDir()); err == nil {
		t.Errorf("%+v of nothing", got)
	}
}
