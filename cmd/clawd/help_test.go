package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// TestHelp: the help of each command fits a narrow terminal, and each command stands in a group.
func TestHelp(t *testing.T) {
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		for line := range strings.Lines(c.Long + "\n" + c.UsageString()) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 && !strings.HasPrefix(line, "  clawd ") { // which may be copied
				t.Errorf("%s: %q is longer than 80 columns", c.CommandPath(), line)
			}
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && c.Name() != "completion" {
				each(sub)
			}
			if !c.HasParent() && sub.IsAvailableCommand() && sub.GroupID == "" {
				t.Errorf("%s stands in no group", sub.Name())
			}
		}
	}
	each(root())
}
