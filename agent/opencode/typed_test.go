package opencode

import (
	"errors"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// What clawd says to type finds the session where the config, or clawd's own environment, has the agent's folder.
func TestTypedFindsTheFolder(t *testing.T) {
	r := agent.Request{Session: detect.Session{ID: "ses_1"}, Info: detect.Info{Dir: "/home/dev/my app"}}
	nothing := func(string) string { return "" }
	for _, c := range []struct {
		cfg    agent.Config
		getenv func(string) string
		want   string
	}{
		{agent.Config{}, nothing, ""},
		{agent.Config{ConfigDir: "/srv/my oc/opencode"}, nothing, "XDG_DATA_HOME='/srv/my oc' "},
		{agent.Config{Env: map[string]string{"XDG_DATA_HOME": "/srv/my oc", "X_API_KEY": "hunter2"}}, nothing, "XDG_DATA_HOME='/srv/my oc' "},
		{agent.Config{}, func(name string) string { return map[string]string{"XDG_DATA_HOME": "/srv/my oc"}[name] }, "XDG_DATA_HOME='/srv/my oc' "},
		{agent.Config{Command: "/opt/opencode", ConfigDir: "/srv/my oc/opencode"}, nothing, "XDG_DATA_HOME='/srv/my oc' /opt/"},
	} {
		a := New(agent.Env{Home: "/home/dev", Getenv: c.getenv}, c.cfg)
		unfit := (*agent.Unfit)(nil)
		want := "cd '/home/dev/my app' && " + c.want + "opencode --session ses_1"
		if !errors.As(error(a.RoleGone(r)), &unfit) || unfit.Command != want {
			t.Errorf("%+v: %v, want %s", c.cfg, unfit, want)
		}
	}
}
