package agent

import (
	"slices"
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// What a run of clawd's has is its own environment, with the config's on top.
func TestUnlike(t *testing.T) {
	env := Env{Getenv: func(name string) string { return map[string]string{"BOX": "docker", "RULES": "all"}[name] }}
	cfg := Config{Env: map[string]string{"RULES": "few"}}
	for name, c := range map[string]struct{ environ, want []string }{
		"alike":             {[]string{"BOX=docker", "RULES=few", "HOME=/home/dev"}, nil},
		"another value":     {[]string{"BOX=podman", "RULES=few"}, []string{"BOX"}},
		"only the process":  {[]string{"BOX=docker", "RULES=few", "BARE=1"}, []string{"BARE"}},
		"only clawd":        {[]string{"RULES=few"}, []string{"BOX"}},
		"empty is unset":    {[]string{"BOX=docker", "RULES=few", "BARE="}, nil},
		"the config counts": {[]string{"BOX=docker", "RULES=all"}, []string{"RULES"}},
		"it can't be read":  {nil, nil},
	} {
		if got := cfg.Unlike(env, []string{"BOX", "RULES", "BARE"}, c.environ); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A variable that bounded a session is its user's to set: no argument stands for it.
func TestKeptVariable(t *testing.T) {
	l := &detect.Launch{Lost: []string{"BOX_2"}}
	for name, c := range map[string]struct {
		cfg Config
		key string // empty: it is resumed
	}{
		"not set":     {Config{Args: []string{"--box"}}, "agent.x.env"},
		"set":         {Config{Env: map[string]string{"BOX_2": "docker"}}, ""},
		"set to none": {Config{Env: map[string]string{"BOX_2": ""}}, ""},
	} {
		key := ""
		if _, u := (Options{}).Kept(l, c.cfg, "agent.x"); u != nil {
			key = u.Key
		}
		if key != c.key {
			t.Errorf("%s: key %q, want %q", name, key, c.key)
		}
	}
}
