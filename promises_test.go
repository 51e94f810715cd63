package clawd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/promises.md names is there: a promise whose test was renamed or removed is not held.
func TestPromises(t *testing.T) {
	page, err := os.ReadFile("docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z0-9/]+)/(Test\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 60 {
		t.Fatalf("%d tests are named", len(named))
	}
	for _, n := range named {
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
			t.Errorf("docs/promises.md names %s, and %s has no such test", n[2], n[1])
		}
	}
}
