package detect

import "time"

var (
	firstTime = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	lastTime  = time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)
)

// Clamp brings a time that somebody else wrote into the years 1970 to 2199, in UTC, so that it can be
// reckoned with and stored (JSON writes no year above 9999). A zero time stays zero.
func Clamp(t time.Time) time.Time {
	switch {
	case t.IsZero():
		return time.Time{}
	case t.Before(firstTime):
		return firstTime
	case t.After(lastTime):
		return lastTime
	}
	return t.UTC()
}
