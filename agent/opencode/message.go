package opencode

import (
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Message reads a text that opencode printed as its own failure. zone does not matter: opencode's
// own texts name spans, not times of day.
func (o *OpenCode) Message(text string, at time.Time, zone *time.Location) (detect.Failure, bool) {
	e := rowError{Name: "UnknownError"}
	e.Data.Message = text
	f := failure(&e, at, "message")
	f.Field = "text"
	if r, ok := detect.ParseReset(text, at, zone); ok && (f.Reason == detect.UsageLimit || f.Reason == detect.RateLimit) {
		f.ResetAt, f.ResetMinute, f.Notes = r.At, r.Minute, r.Notes
	}
	return *f, f.Reason != detect.Unknown
}
