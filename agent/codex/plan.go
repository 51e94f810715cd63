package codex

import (
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// Plan gives no plan yet, only what to type.
func (c *Codex) Plan(r agent.Request) (resume.Plan, error) { return resume.Plan{}, c.unfit(r) }

// Fresh gives no plan yet, only what to type.
func (c *Codex) Fresh(r agent.Request) (resume.Plan, error) { return resume.Plan{}, c.unfit(r) }

func (c *Codex) unfit(r agent.Request) error {
	if err := c.check(r.Session); err != nil {
		return err
	}
	line := quote(c.Command()) + " resume " + r.Session.ID
	if filepath.IsAbs(r.Info.Dir) {
		line = "cd " + quote(r.Info.Dir) + " && " + line
	}
	return &agent.Unfit{Why: "clawd cannot resume Codex sessions yet", Command: line}
}

// quote makes one word for a shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
