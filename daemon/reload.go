package daemon

import (
	"reflect"
	"slices"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/config"
)

// Reload reads the config again. A bad file keeps the old config and says so. What waits is decided anew. again: the new config asks
// for a daemon that starts again, and until then the old one stays in force.
func (d *Daemon) Reload() (again bool) {
	if d.o.Reload == nil {
		return false
	}
	cfg, err := d.o.Reload()
	if err != nil {
		d.log.Error().Str("event", "config_reloaded").Bool("ok", false).Err(err).Msg("the config is bad; the old one stays in force")
		return false
	}
	d.mu.Lock()
	sections := needRestart(d.cfg, cfg)
	if d.o.Moved != nil {
		for _, what := range d.o.Moved() {
			if !slices.Contains(sections, what) {
				sections = append(sections, what)
			}
		}
	}
	if again = len(sections) > 0; !again {
		d.cfg, d.policy = cfg, cfg.Policy()
	}
	d.mu.Unlock()
	if again && d.o.MayRestart != nil {
		if err := d.o.MayRestart(); err != nil {
			d.log.Error().Str("event", "config_reloaded").Bool("ok", false).Strs("restart_for", sections).Err(err).Msg("clawd cannot restart itself; the old config stays in force")
			return false
		}
	}
	if again {
		d.log.Info().Str("event", "config_reloaded").Bool("ok", true).Strs("restart_for", sections).Msg("clawd restarts itself for the new config")
		return true
	}
	d.log.Info().Str("event", "config_reloaded").Bool("ok", true).Msg("the config is in force")
	d.tellConfig()
	signal(d.renewed)
	return false
}

// renew has every session that is open decided anew.
func (l *loop) renew() {
	l.w.Config, l.w.Policy = l.d.settings()
	for _, s := range l.sorted() {
		l.step(s, machine.Renewed{})
	}
}

// tellConfig says what the config names in vain on this machine.
func (d *Daemon) tellConfig() {
	cfg, _ := d.settings()
	for _, problem := range cfg.Problems(d.o.ConfigPath) {
		d.log.Warn().Str("event", "config_problem").Str("why", problem).Msg("the config asks for something that is not there, or shows a secret")
	}
}

// needRestart names the changed sections that a running daemon cannot take over.
func needRestart(old, now config.Config) []string {
	var sections []string
	for _, s := range []struct {
		name string
		a, b any
	}{
		{"log", old.Log, now.Log}, {"agent", old.Agent, now.Agent}, {"watch.agents", old.Watch.Agents, now.Watch.Agents},
		{"watch.rescan", old.Watch.Rescan, now.Watch.Rescan}, {"watch.zone", old.Watch.Zone, now.Watch.Zone},
		{"resume.dry_run", old.Resume.DryRun, now.Resume.DryRun},
	} {
		if !reflect.DeepEqual(s.a, s.b) {
			sections = append(sections, s.name)
		}
	}
	return sections
}
