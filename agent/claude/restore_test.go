package claude

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// launchOf is how a process with this command line was started.
func launchOf(t *testing.T, environ []string, argv ...string) *detect.Launch {
	t.Helper()
	procs := environed{table{All: []agent.Proc{{PID: 70, Start: 7, Comm: "claude"}}, Args: map[int][]string{70: argv}}, environ}
	l, ok := over(t.TempDir(), procs, agent.Config{}).launch(70)
	if !ok {
		t.Fatal("the process was not seen")
	}
	return &l
}

type environed struct {
	table
	environ []string
}

func (e environed) Environ(int) []string { return e.environ }

// restored are the arguments of a plan that come from the session.
func restored(p resume.Plan) []string {
	from := slices.Index(p.Argv, "--permission-mode")
	args := p.Argv[from+2:]
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return args
}

func TestSeenOptionsArePassedAgain(t *testing.T) {
	for _, c := range []struct {
		argv string
		want string // without blanks: none
	}{
		{"claude -p do", ""},
		{"claude -p --disallowedTools Bash,Write --allowedTools Read -- do", "--disallowedTools=Bash,Write --allowedTools=Read"},
		{"node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js -p do --tools Read", "--tools=Read"},
		{"claude.exe --output-format stream-json --verbose --effort=low --max-turns=5 --max-budget-usd=2 --setting-sources=project",
			"--effort=low --max-turns=5 --max-budget-usd=2 --setting-sources=project"},
		{"claude --resume 0a8d26f8-e126-4d05-8111-000000000001 --strict-mcp-config --add-dir /x /y", "--strict-mcp-config --add-dir=/x --add-dir=/y"},
		{"claude -p --model haiku --permission-mode acceptEdits", "--model=haiku"},
		{"claude --dangerously-skip-permissions -c -d api", ""},
	} {
		r := request(t, t.TempDir())
		r.Launch = launchOf(t, nil, strings.Fields(c.argv)...)
		for _, meta := range []bool{false, true} { // both forms
			r.LastMeta = meta
			p, err := over(filepath.Dir(filepath.Dir(filepath.Dir(r.Session.Path))), table{}, agent.Config{}).Plan(r)
			must(t, err)
			if d := cmp.Diff(strings.Fields(c.want), append([]string{}, restored(p)...)); d != "" || p.Flags != detect.KnownSeen {
				t.Errorf("%s: %s (-want +got):\n%s", c.argv, p.Flags, d)
			}
		}
	}
}

