package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/internal/pagetest"
)

const page = "../../docs/rules.md"

// The page says what the table says.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Rules

Every reason not to resume a stopped session, in the order in which clawd asks: the first one that holds is the answer.
The table is internal/rules; ` + "`make docs`" + ` makes this page from it, and a test keeps both the same.

When it is asked: **stop**: the stop was read; **next**: it is decided anew; **wait**: before the wait begins; **claim**: the
last look before an attempt; **shim**: right before clawd's process becomes the agent; **order**: you ordered the resume.
What follows: *quiet*: left, you know; *told*: left, and you are told; *later*: nothing now, it may pass; *others*: the
files will tell what others did. "Yes" in the fifth column: it holds against your order, too.

| rule | when | what follows | in words, for example | order | config key |
|---|---|---|---|---|---|
`)
	moments := []struct {
		m    Moment
		name string
	}{{Stop, "stop"}, {Next, "next"}, {Wait, "wait"}, {Claim, "claim"}, {Shim, "shim"}, {Order, "order"}}
	ends := map[Ends]string{Quiet: "quiet", Tells: "told", Later: "later", ByOthers: "others"}
	for _, r := range table {
		var at []string
		for _, m := range moments {
			if r.At&m.m != 0 {
				at = append(at, m.name)
			}
		}
		f := facts()
		held[r.Name](&f)
		against := ""
		if r.Ordered {
			against = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Name, strings.Join(at, ", "), ends[r.Ends], r.why(&f), against, r.Key)
	}
	b.WriteString(`
Not in the table: which strategy answers a reason, and the bounds of the policy (` + "`max_stop_age`, `give_up_after`" + `, resumes in a row
without a turn that ended well), which package resume decides; the ways to an open window; the budget of a day; and whose turn it is.
`)
	pagetest.Is(t, page, b.String())
}
