package agenttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// TypedSession is the session that Typed asks for.
const TypedSession = "5c0bd4d0-0000-4000-8000-000000000001"

// Typed checks that what clawd says to type finds the session where the config, or clawd's own environment, has the agent's folder.
// A variable is by what the agent is told of its folder, value what it has for dir, command what goes on with TypedSession there; unfit
// asks the agent for an *agent.Unfit.
func Typed(t *testing.T, variable, value, dir, command string, unfit func(agent.Env, agent.Config, agent.Request) error) {
	t.Helper()
	r := agent.Request{Session: detect.Session{ID: TypedSession}, Info: detect.Info{Dir: "/home/dev/my app"}}
	set := variable + "='" + value + "' "
	nothing := func(string) string { return "" }
	for _, c := range []struct {
		cfg    agent.Config
		getenv func(string) string
		want   string
	}{
		{agent.Config{}, nothing, ""},
		{agent.Config{ConfigDir: dir}, nothing, set},
		{agent.Config{Env: map[string]string{variable: value, "X_API_KEY": "hunter2"}}, nothing, set},
		{agent.Config{}, func(name string) string { return map[string]string{variable: value}[name] }, set},
		{agent.Config{Command: "/opt/program", ConfigDir: dir}, nothing, set},
	} {
		name, rest, _ := strings.Cut(command, " ")
		if c.cfg.Command != "" {
			name = c.cfg.Command
		}
		want, found := "cd '/home/dev/my app' && "+c.want+name+" "+rest, (*agent.Unfit)(nil)
		if err := unfit(agent.Env{Home: "/home/dev", Getenv: c.getenv}, c.cfg, r); !errors.As(err, &found) || found.Command != want {
			t.Errorf("%+v: %v, want %s", c.cfg, found, want)
		}
	}
}