// What a variable chose, or its user in the session, is kept as what an option did. clawd's own variables do not count.
func TestModelAndEffortAreKept(t *testing.T) {
	haiku, low := "ANTHROPIC_MODEL=claude-haiku-4-5", "CLAUDE_CODE_EFFORT_LEVEL=low"
	for _, c := range []struct {
		name     string
		environ  string
		argv     string
		terminal bool
		answered string       // the model that answered last
		asked    detect.Setup // of the last request, as recorded
		cfg      agent.Config
		want     string
	}{
		{"nothing", "A=b", "-p do", false, "", detect.Setup{}, agent.Config{}, ""},
		{"variables, and no records", haiku + " " + low, "-p do", false, "", detect.Setup{}, agent.Config{}, "--model=claude-haiku-4-5 --effort=low"},
		{"variables, and records", haiku + " " + low, "-p do", false, "", detect.Setup{Model: "claude-haiku-4-5", Effort: "low"}, agent.Config{}, "--model=claude-haiku-4-5 --effort=low"},
		{"a model of another provider's", "ANTHROPIC_MODEL=glm-4.6", "-p do", false, "", detect.Setup{Model: "glm-4.6"}, agent.Config{}, "--model=glm-4.6"},
		{"an option goes before the model's variable", haiku + " " + low, "-p do --model opus", false, "", detect.Setup{}, agent.Config{}, "--model=opus --effort=low"},
		{"and behind that of the effort", low, "-p do --effort max", false, "", detect.Setup{}, agent.Config{}, "--effort=max --effort=low"},
		{"no effort at all", "CLAUDE_CODE_EFFORT_LEVEL=unset", "-p do", false, "", detect.Setup{}, agent.Config{}, ""},
		{"records alone", "A=b", "-p do", false, "", detect.Setup{Model: "claude-haiku-4-5", Effort: "low"}, agent.Config{}, "--model=claude-haiku-4-5 --effort=low"},
		{"records alone, of a model that answered", "A=b", "-p do", false, "claude-haiku-4-5", detect.Setup{Model: "claude-haiku-4-5"}, agent.Config{}, ""},
		{"records of the model to fall back to", "A=b", "-p do --fallback-model haiku", false, "", detect.Setup{Model: "claude-haiku-4-5"}, agent.Config{}, "--fallback-model=haiku"},
		{"chosen in a terminal, not answered yet", haiku + " " + low, "--effort max", true, "claude-haiku-4-5", detect.Setup{Model: "claude-opus-4-8", Effort: "high"}, agent.Config{}, "--model=claude-opus-4-8 --effort=high"},
		{"chosen in a terminal, before the first answer", haiku, "", true, "", detect.Setup{Model: "claude-opus-4-8"}, agent.Config{}, "--model=claude-opus-4-8"},
		{"chosen in a terminal, and answered", "A=b", "--model opus", true, "claude-haiku-4-5", detect.Setup{Model: "claude-haiku-4-5"}, agent.Config{}, ""},
		{"the config's", haiku + " " + low, "-p do", false, "", detect.Setup{Model: "claude-haiku-4-5", Effort: "low"}, variables("ANTHROPIC_MODEL=m", "CLAUDE_CODE_EFFORT_LEVEL=max"), ""},
	} {
		r := request(t, t.TempDir())
		r.Info.Mode, r.Info.Model, r.Info.Setup, r.Info.Interactive = "acceptEdits", c.answered, c.asked, c.terminal
		r.Launch = launchOf(t, strings.Fields(c.environ), append([]string{"claude"}, strings.Fields(c.argv)...)...)
		p, err := over(filepath.Dir(filepath.Dir(filepath.Dir(r.Session.Path))), table{}, c.cfg, "ANTHROPIC_MODEL=claude-fable-5", "CLAUDE_CODE_EFFORT_LEVEL=max").Plan(r)
		if got := strings.Join(restored(p), " "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
		for _, v := range choices {
			if slices.Contains(p.Unset, v.name) == (len(c.cfg.Env) > 0) {
				t.Errorf("%s: without %q", c.name, p.Unset)
			}
		}
	}
}

func TestLostOptionsLeaveTheSession(t *testing.T) {
	for name, argv := range map[string][]string{
		"inline settings":      {"claude", "-p", "--settings", `{"env":{"API_KEY":"x"}}`},
		"inline servers":       {"claude", "-p", `--mcp-config={"mcpServers":{}}`},
		"inline agents":        {"claude", "-p", "--agents", `{"a":{}}`},
		"a shell's file":       {"claude", "-p", "--settings", "/dev/fd/63"},
		"an unknown option":    {"claude", "-p", "--only-on-mondays"},
		"a program's stdin":    {"claude", "-p", "--input-format", "stream-json"},
		"a program's prompts":  {"claude", "-p", "--permission-prompt-tool", "stdio"},
		"a settings file gone": {"claude", "-p", "--settings", "no/such.json"},
		"a key in a prompt":    {"claude", "-p", "--append-system-prompt", "use sk-ant-REDACTED"},
	} {
		r := request(t, t.TempDir())
		r.Launch = launchOf(t, nil, argv...)
		c := over(filepath.Dir(filepath.Dir(filepath.Dir(r.Session.Path))), table{}, agent.Config{})
		for _, plan := range []func(agent.Request) (resume.Plan, error){c.Plan, c.Fresh} {
			p, err := plan(r)
			var u *agent.Unfit
			if !errors.As(err, &u) || u.Command == "" || strings.Contains(u.Why, "sk-ant") {
				t.Errorf("%s: %v, %v", name, p.Argv, err)
			}
		}
	}
	// The user's own arguments say what a run gets.
	r := request(t, t.TempDir())
	r.Launch = launchOf(t, nil, "claude", "-p", "--mcp-config", "{}", "--tools", "Read", "--model", "opus")
	p, err := over(filepath.Dir(filepath.Dir(filepath.Dir(r.Session.Path))), table{}, agent.Config{Args: []string{"--mcp-config", "a.json", "--model=haiku"}}).Plan(r)
	must(t, err)
	if d := cmp.Diff([]string{"--tools=Read", "--mcp-config", "a.json", "--model=haiku"}, restored(p)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// What a session was not to do, no argument of the config allows.
	r.Launch = launchOf(t, nil, "claude", "-p", "--disallowedTools", "Bash", "--plugin-dir", t.TempDir())
	dir := r.Launch.Flags[1].Values[0]
	p, err = over(filepath.Dir(filepath.Dir(filepath.Dir(r.Session.Path))), table{}, agent.Config{Args: []string{"--disallowedTools", "Write", "--plugin-dir=/x"}}).Plan(r)
	must(t, err)
	if d := cmp.Diff([]string{"--disallowedTools=Bash", "--plugin-dir=" + dir, "--disallowedTools", "Write", "--plugin-dir=/x"}, restored(p)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// A resume without a prompt has an empty stdin.
	l := launchOf(t, []string{"CLAUDE_CODE_RESUME_INTERRUPTED_TURN=1"}, "claude", "-p", "--input-format", "stream-json",
		"--output-format", "stream-json", "--disallowedTools", "Bash", "--tools=stream-json")
	if d := cmp.Diff([]detect.Flag{{Name: "--disallowedTools", Values: []string{"Bash"}, Limits: true}, {Name: "--tools", Values: []string{"stream-json"}, Limits: true}}, l.Flags); d != "" || len(l.Lost) > 0 {
		t.Errorf("lost %q (-want +got):\n%s", l.Lost, d)
	}
	if l := launchOf(t, []string{"CLAUDE_CODE_RESUME_INTERRUPTED_TURN=0"}, "claude", "-p", "--input-format", "stream-json"); len(l.Lost) == 0 {
		t.Error("a switch that is off is taken for one that is on")
	}
}

func TestUnknownIsNotUnrestricted(t *testing.T) {
	all := strings.Join(defaults, ",")
	without := func(tools ...string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(defaults), func(n string) bool { return slices.Contains(tools, n) }), ",")
	}
	setup := detect.Setup{Model: "claude-haiku-4-5", Effort: "low"}
	for _, c := range []struct {
		name   string
		change func(r *agent.Request)
		cfg    agent.Config
		want   []string // nil: left
		known  detect.Known
	}{
		{"nothing used", func(*agent.Request) {}, agent.Config{}, []string{"--tools=", "--disallowedTools=" + all}, detect.KnownNot},
		{"two used", func(r *agent.Request) { r.Info.Used = []string{"Bash", "Read"} }, agent.Config{},
			[]string{"--tools=Bash,Read", "--disallowedTools=" + without("Bash", "Read")}, detect.KnownNot},
		{"plan", func(r *agent.Request) { r.Info.Mode = "plan" }, agent.Config{}, []string{"--tools=", "--disallowedTools=" + all}, detect.KnownNot},
		{"acceptEdits", func(r *agent.Request) { r.Info.Mode = "acceptEdits" }, agent.Config{}, nil, ""},
		{"bypass", func(r *agent.Request) { r.Info.Mode = "bypassPermissions" }, agent.Config{}, nil, ""},
		{"bypass, to be restored", func(r *agent.Request) { r.Info.Mode = "bypassPermissions" }, agent.Config{RestoreBypass: true}, nil, ""},
		{"no mode", func(r *agent.Request) { r.Info.Mode = "" }, agent.Config{}, nil, ""},
		{"no answer at all", func(r *agent.Request) { r.Info.Model = "" }, agent.Config{}, nil, ""},
		{"no answer in this turn", func(r *agent.Request) { r.Answered = false }, agent.Config{}, nil, ""},
		{"an old version", func(r *agent.Request) { r.Program.Version = "2.0.30" }, agent.Config{}, nil, ""},
		{"tools from the config", func(*agent.Request) {}, agent.Config{Args: []string{"--tools", "Read"}},
			[]string{"--tools", "Read"}, detect.KnownNot},
		{"recorded, unrestricted", func(r *agent.Request) { r.Info.Mode, r.Info.Shape, r.Info.Offer = "acceptEdits", "f", "f:"+all },
			agent.Config{}, []string{}, detect.KnownRecorded},
		{"recorded, no answer", func(r *agent.Request) {
			r.Info.Model, r.Answered, r.Info.Setup, r.Info.Shape, r.Info.Offer = "", false, setup, "f", "f:"+all
		}, agent.Config{}, []string{"--model=claude-haiku-4-5", "--effort=low"}, detect.KnownRecorded},
		{"recorded, without two", func(r *agent.Request) {
			r.Info.Mode, r.Info.Shape, r.Info.Offer = "acceptEdits", "f", "f:ToolSearch,"+without("Bash", "Write")
		}, agent.Config{}, []string{"--tools=" + without("Bash", "Write"), "--disallowedTools=Bash,Write"}, detect.KnownRecorded},
		{"recorded, without two, beside the config's refusal", func(r *agent.Request) {
			r.Info.Mode, r.Info.Shape, r.Info.Offer = "acceptEdits", "f", "f:"+without("Bash", "Write")
		}, agent.Config{Args: []string{"--disallowedTools=Read"}}, []string{"--tools=" + without("Bash", "Write"), "--disallowedTools=Bash,Write", "--disallowedTools=Read"}, detect.KnownRecorded},
		{"recorded of another request", func(r *agent.Request) { r.Info.Shape, r.Info.Offer = "f", "g:"+all }, agent.Config{},
			[]string{"--tools=", "--disallowedTools=" + all}, detect.KnownNot},
		{"a program's, recorded", func(r *agent.Request) { r.Info.Entry, r.Info.Shape, r.Info.Offer = "sdk-ts", "f", "f:"+all }, agent.Config{}, nil, ""},
	} {
		r := request(t, t.TempDir())
		r.Launch = nil
		c.change(&r)
		p, err := over(filepath.Dir(filepath.Dir(filepath.Dir(r.Session.Path))), table{}, c.cfg).Plan(r)
		var u *agent.Unfit
		switch {
		case c.want == nil && (!errors.As(err, &u) || u.Command == ""):
			t.Errorf("%s: %v, %v; want it left", c.name, p.Argv, err)
		case c.want == nil:
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		default:
			if d := cmp.Diff(c.want, append([]string{}, restored(p)...)); d != "" || p.Flags != c.known {
				t.Errorf("%s: %s (-want +got):\n%s", c.name, p.Flags, d)
			}
		}
	}
}

func TestAnAgentThatIsGone(t *testing.T) {
	r := request(t, t.TempDir())
	root := filepath.Dir(filepath.Dir(filepath.Dir(r.Session.Path)))
	plan := func() error { _, err := over(root, table{}, agent.Config{}).Plan(r); return err }
	r.Info.Named = "careful"
	r.Launch = launchOf(t, nil, "claude", "-p", "--agent", "careful")
	var u *agent.Unfit
	if err := plan(); !errors.As(err, &u) {
		t.Errorf("its agent is nowhere: %v", err)
	}
	put(t, filepath.Join(root, "agents", "x.md"), "no head\nname: careful\n")
	if err := plan(); !errors.As(err, &u) {
		t.Errorf("its agent is named in a text: %v", err)
	}
	file := filepath.Join(r.Info.Dir, ".claude", "agents", "some.md")
	put(t, file, "---\ndescription: d\nname: careful\ntools: Read\n---\nBe careful.\n")
	must(t, plan())
	must(t, os.Remove(file))
	r.Launch = nil // and in what the agent records
	r.Info.Mode, r.Answered = "default", true
	if err := plan(); !errors.As(err, &u) {
		t.Errorf("its agent is gone: %v", err)
	}
	agenttest.Linked(t, filepath.Join(root, "agents", "deep", "y.md"), "---\nname: \"careful\"\n---\n")
	must(t, plan())
}

// A record of 2.1.329 tells what a request offered.
func TestOffered(t *testing.T) {
	root := t.TempDir()
	s := session(root, sid)
	line := func(kind, more string) string {
		return `{"type":"` + kind + `","sessionId":"` + sid + `",` + more + "}\n"
	}
	shape := func(hash string, names ...string) string {
		return line("api-request-shape", `"shapeHash":"`+hash+`","shape":{"tools":[{"name":"`+strings.Join(names, `"},{"name":"`)+`"}]}`)
	}
	asks := func(hash, source string) string {
		return line("api-request", `"shapeHash":"`+hash+`","querySource":"`+source+`","params":{"model":"claude-haiku-4-5","output_config":{"effort":"low"}}`)
	}
	delta := line("attachment", `"attachment":{"type":"deferred_tools_delta","addedNames":["WebFetch","mcp__x__y"],"removedNames":["TaskStop"]}`)
	for _, c := range []struct {
		name  string
		lines []string // each is read for itself
		want  string   // "?": not told
	}{
		{"as written", []string{delta + shape("a", "Read", "ToolSearch", "mcp__x__z") + asks("a", "sdk")}, "Read ToolSearch WebFetch"},
		{"in pieces", []string{delta, shape("a", "Read"), asks("a", "repl_main_thread")}, "Read WebFetch"},
		{"a second run with fewer", []string{shape("a", "Read", "Bash") + asks("a", "sdk"), shape("b", "Read") + asks("b", "sdk")}, "Read"},
		{"a third run as the first", []string{shape("a", "Read", "Bash") + asks("a", "sdk") + shape("b", "Read") + asks("b", "sdk") + asks("a", "sdk")}, "Bash Read"},
		{"a third run, its shape long gone", []string{shape("a", "Read", "Bash") + asks("a", "sdk"), shape("b", "Read") + asks("b", "sdk"), asks("a", "sdk")}, "?"},
		{"another request in between", []string{shape("a", "Read") + asks("a", "sdk") + shape("c", "Bash") + asks("c", "side")}, "?"},
		{"none", []string{line("api-request", `"querySource":"sdk"`)}, "?"},
	} {
		var i detect.Info
		cursor := agent.Cursor("")
		must(t, os.RemoveAll(s.Path))
		for _, l := range c.lines {
			put(t, s.Path, l)
			b, err := agenttest.Read(t.Context(), over(root, table{}, agent.Config{}), s, cursor)
			must(t, err)
			i.Merge(b.Info)
			cursor = b.Cursor
		}
		got, ok := i.Offered()
		if text := strings.Join(got, " "); text != c.want && (ok || c.want != "?") {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

// A file may name any number of shapes.
func TestShapesAreBounded(t *testing.T) {
	f := fold{b: &agent.Batch{}}
	for n := range 10 * maxShapes {
		f.option(&record{Type: "api-request-shape", ShapeHash: strconv.Itoa(n)})
		f.option(&record{Type: "api-request-shape", ShapeHash: strings.Repeat("x", maxHash) + strconv.Itoa(n)})
	}
	if len(f.shapes) > maxShapes || len(f.pending) > maxHash {
		t.Errorf("%d shapes are kept, the last of %d bytes", len(f.shapes), len(f.pending))
	}
}

// What the process had in its environment to bound it, a run of clawd's has, or there is none.
func TestBounds(t *testing.T) {
	for environ, want := range map[string]string{"A=b": "", "": "", "A=b CLAUDE_CODE_SAFE_MODE=1": "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE= A=b": "",
		"AWS_PROFILE=test KUBECONFIG=/test": "AWS_PROFILE KUBECONFIG", "ANTHROPIC_DEFAULT_OPUS_MODEL=claude-opus-4-1": "ANTHROPIC_DEFAULT_OPUS_MODEL",
		"CLAUDE_CODE_SUBAGENT_MODEL=haiku": "CLAUDE_CODE_SUBAGENT_MODEL"} {
		c := over(t.TempDir(), table{}, agent.Config{})
		if got := c.cfg.Unlike(c.env, launchOf(t, strings.Fields(environ), "claude", "-p", "x").Bounds); strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", environ, got, want)
		}
	}
}

func TestLaunches(t *testing.T) {
	root := t.TempDir()
	procs := environed{table{All: []agent.Proc{{PID: 70, Start: 7, Comm: "claude"}, {PID: 71, Start: 8, Comm: "claude"}, {PID: 72, Start: 9, Comm: "bash"}, {PID: 75, Start: 9, Comm: "claude"}},
		Args: map[int][]string{70: {"claude", "-p", "--tools", "Read"}, 71: {"claude"}, 72: {"bash"}, 75: {"claude"}}}, nil}
	entry := func(pid, start, more string) string {
		path := filepath.Join(root, "sessions", pid+".json")
		put(t, path, `{"pid":`+pid+`,"sessionId":"`+sid+`","procStart":"`+start+`"`+more+"}")
		return path
	}
	first := entry("70", "7", `,"entrypoint":"sdk-cli"`)
	entry("71", "8", `,"entrypoint":"sdk-ts"`)
	entry("72", "4", "")   // left behind: another process has the pid now
	entry("73", "4", "")   // gone
	entry("74", "4", "{[") // torn
	c := over(root, procs, agent.Config{})
	all, _ := c.Launches("")
	if len(all) != 2 || all[0].Session != sid || all[0].PID != 70 || all[0].Start != 7 || len(all[0].Flags) != 1 || len(all[0].Lost) != 0 || len(all[1].Lost) != 1 {
		t.Errorf("all: %+v", all)
	}
	if one, err := c.Launches(first); err != nil || len(one) != 1 || one[0].PID != 70 {
		t.Errorf("one: %+v, %v", one, err)
	}
	for _, hint := range []string{session(root, sid).Path, filepath.Join(root, "sessions"), filepath.Join(root, "sessions", "70.tmp")} {
		if none, err := c.Launches(hint); err != nil || len(none) != 0 {
			t.Errorf("%s: %+v, %v", hint, none, err)
		}
	}
	begun := filepath.Join(root, "sessions", "75.json")
	put(t, begun, "") // its process is about to write the rest
	if none, err := c.Launches(begun); err != nil || len(none) != 0 {
		t.Errorf("just begun: %+v, %v", none, err)
	}
	procs.environ = []string{agent.AttemptVar + "=token"}
	if own, err := over(root, procs, agent.Config{}).Launches(first); err != nil || len(own) != 0 {
		t.Errorf("clawd's own run: %+v, %v", own, err)
	}
}
