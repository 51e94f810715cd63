package copilot

import (
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// allowVar allows all tools, as allowTools does, and says nothing of folders and addresses.
const allowVar = "COPILOT_ALLOW_ALL"

// allowsTools tells whether a variable is that one, with a value that the agent takes for yes.
func allowsTools(kv string) bool {
	name, value, _ := strings.Cut(kv, "=")
	return name == allowVar && slices.Contains([]string{"true", "1", "yes", "on", "y"}, strings.ToLower(strings.TrimSpace(value)))
}

// providerVar sends the whole run to a provider of the user's own, whoever the session began with.
const providerVar = "COPILOT_PROVIDER_BASE_URL"

// modelVar names the model of such a provider, and one in the place of the session's else.
const modelVar = "COPILOT_MODEL"

// tokenVars hold a login of GitHub's, in the order in which the agent takes them; it looks for its own stored one last.
var tokenVars = []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"}

// providerVars tell providers of the user's own apart, and accounts there.
var providerVars = []string{providerVar, "COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_API_KEY_COMMAND", "COPILOT_PROVIDER_BEARER_TOKEN"}

// Who pays for a process, from the presence of things.
const (
	login = "login" // GitHub, for whom the agent's own stored login stands
	token = "token" // GitHub, for whom a token in the environment stands
	key   = "key"   // a provider of the user's own
)

// purse tells who pays for a process with such an environment; empty: that is not known.
func purse(environ []string) string {
	if len(environ) == 0 {
		return ""
	}
	who := login
	switch {
	case agent.Sets(environ, providerVar):
		who = key
	case agent.Sets(environ, tokenVars...):
		who = token
	}
	return agent.Purse(who, environ, slices.Concat(tokenVars, providerVars)...)
}

// has tells whether a run would get one of the variables.
func (c *Copilot) has(vars ...string) bool {
	return slices.ContainsFunc(vars, func(name string) bool { return c.cfg.Getenv(c.env, name) != "" })
}

// pay sets who pays, and the environment: GitHub for a session of GitHub's, and the user's own provider for none but
// a session that it answered. A prompt of a login's is a premium request.
func (c *Copilot) pay(plan *resume.Plan, r agent.Request) error {
	pays := ""
	if r.Launch != nil {
		pays = r.Launch.Pays
	}
	who, account := agent.Payer(pays), tokenVars
	switch {
	case r.Info.Provider == byok || r.Info.Provider == "" && who == key:
		if !c.has(providerVar) {
			return c.unfit(r, "a provider of your own answered it, which clawd's environment does not name", envKey)
		}
		plan.Auth, account = key, providerVars
	case r.Info.Provider == "" && who == "":
		return c.unfit(r, "its records do not tell who paid for it, and nobody saw", envKey)
	case who == token && !c.has(tokenVars...):
		return c.unfit(r, "a token in its environment paid for it, which clawd's environment does not have", envKey)
	default:
		plan.Auth = login
		plan.Unset = []string{providerVar, modelVar}
		if who == login {
			plan.Unset, account = append(plan.Unset, tokenVars...), nil
		}
	}
	unset, why := c.cfg.SameAccount(c.env, pays, account...)
	if why != "" {
		return c.unfit(r, why, envKey)
	}
	plan.Unset = append(plan.Unset, unset...)
	if c.cfg.Env[allowVar] == "" { // what a run may do, its plan says
		plan.Unset = append(plan.Unset, allowVar)
	}
	plan.Env = c.cfg.Environ(plan.Unset, homeVar, c.given)
	if model := r.Info.Model; plan.Auth == key && plainModel(model) && c.cfg.Env[modelVar] == "" {
		plan.Env = append(plan.Env, modelVar+"="+model)
	}
	return nil
}

// envKey and argsKey are keys of the config.
const (
	section = "agent.copilot"
	envKey  = section + ".env"
	argsKey = section + ".args"
)
