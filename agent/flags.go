package agent

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/detect"
)

// Launched is the launch of one session.
type Launched struct {
	Session string // its id
	detect.Launch
}

// Launcher is an agent whose sessions are started with options that its own resume does not bring back.
type Launcher interface {
	Agent
	// Launches gives how the processes were started that have sessions open, without those that clawd
	// itself started. hint is a path that changed: only what it can have begun is listed; empty: all.
	Launches(hint string) ([]Launched, error)
}

// AttemptVar is in the environment of every run that the daemon started.
const AttemptVar = "CLAWD_ATTEMPT"

// OwnRun tells whether a process was started by the daemon.
func OwnRun(procs Procs, pid int) bool {
	return slices.ContainsFunc(procs.Environ(pid), func(kv string) bool { return strings.HasPrefix(kv, AttemptVar+"=") })
}

// SkipNoProcs takes it for no error that a system does not list its processes.
func SkipNoProcs(err error) error {
	if errors.Is(err, ErrNoProcs) {
		return nil
	}
	return err
}

// Takes says how many values an option has.
type Takes int

const (
	Nothing Takes = iota
	One           // always one, whatever it looks like
	Perhaps       // one, unless an option follows
	Many          // all that follow up to the next option
)

// Option is one that a resume knows what to do with.
type Option struct {
	Name  string // as it is passed again
	Takes Takes
	// Fate says what becomes of a value; of the option itself, where it takes none.
	Fate func(value string) Fate
}

// Fate of an option when the session is resumed.
type Fate int

const (
	Lost    Fate = iota // it cannot be given again, so there is no resume
	Again               // it is passed again
	Dropped             // the resume says it by itself, or it changes nothing in the work
)

// Parse reads a command line behind the program's name. An option that options does not know is lost.
func Parse(argv []string, options map[string]Option) (flags []detect.Flag, lost []string) {
	p := parser{argv: argv, options: options}
	for len(p.argv) > 0 {
		a := p.argv[0]
		p.argv = p.argv[1:]
		switch {
		case a == "--":
			return p.flags, p.lost
		case len(a) < 2 || a[0] != '-': // a prompt, a command
		case strings.HasPrefix(a, "--"):
			p.long(a)
		default:
			p.short(a)
		}
	}
	return p.flags, p.lost
}

type parser struct {
	argv    []string
	options map[string]Option
	flags   []detect.Flag
	lost    []string
}

func (p *parser) long(a string) {
	name, value, joined := strings.Cut(a, "=")
	o, ok := p.options[name]
	switch {
	case !ok || joined && o.Takes == Nothing:
		p.lose(name)
	case joined:
		p.add(o, value)
	default:
		p.add(o, p.values(o.Takes)...)
	}
}

// short reads -x, -xVALUE, -x=VALUE, and options in one word.
func (p *parser) short(a string) {
	o, ok := p.options[a[:2]]
	switch {
	case !ok:
		p.lose(a[:2])
	case len(a) == 2:
		p.add(o, p.values(o.Takes)...)
	case o.Takes == Nothing:
		p.add(o)
		p.short("-" + a[2:])
	default:
		p.add(o, strings.TrimPrefix(a[2:], "="))
	}
}

func (p *parser) values(takes Takes) []string {
	n := 0
	switch takes {
	case Nothing:
	case One:
		n = min(1, len(p.argv))
	case Perhaps, Many:
		for n < len(p.argv) && (len(p.argv[n]) < 2 || p.argv[n][0] != '-') && (n == 0 || takes == Many) {
			n++
		}
	}
	values := p.argv[:n]
	p.argv = p.argv[n:]
	return values
}

func (p *parser) add(o Option, values ...string) {
	if o.Takes == Nothing {
		values = []string{""}
	}
	fate := Lost
	for n, v := range values {
		now := o.Fate(v)
		if now == Again && (len(v) > maxValue || secret.MatchString(v)) {
			now = Lost
		}
		if n == 0 || now == Lost {
			fate = now
		}
		if now == Lost {
			break
		}
	}
	switch {
	case o.Takes == Perhaps && len(values) == 0:
		fate = o.Fate("")
	case o.Takes == Nothing:
		values = nil
	}
	switch fate {
	case Again:
		p.flags = append(p.flags, detect.Flag{Name: o.Name, Values: values})
	case Lost:
		p.lose(o.Name)
	case Dropped:
	}
}

// lose notes the name of an option. One that looks like no name may be a secret.
func (p *parser) lose(name string) {
	if !optionName.MatchString(name) {
		name = "an option"
	}
	if !slices.Contains(p.lost, name) {
		p.lost = append(p.lost, name)
	}
}

// maxValue is the longest value that is kept: a system prompt may be long.
const maxValue = 32 << 10

var (
	optionName = regexp.MustCompile(`^--?[a-z][A-Za-z-]{0,60}$`)
	// secret is what keys and tokens look like.
	secret = regexp.MustCompile(`\b(?:sk|pk|rk)-[\w-]{8,}|\b(?:gh[opsu]|github_pat|glpat|npm|hf)[_-]\w{10,}|\bxox[a-z]-|\bA[KS]IA[0-9A-Z]{12}|\bAIza[\w-]{20,}|\beyJ[\w-]{10,}|` +
		`(?i:\bbearer\s+[\w.=+/~-]{8,}|authorization\s*:|(?:key|token|secret|passw(?:or)?d)["']?\s*[=:]\s*["']?[^\s"']{6,}|://[^/\s@]*:[^/\s@]+@|PRIVATE KEY-)`)
)

// Any passes every value again.
func Any(string) Fate { return Again }

// Drop passes nothing again.
func Drop(string) Fate { return Dropped }

// File passes again the path of a file that a later process finds, too: not what JSON stands in, and
// not what a shell made for one process.
func File(value string) Fate {
	v := strings.TrimSpace(value)
	if v == "" || v == "-" || strings.ContainsAny(v[:1], "[\"'") || strings.ContainsAny(v, "\n{") {
		return Lost
	}
	if path := filepath.Clean(v); strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/") {
		return Lost
	}
	return Again
}

// Word passes again a plain word or a list of them.
func Word(value string) Fate {
	if len(value) <= 256 && plainWord.MatchString(value) {
		return Again
	}
	return Lost
}

var plainWord = regexp.MustCompile(`^[\w@.:/,+\[\]-]*$`)

// Given tells the options, by their proper names, that the user's own arguments hold.
func Given(args []string, options map[string]Option) map[string]bool {
	given := map[string]bool{}
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		if o, ok := options[name]; ok {
			given[o.Name] = true
		}
	}
	return given
}
