package daemon

import (
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// A record that nobody knows may be the prompt of an attempt, so it must reach the verdict: "nothing was written" would be followed by
// a second prompt.
func TestEvidenceHasStrangeRecords(t *testing.T) {
	for _, k := range []detect.Kind{detect.KindPrompt, detect.KindAnswer, detect.KindFailure, detect.KindOpen, detect.KindStrange} {
		if !decides(k) {
			t.Errorf("%s does not count", k)
		}
	}
}
