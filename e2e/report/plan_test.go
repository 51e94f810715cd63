package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlan: only a package that starts no goroutine, nor do its tests, is tested without the race
// detector, and what took longest begins first.
func TestPlan(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":               "module m\n\ngo 1.25\n",
		"serial/a.go":          "package serial\n\n// Go is a word of a comment: go func()\nvar Go = 1\n",
		"serial/a_test.go":     "package serial\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
		"long/a.go":            "package long\n",
		"raced/a_test.go":      "package raced\n\nimport \"testing\"\n\nfunc TestRaceX(t *testing.T) { go func() {}() }\n",
		"statement/a.go":       "package statement\n\nfunc f() { go f() }\n",
		"group/a.go":           "package group\n\nimport \"sync\"\n\nfunc f() { var w sync.WaitGroup; w.Go(f) }\n",
		"tests/a_test.go":      "package tests\n\nfunc f() { go f() }\n",
		"external/a_test.go":   "package external_test\n\nfunc f() { go f() }\n",
		"parallel/a_test.go":   "package parallel\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Parallel() }\n",
		"elsewhere/a.go":       "package elsewhere\n",
		"elsewhere/b_plan9.go": "package elsewhere\n\nimport \"time\"\n\nfunc f() { time.AfterFunc(0, f) }\n",
		"server/a.go":          "package server\n\nimport \"net/http\"\n\nvar f = http.Serve\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	last := &times{last: map[string]float64{"m/long": 7, "m/tests": 9, "m/group": 1}}
	given := []string{"go", "test", "-timeout", "60m", "-json", "m/serial", "m/long", "m/raced", "m/statement", "m/group", "m/tests",
		"m/external", "m/parallel", "m/elsewhere", "m/server"}
	all, err := plan(given, true, last)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		got = append(got, c.env[0]+" "+strings.Join(c.args, " "))
	}
	want := []string{
		"CGO_ENABLED=1 go test -timeout 60m -race -json m/tests m/group m/statement m/external m/parallel m/elsewhere m/server",
		"CGO_ENABLED=1 go test -timeout 60m -p=1 -race -run ^TestRace -json m/raced",
		"CGO_ENABLED=0 go test -timeout 60m -p=1 -json m/long m/serial m/raced",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	all, err = plan(given, false, last)
	if err != nil || len(all) != 1 || len(all[0].args) != len(given) || all[0].packages != 10 || all[0].env != nil {
		t.Errorf("without: %v, %v", all, err)
	}
	if _, err := plan([]string{"go", "test", "-json", "m/none"}, true, last); err == nil {
		t.Error("a package that is not there passed")
	}
}
