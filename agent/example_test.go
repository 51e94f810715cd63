package agent_test

import (
	"fmt"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
)

func ExampleKind() {
	env := agent.Env{Home: "/home/me", Getenv: func(string) string { return "" }, Procs: agent.NewProcs()}
	a := claude.Kind.Open(env, agent.Config{})
	at := time.Date(2026, 11, 21, 0, 10, 3, 0, time.UTC)
	stop, ok := a.Message("You've hit your session limit · resets 3:09am (Europe/Rome)", at, nil)
	fmt.Println(a.Name(), ok, stop.Reason, stop.ResetAt.UTC())
	// Output: claude true usage_limit 2026-11-21 02:09:00 +0000 UTC
}
