package qwen

import (
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestLimits(t *testing.T) {
	agenttest.Limits(t, options, map[string]bool{"--exclude-tools shell": true, "--approval-mode plan": true, "--approval-mode=yolo": false, "--bare": true, "--model x": false})
}
