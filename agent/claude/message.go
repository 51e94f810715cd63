package claude

import (
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Message reads a text that Claude Code printed as its own failure. A text that it does not use for
// one is no failure.
func (c *Claude) Message(text string, at time.Time, zone *time.Location) (detect.Failure, bool) {
	if zone == nil {
		zone = c.zone
	}
	f := (&Claude{zone: zone}).failure(&record{at: at}, text)
	f.Source, f.Field = "message", "text"
	return *f, f.Reason != detect.Unknown
}
