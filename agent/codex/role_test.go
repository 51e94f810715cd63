package codex

import (
	"slices"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Who waited for a plan does not go on at a price: what `codex login status` printed of dummy logins.
func TestPlanIsKept(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{}, "CODEX_API_KEY=clawd's")
	for printed, want := range map[string]bool{
		"Logged in using ChatGPT\n":                       true,
		"Logged in using an API key - sk-dummy***00000\n": false, // 0.120
		"API key configured - sk-dummy***00000\nAuthentication is checked when you send a request.\n": false, // 0.171
		"Not logged in\n": true,
	} {
		if got := c.HasRole([]byte(printed), rolePlan); got != want {
			t.Errorf("%s: %t", printed, got)
		}
	}
	r := request(t, root)
	r.Stop.Reason = detect.UsageLimit
	if c.Role(r) != rolePlan {
		t.Error("nobody asks for the plan")
	}
	p, err := c.ListRoles(r)
	if err != nil || p.Argv[len(p.Argv)-1] != "/usr/bin/codex" || p.Dir != r.Info.Dir || !slices.Contains(p.Unset, ownKey) {
		t.Errorf("%+v, %v", p, err)
	}
	for name, change := range map[string]func(){"another provider": func() { r.Info.Provider = "mine" }, "a rate limit": func() { r.Info.Provider, r.Stop.Reason = "openai", detect.RateLimit }} {
		if change(); c.Role(r) != "" {
			t.Errorf("%s: it is asked", name)
		}
	}
}
