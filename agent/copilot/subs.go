package copilot

import (
	"context"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// SubStops looks at the lines of sub-agents among those of the session, as far back as since. One has stopped when its newest line
// of these is a failure, and no prompt or answer stands behind it.
func (c *Copilot) SubStops(ctx context.Context, s detect.Session, since time.Time) ([]detect.SubStop, error) {
	if err := c.check(s); err != nil {
		return nil, err
	}
	var all []detect.SubStop
	names, told := map[string]string{}, map[string]bool{}
	err := tail.Newest(ctx, s.Path, func(line []byte, _ int64) bool {
		r, ok := anyLine(line)
		switch {
		case !ok:
			return true
		case r.at.Before(since):
			return false
		case r.Agent == "" || told[r.Agent]:
			return true
		}
		switch r.Type {
		case typeSubEnd:
			names[r.Agent] = r.Data.Name
		case typePrompt, typeAnswer:
			told[r.Agent] = true
		case typeError:
			told[r.Agent] = true
			stop, _ := r.Data.failure(r.at, utcOnly).Stop(r.at)
			stop.Key = r.ID
			if stop, failed := stop.SubStop(r.Agent, names[r.Agent]); failed {
				all = append(all, stop)
			}
		}
		return true
	})
	return all, err
}
