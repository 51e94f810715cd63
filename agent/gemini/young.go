package gemini

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

var _ agent.Forgetter = (*Gemini)(nil)

const (
	day = 24 * time.Hour
	// forgetAfter is general.sessionRetention.maxAge where the settings do not say it.
	forgetAfter = 30 * day
	settingsMax = 1 << 20
)

// Remember puts a line at the end of a session that is near the end of its period: it was updated one
// third of the period ago. Every run in the project deletes by the newest such line, whatever the file's
// times are. It is made no younger than that: the agent lists sessions by it. What the agent keeps by
// number alone (maxCount), and a session of 0.20 (one document), are left as they are.
func (g *Gemini) Remember(s detect.Session, now time.Time) (bool, error) {
	if err := g.check(s); err != nil {
		return false, err
	}
	if err := agent.Inside(g.root, s.Path); err != nil {
		return false, err
	}
	if _, err := agent.Own(s.Path); err != nil || !strings.HasSuffix(s.Path, ".jsonl") {
		return false, agent.SkipAbsent(err)
	}
	updated, whole, err := lastUpdated(s.Path)
	period := g.period(s)
	if err != nil || !whole || updated.IsZero() || period <= 0 || now.Sub(updated) < period*2/3 {
		return false, err
	}
	f, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_APPEND, 0) // one write: a line of the agent's own stays whole
	if err != nil {
		return false, err
	}
	_, err = fmt.Fprintf(f, `{"$set":{"lastUpdated":%q}}`+"\n", now.Add(-period/3).UTC().Format("2006-01-02T15:04:05.000Z"))
	return err == nil, errors.Join(err, f.Close())
}

// lastUpdated reads when a session was updated, as its newest record says. whole: the last line ends.
func lastUpdated(path string) (at time.Time, whole bool, err error) {
	r, err := tail.Open(path, "")
	if err != nil {
		return at, false, agent.SkipAbsent(err)
	}
	defer r.Close()
	err = jsonl.Each(context.Background(), r, jsonl.All, func(raw []byte, _ int64) bool {
		l, err := parse(raw)
		if err != nil {
			return true
		}
		said := l.LastUpdated
		if l.Set != nil {
			said = l.Set.LastUpdated
		}
		if t := timeOf(said); !t.IsZero() {
			at = t
		}
		return true
	})
	if err != nil {
		return at, false, err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return at, false, err
	}
	return at, fi.Size() == r.Offset(), nil
}

// period is how old a session may become, by the user's settings and, over them, the project's; 0: it is
// not deleted for its age.
func (g *Gemini) period(s detect.Session) time.Duration {
	var set struct {
		General struct {
			Retention struct {
				Enabled *bool   `json:"enabled"`
				MaxAge  *string `json:"maxAge"`
			} `json:"sessionRetention"`
		} `json:"general"`
	}
	paths := []string{filepath.Join(g.root, "settings.json")}
	if h, err := readHead(s.Path); err == nil {
		if dir := g.projectDir(filepath.Dir(s.Path), h.ProjectHash); dir != "" {
			paths = append(paths, filepath.Join(dir, ".gemini", "settings.json"))
		}
	}
	for _, path := range paths {
		_ = agent.ReadJSONC(path, settingsMax, &set) // what cannot be read says nothing
	}
	switch keep := set.General.Retention; {
	case keep.Enabled != nil && !*keep.Enabled:
		return 0
	case keep.MaxAge == nil:
		return forgetAfter
	default:
		return span(*keep.MaxAge)
	}
}

// span reads a period such as 30d; 0: the agent takes it for a mistake, and then deletes nothing.
func span(s string) time.Duration {
	units := map[byte]time.Duration{'h': time.Hour, 'd': day, 'w': 7 * day, 'm': 30 * day}
	if s == "" {
		return forgetAfter
	}
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(n) * units[s[len(s)-1]]
}
