package claude

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// payers make a run cost money of a key instead of a login's plan; clouds send it to another
// provider's bill altogether; server sends its requests elsewhere.
var (
	payers = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}
	clouds = []string{"CLAUDE_CODE_USE_GATEWAY", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_ANTHROPIC_AWS",
		"CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", "CLAUDE_CODE_USE_MANTLE", "CLAUDE_CODE_USE_VERTEX"} // in the agent's order
)

const (
	server   = "ANTHROPIC_BASE_URL"
	onServer = "@server" // behind who pays: the requests go to a server of the user's own

	login = "login"
	key   = "key"

	loginVar = "CLAUDE_CODE_OAUTH_TOKEN"
)

// accounts are the variables by which those who pay in the same way differ.
var accounts = map[string][]string{
	login:                    {loginVar, loginVar + "_FILE_DESCRIPTOR"},
	key:                      payers,
	"gateway":                {server, "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_GATEWAY_TOKEN"},
	"bedrock":                append([]string{"AWS_BEARER_TOKEN_BEDROCK", "ANTHROPIC_BEDROCK_BASE_URL"}, amazon...),
	"mantle":                 append([]string{"AWS_BEARER_TOKEN_BEDROCK", "ANTHROPIC_BEDROCK_MANTLE_BASE_URL"}, amazon...),
	"anthropic_aws":          append([]string{"ANTHROPIC_AWS_API_KEY", "ANTHROPIC_AWS_WORKSPACE_ID", "ANTHROPIC_AWS_BASE_URL"}, amazon...),
	"vertex":                 append([]string{"ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_VERTEX_BASE_URL"}, google...),
	"anthropic_google_cloud": append([]string{"ANTHROPIC_GOOGLE_CLOUD_PROJECT", "ANTHROPIC_GOOGLE_CLOUD_WORKSPACE_ID", "ANTHROPIC_GOOGLE_CLOUD_BASE_URL"}, google...),
	"foundry":                {"ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_AUTH_TOKEN", "ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_BASE_URL"},
}

var (
	amazon = []string{"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_ROLE_ARN", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"}
	google = []string{"GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS"}
)

// cloud names the cloud that an environment turns on; empty: none.
func cloud(getenv func(string) string) string {
	for _, name := range clouds {
		if on(getenv(name)) {
			return strings.ToLower(strings.TrimPrefix(name, "CLAUDE_CODE_USE_"))
		}
	}
	return ""
}

// on tells whether the agent takes a variable as switched on.
func on(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(strings.TrimSpace(value)))
}

// purse tells, from the presence of things and the digests of some, who pays for a process with
// such an environment. In a terminal its user may have refused the key: then it tells only whether the requests go
// to a server of the user's own.
func (c *Claude) purse(environ []string, headless bool) string {
	env := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	if len(env) == 0 {
		return ""
	}
	who := cloud(func(name string) string { return env[name] })
	if who == "" {
		who = login
		if slices.ContainsFunc(payers, func(name string) bool { return env[name] != "" }) {
			if who = key; !headless && (env[loginVar] != "" || c.storedLogin()) {
				who = ""
			}
		}
	}
	names := slices.Concat(accounts[login], payers, []string{server})
	if who != login && who != key {
		names = append(names, accounts[who]...)
	}
	if elsewhere(env[server]) {
		who += onServer
	}
	return agent.Purse(who, environ, names...)
}

func (c *Claude) hasLogin() bool { return c.getenv(loginVar) != "" || c.storedLogin() }

func (c *Claude) storedLogin() bool {
	_, err := os.Lstat(filepath.Join(c.root, ".credentials.json"))
	return err == nil || slices.ContainsFunc(c.globals(), c.namesAccount)
}

// namesAccount tells whether a global file names the account of a login, which itself may lie in a key chain that nobody sees. So does one that
// cannot be read, for a key is not to pay by mistake.
func (c *Claude) namesAccount(path string) bool {
	fi, err := os.Stat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	now := account{stamp: agent.Stamp(fi)}
	c.mu.Lock()
	was := c.accounts[path]
	c.mu.Unlock()
	if was.stamp == now.stamp {
		return was.named
	}
	var global struct {
		Account map[string]json.RawMessage `json:"oauthAccount"`
	}
	b, err := agent.ReadSettings(path, configMax)
	now.named = err != nil || json.Unmarshal(b, &global) != nil || len(global.Account) > 0
	c.mu.Lock()
	c.accounts[path] = now
	c.mu.Unlock()
	return now.named
}

