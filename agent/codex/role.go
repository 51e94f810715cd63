package codex

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

var _ agent.Roles = (*Codex)(nil)

// rolePlan is what a session needs that waited for the limit of a ChatGPT plan. `codex login --with-api-key` puts a key in the login's place, in
// auth.json or a key chain, neither of which clawd reads: so the agent is asked, or all that waited would go on at a price, in the night.
const rolePlan = "ChatGPT plan"

// Role is that plan where its limit stopped the session: OpenAI's own provider gives a key none that waiting heals.
func (c *Codex) Role(r agent.Request) string {
	if own := r.Info.Provider == "" || r.Info.Provider == builtIn; !own || r.Stop.Reason != detect.UsageLimit {
		return ""
	}
	return rolePlan
}

// ListRoles asks who is logged in, which the agent tells on stderr. The exit code says whether anybody is, which a run says better.
func (c *Codex) ListRoles(r agent.Request) (resume.Plan, error) {
	if !filepath.IsAbs(r.Program.Path) {
		return resume.Plan{}, errors.New("the program's path is not absolute")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	p := resume.Plan{Dir: r.Info.Dir, Argv: []string{"/bin/sh", "-c", `"$0" login status 2>&1 || :`, r.Program.Path}}
	err := c.pay(&p, r)
	return p, err
}

// HasRole looks for a key: "Logged in using an API key - …" (0.80), "API key configured - …" (0.171). Who is not logged in spends nothing.
func (c *Codex) HasRole(printed []byte, _ string) bool {
	return !strings.Contains(string(printed), "API key")
}

// RoleGone leaves the session.
func (c *Codex) RoleGone(r agent.Request) *agent.Unfit {
	return &agent.Unfit{
		Why:     "it waited for the limit of a ChatGPT plan, and now the agent is logged in with a key, which would pay",
		Command: agent.Command(c.vars(), r.Info.Dir, c.Command(), "resume", r.Session.ID),
	}
}
