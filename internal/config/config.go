// Package config is clawd's one TOML file: defaults, strict decoding, validation.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Duration is a length of time, written as text: "30s", "2h", "1h30m". A bare number is refused,
// for it would be taken as nanoseconds.
type Duration time.Duration

// UnmarshalText reads Go's form of a duration.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a length of time such as \"30s\", \"5m\" or \"2h\"", b)
	}
	*d = Duration(v)
	return nil
}

// MarshalText gives the shortest form.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Choice is a word out of a list; Check says which.
func choice(key, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return &KeyError{Key: key, Err: fmt.Errorf("%q is not one of %s", value, strings.Join(allowed, ", "))}
}

// Config is the whole file. Its tags are the documented keys.
type Config struct {
	Log      Log                     `toml:"log"`
	Watch    Watch                   `toml:"watch"`
	Resume   Resume                  `toml:"resume"`
	Terminal Terminal                `toml:"terminal"`
	Budget   Budget                  `toml:"budget"`
	Notify   Notify                  `toml:"notify"`
	Agent    map[string]agent.Config `toml:"agent"`
}

// Terminal is the [terminal] section: sessions that are open in one.
type Terminal struct {
	Enabled    bool   `toml:"enabled"`     // type the prompt there, when nothing speaks against it
	TmuxServer string `toml:"tmux_server"` // socket path or name, where an agent's environment does not tell it
}

// Notify is the [notify] section: how the user is told, besides the log.
type Notify struct {
	Desktop bool   `toml:"desktop"`
	Webhook Secret `toml:"webhook"` // an http or https URL; empty: none
}

// Secret is a text that is shown nowhere.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(set)"
}

// GoString hides it from %#v, too.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Log is the [log] section.
type Log struct {
	Level  string `toml:"level"`
	Format string `toml:"format"`
	File   string `toml:"file"`
}

// Watch is the [watch] section.
type Watch struct {
	Agents         any      `toml:"agents"` // "auto" or a list of names
	Rescan         Duration `toml:"rescan"`
	IgnoreProjects []string `toml:"ignore_projects"`
	MaxStopAge     Duration `toml:"max_stop_age"`
	Zone           string   `toml:"zone"`
}

// Resume is the [resume] section.
type Resume struct {
	Prompt        string                 `toml:"prompt"`
	Backoff       resume.BackoffKind     `toml:"backoff"`
	Base          Duration               `toml:"base"`
	Cap           Duration               `toml:"cap"`
	Jitter        float64                `toml:"jitter"`
	MaxAttempts   int                    `toml:"max_attempts"`
	Margin        Duration               `toml:"margin"`
	Probe         []Duration             `toml:"probe"`
	GiveUpAfter   Duration               `toml:"give_up_after"`
	Stagger       Duration               `toml:"stagger"`
	Grace         Duration               `toml:"grace"`
	MaxInlineWait Duration               `toml:"max_inline_wait"`
	AfterQuit     string                 `toml:"after_quit"`
	AfterHangup   string                 `toml:"after_hangup"`
	WhenLimited   string                 `toml:"when_limited"` // "wait" or "handoff:" and an agent's name
	MaxOverdue    Duration               `toml:"max_overdue"`
	MaxParallel   int                    `toml:"max_parallel"`
	Stall         Duration               `toml:"stall"`
	Timeout       Duration               `toml:"timeout"`
	DryRun        bool                   `toml:"dry_run"`
	Reasons       map[string]resume.Kind `toml:"reasons"`
	Fresh         Fresh                  `toml:"fresh"`
}

// Fresh is the [resume.fresh] section.
type Fresh struct {
	Prompt       string `toml:"prompt"`
	NextStepFile string `toml:"next_step_file"`
	Backups      int    `toml:"backups"`
}

// Budget is the [budget] section.
type Budget struct {
	MaxResumesPerDay      int     `toml:"max_resumes_per_day"`
	MaxResumesPerDayTotal int     `toml:"max_resumes_per_day_total"`
	MaxCostUSD            float64 `toml:"max_cost_usd"`
}

