package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

var _ agent.Forgetter = (*Claude)(nil)

// forgetAfter is cleanupPeriodDays where the settings do not say it.
const forgetAfter = 30

// Remember makes a transcript that is near the end of its period one third of it old. A headless run
// anywhere deletes by the file's time of change alone. It is made no younger than that: the agent lists
// sessions, and goes on with the newest, by the same time.
func (c *Claude) Remember(s detect.Session, now time.Time) (bool, error) {
	if err := fits(s); err != nil {
		return false, err
	}
	fi, err := c.own(s.Path)
	if err != nil {
		return false, agent.SkipAbsent(err)
	}
	period := c.period()
	if period <= 0 || now.Sub(fi.ModTime()) < period*2/3 {
		return false, nil
	}
	at := now.Add(-period / 3)
	return true, os.Chtimes(s.Path, time.Time{}, at)
}

// period is how old a transcript may become; 0: the agent keeps none.
func (c *Claude) period() time.Duration {
	var set struct {
		Days *float64 `json:"cleanupPeriodDays"`
	}
	const day = 24 * time.Hour
	b, err := agent.ReadSettings(filepath.Join(c.root, "settings.json"), configMax)
	if err != nil || json.Unmarshal(b, &set) != nil || set.Days == nil || *set.Days > 36500 {
		return forgetAfter * day
	}
	return time.Duration(max(0, *set.Days) * float64(day))
}
