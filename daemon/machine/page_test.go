package machine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/internal/pagetest"
)

const page = "../../docs/machine.md"

const head = `# The machine

What comes of everything that can come over a session, by the phase that it is in. "make docs" makes this page from the code:
each cell was played on Step, and a test keeps both the same. [architecture.md](architecture.md) says what the phases and the
transitions are.

A cell names what is done at that instant, in its order: what is written (the names of the history: ` + "`stop`, `scheduled`,\n`claimed`, `fired`, `resumed`" + ` ...), what a run of clawd's gets (*start*, *open* or *abort* its gate, *halt* it) and what the one
who ordered something hears (*obeyed*, *refused*). A phase's name stands for a record that is written without a line in the
history. When its wait is over a waiting session does what "resume is ordered" does here, but for the order itself. After the arrow stands the phase then, where it is another one. "guarding" is
a session whose attempt has succeeded and whose run still goes on. An empty cell: nothing is done at once, for the reason that
the last column gives.

`

// TestPage keeps docs/machine.md to what the machine does.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(head)
	names := []string{""}
	for _, ph := range phases {
		names = append(names, ph.name)
	}
	fmt.Fprintf(&b, "| %s | why nothing |\n%s|\n", strings.Join(names, " | "), strings.Repeat("|---", len(names)+1))
	edges := map[string][]string{}
	for _, h := range happenings {
		row := []string{h.name}
		for _, ph := range phases {
			done, then := parted(cells[h.name][ph.name])
			if then != "" && then != ph.name {
				edges[ph.name+" --> "+then] = append(edges[ph.name+" --> "+then], h.name)
				done = strings.TrimSpace(done) + " → " + then
			}
			row = append(row, strings.TrimSpace(done))
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(row, " | "), nothing[h.name])
	}
	b.WriteString("\n## The same as a picture\n\nWhat changes the phase at once. An attempt's verdict comes by \"seen resumed\" or one of its sisters.\n\n```mermaid\nstateDiagram-v2\n")
	for _, from := range phases {
		for _, to := range phases {
			if why := edges[from.name+" --> "+to.name]; len(why) > 0 {
				fmt.Fprintf(&b, "    %s --> %s: %s\n", from.name, to.name, strings.Join(why, ", "))
			}
		}
	}
	b.WriteString("```\n")
	pagetest.Is(t, page, b.String())
}

// parted tells what is done in a cell from the phase that follows.
func parted(cell string) (done, phase string) {
	done, phase, _ = strings.Cut(cell, "= ")
	if strings.HasSuffix(phase, "+guard") && strings.HasPrefix(phase, "following") {
		phase = "guarding"
	}
	return strings.ReplaceAll(strings.ReplaceAll(done, "halt(true)", "halt politely"), "halt(false)", "halt"), strings.TrimSuffix(phase, "+guard")
}