// DefaultFreshPrompt is the hand-off to a fresh session.
const DefaultFreshPrompt = `You take over from an earlier session of this project that cannot go on.

Project folder: {{.Project}}
Earlier session: {{.Session}}
Its transcript, to read where you need it: {{.Transcript}}
{{- if .NextStep}}
Notes on the next step: {{.NextStep}}
{{- end}}

The last thing that the user asked for there, as a quotation:

{{.LastPrompt}}

Look at the state of the project folder first; part of the work may be done. Then go on with it.
`

// Default is the config of an empty file.
func Default() Config {
	p, reasons := resume.DefaultPolicy(), map[string]resume.Kind{}
	for r, k := range p.Reasons {
		if r != detect.Interrupted && r != detect.Completed { // never anything but leave
			reasons[string(r)] = k
		}
	}
	var probe []Duration
	for _, d := range p.Probe {
		probe = append(probe, Duration(d))
	}
	return Config{
		Log:   Log{Level: "info", Format: "auto"},
		Watch: Watch{Agents: "auto", Rescan: Duration(30 * time.Second), IgnoreProjects: []string{}, MaxStopAge: Duration(p.MaxStopAge)},
		Resume: Resume{
			Prompt: "continue", Backoff: p.Backoff.Kind, Base: Duration(p.Backoff.Base), Cap: Duration(p.Backoff.Cap),
			Jitter: p.Backoff.Jitter, MaxAttempts: p.MaxAttempts, Margin: Duration(p.Margin), Probe: probe,
			GiveUpAfter: Duration(p.GiveUpAfter), Stagger: Duration(5 * time.Second), Grace: Duration(p.Grace),
			AfterQuit: "leave", AfterHangup: "resume", WhenLimited: "wait", MaxOverdue: Duration(p.MaxOverdue), MaxParallel: 3,
			Stall: Duration(30 * time.Minute), Reasons: reasons,
			Fresh: Fresh{Prompt: DefaultFreshPrompt, Backups: 10},
		},
		Terminal: Terminal{Enabled: true},
		Notify:   Notify{Desktop: true},
		Budget:   Budget{MaxResumesPerDay: 12, MaxResumesPerDayTotal: 100},
		Agent:    map[string]agent.Config{},
	}
}

// Path is where the config lies when nothing else is said.
func Path(getenv func(string) string) string {
	if p := getenv("CLAWD_CONFIG"); p != "" {
		return p
	}
	return filepath.Join(Dir(getenv, "XDG_CONFIG_HOME", ".config"), "config.toml")
}

// Dir is one of clawd's folders after the XDG rules.
func Dir(getenv func(string) string, variable, below string) string {
	base := getenv(variable)
	if !filepath.IsAbs(base) {
		base = filepath.Join(getenv("HOME"), below)
	}
	return filepath.Join(base, "clawd")
}

// Load reads the file on top of the defaults. A file that is not there is an empty one, unless
// must is set. agents lists the agents that clawd knows.
func Load(path string, must bool, agents []string) (Config, error) {
	text, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return Default(), nil
	case err != nil:
		return Config{}, fmt.Errorf("the config cannot be read: %w", err)
	}
	c, err := Parse(string(text), agents)
	if err != nil {
		return c, locate(path, string(text), err)
	}
	if err := ownFile(path); err != nil {
		return c, err
	}
	return c, nil
}

// maxSize bounds a config file.
const maxSize = 1 << 20

// read gives the text of the file. A pipe is refused: it would keep clawd waiting for a writer, and has nothing left to give at the next look.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if fi.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, fmt.Errorf("%s is a pipe; clawd reads its config more than once, so put it into a file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%s is longer than %d bytes", path, maxSize)
	}
	return text, err
}

