package daemon

import (
	"fmt"
	"path/filepath"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/held"
)

// held lies in the user's own folder, as the marks do: clawd exec may run with another state folder.
func (d *Daemon) held() string { return filepath.Join(d.o.UserDir, "held") }

// callers tells whether a caller of clawd exec has a session open now, and whether its stop was told one: it was written while he had.
func callers(dir string, s detect.Session, stop detect.Stop) (now, told bool, err error) {
	now, until, err := held.Look(dir, s)
	if err != nil {
		return false, false, fmt.Errorf("whether clawd exec has the session open cannot be seen: %w", err)
	}
	return now, !until.IsZero() && !stop.At.After(until), nil
}
