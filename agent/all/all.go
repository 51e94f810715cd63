// Package all lists the agents that clawd knows. Adding one is one line here.
package all

import (
	"fmt"
	"maps"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/agent/codex"
	"github.com/clawd-project/clawd/agent/copilot"
	"github.com/clawd-project/clawd/agent/gemini"
	"github.com/clawd-project/clawd/agent/opencode"
	"github.com/clawd-project/clawd/agent/pi"
	"github.com/clawd-project/clawd/agent/qwen"
)

// Kinds gives the agents, in order.
func Kinds() []agent.Kind {
	return []agent.Kind{claude.Kind, opencode.Kind, codex.Kind, copilot.Kind, gemini.Kind, pi.Kind, qwen.Kind}
}

// Names of the agents, in order.
func Names() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// Kind gives the agent with a name.
func Kind(name string) (agent.Kind, error) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
	}
	return agent.Kind{}, fmt.Errorf("agent %q is not known; known are %q", name, Names())
}

// Environ is an environment for the children of clawd, without the marks of any agent.
func Environ(environ []string) []string {
	for _, k := range Kinds() {
		environ = agent.Unmarked(environ, k.Marks)
	}
	return environ
}

// Vars are the variables that say where the agents keep their files.
func Vars() []string {
	var vars []string
	for _, k := range Kinds() {
		vars = append(vars, k.Vars...)
	}
	return vars
}

// New gives every agent, in the order of Names, with its section of cfgs or the zero Config. A
// section of an agent that clawd does not know is an error. Whether an agent is wanted at all
// (Config.Enabled) is for the caller to decide.
func New(env agent.Env, cfgs map[string]agent.Config) ([]agent.Agent, error) {
	for _, name := range slices.Sorted(maps.Keys(cfgs)) {
		if _, err := Kind(name); err != nil {
			return nil, err
		}
	}
	var agents []agent.Agent
	for _, k := range Kinds() {
		agents = append(agents, k.Open(env, cfgs[k.Name]))
	}
	return agents, nil
}
