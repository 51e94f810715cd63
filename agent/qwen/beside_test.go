package qwen

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

var _ = agenttest.Keys

// In 80 columns and more what stands on the right is in the row of the mode, behind a sandbox, "Debug Mode" or before a goal.
// What stands on the right of the mode is not the mode.
func TestModeBesideMore(t *testing.T) {
	rule := strings.Repeat("─", 100)
	for _, right := range []string{"1.2% used", "docker | 1.2% used", "Debug Mode | 1.2% used", "docker | Debug Mode", "1.2% used | ◎ /goal active", "docker | Debug Mode | 1.2% used"} {
		for _, mode := range []string{"⏸ Ask permissions (shift + tab to cycle)", "YOLO mode (shift + tab to cycle)", "? for shortcuts"} {
			row := "  " + mode
			row += strings.Repeat(" ", 100-len([]rune(row))-len([]rune(right))) + right
			rows := []string{"", "  ✕ [API Error: 429 x] (Press Ctrl+Y to retry)", "", rule, ">   " + placeholder, rule, row}
			s := agent.Screen{Rows: rows, Row: 4, Col: 2, Cols: 100, Title: "Qwen - demo", Faint: [][2]int{{4, 4 + len(placeholder)}}}
			if v := (&Qwen{}).Screen(s); !v.Ready {
				t.Errorf("%q: %+v", row, v)
			}
		}
	}
}
