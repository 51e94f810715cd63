package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// expand makes every path absolute that is written from the home folder. What is neither would mean another
// place for each program that reads it.
func (c *Config) expand(home string) error {
	var err error
	path := func(key, value string) string {
		switch {
		case value == "" || filepath.IsAbs(value) || err != nil:
			return value
		case (value == "~" || strings.HasPrefix(value, "~/")) && filepath.IsAbs(home):
			return filepath.Join(home, value[1:])
		}
		err = &KeyError{Key: key, Err: fmt.Errorf("must be an absolute path, or begin with ~/ (got %q)", value)}
		return value
	}
	c.Log.File = path("log.file", c.Log.File)
	c.Watch.IgnoreProjects = slices.Clone(c.Watch.IgnoreProjects)
	for i, p := range c.Watch.IgnoreProjects {
		if p == "" {
			return &KeyError{Key: "watch.ignore_projects", Err: errors.New("an empty path names no project")}
		}
		c.Watch.IgnoreProjects[i] = path("watch.ignore_projects", p)
	}
	if strings.ContainsAny(c.Terminal.TmuxServer, "/~") {
		c.Terminal.TmuxServer = path("terminal.tmux_server", c.Terminal.TmuxServer)
	}
	for _, name := range c.agentNames() {
		a := c.Agent[name]
		a.ConfigDir = path("agent."+name+".config_dir", a.ConfigDir)
		if strings.ContainsAny(a.Command, "/~") { // else it is looked up in PATH
			a.Command = path("agent."+name+".command", a.Command)
		}
		c.Agent[name] = a
	}
	return err
}

func (c Config) agentNames() []string {
	names := make([]string, 0, len(c.Agent))
	for name := range c.Agent {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Problems tells what a config that is good in itself names in vain on this machine, or shows to others. path
// is its file. Each has file, line and key.
func (c Config) Problems(path string) []string {
	text, _ := read(path) // for the lines alone
	var all []string
	say := func(key, format string, args ...any) {
		all = append(all, locate(path, string(text), &KeyError{Key: key, Err: fmt.Errorf(format, args...)}).Error())
	}
	for _, p := range c.Watch.IgnoreProjects {
		if why := noFolder(p); why != "" {
			say("watch.ignore_projects", "%s %s, so it ignores nothing", p, why)
		}
	}
	if dir := filepath.Dir(c.Log.File); c.Log.File != "" {
		if why := noFolder(dir); why != "" {
			say("log.file", "%s %s, so there can be no log", dir, why)
		} else if fi, err := os.Stat(c.Log.File); err == nil && fi.IsDir() {
			say("log.file", "%s is a folder, so there can be no log", c.Log.File)
		}
	}
	for _, name := range c.agentNames() {
		a := c.Agent[name]
		if why := noFolder(a.ConfigDir); a.ConfigDir != "" && why != "" {
			say("agent."+name+".config_dir", "%s %s, so no session is found there", a.ConfigDir, why)
		}
		if _, err := exec.LookPath(a.Command); a.Command != "" && err != nil {
			say("agent."+name+".command", "%v, so no session of it is resumed", err)
		}
	}
	if fi, err := os.Stat(path); err == nil && fi.Mode().Perm()&0o044 != 0 {
		for _, key := range c.secrets() {
			say(key, "others can read this file, and it holds a secret; type: chmod go-r %s", agent.Quote(path))
		}
	}
	return all
}

// secrets names the keys whose values are for nobody else.
func (c Config) secrets() (keys []string) {
	if c.Notify.Webhook != "" {
		keys = append(keys, "notify.webhook")
	}
	for _, name := range c.agentNames() {
		a := c.Agent[name]
		for variable, value := range a.Env {
			if secretVar.MatchString(variable) && !filepath.IsAbs(value) || agent.LooksSecret(value) {
				keys = append(keys, "agent."+name+".env")
				break
			}
		}
		if slices.ContainsFunc(shownArgs(a.Args), func(a string) bool { return strings.HasSuffix(a, hidden) }) {
			keys = append(keys, "agent."+name+".args")
		}
	}
	return keys
}

// Shown is the config without its secrets, as far as they look like some. No value of a variable is in it.
func (c Config) Shown() Config {
	agents := map[string]agent.Config{}
	for name, a := range c.Agent {
		a.Env = maps.Clone(a.Env)
		for k := range a.Env {
			a.Env[k] = hidden
		}
		a.Args = shownArgs(a.Args)
		agents[name] = a
	}
	c.Agent = agents
	return c
}

// hidden is shown in the place of a secret.
const hidden = "(set)"

// What is called so holds a secret: a variable, unless it names a file, and an option.
var (
	secretVar    = lazyregexp.New(`(?i)key|token|secret|passw|credential|cookie|headers|(?:^|_)(?:pass|pwd|auth)(?:_|$)`)
	secretOption = lazyregexp.New(`(?i)^--?(?:[\w-]*-)?(?:api-?key|key|token|secret|password|passwd|pass)$`)
)

// shownArgs are arguments without the secrets among them.
func shownArgs(args []string) []string {
	shown := slices.Clone(args)
	for i, a := range args {
		name, value, joined := strings.Cut(a, "=")
		switch {
		case joined && value != "" && secretOption.MatchString(name):
			shown[i] = name + "=" + hidden
		case agent.LooksSecret(a), i > 0 && secretOption.MatchString(args[i-1]) && !strings.HasPrefix(a, "-"):
			shown[i] = hidden
		}
	}
	return shown
}

// noFolder says why a path is no folder that can be used; empty: it is one.
func noFolder(path string) string {
	fi, err := os.Stat(path)
	if err == nil && fi.IsDir() {
		_, err = os.ReadDir(path)
	}
	switch {
	case err == nil && !fi.IsDir():
		return "is not a folder"
	case err == nil:
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be read by clawd"
	}
	return "cannot be used (" + err.Error() + ")"
}
