package pi

import (
	"errors"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// What clawd says to type finds the session where the config, or clawd's own environment, has the agent's folder.
func TestTypedFindsTheFolder(t *testing.T) {
	r := agent.Request{Session: detect.Session{ID: "5c0bd4d0-0000-4000-8000-000000000001"}, Info: detect.Info{Dir: "/home/dev/my app"}}
	nothing := func(string) string { return "" }
	for _, c := range []struct {
		cfg    agent.Config
		getenv func(string) string
		want   string
	}{
		{agent.Config{}, nothing, ""},
		{agent.Config{ConfigDir: "/srv/my pi"}, nothing, "PI_CODING_AGENT_DIR='/srv/my pi' "},
		{agent.Config{Env: map[string]string{"PI_CODING_AGENT_DIR": "/srv/my pi", "X_API_KEY": "hunter2"}}, nothing, "PI_CODING_AGENT_DIR='/srv/my pi' "},
		{agent.Config{}, func(name string) string { return map[string]string{"PI_CODING_AGENT_DIR": "/srv/my pi"}[name] }, "PI_CODING_AGENT_DIR='/srv/my pi' "},
		{agent.Config{Command: "/opt/pi", ConfigDir: "/srv/my pi"}, nothing, "PI_CODING_AGENT_DIR='/srv/my pi' /opt/"},
	} {
		a := New(agent.Env{Home: "/home/dev", Getenv: c.getenv}, c.cfg)
		unfit := (*agent.Unfit)(nil)
		want := "cd '/home/dev/my app' && " + c.want + "pi --session 5c0bd4d0-0000-4000-8000-000000000001"
		if !errors.As(error(a.unfit(r, "")), &unfit) || unfit.Command != want {
			t.Errorf("%+v: %v, want %s", c.cfg, unfit, want)
		}
	}
}
