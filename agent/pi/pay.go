package pi

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

const (
	login = "login"
	key   = "key"
)

// keys are the variables that pay for a provider which a login can pay for as well: the agent takes them where
// auth.json has nothing for the provider. As of 1.6.0; e2e/TestPiPayers reads them from the package.
var keys = map[string][]string{
	"anthropic":      {"ANTHROPIC_API_KEY", "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_IDENTITY_TOKEN_FILE"},
	"openai":         {"OPENAI_API_KEY"},
	"github-copilot": {"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"},
	"google":         {"GEMINI_API_KEY"},
	"xai":            {"XAI_API_KEY"},
	"kimi-coding":    {"KIMI_API_KEY"},
	"meta":           {"META_API_KEY"},
	"radius":         {"RADIUS_API_KEY"},
	"openrouter":     {"OPENROUTER_API_KEY"},
}

// logins are the providers that no key pays for.
var logins = []string{"openai-codex", "google-gemini-cli", "google-antigravity"}

// auth tells who pays for a run with a provider, from the presence of things and never from their content. A
// provider that the user has defined has its key in models.json.
func (p *Pi) auth(provider string) string {
	vars, both := keys[provider]
	switch {
	case slices.Contains(logins, provider):
		return login
	case !both:
		return key
	}
	return p.cfg.Auth(p.env, vars, p.hasAuth())
}

// hasAuth: auth.json holds logins and keys, for any provider.
func (p *Pi) hasAuth() bool {
	_, err := os.Lstat(filepath.Join(p.root, "auth.json"))
	return err == nil
}

// pay sets who pays, and the environment. A key of clawd's environment must not pay for what a login paid for, not
// even when the login is gone.
func (p *Pi) pay(plan *resume.Plan, r agent.Request) {
	provider := r.Info.Provider
	if plan.Auth = p.auth(provider); r.Stop.Reason == detect.UsageLimit && keys[provider] != nil && p.hasAuth() {
		plan.Auth = login // whose limit it was, and who waited for it must not go on at a price
	}
	if plan.Auth == login {
		plan.Unset = slices.Clone(keys[provider])
	}
	if p.moved == "" { // else it would look for the session elsewhere
		plan.Unset = append(plan.Unset, sessionVar)
	}
	plan.Env = p.cfg.Environ(plan.Unset, dirVar, p.given)
}
