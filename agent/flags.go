package agent

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
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

// OwnRun tells whether a process is of a run that the daemon started. What the run's tools start has its variable, too, in process groups of
// their own.
func OwnRun(procs Procs, pid int) bool {
	const deepest = 64
	group, ours := 0, false
	for range deepest {
		p, there := procs.Get(pid)
		switch {
		case !slices.ContainsFunc(procs.Environ(pid), func(kv string) bool { return strings.HasPrefix(kv, AttemptVar+"=") }):
			return ours
		case !there || p.PPID <= 1:
			return true
		case ours && p.Group != group:
			return false
		}
		group, ours, pid = p.Group, true, p.PPID
	}
	return ours
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
	Switch        // none, or "true" or "false"
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
	// Sets names what a value sets; nil: the option's name. The same in the config's arguments takes its place;
	// where the name is empty, nothing does.
	Sets func(value string) string
	// Limits tells of a value, empty where the option takes none, whether it may take something from what a run may do;
	// nil: never.
	Limits func(value string) bool
}

func (o Option) limits(values []string) bool {
	if o.Limits == nil {
		return false
	}
	return len(values) == 0 && o.Limits("") || slices.ContainsFunc(values, o.Limits)
}

func (o Option) sets(values []string) string {
	if o.Sets == nil {
		return o.Name
	}
	return o.Sets(strings.Join(values, ""))
}

// Fate of an option when the session is resumed.
type Fate int

const (
	Lost    Fate = iota // it cannot be given again, so there is no resume
	Again               // it is passed again
	Dropped             // the resume says it by itself, or it changes nothing in the work
)

// Options are those of a command line, by each of their spellings.
type Options map[string]Option

// Add adds options. The spellings of one are in one string, the first is its name.
func (t Options) Add(takes Takes, fate func(value string) Fate, names ...string) {
	t.AddSetting(takes, fate, nil, names...)
}

// AddSetting adds options of which Option.Sets says what they set.
func (t Options) AddSetting(takes Takes, fate func(value string) Fate, sets func(value string) string, names ...string) {
	for _, group := range names {
		spellings := strings.Fields(group)
		for _, name := range spellings {
			t[name] = Option{Name: spellings[0], Takes: takes, Fate: fate, Sets: sets}
		}
	}
}

// Limit says of options that are there, by their names, that they may take something from what a run may do, unless they are
// switched off.
func (t Options) Limit(names ...string) {
	t.LimitBy(func(value string) bool { return value != "false" }, names...)
}

// LimitBy says of which values of some options that is true.
func (t Options) LimitBy(limits func(value string) bool, names ...string) {
	for spelling, o := range t {
		if slices.Contains(names, o.Name) {
			o.Limits = limits
			t[spelling] = o
		}
	}
}

// IsPlan tells whether the value of an approval mode lets a run only read.
func IsPlan(mode string) bool { return mode == "plan" }

// AddsUp is for options that take something away each time they are given: none takes another's place.
func AddsUp(string) string { return "" }

// Parse reads a command line behind the program's name. An option that is not among these is lost.
func (t Options) Parse(argv []string) (flags []detect.Flag, lost []string) {
	k := keeper{}
	(&parser{argv: argv, options: t, known: k.add, unknown: k.unknown}).parse()
	return k.flags, k.lost
}

// Read gives every option of a command line that is among these, by its name, with its values.
func (t Options) Read(argv []string, known func(name string, values []string)) {
	(&parser{argv: argv, options: t, known: func(o Option, values []string) { known(o.Name, values) }, unknown: func(string) {}}).parse()
}

// Given names what the config's own arguments set.
func (t Options) Given(args []string) map[string]bool {
	given := map[string]bool{}
	known := func(o Option, values []string) { given[o.sets(values)] = true }
	(&parser{argv: args, options: t, known: known, unknown: func(name string) { given[name] = true }}).parse()
	delete(given, "")
	return given
}

// seenBefore ends what is said of a launch that may be another run's.
const seenBefore = ", as was a run of it that ended while clawd was not running"

