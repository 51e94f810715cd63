package claude

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

const (
	otherServer = "ANTHROPIC_BASE_URL=https://api.z.ai/api/anthropic"
	otherToken  = "ANTHROPIC_AUTH_TOKEN=zai-dummy"
)

// variables are those of a config.
func variables(vars ...string) agent.Config {
	env := map[string]string{}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return agent.Config{Env: env}
}

// Plans of other providers run in Claude Code by a server and a key, beside a claude.ai login, and have windows that are used up. The login goes to no
// server but Anthropic's, unless it was seen to.
func TestLoginGoesToNoOtherServer(t *testing.T) {
	zai, none := []string{otherServer, otherToken}, []string{"A=b"}
	used := detect.Stop{State: detect.Stopped, Reason: detect.UsageLimit, Status: 429}
	rate := detect.Stop{State: detect.Stopped, Reason: detect.RateLimit}
	for _, c := range []struct {
		name     string
		ran      []string // environment of its process; nil: not seen
		terminal bool
		vars     []string // clawd's
		cfg      []string
		stop     detect.Stop
		auth     string // empty: left
	}{
		{"a key, window used up", zai, false, zai, nil, used, key},
		{"a key, window used up, both from the config", zai, false, nil, zai, used, key},
		{"a key, window used up, and clawd has no key", zai, false, []string{otherServer}, nil, used, ""},
		{"not seen, window used up, both from the config", nil, false, nil, zai, used, key},
		{"not seen, both from the config", nil, false, nil, zai, rate, key},
		{"not seen, window used up, key from clawd's environment", nil, false, []string{otherToken}, []string{otherServer}, used, ""},
		{"not seen, key from clawd's environment", nil, false, []string{otherToken}, []string{otherServer}, rate, ""},
		{"not seen, server from clawd's environment", nil, false, zai, nil, used, ""},
		{"a terminal, window used up, key from clawd's environment", zai, true, []string{otherToken}, []string{otherServer}, used, ""},
		{"a login at Anthropic's, and the config has a server", none, false, nil, []string{otherServer}, rate, ""},
		{"a login at Anthropic's, and the config has a server and a key", none, false, nil, zai, used, ""},
		{"a login at that server", []string{otherServer}, false, nil, []string{otherServer}, rate, login},
		{"not seen, and the config has Anthropic's own server", nil, false, nil, []string{"ANTHROPIC_BASE_URL=https://api.anthropic.com"}, rate, login},
		{"a login at Anthropic's own server, by name", []string{"ANTHROPIC_BASE_URL=https://api.anthropic.com/"}, false, nil, nil, rate, login},
		{"not seen, and clawd has Anthropic's own server", nil, false, []string{"ANTHROPIC_BASE_URL=https://api.anthropic.com"}, nil, rate, login},
		{"not seen, and the config has its address without TLS", nil, false, nil, []string{"ANTHROPIC_BASE_URL=http://api.anthropic.com"}, rate, ""},
		{"not seen, and the config has no address", nil, false, nil, []string{"ANTHROPIC_BASE_URL=%"}, rate, ""},
	} {
		root := t.TempDir()
		put(t, root+"/.credentials.json", "never read")
		r := request(t, root)
		r.Stop = c.stop
		a := over(root, table{}, variables(c.cfg...), c.vars...)
		r.Launch.Pays = a.purse(c.ran, !c.terminal)
		p, err := a.Plan(r)
		var u *agent.Unfit
		switch {
		case c.auth == "" && (!errors.As(err, &u) || u.Key != "agent.claude.env"):
			t.Errorf("%s: paid by %s, %v; want it left", c.name, p.Auth, err)
		case c.auth == "":
		case err != nil || p.Auth != c.auth || slices.Contains(p.Unset, "ANTHROPIC_AUTH_TOKEN") != (c.auth == login):
			t.Errorf("%s: paid by %s without %q, %v; want %s", c.name, p.Auth, p.Unset, err, c.auth)
		}
	}
}

// On a Mac the login lies in the key chain, and the global file alone names its account. A key around it does not pay.
func TestLoginWithoutAFile(t *testing.T) {
	const keyVar = "ANTHROPIC_API_KEY=k"
	account := `{"hasCompletedOnboarding":true,"oauthAccount":{"accountUuid":"x","emailAddress":"a@b"}}`
	for _, c := range []struct {
		name, global, inside string // the global files in the home folder, and in the agent's own; empty: none
		configured           bool   // the config names the agent's folder
		folder               string
		auth                 string
	}{
		{"none", "", "", false, ".claude", key},
		{"an account", account, "", false, ".claude", login},
		{"no account", `{"hasCompletedOnboarding":true}`, "", false, ".claude", key},
		{"a logout", `{"oauthAccount":null}`, "", false, ".claude", key},
		{"it can't be read", "{", "", false, ".claude", login},
		{"the usual folder by the config", account, "", true, ".claude", login},
		{"another folder", account, "", true, "other", key},
		{"another folder, with an account", "", account, true, "other", login},
	} {
		home := t.TempDir()
		root := filepath.Join(home, c.folder)
		for path, text := range map[string]string{home: c.global, root: c.inside} {
			if text != "" {
				put(t, filepath.Join(path, ".claude.json"), text)
			}
		}
		a := over(root, table{}, agent.Config{}, keyVar)
		if !c.configured {
			a = New(agent.Env{Home: home, Getenv: a.env.Getenv, Procs: table{}}, agent.Config{})
		}
		r := request(t, root)
		for _, pays := range []string{"", a.purse([]string{keyVar}, false)} { // not seen; a terminal, whose user may have refused the key
			r.Launch.Pays = pays
			if p, err := a.Plan(r); err != nil || p.Auth != c.auth {
				t.Errorf("%s, %q seen: paid by %s, %v; want %s", c.name, pays, p.Auth, err, c.auth)
			}
		}
	}
	// It is read again when it was written.
	home := t.TempDir()
	a := over(filepath.Join(home, ".claude"), table{}, agent.Config{}, keyVar)
	before := a.auth()
	put(t, filepath.Join(home, ".claude.json"), account)
	if after := a.auth(); before != key || after != login {
		t.Errorf("%s pays, and %s after a login", before, after)
	}
}

