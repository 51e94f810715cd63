// Package all lists the agents that clawd knows. Adding one is one line here.
package all

import (
	"fmt"
	"maps"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/agent/codex"
	"github.com/clawd-project/clawd/agent/gemini"
	"github.com/clawd-project/clawd/agent/opencode"
)

var known = []struct {
	name string
	open func(env agent.Env, cfg agent.Config) agent.Agent
}{
	{"claude", func(e agent.Env, c agent.Config) agent.Agent { return claude.New(e, c) }},
	{"opencode", func(e agent.Env, c agent.Config) agent.Agent { return opencode.New(e, c) }},
	{"codex", func(e agent.Env, c agent.Config) agent.Agent { return codex.New(e, c) }},
	{"gemini", func(e agent.Env, c agent.Config) agent.Agent { return gemini.New(e, c) }},
}

// Names of the agents, in order.
func Names() []string {
	names := make([]string, 0, len(known))
	for _, k := range known {
		names = append(names, k.name)
	}
	return names
}

// New gives every agent, in the order of Names, with its section of cfgs or the zero Config. A
// section of an agent that clawd does not know is an error. Whether an agent is wanted at all
// (Config.Enabled) is for the caller to decide.
func New(env agent.Env, cfgs map[string]agent.Config) ([]agent.Agent, error) {
	names := Names()
	for _, n := range slices.Sorted(maps.Keys(cfgs)) {
		if !slices.Contains(names, n) {
			return nil, fmt.Errorf("agent %q is not known; known are %q", n, names)
		}
	}
	agents := make([]agent.Agent, 0, len(known))
	for _, k := range known {
		agents = append(agents, k.open(env, cfgs[k.name]))
	}
	return agents, nil
}
