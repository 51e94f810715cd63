package machine

import (
	"strings"
	"testing"
	"time"
)

// A stop is stored before anything is asked that its place in the store does not hang on: a process table takes its time, and a
// folder may hang.
func TestStopIsStoredFirst(t *testing.T) {
	k, p := plain(t)
	p.limited("stop", time.Hour)
	stored, asked := -1, -1
	for i, l := range k.log {
		switch {
		case strings.Contains(l, "write stop") && stored < 0:
			stored = i
		case (strings.Contains(l, "ask Holders") || strings.Contains(l, "ask Fit")) && asked < 0:
			asked = i
		}
	}
	if stored < 0 || asked < stored {
		t.Errorf("it is stored too late:\n%s", k)
	}
}
