package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/state"
)

func (k *kit) String() string { return strings.Join(k.log, "\n") }

// did gives the lines about such things: their first words.
func (k *kit) did(words ...string) (lines []string) {
	for _, l := range k.log {
		rest := strings.SplitN(l, " ", 2)[1]
		if len(k.places) > 1 {
			rest = strings.SplitN(rest, " ", 2)[1]
		}
		if slices.Contains(words, strings.SplitN(rest, " ", 2)[0]) {
			lines = append(lines, l)
		}
	}
	return lines
}

// acts are what reaches beyond clawd, and what is stored.
var acts = []string{"write", "start", "open", "abort", "adopt", "halt", "trim", "refused"}

func (k *kit) want(want ...string) {
	k.t.Helper()
	if diff := gocmp.Diff(want, k.did(acts...)); diff != "" {
		k.t.Errorf("%s", diff)
	}
}

func (p *place) wantPhase(want state.Phase) {
	p.k.t.Helper()
	if got := p.s.Phase.phase(); got != want || p.s.Rec.Phase != want {
		p.k.t.Errorf("phase %s, stored %s, want %s:\n%s", got, p.s.Rec.Phase, want, p.k)
	}
}

// starts counts those of a session; of all: nil.
func (k *kit) starts(of *place) (n int) {
	for _, l := range k.did("start") {
		if of == nil || len(k.places) == 1 || strings.Contains(l, " "+of.s.Rec.ID+" ") {
			n++
		}
	}
	return n
}

func (k *kit) wantLog(event string, want int) {
	k.t.Helper()
	n := 0
	for _, l := range k.did("log") {
		if strings.Contains(l+":", " log "+event+":") {
			n++
		}
	}
	if n != want {
		k.t.Errorf("%s is logged %d times, want %d:\n%s", event, n, want, k)
	}
}

// plain is a kit with one session.
func plain(t *testing.T) (*kit, *place) {
	t.Helper()
	k := newKit(t)
	return k, k.add("s")
}

// stop ends clawd.
func (k *kit) stop() {
	k.t.Helper()
	for _, p := range k.sorted() {
		k.step(p, Stopping{})
	}
	k.over = true
	k.settle()
}

// refuses has the store refuse what a step of one phase to another one would write.
func (k *kit) refuses(was, is state.Phase) {
	k.refuse = func(a, b state.Session) error {
		if a.Phase == was && b.Phase == is {
			return errDisk
		}
		return nil
	}
}

func (k *kit) note(p *place, text string) {
	who := ""
	if len(k.places) > 1 {
		who = p.s.Rec.ID + " "
	}
	k.log = append(k.log, fmt.Sprintf("%s %s%s", k.w.Mono-k.began, who, text))
}
