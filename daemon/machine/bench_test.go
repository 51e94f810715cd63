package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// taken is one step as it was.
type taken struct {
	w World
	s Session
	e Event
}

// BenchmarkStep carries out the steps of a stop, its wait, its attempt and the run's end, each in the world as it was, beside
// many other sessions. An op is one step.
func BenchmarkStep(b *testing.B) {
	for _, others := range []int{0, 100, 2000} {
		b.Run(fmt.Sprint(others, " others"), func(b *testing.B) {
			k := newKit(b)
			k.lax = true
			for n := range others {
				k.seat(New(k.add(fmt.Sprint("other-", n)).s.Rec, true))
			}
			k.places = nil
			p := k.add("s")
			var steps []taken
			k.each = func(s Session, e Event) { steps = append(steps, taken{k.w, s, e}) }
			p.limited("stop", time.Hour)
			k.pass(time.Hour + time.Minute)
			p.ends(ours(1), record("e2", detect.KindAnswer, func(e *detect.Event) { e.Done = true }))
			if len(steps) < 20 || k.starts(p) != 1 {
				b.Fatalf("%d steps:\n%s", len(steps), k)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for n := range b.N {
				t := &steps[n%len(steps)]
				Step(&t.w, t.s, t.e)
			}
		})
	}
}
