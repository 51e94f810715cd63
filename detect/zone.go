package detect

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// zoneHours are abbreviations that mean one offset from UTC wherever they are printed. Those that
// mean several (IST, AST) are not here.
var zoneHours = map[string]float64{
	"PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6, "CDT": -5, "EST": -5, "EDT": -4, "AKST": -9, "AKDT": -8, "HST": -10,
	"BST": 1, "CET": 1, "WEST": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "SGT": 8, "HKT": 8, "AWST": 8, "JST": 9, "KST": 9,
	"AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}

// zoneNames are words for a place's time, whatever the season.
var zoneNames = map[string]string{
	"ET": "America/New_York", "CT": "America/Chicago", "MT": "America/Denver", "PT": "America/Los_Angeles", "WET": "Atlantic/Canary",
}

var reOffset = lazyregexp.New(`^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$`)

// loadZone gives the zone that a text names. A word that is no zone is passed over with a note, and
// the agent's own counts: nil. A name with a place in it must be known, for the text means it.
func loadZone(name string) (z *time.Location, note string, err error) {
	if m := reOffset.FindStringSubmatch(name); m != nil {
		h, _ := strconv.Atoi(m[2])
		minute, _ := strconv.Atoi("0" + m[3])
		if h > 14 || minute > 59 {
			return nil, "", fmt.Errorf("the offset %s is impossible", name)
		}
		seconds := h*3600 + minute*60
		if m[1] == "-" {
			seconds = -seconds
		}
		return time.FixedZone(name, seconds), "", nil
	}
	if h, ok := zoneHours[name]; ok {
		return time.FixedZone(name, int(h*3600)), "", nil
	}
	if place, ok := zoneNames[name]; ok {
		name = place
	}
	switch {
	case strings.EqualFold(name, "local"), strings.EqualFold(name, "localtime"):
		return nil, "", nil
	case name == "UTC" || name == "GMT" || name == "Z":
		return time.UTC, "", nil
	case !strings.Contains(name, "/"):
		return nil, fmt.Sprintf("the time zone %q is not known; the agent's own was taken", Redact(name)), nil
	}
	if z, err = time.LoadLocation(name); err != nil {
		return nil, "", fmt.Errorf("the time zone %q is not known", Redact(name))
	}
	return z, "", nil
}
