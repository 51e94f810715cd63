package turn

import (
	"os/exec"
	"strings"
	"testing"
)

// Who runs the turns of one agent builds neither the stores of the daemon and of other agents nor their code.
func TestDepsOfOneAgent(t *testing.T) {
	t.Parallel()
	const ours = "github.com/clawd-project/clawd/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".", "../agent/claude").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		switch {
		case dep == ours+"agent/claude", dep == ours+"agent/jsonl", dep == ours+"agent/holders":
		case strings.Contains(dep, "sqlite"), strings.Contains(dep, "bbolt"), strings.HasPrefix(dep, ours+"agent/"),
			dep == ours+"state", dep == ours+"internal/shim", dep == ours+"internal/marks", strings.HasPrefix(dep, ours+"daemon"):
			t.Errorf("it needs %s", dep)
		}
	}
}
