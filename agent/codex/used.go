package codex

import (
	"bytes"
	"context"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
)

// total is what a session has used since its beginning.
type total struct {
	Input      int64 `json:"input_tokens"` // the cached ones among them
	CacheRead  int64 `json:"cached_input_tokens"`
	CacheWrite int64 `json:"cache_write_input_tokens"`
	Output     int64 `json:"output_tokens"`
}

func (t total) usage() agent.Usage {
	return agent.Usage{InputTokens: max(0, t.Input-t.CacheRead-t.CacheWrite), OutputTokens: t.Output,
		CacheCreationTokens: t.CacheWrite, CacheReadTokens: t.CacheRead, Whole: true}
}

// Used reads the last count of a rollout. A run goes on from it.
func (c *Codex) Used(ctx context.Context, s detect.Session) (agent.Usage, error) {
	if err := c.check(s); err != nil {
		return agent.Usage{}, err
	}
	r, err := open(s.Path, "")
	if err != nil {
		return agent.Usage{}, err
	}
	defer r.Close()
	var last total
	err = jsonl.Each(ctx, r, jsonl.All, func(line []byte, _ int64) bool {
		if !bytes.Contains(line, []byte(`"total_token_usage"`)) {
			return true
		}
		var e struct {
			Payload struct {
				Type string `json:"type"`
				Info struct {
					Total *total `json:"total_token_usage"`
				} `json:"info"`
			} `json:"payload"`
		}
		if agent.Unmarshal(line, &e) == nil && e.Payload.Type == "token_count" && e.Payload.Info.Total != nil {
			last = *e.Payload.Info.Total
		}
		return true
	})
	if err != nil {
		return agent.Usage{}, err
	}
	return last.usage(), nil
}