// account is what a state of a global file tells.
type account struct {
	stamp string
	named bool
}

// auth is who pays for a run of ours where no cloud does.
func (c *Claude) auth() string { return c.cfg.Auth(c.env, payers, c.hasLogin()) }

func (c *Claude) hasKey() bool {
	return slices.ContainsFunc(payers, func(name string) bool { return c.getenv(name) != "" })
}

// ownServer tells whether the config sends the requests to a server of its user's, with a key for it.
func (c *Claude) ownServer() bool {
	return elsewhere(c.cfg.Env[server]) && slices.ContainsFunc(payers, func(name string) bool { return c.cfg.Env[name] != "" })
}

// elsewhere tells whether requests to this server leave Anthropic's own, to which alone a login belongs. Empty: the agent takes that one.
func elsewhere(base string) bool {
	u, err := url.Parse(base)
	return base != "" && (err != nil || u.Scheme != "https" || u.Host != "api.anthropic.com")
}

// pay sees to it that who paid for the session pays for its resume, whatever clawd's own environment
// would have.
func (c *Claude) pay(p *resume.Plan, r agent.Request) (err error) {
	pays := ""
	if r.Launch != nil {
		pays = r.Launch.Pays
	}
	who, own := strings.CutSuffix(agent.Payer(pays), onServer)
	if p.Auth, err = c.payer(r, who, own || pays == ""); err != nil {
		return err
	}
	switch p.Auth {
	case login:
		p.Unset = slices.Concat(payers, clouds)
	case key:
		p.Unset = slices.Clone(clouds)
	}
	said := c.cfg.Env[server]
	switch {
	case p.Auth == login && elsewhere(said) && (who != login || !own || !agent.SameValue(pays, server, said)):
		return c.unfit(r, "its login would go to the server that "+server+" names in the config", envKey)
	case said != "":
	case who == "" && own:
		return c.unfit(r, "its requests went to a server of your own, and clawd did not see who paid there", envKey)
	case who == "" && elsewhere(c.getenv(server)):
		return c.unfit(r, "nobody saw whether its requests went to the server that "+server+" names in clawd's environment", envKey)
	case own && c.getenv(server) == "":
		return c.unfit(r, "its requests went to a server of your own, and clawd's environment has no "+server, envKey)
	case own && !agent.SameValue(pays, server, c.getenv(server)):
		return c.unfit(r, "its requests went to another server than the one that "+server+" names in clawd's environment", envKey)
	case who != "" && !own:
		p.Unset = append(p.Unset, server)
	}
	unset, why := c.cfg.SameAccount(c.env, pays, accounts[p.Auth]...)
	if why != "" {
		return c.unfit(r, why, envKey)
	}
	p.Unset = append(p.Unset, unset...)
	return nil
}

// payer tells who is to pay for a resume; who is what was seen of that. own: its requests went to a server of the user's own, or may have.
func (c *Claude) payer(r agent.Request, who string, own bool) (string, error) {
	now := cloud(c.getenv)
	switch limited := r.Stop.Reason == detect.UsageLimit; {
	case who != "" && who != login && who != key:
		if now != who {
			return "", c.unfit(r, "it ran on "+who+", which clawd's environment does not turn on", envKey)
		}
		return who, nil
	case who == key && !c.hasKey():
		return "", c.unfit(r, "a key paid for it, which clawd's environment does not have", envKey)
	case who != "": // also at a limit: a plan of another provider's is paid by a key, at its server
		return who, nil
	case limited && (own && c.ownServer() || r.Stop.Status == http.StatusBadRequest && c.hasKey()):
		return key, nil // the plan is that server's, or the key's owner has set this limit: no login is to pay instead
	case limited: // A plan's limit stops no key, and who waited for the plan must not go on at a price.
		return login, nil
	case now != "" && (cloud(func(name string) string { return c.cfg.Env[name] }) != "" || strings.Contains(r.Info.Model, "anthropic.") || strings.Contains(r.Info.Model, "@")):
		return now, nil // so says the config, or the model's name
	}
	return c.auth(), nil
}
