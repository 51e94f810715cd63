package claude

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

var _ agent.Roles = (*Claude)(nil)

// rolePlan is what a session needs that waited for the limit of a claude.ai plan. Whoever logs in to the Console meanwhile, or has the settings
// name a key, a helper for one or a cloud, works on at a price; clawd would have all that waited do so, in the night. Nothing in the
// environment tells, and the files of logins are not read, so the agent is asked.
const rolePlan = "claude.ai plan"

// Role is that plan where its limit stopped the session and a login is to pay. Up to 2.1.196 the question would be a prompt.
func (c *Claude) Role(r agent.Request) string {
	if r.Stop.Reason != detect.UsageLimit || r.Stop.Evidence.Field != planField || !agent.AtLeast(r.Program.Version, 2, 1, 197) {
		return ""
	}
	var p resume.Plan
	if c.pay(&p, r) != nil || p.Auth != login {
		return ""
	}
	return rolePlan
}

// ListRoles asks who is logged in, as a run in the session's folder would be. The exit code says whether anybody is, which
// that run says better.
func (c *Claude) ListRoles(r agent.Request) (resume.Plan, error) {
	if !filepath.IsAbs(r.Program.Path) {
		return resume.Plan{}, errors.New("the program's path is not absolute")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	p := resume.Plan{Dir: r.Info.Dir, Argv: []string{"/bin/sh", "-c", `"$0" auth status || :`, r.Program.Path}}
	err := c.pay(&p, r)
	p.Env = c.cfg.Environ(p.Unset, "CLAUDE_CONFIG_DIR", c.given)
	return p, err
}

// HasRole looks for what pays instead of the plan. 2.1.197 names the plan's method for every key but a helper's, without a plan. Who is not logged
// in spends nothing.
func (c *Claude) HasRole(printed []byte, _ string) bool {
	var now struct {
		Method string `json:"authMethod"`
		Key    string `json:"apiKeySource"`
		Plan   string `json:"subscriptionType"`
	}
	if json.Unmarshal(printed, &now) != nil {
		return true
	}
	paid := strings.HasPrefix(now.Method, "api_key") || slices.Contains([]string{"third_party", "gateway"}, now.Method)
	return !paid && (now.Key == "" || now.Plan != "")
}

// RoleGone leaves the session.
func (c *Claude) RoleGone(r agent.Request) *agent.Unfit {
	return &agent.Unfit{
		Why:     "it waited for the limit of a claude.ai plan, and now a key or a cloud would pay, by its settings or the login",
		Command: agent.Command(c.vars(), r.Info.Dir, c.Command(), "--resume", r.Session.ID),
	}
}