// Another account of the same kind does not pay, nor do requests go to another server.
func TestAccountIsKept(t *testing.T) {
	const token, bedrock, vertex = "CLAUDE_CODE_OAUTH_TOKEN=company", "CLAUDE_CODE_USE_BEDROCK=1", "CLAUDE_CODE_USE_VERTEX=1"
	for _, c := range []struct {
		name  string
		ran   []string
		vars  []string // clawd's
		cfg   []string
		left  bool
		unset string // a variable that is taken away
	}{
		{"a token, and clawd has it", []string{token}, []string{token}, nil, false, ""},
		{"a token, and clawd has none", []string{token}, nil, nil, true, ""},
		{"a token, and clawd has another", []string{token}, []string{token + "-2"}, nil, true, ""},
		{"a token, and the config has one", []string{token}, nil, []string{token}, false, ""},
		{"a token in a file of its own", []string{loginVar + "_FILE_DESCRIPTOR=3"}, nil, nil, true, ""},
		{"the stored login, and clawd has a token", []string{"A=b"}, []string{token}, nil, false, loginVar},
		{"a server", []string{otherServer, otherToken}, []string{otherServer, otherToken}, nil, false, ""},
		{"another server", []string{otherServer, otherToken}, []string{"ANTHROPIC_BASE_URL=https://api.moonshot.ai/anthropic", otherToken}, nil, true, ""},
		{"a login at another server, by the config", []string{otherServer}, nil, []string{"ANTHROPIC_BASE_URL=https://api.moonshot.ai/anthropic"}, true, ""},
		{"another key there", []string{otherServer, otherToken}, []string{otherServer, otherToken + "-2"}, nil, true, ""},
		{"another key", []string{"ANTHROPIC_API_KEY=company"}, []string{"ANTHROPIC_API_KEY=private"}, nil, true, ""},
		{"another key, by the config", []string{"ANTHROPIC_API_KEY=company"}, nil, []string{"ANTHROPIC_API_KEY=private"}, false, ""},
		{"a key, and clawd has one of another kind, too", []string{"ANTHROPIC_API_KEY=k"}, []string{"ANTHROPIC_API_KEY=k", otherToken}, nil, false, "ANTHROPIC_AUTH_TOKEN"},
		{"another profile", []string{bedrock, "AWS_PROFILE=client-a"}, []string{bedrock, "AWS_PROFILE=client-b"}, nil, true, ""},
		{"a profile, and clawd has none", []string{bedrock, "AWS_PROFILE=client-a", "AWS_REGION=eu-west-1"}, []string{bedrock}, nil, true, ""},
		{"no profile, and clawd has one", []string{bedrock}, []string{bedrock, "AWS_PROFILE=client-b"}, nil, false, "AWS_PROFILE"},
		{"another project", []string{vertex, "ANTHROPIC_VERTEX_PROJECT_ID=a"}, []string{vertex, "ANTHROPIC_VERTEX_PROJECT_ID=b"}, nil, true, ""},
		{"a profile of a cloud that does not pay", []string{vertex, "AWS_PROFILE=client-a"}, []string{vertex}, nil, false, ""},
	} {
		root := t.TempDir()
		put(t, filepath.Join(root, ".credentials.json"), "never read")
		r := request(t, root)
		a := over(root, table{}, variables(c.cfg...), c.vars...)
		r.Launch.Pays = a.purse(c.ran, true)
		p, err := a.Plan(r)
		var u *agent.Unfit
		if errors.As(err, &u) != c.left || c.left && u.Key != "agent.claude.env" || c.unset != "" && !slices.Contains(p.Unset, c.unset) {
			t.Errorf("%s: paid by %s without %q, %v", c.name, p.Auth, p.Unset, err)
		}
		for _, kv := range slices.Concat(c.ran, c.vars) {
			if _, value, _ := strings.Cut(kv, "="); len(value) > 4 && strings.Contains(r.Launch.Pays, value) {
				t.Errorf("%s: %q is kept", c.name, r.Launch.Pays)
			}
		}
		// A clawd before this one noted less.
		if r.Launch.Pays = agent.Payer(r.Launch.Pays); c.left && slices.Contains(c.vars, bedrock) {
			if _, err := a.Plan(r); err != nil {
				t.Errorf("%s, by an old record: %v", c.name, err)
			}
		}
	}
}

// In a terminal with a key, at Anthropic's, a server with a key that the config names is not what was waited for.
func TestTerminalAtAnthropicsWaitsForItsPlan(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, ".credentials.json"), "never read")
	r := request(t, root)
	r.Stop.Reason, r.Stop.Status = detect.UsageLimit, 429
	a := over(root, table{}, variables(otherServer, otherToken))
	r.Launch.Pays = a.purse([]string{"ANTHROPIC_API_KEY=k"}, false)
	var u *agent.Unfit
	if p, err := a.Plan(r); !errors.As(err, &u) {
		t.Errorf("paid by %s, %v", p.Auth, err)
	}
}
