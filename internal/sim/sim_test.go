package sim

import (
	"testing"
	"testing/synctest"
)

func run1(t *testing.T, p Plan) (got Result) {
	t.Helper()
	root := t.TempDir()
	synctest.Test(t, func(*testing.T) { got = Run(p, Options{Root: root + "/w"}) })
	return got
}

// The first seeds are all well, and the same each time.
func TestSeeds(t *testing.T) {
	resumes := 0
	for seed := range uint64(12) {
		p := Draw(seed + 1)
		got := run1(t, p)
		for _, w := range got.Wrong {
			t.Errorf("seed %d: %s", p.Seed, w)
		}
		if again := run1(t, p); again.Hash != got.Hash {
			t.Errorf("seed %d is not the same twice", p.Seed)
		}
		resumes += got.Resumes
	}
	if resumes == 0 {
		t.Error("nothing was resumed in any of them")
	}
}
