package opencode

import (
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &OpenCode{}) }

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &OpenCode{}, 4) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &OpenCode{}, "┃") }
