package opencode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// A wrapper that has a bound already, as everything of its user's has, sets its rules and then becomes the agent: the bounds that it has then count,
// also where nobody has written since the first look.
func TestBoundWrapper(t *testing.T) {
	_, db, s := newStore(t)
	insert(t, db, "msg_1fb6f4e8a000prompt", at0, fmt.Sprintf(user, at0))
	p := testProcs{All: []agent.Proc{{PID: 7, Start: 70, Comm: "opencode"}}, Args: map[int][]string{7: {"/bin/sh", "/home/dev/bin/opencode"}},
		Dirs: map[int]string{7: "/home/dev/work/demo"}, Vars: map[int][]string{7: {"HOME=/home/dev", global}}}
	o := New(globalEnv(strings.TrimSuffix(s.Path, "/.local/share/opencode/opencode.db"), &p), agent.Config{})
	if got := lostBy(t, o); got != "" {
		t.Errorf("the wrapper: %q", got)
	}
	p.Args[7], p.Vars[7] = []string{"/opt/opencode"}, []string{"HOME=/home/dev", global, `OPENCODE_PERMISSION={"bash":"deny"}`}
	if got := lostBy(t, o); got != "OPENCODE_PERMISSION" {
		t.Errorf("the agent: %q", got)
	}
}

// A node that starts another one, which runs opencode from its script: seen between fork and exec it has its parent's arguments, and its name does not
// change.
func TestInExecOfNode(t *testing.T) {
	const dir = "/home/dev/work/demo"
	_, db, s := newStore(t)
	insert(t, db, "msg_1fb6f4e8a000prompt", at0, fmt.Sprintf(user, at0))
	p := testProcs{All: []agent.Proc{{PID: 7, Start: 70, Comm: "bun", Starting: true}}, Args: map[int][]string{7: {"bun", "/srv/panel.js"}},
		Dirs: map[int]string{7: dir}, Vars: map[int][]string{7: {"HOME=/home/dev"}}, Files: map[int][]string{7: {s.Path}}}
	o := New(agent.Env{Home: strings.TrimSuffix(s.Path, "/.local/share/opencode/opencode.db"), Procs: &p}, agent.Config{})
	lostBy(t, o)
	p.All[0].Starting = false
	p.Args[7], p.Vars[7] = []string{"bun", "/home/dev/bin/opencode", "run", "say done"}, []string{"HOME=/home/dev", `OPENCODE_PERMISSION={"bash":"deny"}`}
	if got := lostBy(t, o); got != "OPENCODE_PERMISSION" {
		t.Errorf("%q", got)
	}
}
