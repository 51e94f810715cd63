package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/internal/config"
)

// globals are the flags that every command has.
type globals struct{ config string }

// load reads the config: the one that was named, which must be there, else the usual one, which
// need not be.
func (g *globals) load() (config.Config, string, error) { return g.loadAgain(false) }

// loadAgain is load for a clawd that has run with a config: had says that it was there.
func (g *globals) loadAgain(had bool) (config.Config, string, error) {
	path, must := g.config, true
	if path == "" {
		path, must = config.Path(os.Getenv), had || os.Getenv("CLAWD_CONFIG") != ""
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return config.Config{}, path, err
	}
	c, err := config.Load(path, must, all.Names())
	if had && errors.Is(err, fs.ErrNotExist) { // it may be gone for a moment, and with it what its user forbade
		err = fmt.Errorf("%s is gone; for the defaults make an empty one", path)
	}
	if err != nil {
		return c, path, usage(err)
	}
	return c, path, nil
}

// checkHome refuses to take the folder that a command happens to be run in for the user's home: its config would not be
// the user's, and two clawds in two folders would not know of each other.
func checkHome() error {
	home := os.Getenv("HOME")
	switch {
	case home == "":
		return usage(errors.New("HOME is not set; set it to the absolute path of your home folder"))
	case !filepath.IsAbs(home):
		return usage(fmt.Errorf("HOME is %q; set it to the absolute path of your home folder", home))
	}
	return nil
}

// paths of this user.
//
// marks is where every clawd of the user meets, whatever its state folder: two that did not know of
// each other would both start the same session.
type paths struct{ state, marks, socket string }

// wraps is where the terminals of clawd wrap are registered: a daemon that has another runtime folder, or
// none, finds them, too.
func (p paths) wraps() string { return filepath.Join(p.marks, "wraps") }

// lock tells who the user's daemon is.
func (p paths) lock() string { return filepath.Join(p.marks, daemon.LockName) }

func userPaths() paths { return pathsOn(runtime.GOOS, os.Getenv) }

func pathsOn(system string, getenv func(string) string) paths {
	p := paths{state: config.Dir(getenv, "XDG_STATE_HOME", ".local/state"), marks: filepath.Join(getenv("HOME"), ".local", "state", "clawd")}
	run := getenv("XDG_RUNTIME_DIR")
	if system == "darwin" {
		p.marks, run = filepath.Join(getenv("HOME"), "Library", "Application Support", "clawd"), ""
		if getenv("XDG_STATE_HOME") == "" {
			p.state = p.marks
		}
	}
	if p.socket = filepath.Join(p.state, "clawd.sock"); filepath.IsAbs(run) { // else no login session: the state folder is ours alone, too
		p.socket = filepath.Join(run, "clawd", "clawd.sock")
	}
	return p
}

// agentEnv is the machine as the agents see it.
func agentEnv(c config.Config) agent.Env {
	e := agent.Env{Home: os.Getenv("HOME"), Getenv: os.Getenv, Procs: agent.NewProcs()}
	if c.Watch.Zone != "" {
		e.Zone, _ = time.LoadLocation(c.Watch.Zone) // validated with the config
	}
	return e
}
