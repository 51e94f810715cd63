package clawd

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// named makes sure that every test that a page names is there, and gives their number: what a renamed or removed test held
// is not held.
func named(t *testing.T, page, text string) int {
	t.Helper()
	all := regexp.MustCompile("`([a-z0-9/]+)/((?:Test|Benchmark|Fuzz)\\w+)`").FindAllStringSubmatch(text, -1)
	for _, n := range all {
		files, err := filepath.Glob(filepath.Join(n[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(b), "\nfunc "+n[2]+"(")
		}
		if !found {
			t.Errorf("%s names %s, and %s has no such test", page, n[2], n[1])
		}
	}
	return len(all)
}

func read(t *testing.T, page string) string {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every test that docs/promises.md names is there.
func TestPromises(t *testing.T) {
	if n := named(t, "docs/promises.md", read(t, "docs/promises.md")); n < 60 {
		t.Errorf("%d tests are named", n)
	}
}

// docs/reliability.md has all 44 faults, each with a test that is there, or the plain word that nothing holds it.
func TestReliability(t *testing.T) {
	const page = "docs/reliability.md"
	next := 1
	for line := range strings.Lines(read(t, page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(cells[1]))
		if err != nil {
			continue // a head
		}
		if n != next {
			t.Errorf("fault %d comes where %d should", n, next)
		}
		next = n + 1
		for _, c := range cells[2:5] {
			if strings.TrimSpace(c) == "" {
				t.Errorf("fault %d has an empty cell", n)
			}
		}
		held := strings.TrimSpace(cells[4])
		if nothing := strings.HasPrefix(held, "nothing"); named(t, page, held) == 0 && !nothing || nothing && strings.TrimSpace(cells[5]) == "" {
			t.Errorf("fault %d: %s", n, held)
		}
	}
	if next != 45 {
		t.Errorf("%d faults, want 44", next-1)
	}
}