// Parse reads the text of a config.
func Parse(text string, agents []string) (Config, error) {
	c := Default()
	// Maps and lists of the defaults would be merged into, so that the file could not take out.
	md, err := toml.Decode(text, &c)
	if err != nil {
		return c, err
	}
	if err := tables(md, agents); err != nil {
		return c, err
	}
	if extra := md.Undecoded(); len(extra) > 0 {
		key := extra[0].String()
		return c, &KeyError{Key: key, Err: fmt.Errorf("there is no such key%s", near(key))}
	}
	for name := range c.Agent {
		if !slices.Contains(agents, name) {
			return c, &KeyError{Key: "agent." + name, Err: fmt.Errorf("there is no such agent; known are %s", strings.Join(agents, ", "))}
		}
	}
	if err := c.expand(os.Getenv("HOME")); err != nil {
		return c, err
	}
	return c, c.validate(agents)
}

// Agents lists the names that [watch] agents allows out of the known ones.
func (c Config) Agents(known []string) []string {
	list, ok := c.Watch.Agents.([]any)
	if !ok {
		return known
	}
	var names []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			names = append(names, s)
		}
	}
	return names
}

func (c Config) validate(known []string) error {
	r := c.Resume
	at := func(key, format string, args ...any) error {
		return &KeyError{Key: key, Err: fmt.Errorf(format, args...)}
	}
	switch list, ok := c.Watch.Agents.([]any); {
	case !ok && c.Watch.Agents != "auto":
		return at("watch.agents", "must be \"auto\" or a list of names")
	case ok:
		for _, v := range list {
			if s, _ := v.(string); !slices.Contains(known, s) {
				return at("watch.agents", "%v is not an agent; known are %s", v, strings.Join(known, ", "))
			}
		}
	}
	if z := c.Watch.Zone; z != "" {
		if _, err := time.LoadLocation(z); err != nil || z == "Local" {
			return at("watch.zone", "%q is not a time zone such as \"Europe/Rome\" or \"UTC\"", z)
		}
	}
	for reason, kind := range r.Reasons {
		if !slices.Contains(detect.Reasons, detect.Reason(reason)) {
			return at("resume.reasons."+reason, "there is no such reason; known are %v", detect.Reasons)
		}
		if (reason == string(detect.Interrupted) || reason == string(detect.Completed)) && kind != resume.Leave {
			return at("resume.reasons."+reason, "a session that the user stopped or that finished is always left")
		}
	}
	for _, p := range r.Probe {
		if time.Duration(p) < time.Minute {
			return at("resume.probe", "a step must be at least \"1m\" (got %q)", p)
		}
	}
	switch {
	case len(r.Probe) == 0:
		return at("resume.probe", "must have at least one step")
	case strings.TrimSpace(r.Prompt) != r.Prompt || r.Prompt == "" || strings.HasPrefix(r.Prompt, "-") || strings.ContainsFunc(r.Prompt, control):
		return at("resume.prompt", "must be one line of text that does not begin with a dash or a blank")
	case strings.ContainsAny(r.Prompt[:1], "/#$?") || strings.ContainsAny(r.Prompt, ";!@"):
		// Gemini and opencode take "!" anywhere, when it is typed fast, for their shell mode; "@" opens a list of files.
		return at("resume.prompt", "must not begin with one of / # $ ? nor hold one of ; ! @: typed into a terminal these are commands (got %q)", r.Prompt)
	case strings.ContainsFunc(c.Terminal.TmuxServer, control) || strings.HasPrefix(c.Terminal.TmuxServer, "-"):
		return at("terminal.tmux_server", "must be the path of a socket or a name as for tmux -L (got %q)", c.Terminal.TmuxServer)
	case r.Base < Duration(time.Second):
		return at("resume.base", "must be at least \"1s\" (got %q)", r.Base)
	case r.Cap != 0 && r.Cap < r.Base:
		return at("resume.cap", "must not be less than base (%q)", r.Base)
	case math.IsNaN(r.Jitter) || r.Jitter < 0 || r.Jitter > 1:
		return at("resume.jitter", "must be between 0 and 1 (got %v)", r.Jitter)
	case r.MaxAttempts < 1:
		return at("resume.max_attempts", "must be at least 1 (got %d)", r.MaxAttempts)
	case r.MaxParallel < 1:
		return at("resume.max_parallel", "must be at least 1 (got %d)", r.MaxParallel)
	case c.Watch.Rescan < Duration(time.Second):
		return at("watch.rescan", "must be at least \"1s\" (got %q)", c.Watch.Rescan)
	case r.Fresh.Backups < 1:
		return at("resume.fresh.backups", "must be at least 1 (got %d)", r.Fresh.Backups)
	case r.Fresh.NextStepFile != "" && !filepath.IsLocal(r.Fresh.NextStepFile):
		return at("resume.fresh.next_step_file", "must be a path inside the project (got %q)", r.Fresh.NextStepFile)
	case c.Budget.MaxResumesPerDay < 1:
		return at("budget.max_resumes_per_day", "must be at least 1 (got %d)", c.Budget.MaxResumesPerDay)
	case c.Budget.MaxResumesPerDayTotal < 1:
		return at("budget.max_resumes_per_day_total", "must be at least 1 (got %d)", c.Budget.MaxResumesPerDayTotal)
	case math.IsNaN(c.Budget.MaxCostUSD) || c.Budget.MaxCostUSD < 0:
		return at("budget.max_cost_usd", "must not be negative (got %v)", c.Budget.MaxCostUSD)
	}
	if u, err := url.Parse(string(c.Notify.Webhook)); c.Notify.Webhook != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return at("notify.webhook", "must be an http or https URL")
	}
	if err := c.whenLimited(known); err != nil {
		return at("resume.when_limited", "%v", err)
	}
	if err := freshTemplate(r.Fresh.Prompt); err != nil {
		return at("resume.fresh.prompt", "%v", err)
	}
	return errors.Join(
		choice("log.level", c.Log.Level, "debug", "info", "warn", "error"),
		choice("log.format", c.Log.Format, "auto", "console", "json"),
		choice("resume.after_quit", r.AfterQuit, "leave", "resume"),
		choice("resume.after_hangup", r.AfterHangup, "leave", "resume"),
	)
}

