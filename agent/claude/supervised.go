package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/clawd-project/clawd/agent"
)

const rosterMax = 4 << 20

// supervised gives the short name of a session that Claude Code's own supervisor runs in the background (claude --bg); empty: it runs no
// such one. Ten seconds after such a process was killed the supervisor starts another, which goes on by itself (2.1.332).
func (c *Claude) supervised(id string) (string, error) {
	path := filepath.Join(c.root, "daemon", "roster.json")
	_, err := c.own(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	b, err := agent.ReadFile(path, rosterMax)
	if err != nil {
		return "", err
	}
	var roster struct {
		Workers map[string]struct {
			Session string `json:"sessionId"`
		} `json:"workers"`
	}
	if err := agent.Unmarshal(b, &roster); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	for name, w := range roster.Workers {
		if w.Session == id {
			return name, nil
		}
	}
	return "", nil
}

// leftToIt refuses a run of a session that the supervisor starts again.
func (c *Claude) leftToIt(r agent.Request) error {
	name, err := c.supervised(r.Session.ID)
	switch {
	case err != nil:
		return fmt.Errorf("whether Claude Code runs it in the background cannot be seen: %w", err)
	case name == "":
		return nil
	}
	return &agent.Unfit{Why: "Claude Code runs it in the background, and starts it again by itself", Command: c.attach(name)}
}

// attach is the command that shows a session that runs in the background.
func (c *Claude) attach(name string) string {
	return agent.Command(c.vars(), "", c.Command(), "attach", name)
}
