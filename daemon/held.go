package daemon

import (
	"fmt"
	"path/filepath"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/held"
)

// held lies in the user's own folder, as the marks do: clawd exec may run with another state folder.
func (d *Daemon) held() string { return filepath.Join(d.o.UserDir, "held") }

// callers tells whether a caller of clawd exec has a session open now, and whether a stop is the
// caller's to deal with: it was written while the session was held, so the caller was told.
func callers(dir string, s detect.Session, stop detect.Stop) (now, told bool, err error) {
	now, until, err := held.Look(dir, s)
	if err != nil {
		return false, false, fmt.Errorf("whether clawd exec has the session open cannot be seen: %w", err)
	}
	return now, !now && !until.IsZero() && !stop.At.After(until), nil
}