// handOff is what [resume] when_limited begins with where another agent takes over.
const handOff = "handoff:"

// whenLimited says why nobody could take over as [resume] when_limited says.
func (c Config) whenLimited(known []string) error {
	name, hands := strings.CutPrefix(c.Resume.WhenLimited, handOff)
	switch {
	case c.Resume.WhenLimited == "wait":
		return nil
	case !hands:
		return fmt.Errorf("must be \"wait\" or \"handoff:AGENT\" (got %q)", c.Resume.WhenLimited)
	case !slices.Contains(known, name):
		return fmt.Errorf("%q is not an agent; known are %s", name, strings.Join(known, ", "))
	case !c.Watches(name):
		return fmt.Errorf("%s must be watched to take over, and [watch] agents or [agent.%s] enabled says that it is not", name, name)
	}
	return nil
}

// Watches tells whether the sessions of an agent are watched.
func (c Config) Watches(name string) bool {
	e := c.Agent[name].Enabled
	return slices.Contains(c.Agents([]string{name}), name) && (e == nil || *e)
}

func control(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// Policy is what package resume needs of it.
func (c Config) Policy() resume.Policy {
	r := c.Resume
	p := resume.Policy{
		Backoff:     resume.Backoff{Kind: r.Backoff, Base: time.Duration(r.Base), Cap: time.Duration(r.Cap), Jitter: r.Jitter},
		MaxAttempts: r.MaxAttempts, Margin: time.Duration(r.Margin), GiveUpAfter: time.Duration(r.GiveUpAfter),
		MaxStopAge: time.Duration(c.Watch.MaxStopAge), MaxOverdue: time.Duration(r.MaxOverdue), Grace: time.Duration(r.Grace),
		Reasons: resume.DefaultReasons(),
	}
	if name, hands := strings.CutPrefix(r.WhenLimited, handOff); hands {
		p.WhenLimited = name
	}
	for _, d := range r.Probe {
		p.Probe = append(p.Probe, time.Duration(d))
	}
	for reason, kind := range r.Reasons {
		p.Reasons[detect.Reason(reason)] = kind
	}
	return p
}
