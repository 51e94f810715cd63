package claude

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// restore gives the options that the session's last run had. The agent's own resume brings back the
// model of an answer, and from 2.1.329 on the system prompt; all others would be gone, and with them
// what the run was not to do.
func (c *Claude) restore(r agent.Request) ([]string, detect.Known, error) {
	given := options.Given(c.cfg.Args)
	for _, v := range choices {
		given[v.option] = given[v.option] || c.cfg.Env[v.name] != ""
	}
	args, known, err := c.kept(r, given)
	if err != nil {
		return nil, "", err
	}
	if why := c.missing(r); why != "" {
		return nil, "", c.unfit(r, why, argsKey)
	}
	return args, known, nil
}

const (
	section = "agent.claude"
	argsKey = section + ".args"
	envKey  = section + ".env"
)

func (c *Claude) kept(r agent.Request, given map[string]bool) (args []string, known detect.Known, err error) {
	if r.Launch != nil {
		args, err = c.again(r, given)
		return args, detect.KnownSeen, err
	}
	if e := r.Info.Entry; strings.HasPrefix(e, "sdk-") && e != "sdk-cli" {
		return nil, "", c.unfit(r, "a program of yours ran it, and clawd did not see with which options", argsKey)
	}
	if offered, ok := r.Info.Offered(); ok {
		args = c.chosen(r, given)
		return append(args, confine(offered, given, missesSome)...), detect.KnownRecorded, nil
	}
	args, why := c.least(r, given)
	if why != "" {
		return nil, "", c.unfit(r, why, argsKey)
	}
	return args, detect.KnownNot, nil
}

// again passes on what stood on the command line, and the model and the effort of the records where it named none.
func (c *Claude) again(r agent.Request, given map[string]bool) (args []string, err error) {
	flags, lost := options.Kept(r.Launch, c.env, c.cfg, section)
	if lost != nil {
		return nil, c.unfit(r, lost.Why, lost.Key)
	}
	for _, f := range flags {
		if f.Name == modelFlag && (given[modelFlag] || !c.wantsModel(r)) || f.Name == effortFlag && (given[effortFlag] || !wantsEffort(r)) {
			continue
		}
		for _, path := range f.Values {
			if !fileOptions[f.Name] {
				break
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(r.Info.Dir, path)
			}
			if _, err := os.Stat(path); err != nil {
				return nil, c.unfit(r, fmt.Sprintf("the file that it was started with by %s is not there any more", f.Name), argsKey)
			}
		}
		args = append(args, f.Args()...)
	}
	for _, o := range []string{modelFlag, effortFlag, fallbackFlag} {
		given[o] = given[o] || holds(args, o)
	}
	return append(args, c.chosen(r, given)...), nil
}

// fileOptions name files, without which the agent would not start or, worse, would.
var fileOptions = map[string]bool{"--settings": true, "--mcp-config": true, "--agents": true, "--plugin-dir": true,
	"--append-system-prompt-file": true, "--system-prompt-file": true, "--append-subagent-system-prompt-file": true}

const (
	modelFlag    = "--model"
	effortFlag   = "--effort"
	fallbackFlag = "--fallback-model"
)

// choices are variables that stand for an option. That of the model stands behind its option, the other goes before.
var choices = []struct{ name, option string }{{"ANTHROPIC_MODEL", modelFlag}, {"CLAUDE_CODE_EFFORT_LEVEL", effortFlag}}

// choose adds to the flags of a launch what a variable chose.
func choose(l *detect.Launch, environ []string) {
	for _, v := range choices {
		i := slices.IndexFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, v.name+"=") })
		if i < 0 {
			continue
		}
		value := strings.TrimPrefix(environ[i], v.name+"=")
		_, named := l.Value(v.option)
		if v.option == modelFlag && (named || value == "") || v.option == effortFlag && !slices.Contains(efforts, value) {
			continue
		}
		flags, lost := options.Parse([]string{v.option + "=" + value})
		l.Flags, l.Lost = append(l.Flags, flags...), append(l.Lost, lost...)
	}
}

// wantsModel: in a terminal its user may have chosen another model since, and then the agent brings that
// one back by itself, or the records tell it. The window of a large context is asked for by the model's whole name.
func (c *Claude) wantsModel(r agent.Request) bool {
	return len(c.model(r)) == 0 && (!r.Info.Interactive || r.Info.Model == "" && !plainModel(r.Info.Setup.Model))
}

// wantsEffort: so it is with the effort, which the agent does not bring back.
func wantsEffort(r agent.Request) bool {
	return !r.Info.Interactive || !slices.Contains(efforts, r.Info.Setup.Effort)
}

// chosen gives the model and the effort of the last request. With a model to fall back to that may have been that one, and the agent does not start with
// the same one twice.
func (c *Claude) chosen(r agent.Request, given map[string]bool) (args []string) {
	s := r.Info.Setup
	if m := s.Model; !given[modelFlag] && !given[fallbackFlag] && len(c.model(r)) == 0 && plainModel(m) && m != r.Info.Model {
		args = append(args, modelFlag+"="+m)
	}
	if !given[effortFlag] && slices.Contains(efforts, s.Effort) {
		args = append(args, effortFlag+"="+s.Effort)
	}
	return args
}