// Kept gives the flags of a launch whose place the config's own arguments do not take. The error, without a command,
// names the first option that cannot be given again, or the first variable that a run of clawd's would have with another
// value; section is the config's, such as agent.claude.
func (t Options) Kept(l *detect.Launch, env Env, cfg Config, section string) ([]detect.Flag, *Unfit) {
	given := t.Given(cfg.Args)
	unlike := cfg.Unlike(env, l.Bounds)
	for _, name := range l.Lost {
		key := section + ".args"
		if given[name] {
			continue
		}
		if IsVariable(name) {
			if _, set := cfg.Env[name]; !set { // it was compared before
				unlike = append(unlike, name)
			}
			continue
		}
		if o, ok := t[name]; ok && o.Sets != nil || !strings.HasPrefix(name, "-") {
			key = "" // no argument replaces it
		}
		if !l.Gone.IsZero() {
			return nil, &Unfit{Why: "it may have been started with " + name + seenBefore, Key: key}
		}
		return nil, &Unfit{Why: "it was started with " + name + ", which clawd cannot give it again", Key: key}
	}
	if len(unlike) > 0 {
		why := "a different " + unlike[0] + " in its environment than clawd's run would have"
		if !l.Gone.IsZero() {
			return nil, &Unfit{Why: "it may have been started with " + why + seenBefore, Key: section + ".env"}
		}
		return nil, &Unfit{Why: "it was started with " + why, Key: section + ".env"}
	}
	var flags []detect.Flag
	for _, f := range l.Flags {
		if !given[t[f.Name].sets(f.Values)] {
			flags = append(flags, f)
		}
	}
	return flags, nil
}

// parser reads a command line.
type parser struct {
	argv    []string
	options Options
	known   func(o Option, values []string)
	unknown func(name string)
}

func (p *parser) parse() {
	for len(p.argv) > 0 {
		a := p.argv[0]
		p.argv = p.argv[1:]
		switch {
		case a == "--":
			return
		case len(a) < 2 || a[0] != '-': // a prompt, a command
		case strings.HasPrefix(a, "--"):
			p.long(a)
		default:
			p.short(a)
		}
	}
}

func (p *parser) long(a string) {
	name, value, joined := strings.Cut(a, "=")
	o, ok := p.options[name]
	switch {
	case !ok || joined && o.Takes == Nothing:
		p.unknown(name)
	case joined:
		p.known(o, []string{value})
	default:
		p.known(o, p.values(o.Takes))
	}
}

// short reads -x, -xVALUE, -x=VALUE, and options in one word.
func (p *parser) short(a string) {
	for letters := a[1:]; letters != ""; letters = letters[1:] {
		name := "-" + letters[:1]
		o, ok := p.options[name]
		switch {
		case !ok:
			p.unknown(name)
			return
		case len(letters) == 1:
			p.known(o, p.values(o.Takes))
		case o.Takes == Nothing || o.Takes == Switch && letters[1] != '=':
			p.known(o, nil)
		default:
			p.known(o, []string{strings.TrimPrefix(letters[1:], "=")})
			return
		}
	}
}

