package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// What a run of clawd's has is its own environment; what the config sets is its user's word.
func TestUnlike(t *testing.T) {
	env := Env{Home: "/home/dev", Getenv: func(name string) string {
		return map[string]string{"BOX": "docker", "XDG_CONFIG_HOME": "/home/dev/.config/"}[name]
	}}
	cfg := Config{Env: map[string]string{"RULES": "few"}}
	names := []string{"BOX", "RULES", "BARE", "XDG_CONFIG_HOME"}
	for name, c := range map[string]struct {
		environ, want []string
		bound         bool
	}{
		"alike":              {[]string{"BOX=docker", "RULES=few", "HOME=/home/dev"}, nil, true},
		"another value":      {[]string{"BOX=podman"}, []string{"BOX"}, true},
		"only the process":   {[]string{"BOX=docker", "BARE=1"}, []string{"BARE"}, true},
		"only clawd":         {[]string{"HOME=/home/dev"}, []string{"BOX"}, false},
		"empty is unset":     {[]string{"BOX=docker", "BARE="}, nil, true},
		"so is none":         {[]string{"BOX=docker", "BARE={ }"}, nil, true},
		"so is the default":  {[]string{"BOX=docker", "XDG_CONFIG_HOME=/home/dev/.config"}, nil, true},
		"another config":     {[]string{"BOX=docker", "XDG_CONFIG_HOME=/tmp"}, []string{"XDG_CONFIG_HOME"}, true},
		"the config's word":  {[]string{"BOX=docker", "RULES=all"}, nil, true},
		"two":                {[]string{"BOX=podman", "BARE=1"}, []string{"BARE", "BOX"}, true},
		"it can't be read":   {nil, nil, false},
		"a name alone":       {[]string{"BOX"}, []string{"BOX"}, false},
		"a name's beginning": {[]string{"BO=docker", "BOX=docker", "BOXES=1"}, nil, true},
	} {
		bounds := env.Bounds(names, c.environ)
		if got := cfg.Unlike(env, bounds); !slices.Equal(got, c.want) || Bound(bounds) != c.bound {
			t.Errorf("%s: %q, want %q; bounds %q", name, got, c.want, bounds)
		}
		for _, hash := range bounds {
			if strings.ContainsAny(hash, "ghijklmnopqrstuvwxyz/") { // which no hash has
				t.Errorf("%s: a value is kept: %q", name, hash)
			}
		}
	}
}

// A variable that bounded a session is its user's to set: no argument stands for it. What counts is clawd's environment at the resume, not at
// the look: a clawd that was started in a shell may have become a service meanwhile.
func TestKeptVariable(t *testing.T) {
	with := func(value string) Env { return Env{Getenv: func(string) string { return value }} }
	seen := &detect.Launch{Bounds: with("").Bounds([]string{"BOX_2"}, []string{"BOX_2=docker"})}
	plain := &detect.Launch{Bounds: with("").Bounds([]string{"BOX_2"}, []string{"A=b"})}
	for name, c := range map[string]struct {
		launch *detect.Launch
		env    Env
		cfg    Config
		key    string // empty: it is resumed
	}{
		"alike":              {seen, with("docker"), Config{}, ""},
		"not set any more":   {seen, with(""), Config{Args: []string{"--box"}}, "agent.x.env"},
		"another value":      {seen, with("podman"), Config{}, "agent.x.env"},
		"set":                {seen, with(""), Config{Env: map[string]string{"BOX_2": "docker"}}, ""},
		"set to none":        {seen, with(""), Config{Env: map[string]string{"BOX_2": ""}}, ""},
		"never set":          {plain, with(""), Config{}, ""},
		"clawd's alone":      {plain, with("docker"), Config{}, "agent.x.env"},
		"an older clawd's":   {&detect.Launch{Lost: []string{"BOX_2"}}, with("docker"), Config{}, "agent.x.env"},
		"an older one's set": {&detect.Launch{Lost: []string{"BOX_2"}}, with(""), Config{Env: map[string]string{"BOX_2": "docker"}}, ""},
		"several":            {&detect.Launch{Bounds: map[string]string{"BOX_2": several}}, with("docker"), Config{}, "agent.x.env"},
	} {
		key := ""
		if _, u := (Options{}).Kept(c.launch, c.env, c.cfg, "agent.x"); u != nil {
			key = u.Key
		}
		if key != c.key {
			t.Errorf("%s: key %q, want %q", name, key, c.key)
		}
	}
}