var efforts = []string{"low", "medium", "high", "xhigh", "max"}

// defaults are the tools that every run has in which nobody forbids any, headless or in a terminal, as
// of 2.1.330.
var defaults = []string{"Agent", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterWorktree", "ExitWorktree", "ListAgents", "Monitor",
	"NotebookEdit", "Read", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "TaskStop", "WebFetch", "WebSearch", "Workflow", "Write"}

// loading tools only bring others in, and come by themselves.
var loading = []string{"ToolSearch", "DeferredToolPlaceholder"}

func missesSome(without []string) bool { return len(without) > 0 }
func always([]string) bool             { return true }

// confine gives the options that leave a run no more than these tools, if want says so of those that it
// leaves out. Sub-agents have tools of their own, which only a refusal takes away.
func confine(tools []string, given map[string]bool, want func(without []string) bool) (args []string) {
	if given["--tools"] { // its user says which
		return nil
	}
	tools = slices.DeleteFunc(slices.Clone(tools), func(n string) bool { return slices.Contains(loading, n) || !toolName.MatchString(n) })
	without := slices.DeleteFunc(slices.Clone(defaults), func(n string) bool { return slices.Contains(tools, n) })
	if !want(without) {
		return nil
	}
	args = append(args, "--tools="+strings.Join(tools, ","))
	if len(without) > 0 {
		args = append(args, "--disallowedTools="+strings.Join(without, ","))
	}
	return args
}

// least gives what is certain not to be more than a run had of which nothing is known.
func (c *Claude) least(r agent.Request, given map[string]bool) (args []string, why string) {
	const unseen = "nobody saw with which options it was started, and the agent did not record them; "
	asks := slices.Contains([]string{"default", "manual", "plan"}, r.Info.Mode) || c.sets("--permission-mode", "--dangerously-skip-permissions")
	switch {
	case !asks && r.Info.Mode == "":
		return nil, unseen + "nor is its permission mode known"
	case !asks:
		return nil, unseen + "in the permission mode " + r.Info.Mode + " it might do more than before"
	case (r.Info.Model == "" || !r.Answered) && !given[modelFlag]:
		return nil, unseen + "it stopped before the first answer, so its model is not known"
	case !agent.AtLeast(r.Program.Version, 2, 1, 197) && !given["--tools"]:
		return nil, unseen + "this version cannot be kept to the tools that it has used"
	}
	return confine(r.Info.Used, given, always), ""
}

// missing tells whether the agent that the session is given to is gone: then it would have all tools,
// without a word.
func (c *Claude) missing(r agent.Request) string {
	name := r.Info.Named
	if r.Launch != nil {
		if v, ok := r.Launch.Value("--agent"); ok {
			name = v
		}
		if _, ok := r.Launch.Value("--agents"); ok { // its own file defines it
			return ""
		}
	}
	if name == "" || c.sets("--agent", "--agents") || slices.Contains(builtIns, name) || c.defines(r.Info.Dir, name) {
		return ""
	}
	if !toolName.MatchString(name) {
		name = "it was given to"
	}
	return "the agent " + name + " is not defined any more, and without it the session would have all tools"
}

// builtIns are the agents that need no file.
var builtIns = []string{"claude", "general-purpose", "Explore", "Plan"}

// defines looks for the file of an agent, in the project's folders and in the user's.
func (c *Claude) defines(dir, name string) bool {
	roots := []string{filepath.Join(c.root, "agents")}
	for ; ; dir = filepath.Dir(dir) {
		roots = append(roots, filepath.Join(dir, ".claude", "agents"))
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) || dir == c.env.Home {
			break
		}
	}
	return slices.ContainsFunc(roots, func(root string) bool { return definedIn(root, name) })
}

// maxDefinitions bounds how many files are looked at, and definitionMax how large each may be.
const (
	maxDefinitions = 1000
	definitionMax  = 1 << 20
)

// definedIn tells whether a file below root begins with the name.
func definedIn(root, name string) (found bool) {
	if to, err := filepath.EvalSymlinks(root); err == nil {
		root = to
	}
	left := maxDefinitions
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be read defines nothing
		if left--; err != nil || found || left < 0 {
			return filepath.SkipAll
		}
		if d.IsDir() || filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := agent.ReadSettings(path, definitionMax)
		if err != nil {
			return nil //nolint:nilerr // another one may define it
		}
		head := bufio.NewScanner(bytes.NewReader(text))
		for n := 0; head.Scan(); n++ {
			line := strings.TrimSpace(head.Text())
			key, value, _ := strings.Cut(line, ":")
			switch {
			case n == 0 && line != "---", n > 0 && line == "---":
				return nil
			case key == "name" && strings.Trim(strings.TrimSpace(value), `"'`) == name:
				found = true
			}
		}
		return nil
	})
	return found
}

// toolName is the name of a tool or an agent of the agent's own. Those of MCP servers come with their server.
var toolName = lazyregexp.New(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)

// holds tells whether an option is among arguments.
func holds(args []string, option string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, option+"=") })
}
