package claude

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestRemember(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Now()
	for _, x := range []struct {
		name, settings string
		age, want      time.Duration
	}{
		{"young", "", 19 * day, 19 * day},
		{"old", "", 21 * day, 10 * day},
		{"beyond the period", "", 40 * day, 10 * day},
		{"a shorter period", `{"cleanupPeriodDays":3}`, 2*day + time.Hour, day},
		{"a longer period", `{"cleanupPeriodDays":90}`, 40 * day, 40 * day},
		{"none is kept", `{"cleanupPeriodDays":0}`, 40 * day, 40 * day},
		{"settings that cannot be read", `{"cleanupPeriodDays":"x"`, 21 * day, 10 * day},
		{"an odd period", `{"cleanupPeriodDays":1e300}`, 21 * day, 10 * day},
	} {
		t.Run(x.name, func(t *testing.T) {
			root := t.TempDir()
			c, s := over(root, table{}, agent.Config{}), session(root, sid)
			put(t, s.Path, "{}\n")
			if x.settings != "" {
				agenttest.Linked(t, filepath.Join(root, "settings.json"), x.settings)
			}
			must(t, os.Chtimes(s.Path, time.Time{}, now.Add(-x.age)))
			done, err := c.Remember(s, now)
			must(t, err)
			fi, err := os.Stat(s.Path)
			must(t, err)
			if got := now.Sub(fi.ModTime()).Round(time.Second); got != x.want || done != (x.age != x.want) {
				t.Errorf("%s old, done %v; want %s", got, done, x.want)
			}
		})
	}
	root := t.TempDir()
	if done, err := over(root, table{}, agent.Config{}).Remember(session(root, sid), now); done || err != nil {
		t.Errorf("a file that is gone: %v, %v", done, err)
	}
}
