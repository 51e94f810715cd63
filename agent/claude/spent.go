package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// Spent reads the newest sum that 2.1.329 and later have written when a run ended. A later run begins with it, and so prints the cost
// of the whole session. Versions before write none and print that of the run.
func (c *Claude) Spent(ctx context.Context, s detect.Session, before agent.Cursor) (usd float64, api time.Duration, err error) {
	pos := strings.TrimSuffix(string(before), headOwed)
	if pos == "" {
		return 0, 0, nil
	}
	if err := fits(s); err != nil {
		return 0, 0, err
	}
	if _, err := c.own(s.Path); err != nil {
		return 0, 0, err
	}
	r, err := tail.Open(s.Path, pos)
	if err != nil {
		return 0, 0, err
	}
	limit := r.Offset()
	if r.Close(); r.Anew() != "" {
		return 0, 0, nil
	}
	err = jsonl.Before(ctx, s.Path, limit, func(line []byte, _ int64) {
		var sum struct {
			Type string  `json:"type"`
			USD  float64 `json:"totalCostUSD"`
			MS   float64 `json:"totalAPIDuration"`
		}
		if bytes.Contains(line, []byte(`"cost-state"`)) && json.Unmarshal(line, &sum) == nil && sum.Type == "cost-state" {
			usd, api = sum.USD, time.Duration(sum.MS*float64(time.Millisecond))
		}
	})
	return usd, api, err
}
