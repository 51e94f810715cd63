package qwen

import (
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// Who pays and where the requests go stands in the environment or in the user's settings, and in no record.
var (
	keyVars = []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY",
		"DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY"}
	serverVars = []string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"}
	// serverOf is the one of them that a way to pay looks at.
	serverOf = map[string]string{"openai": "OPENAI_BASE_URL", "openai-responses": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL",
		"gemini": "GOOGLE_GEMINI_BASE_URL", "vertex-ai": "GOOGLE_VERTEX_BASE_URL", "qwen-oauth": ""}
)

// nothing is what a process's environment says that names neither a key nor a server.
const nothing = "settings"

// purse names what of an environment pays for a process or says where its requests go, with a digest, so that another one is told
// from the same. Empty: it cannot be seen.
func purse(environ []string) string {
	if len(environ) == 0 {
		return ""
	}
	var all []string
	for _, kv := range environ {
		switch name, value, _ := strings.Cut(kv, "="); {
		case value == "":
		case slices.Contains(keyVars, name), slices.Contains(serverVars, name):
			all = append(all, name+"="+agent.Digest(value))
		}
	}
	if len(all) == 0 {
		return nothing
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

const envKey = section + ".env"

// pay sees to it that what paid for the session pays for its resume, and that its requests go where they went. What
// the config sets is its user's own word.
func (q *Qwen) pay(p *resume.Plan, r agent.Request) error {
	if p.Auth = "key"; r.Info.Provider == "qwen-oauth" {
		p.Auth = "login"
	}
	had := ""
	if r.Launch != nil {
		had = r.Launch.Pays
	}
	only, told := serverOf[r.Info.Provider]
	told = told && !options.Given(q.cfg.Args)[wayFlag]
	for _, name := range slices.Concat(keyVars, serverVars) {
		value := q.env.Getenv(name)
		isServer := slices.Contains(serverVars, name)
		switch {
		case q.cfg.Env[name] != "":
		case had == "" && isServer && told && name != only: // its requests go another way
		case had == "" && isServer && value != "":
			return q.unfit(r, "nobody saw whether its requests went to the server that "+name+" names in clawd's environment", envKey)
		case had == "":
		case !paid(had, name):
			if value != "" {
				p.Unset = append(p.Unset, name)
			}
		case value == "":
			return q.unfit(r, "it was started with "+name+", which clawd's environment does not have", envKey)
		case isServer && !agent.SameValue(had, name, value):
			return q.unfit(r, "its requests went to another server than the one that "+name+" names in clawd's environment", envKey)
		case !agent.SameValue(had, name, value):
			return q.unfit(r, "it was started with another "+name+" than that of clawd's environment", envKey)
		}
	}
	if q.moved == "" { // else it would look for the session elsewhere
		p.Unset = append(p.Unset, runtimeVar)
	}
	p.Env = q.cfg.Environ(p.Unset, homeVar, q.given)
	return nil
}

// paid tells whether a purse names a variable, with a digest or, for a key in that of an older clawd, without.
func paid(purse, name string) bool {
	return slices.ContainsFunc(strings.Split(purse, ","), func(v string) bool { return v == name || strings.HasPrefix(v, name+"=") })
}
