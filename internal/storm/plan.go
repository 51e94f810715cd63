package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// The plan of a home is drawn from its seed before anything runs, so that the same seed gives the same
// sessions, scripts and strikes. What the machine makes of it differs from run to run.

// moment is when a strike falls.
type moment string

const (
	atTime   moment = "time"     // some time after clawd's start
	atSocket moment = "socket"   // clawd has opened its socket
	atStore  moment = "store"    // the store's file was written
	atMark   moment = "mark"     // a mark was made
	atRun    moment = "run"      // a run's output was made: a shim is about to be born
	atBirth  moment = "birth"    // clawd has a new child
	atOutput moment = "output"   // a run's output grew
	atWrite  moment = "write"    // a session's file grew
	atLedger moment = "ledger: " // the ledger has a new row, of the kind that follows
)

// act is what a strike does.
type act string

const (
	killDaemon  act = "kill clawd"
	killAll     act = "kill clawd and its children"
	stopCont    act = "stop clawd, go on"
	stopKill    act = "stop clawd, kill it"
	second      act = "stop clawd, start a second one"
	stopHand    act = "stop clawd, a person goes on, clawd too"
	termDaemon  act = "end clawd cleanly"
	killChild   act = "kill a child"
	stopChild   act = "stop a child, go on"
	stopBoth    act = "stop a child, kill clawd, child goes on"
	reloadIt    act = "reload"
	renewIt     act = "reload with a restart"
	quietAtRest act = "kill clawd at rest"
)

// fault is what happens to the store while no clawd runs.
type fault string

const (
	noFault   fault = ""
	storeGone fault = "store removed"
	storeOld  fault = "old store put back"
	storeCut  fault = "store cut in half"
)

// strike is one blow.
type strike struct {
	when  moment
	nth   int           // the nth such event from when the strike is awaited
	delay time.Duration // after the event; of atTime: after clawd's start
	do    act
	span  time.Duration // how long what is stopped stays so
	down  time.Duration // how long no clawd runs
	store fault
}

func (s strike) String() string { return fmt.Sprintf("%s at %s", s.do, s.when) }

// subject is one session of a home.
type subject struct {
	id, dir string
	stop    string        // how it stops first: limit, usage, overloaded
	late    time.Duration // when it stops, from the beginning; 0: before clawd's first start
	modes   []string      // what the starts by clawd do
	byHand  time.Duration // when a person goes on, from the beginning; 0: nobody does
	again   time.Duration // when a person makes it stop once more, if it rests and is well; 0: nobody does
	hand    string        // what the person's start does
}

type plan struct {
	subjects []*subject
	strikes  []strike
	rest     bool // kill clawd at rest, too, and look whether anything happens
}

func weighted[T any](rng *rand.Rand, of []chance[T]) T {
	sum := 0
	for _, c := range of {
		sum += c.weight
	}
	n := rng.IntN(sum)
	for _, c := range of {
		if n -= c.weight; n < 0 {
			return c.is
		}
	}
	panic("unreachable")
}

type chance[T any] struct {
	weight int
	is     T
}

var moments = []chance[moment]{
	{12, atTime}, {3, atSocket}, {18, atStore}, {14, atMark}, {10, atRun}, {10, atBirth}, {8, atOutput}, {12, atWrite},
	{4, atLedger + evStart}, {4, atLedger + evInit}, {6, atLedger + evAsked}, {4, atLedger + evPrompted},
	{3, atLedger + evAnswered}, {3, atLedger + evFailed}, {3, atLedger + evEnd},
}

var acts = []chance[act]{
	{46, killDaemon}, {6, killAll}, {9, stopCont}, {5, stopKill}, {3, second}, {5, termDaemon}, {14, killChild},
	{4, stopChild}, {6, stopBoth}, {5, stopHand}, {2, reloadIt}, {6, renewIt},
}

var scripts = []chance[[]string]{
	{52, []string{modeAnswer}}, {10, []string{modeLimit, modeAnswer}}, {4, []string{modeLimit, modeLimit, modeAnswer}},
	{5, []string{modeUsage, modeAnswer}}, {6, []string{modeDieEarly, modeAnswer}}, {6, []string{modeSlow}}, {4, []string{modeLinger}},
	{3, []string{modeDieInit, modeAnswer}}, {3, []string{modeDieAsked, modeAnswer}}, {3, []string{modeDiePrompted, modeAnswer}},
	{2, []string{modeDieAnswered}}, {2, []string{modeLimit, modeDieEarly, modeSlow}},
}

var storeFaults = []chance[fault]{{86, noFault}, {5, storeGone}, {6, storeOld}, {3, storeCut}}

func ms(rng *rand.Rand, from, to int) time.Duration {
	return time.Duration(from*1000+rng.IntN((to-from)*1000)) * time.Microsecond
}

func draw(seed uint64, sessions int) plan {
	rng := rand.New(rand.NewPCG(seed, 11))
	var p plan
	for n := range sessions {
		s := &subject{id: drawID(rng), dir: fmt.Sprintf("work%d", n%5), modes: weighted(rng, scripts),
			stop: weighted(rng, []chance[string]{{60, modeLimit}, {25, modeUsage}, {15, "overloaded"}})}
		if rng.IntN(2) == 0 {
			s.late = ms(rng, 10, 6000)
		}
		switch rng.IntN(12) {
		case 0:
			s.byHand, s.hand = s.late+ms(rng, 50, 2500), modeAnswer
		case 1:
			s.again, s.hand = s.late+ms(rng, 1500, 4500), modeLimit
		}
		p.subjects = append(p.subjects, s)
	}
	for range 4 + rng.IntN(5) {
		k := strike{when: weighted(rng, moments), nth: 1, do: weighted(rng, acts), span: ms(rng, 20, 900), down: ms(rng, 0, 300), store: weighted(rng, storeFaults)}
		for rng.IntN(3) == 0 {
			k.nth++
		}
		switch {
		case k.do == stopHand: // while a shim waits at its gate
			k.when, k.delay = atRun, 0
		case k.when == atTime:
			k.delay = ms(rng, 0, 2000)
		default: // a commit takes a few milliseconds, a start ten
			k.delay = weighted(rng, []chance[time.Duration]{{1, 0}, {1, ms(rng, 0, 4)}, {1, ms(rng, 0, 15)}})
		}
		if rng.IntN(8) == 0 {
			k.span += 2 * time.Second // longer than the settle time's half, so that waits end meanwhile
		}
		p.strikes = append(p.strikes, k)
	}
	p.rest = rng.IntN(4) == 0
	return p
}

// drawID gives a version 4 UUID.
func drawID(rng *rand.Rand) string {
	a, b := rng.Uint64(), rng.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0x3fff|0x8000, b&0xffffffffffff)
}
