package claude

import (
	"slices"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// What `claude auth status` printed of dummy logins, in short.
const (
	ofPlan       = `{"loggedIn": true, "authMethod": "claude.ai", "apiProvider": "firstParty", "subscriptionType": "max"}`
	ofConsole    = `{"loggedIn": true, "authMethod": "api_key", "apiProvider": "firstParty", "apiKeySource": "/login managed key"}`
	ofConsoleOld = `{"loggedIn": true, "authMethod": "claude.ai", "apiProvider": "firstParty", "apiKeySource": "/login managed key", "subscriptionType": null}`
)

// Who waited for a plan does not go on at a price, whatever the login and the settings have become meanwhile.
func TestPlanIsKept(t *testing.T) {
	for printed, want := range map[string]bool{
		ofPlan:       true,
		ofConsole:    false,
		ofConsoleOld: false,
		`{"loggedIn": true, "authMethod": "claude.ai", "apiKeySource": "/login managed key", "subscriptionType": "max", "storedClaudeAiLogin": true}`: true,
		`{"loggedIn": true, "authMethod": "api_key_helper", "apiProvider": "firstParty", "apiKeySource": "apiKeyHelper"}`:                             false,
		`{"loggedIn": true, "authMethod": "third_party", "apiProvider": "bedrock"}`:                                                                   false,
		`{"loggedIn": true, "authMethod": "oauth_token", "apiProvider": "firstParty"}`:                                                                true,
		`{"loggedIn": false, "authMethod": "none", "apiProvider": "firstParty"}`:                                                                      true,
		"error: unknown command": true,
	} {
		if got := New(agent.Env{}, agent.Config{}).HasRole([]byte(printed), rolePlan); got != want {
			t.Errorf("%s: %t", printed, got)
		}
	}
}

// The agent is asked about a session that waited for a plan which a login pays for, and about no other one: a provider of the user's own has
// its limits and its key, and to an old version the question would be a prompt.
func TestPlanIsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *agent.Request)
		cfg    []string
		want   string
	}{
		"a plan":         {func(*agent.Request) {}, nil, rolePlan},
		"a rate limit":   {func(r *agent.Request) { r.Stop.Reason = detect.RateLimit }, nil, ""},
		"another's":      {func(r *agent.Request) { r.Stop.Evidence.Field = "isApiErrorMessage" }, nil, ""},
		"an old agent":   {func(r *agent.Request) { r.Program.Version = "2.1.196" }, nil, ""},
		"a key paid":     {func(r *agent.Request) { r.Launch.Pays = key }, []string{"ANTHROPIC_API_KEY=x"}, ""},
		"nobody can pay": {func(r *agent.Request) { r.Launch.Pays = key }, nil, ""},
	} {
		root := t.TempDir()
		a, r := over(root, table{}, variables(c.cfg...)), request(t, root)
		r.Stop.Reason, r.Stop.Evidence.Field = detect.UsageLimit, planField
		c.change(&r)
		if got := a.Role(r); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	root := t.TempDir()
	r := request(t, root)
	r.Stop.Reason = detect.UsageLimit
	p, err := over(root, table{}, agent.Config{}, "ANTHROPIC_API_KEY=clawd's").ListRoles(r)
	if err != nil || p.Argv[len(p.Argv)-1] != "/opt/claude" || p.Dir != r.Info.Dir || !slices.Contains(p.Unset, "ANTHROPIC_API_KEY") {
		t.Errorf("%+v, %v", p, err)
	}
}
