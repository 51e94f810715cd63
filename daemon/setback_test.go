package daemon

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// The clock is set back between a stop and the end of its process: what was seen at the stop counts for it all the same.
func TestLaunchAndClockSetBack(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	alive := true
	lives := func(detect.Launch) bool { return alive }
	for name, own := range map[string]bool{"seen to end": true, "gone at a start": false} {
		alive = true
		l := newLaunches()
		l.saw("opencode/x", detect.Launch{PID: 7, Start: 70, Boot: "b", Bounds: map[string]string{"OPENCODE_PERMISSION": "h"}}, noon.Add(-time.Hour))
		l.stopped("opencode/x", lives, noon)
		l.own["opencode/x"] = own // false: another clawd since
		alive = false
		l.ended("opencode", lives, noon.Add(-55*time.Minute)) // an hour was taken off the clock
		if got, _ := l.of("opencode/x", noon); got == nil {
			t.Errorf("%s: as if nobody had seen it", name)
		}
	}
}