func (p *parser) values(takes Takes) []string {
	if (takes == One || takes == Many) && len(p.argv) == 0 {
		return []string{""} // no agent starts without the value, and an empty one at the end is not to be seen
	}
	n := 0
	switch takes {
	case Nothing:
	case Switch:
		if len(p.argv) > 0 && (p.argv[0] == "true" || p.argv[0] == "false") {
			n = 1
		}
	case One:
		n = min(1, len(p.argv))
	case Perhaps, Many:
		for n < len(p.argv) && (len(p.argv[n]) < 2 || p.argv[n][0] != '-') && (n == 0 || takes == Many) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	values := p.argv[:n]
	p.argv = p.argv[n:]
	return values
}

// keeper collects what of a command line is given again.
type keeper struct {
	flags []detect.Flag
	lost  []string
	size  int // of flags
}

func (k *keeper) add(o Option, values []string) {
	switch k.fate(o, values) {
	case Again:
		k.flags = append(k.flags, detect.Flag{Name: o.Name, Values: values, Limits: o.limits(values)})
	case Lost:
		name := o.sets(values)
		if name == "" {
			name = o.Name
		}
		k.lose(name)
	case Dropped:
	}
}

// fate is that of an option's values together: what cannot be given again as a whole is lost.
func (k *keeper) fate(o Option, values []string) Fate {
	if len(values) == 0 {
		if o.Takes == One || o.Takes == Many {
			return Lost
		}
		values = []string{""}
	}
	for _, v := range values {
		switch o.Fate(v) {
		case Lost:
			return Lost
		case Again:
			if k.size += len(o.Name) + len(v); k.size > maxSize || len(v) > maxValue || secret.MatchString(v) {
				return Lost
			}
		case Dropped:
		}
	}
	return o.Fate(values[0])
}

// unknown notes an option that is in no table. Its name may be a secret unless it looks like one.
func (k *keeper) unknown(name string) {
	if !optionName.MatchString(name) {
		name = "an option"
	}
	k.lose(name)
}

func (k *keeper) lose(name string) {
	switch {
	case len(k.lost) > maxLost || slices.Contains(k.lost, name):
	case len(k.lost) == maxLost:
		k.lost = append(k.lost, "more options than clawd keeps") // no config can hold that
	default:
		k.lost = append(k.lost, name)
	}
}

const (
	maxValue = 32 << 10  // bytes of a value that is kept: a system prompt may be long
	maxSize  = 128 << 10 // bytes of all that is kept of a command line
	maxLost  = 32        // options that are lost: one is enough to leave the session
)

var (
	optionName = lazyregexp.New(`^--?[a-z][A-Za-z-]{0,60}$`)
	// secret is what keys and tokens look like.
	secret = lazyregexp.New(`\b(?:sk|pk|rk)-[\w-]{8,}|\b(?:sk|pk|rk)_(?:live|test)_\w{8,}|\b(?:gh[oprsu]|github_pat|glpat|npm|hf|pypi|dop_v1|shp(?:at|ca|pa|ss))[_-]\w{10,}|` +
		`\bxox[a-z]-|\bxapp-\d|\bA[KS]IA[0-9A-Z]{12}|\bAIza[\w-]{20,}|\bya29\.\w|\beyJ[\w-]{10,}|\bSG\.[\w-]{16,}\.|\btskey-\w|\bAGE-SECRET-KEY-|` +
		`\b(?:gsk|r8|tgp_v1)_\w{16,}|\b(?:xai|pplx|nvapi|csk)-[\w-]{16,}|` +
		`(?i:\bbearer\s+[\w.=+/~-]{8,}|authorization\s*:|cookie\s*:|(?:key|token|secret|passw(?:or)?d|passphrase)(?:\\*["'])?(?:\s*[=:]\s*|%3[ad])(?:\\*["'])?[^\s"'\\]{6,}|(?:\b|_)(?:pwd|pass|credentials?)\s*=\s*[^\s=]{6,}|` +
		`--(?:password|passwd|token|api-key|secret)[ =]["']?[^\s"'-][^\s"']*\d|x-[\w-]*key\s+\S{6,}|[?&](?:sig|signature|code)=\S{6,}|` +
		`://[^/\s@]*:[^/\s@]+@|://[\w-]{16,}@|\b\w+:[^\s@/:]{4,}@(?:[a-z]|\d+\.\d+\.\d+\.\d)|\s-u\s*["']?[\w.@-]*[a-z][\w.@-]*:[^\s:]{4,}|hooks\.slack\.com/services/\w|/api/webhooks/\d|PRIVATE KEY-)`)
)

// LooksSecret tells whether a text holds what keys and tokens look like.
func LooksSecret(text string) bool { return secret.MatchString(text) }

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
	path := filepath.Clean(v)
	if strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "/proc/") { // in shm are files as any other
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

var plainWord = lazyregexp.New(`^[\w@.:/,+\[\]-]*$`)
