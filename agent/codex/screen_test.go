package codex

import (
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &Codex{}) }

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &Codex{}, 4) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &Codex{}, "›") }
