package detect

import (
	"strings"
	"time"
)

// nextClock is the first h:min, of the weekday when one is named, that is not further back than
// justPassed. The very instant of the record does not count: no limit is met when it ends.
func nextClock(weekday string, h, min int, at time.Time, zone *time.Location) time.Time {
	y, mo, d := at.In(zone).Date()
	oldest := at.Truncate(time.Minute).Add(-justPassed)
	for off := -1; ; off++ {
		day := time.Date(y, mo, d+off, 0, 0, 0, 0, time.UTC).Weekday().String()
		if weekday != "" && !strings.EqualFold(day[:3], weekday[:3]) {
			continue
		}
		if t := wallTime(y, mo, d+off, h, min, zone); !t.Before(oldest) && !t.Equal(at) {
			return t
		}
	}
}

// dated is the given date in its year, or without a year in the one that brings it nearest to at.
// False: there is no such day.
func dated(year int, mon time.Month, d, h, min int, at time.Time, zone *time.Location) (best time.Time, ok bool) {
	first, last := at.In(zone).Year()-1, at.In(zone).Year()+1
	if year != 0 {
		first, last = year, year
	}
	for y := first; y <= last; y++ {
		if time.Date(y, mon, d, 0, 0, 0, 0, time.UTC).Day() != d {
			continue
		}
		t := wallTime(y, mon, d, h, min, zone)
		if !ok || t.Sub(at).Abs() < best.Sub(at).Abs() {
			best, ok = t, true
		}
	}
	return best, ok
}

// wallTime is time.Date with a rule where clocks are put forward or back: the later instant. Go
// picks either one there, depending on the zone.
func wallTime(y int, mo time.Month, d, h, min int, zone *time.Location) time.Time {
	naive := time.Date(y, mo, d, h, min, 0, 0, time.UTC)
	var fits, any time.Time
	for _, probe := range []time.Duration{-26 * time.Hour, 0, 26 * time.Hour} {
		_, offset := naive.Add(probe).In(zone).Zone()
		t := naive.Add(-time.Duration(offset) * time.Second)
		if any.IsZero() || t.After(any) {
			any = t
		}
		l := t.In(zone)
		if l.Hour() == naive.Hour() && l.Minute() == naive.Minute() && l.Day() == naive.Day() && t.After(fits) {
			fits = t
		}
	}
	if fits.IsZero() {
		return any
	}
	return fits
}
