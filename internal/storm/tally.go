package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// tally is what all homes come to.
type tally struct {
	out   io.Writer
	o     options
	began time.Time

	mu       sync.Mutex // guards what follows
	homes    int
	failed   int
	rounds   int
	longest  time.Duration
	said     time.Time
	counts   map[string]int
	blows    map[string]int
	findings map[kind]int
}

func newTally(out io.Writer, o options) *tally {
	return &tally{out: out, o: o, began: time.Now(), said: time.Now(), counts: map[string]int{}, blows: map[string]int{}, findings: map[kind]int{}}
}

// sayEvery is how often a line of progress is printed, at most.
const sayEvery = 5 * time.Second

func (t *tally) add(seed uint64, r result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(r.err, context.Canceled) {
		return
	}
	t.homes++
	t.rounds += r.rounds
	t.longest = max(t.longest, r.took)
	for k, n := range r.counts {
		t.counts[k] += n
	}
	for k, n := range r.blows {
		t.blows[k] += n
	}
	if r.err != nil || len(r.findings) > 0 {
		t.failed++
		fmt.Fprintf(t.out, "\nHOME %d FAILED (%s); once more: make storm ROUNDS=1 SEED=%d\n", seed, r.dir, seed)
		if r.err != nil {
			t.findings[broken]++
			fmt.Fprintln(t.out, "  "+r.err.Error())
		}
		for _, f := range r.findings {
			t.findings[f.kind]++
			fmt.Fprintln(t.out, "  "+f.String())
		}
	}
	if now := time.Now(); now.Sub(t.said) > sayEvery {
		t.said = now
		fmt.Fprintln(t.out, t.line())
	}
}

func (t *tally) line() string {
	took := time.Since(t.began)
	return fmt.Sprintf("storm: %4.0f s, %d of %d rounds, %d homes (longest %.0f s), %d starts, %d resumes; double %d, lost %d, held %d, miscounted %d, broken %d",
		took.Seconds(), t.rounds, t.o.rounds, t.homes, t.longest.Seconds(), t.counts["starts"], t.counts["resumes"],
		t.findings[double], t.findings[lost], t.findings[held], t.findings[miscounted], t.findings[broken])
}

func (t *tally) print() {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintln(t.out, "\nRounds, by strike and moment:")
	table(t.out, t.blows)
	fmt.Fprintln(t.out, "\nSessions:")
	table(t.out, t.counts)
	fmt.Fprintln(t.out, "\n"+t.line())
}

func table(out io.Writer, counts map[string]int) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "%8d  %s\n", counts[k], strings.TrimSpace(k))
	}
}

func (t *tally) err() error {
	if t.failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d homes failed", t.failed, t.homes)
}
