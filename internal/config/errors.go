package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"text/template"

	"github.com/BurntSushi/toml"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// KeyError is a value that cannot be, or a key that does not exist.
type KeyError struct {
	Key string
	Err error
}

func (e *KeyError) Error() string { return e.Key + ": " + e.Err.Error() }
func (e *KeyError) Unwrap() error { return e.Err }

// locate puts file and line before an error of the text.
func locate(path, text string, err error) error {
	if pe := (toml.ParseError{}); errors.As(err, &pe) {
		key := ""
		if pe.LastKey != "" {
			key = pe.LastKey + ": "
		}
		msg := pe.Message
		if msg == "" {
			msg = pe.Error()
		}
		return fmt.Errorf("%s:%d: %s%s", path, pe.Position.Line, key, worded(msg))
	}
	if m := typeError.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s:%s: %s: %w", path, m[1], m[2], wrongType(cmp.Or(m[4], "map"), m[3]+m[5]))
	}
	if ke := (*KeyError)(nil); errors.As(err, &ke) {
		if line := lineOf(text, ke.Key); line > 0 {
			return fmt.Errorf("%s:%d: %w", path, line, err)
		}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// worded is what the library says of a text. It quotes values in some of it, which may be secrets, and errors are logged: what is not
// known to quote a sign or a key alone is said in our words.
func worded(msg string) string {
	switch {
	case quotesNoValue.MatchString(msg):
		return msg
	case strings.HasPrefix(msg, "expected value but found "):
		return "this is no value: a text needs quotation marks, and true and false are in lower case"
	case strings.Contains(msg, " hexadecimal digits after "), strings.HasPrefix(msg, "Escaped character "):
		return `behind \x, \u or \U in a text its character must stand in 2, 4 or 8 hexadecimal digits; for the backslash itself write \\, or put the text in single quotes`
	}
	return "this is no number or time that can be; a text needs quotation marks"
}

var quotesNoValue = lazyregexp.New(`^(?:unexpected |expected (?:a |an |end |'.' )|floats must |strings cannot |newlines not |invalid escape|invalid UTF-8 |TOML files cannot |Key '|.* is not a table$|".*" is not (?:one of|a length of time) )`) // the last one is what our own types say, of which none is a secret

// typeError is how the library words a value of the wrong type; it has no error type for it.
var typeError = lazyregexp.New(`^toml: line (\d+) \(last key "([^"]*)"\): (?:incompatible types: TOML value has type (.+); destination has type (.+)|type mismatch for \S+: expected table but found (.+))$`)

func wrongType(want, got string) error {
	return fmt.Errorf("must be %s, not %s", kind(want), kind(got))
}

// kind words a type of Go's or the library's for who writes TOML.
func kind(of string) string {
	switch of = strings.ToLower(of); {
	case of == "integer", of == "int64":
		return "an integer"
	case of == "float", of == "float64":
		return "a number"
	case of == "bool", of == "boolean":
		return "a boolean"
	case of == "slice", of == "array", strings.HasPrefix(of, "[]"), of == "arrayhash":
		return "a list"
	case strings.HasPrefix(of, "map"):
		return "a table"
	case of == "time.time", of == "datetime":
		return "a time"
	}
	return "a string"
}

// tables refuses what is no table where a table of any keys belongs: the library passes over it.
func tables(md toml.MetaData, agents []string) error {
	keys := []toml.Key{{"agent"}, {"resume", "reasons"}}
	for _, name := range agents {
		keys = append(keys, toml.Key{"agent", name, "env"})
	}
	for _, key := range keys {
		if got := md.Type(key...); got != "" && got != "Hash" {
			return &KeyError{Key: key.String(), Err: wrongType("map", got)}
		}
	}
	return nil
}

// lineOf finds the line of a key, as far as a file without tricks goes; 0: not found.
func lineOf(text, key string) int {
	table, best := "", 0
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			if end := strings.IndexByte(line, ']'); end > 0 {
				table = strings.Trim(line[1:end], "[ ") + "."
			}
			if strings.TrimSuffix(table, ".") == key {
				best = i + 1
			}
			continue
		}
		name, _, ok := strings.Cut(line, "=")
		if name = table + strings.TrimSpace(name); ok && (name == key || strings.HasPrefix(key, name+".")) {
			return i + 1
		}
	}
	return best
}

// keys of the file, for a hint at a misspelt one.
var keys = []string{
	"log.level", "log.format", "log.file", "watch.agents", "watch.rescan", "watch.ignore_projects", "watch.max_stop_age", "watch.zone",
	"resume.prompt", "resume.backoff", "resume.base", "resume.cap", "resume.jitter", "resume.max_attempts", "resume.margin",
	"resume.probe", "resume.give_up_after", "resume.stagger", "resume.grace", "resume.max_inline_wait", "resume.after_quit", "resume.after_hangup", "resume.when_limited",
	"resume.max_overdue", "resume.max_parallel", "resume.stall", "resume.timeout", "resume.dry_run", "resume.reasons", "resume.fresh.prompt",
	"resume.fresh.next_step_file", "resume.fresh.backups", "budget.max_resumes_per_day", "budget.max_resumes_per_day_total", "budget.max_cost_usd",
	"terminal.enabled", "terminal.tmux_server", "notify.desktop", "notify.webhook",
	"enabled", "command", "config_dir", "args", "env", "restore_bypass",
}

// near lists what is allowed in the key's section.
func near(key string) string {
	section := key[:strings.LastIndexByte(key, '.')+1]
	var in []string
	for _, k := range keys {
		switch {
		case section != "" && strings.HasPrefix(k, section):
			in = append(in, strings.TrimPrefix(k, section))
		case strings.HasPrefix(section, "agent.") && !strings.Contains(k, "."):
			in = append(in, k)
		}
	}
	if len(in) == 0 {
		return "; the sections are log, watch, resume, terminal, budget, notify, agent.NAME"
	}
	slices.Sort(in)
	return "; allowed here are " + strings.Join(in, ", ")
}

// ownFile refuses a config that somebody else may write: it names programs to start.
func ownFile(path string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !fi.Mode().IsRegular() { // /dev/null, which is everybody's and names none
		return nil
	}
	if agent.OthersMayWrite(fi) {
		return fmt.Errorf("%s is writable for others; type: chmod go-w %s", path, agent.Quote(path))
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() && st.Uid != 0 {
		return fmt.Errorf("%s belongs to another user (uid %d)", path, st.Uid)
	}
	return nil
}

// Handoff is what the template of [resume.fresh] prompt may use.
type Handoff struct {
	Project    string // the project folder
	Session    string // id of the old session
	Transcript string // where its transcript lies
	LastPrompt string // what the user asked for last, cut and fenced as a quotation
	NextStep   string // path of next_step_file, if there is one
}

// Render fills the template.
func (f Fresh) Render(h Handoff) ([]byte, error) {
	t, err := template.New("prompt").Option("missingkey=error").Parse(f.Prompt)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	err = t.Execute(&b, h)
	return []byte(b.String()), err
}

func freshTemplate(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("must not be empty: a fresh session without a prompt does nothing")
	}
	_, err := Fresh{Prompt: text}.Render(Handoff{})
	return err
}
