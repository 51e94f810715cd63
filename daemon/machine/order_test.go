package machine

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// What its user said last counts: a cancel ends what a "clawd resume" asked for that is still looked into.
func TestCancelRightAfterAResume(t *testing.T) {
	for name, before := range map[string]int{"a stop that waits": 0, "a stop that was canceled before": 1} { // replies before
		for _, takes := range []time.Duration{0, 10 * time.Second} {
			k, p := plain(t)
			if p.limited("stop", 2*time.Hour); before == 1 {
				p.post(Ordered{Order{ID: 1, Kind: Cancel}})
			}
			p.takes = takes
			k.post(p, Ordered{Order{ID: 2, Kind: Resume, Order: resume.Order{Now: true}}})
			k.in(takes/2, func() { k.post(p, Ordered{Order{ID: 3, Kind: Cancel}}) })
			k.pass(6 * time.Hour)
			if n := k.starts(p); n != 0 {
				t.Errorf("%s, a look takes %s: %d starts\n%s", name, takes, n, k)
			}
			said := strings.Join(k.did("reply")[before:], "; ")
			if !strings.Contains(said, "no: it was canceled right after; ") || !strings.HasSuffix(said, nothingStarts) {
				t.Errorf("%s, a look takes %s: answered %q", name, takes, said)
			}
		}
	}
}
