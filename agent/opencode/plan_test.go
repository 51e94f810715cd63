package opencode

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

const planID = "ses_e0490bdf4ffetoGb2yI1hytQKC"

func request(t *testing.T, data string) agent.Request {
	work := filepath.Join(t.TempDir(), "work dir")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	return agent.Request{
		Session: detect.Session{Agent: Name, ID: planID, Path: filepath.Join(data, "opencode.db")},
		Info: detect.Info{Dir: work, Model: "anthropic/claude-x", Interactive: true,
			Setup: detect.Setup{Role: "plan", Model: "anthropic/claude-y", Effort: "low"}},
		Program: agent.Program{Path: "/opt/opencode", Version: "1.18.33"}, Prompt: "continue",
	}
}

func TestPlan(t *testing.T) {
	o, data := open(t, nil)
	o.cfg.Args, o.cfg.Env = []string{"--agent", "build"}, map[string]string{"B": "2", "A": "1"}
	r := request(t, data)
	want := resume.Plan{
		Form: resume.FormPrompt, Session: planID, Dir: r.Info.Dir, Auth: "key", Prompt: detect.HashText("continue"), Rest: hangs,
		Argv: []string{"/opt/opencode", "run", "--format", "json", "--session", planID, "-m", "anthropic/claude-y", "--variant", "low", "--agent", "build", "--", "continue"},
		Env:  []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "A=1", "B=2"},
	}
	got, err := o.Plan(r)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	r.Prompt = `go "on" please`
	// So it stands in a database that opencode 1.18.33 wrote: "go \"on\" please", quotes and all.
	if got, err = o.Plan(r); err != nil || got.Prompt != detect.HashText(`"go \"on\" please"`) || got.Argv[len(got.Argv)-1] != r.Prompt {
		t.Errorf("%+v, %v", got, err)
	}
}

// With a login in the folder, no key of any provider reaches the child.
func TestPlanLogin(t *testing.T) {
	o, data := open(t, nil)
	writeFile(t, filepath.Join(data, "auth.json"), "")
	if err := os.Chmod(filepath.Join(data, "auth.json"), 0); err != nil { // its content is never read
		t.Fatal(err)
	}
	got, err := o.Plan(request(t, data))
	if err != nil || got.Auth != "login" {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, k := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"} {
		if !slices.Contains(got.Unset, k) {
			t.Errorf("%s would reach the child", k)
		}
	}
	o.cfg.Env = map[string]string{"OPENAI_API_KEY": "configured"}
	if got, err = o.Plan(request(t, data)); err != nil || got.Auth != "key" || slices.Contains(got.Unset, "OPENAI_API_KEY") {
		t.Errorf("a key from the config: auth %q, %v", got.Auth, err)
	}
}

func TestPlanFolder(t *testing.T) {
	for folder, env := range map[string]string{"opencode": "XDG_DATA_HOME=/mnt/x", "data": ""} {
		o := New(agent.Env{Home: "/home/x"}, agent.Config{ConfigDir: "/mnt/x/" + folder})
		got, err := o.Plan(request(t, "/mnt/x/"+folder))
		if env == "" {
			if unfit(err) == nil {
				t.Errorf("%+v, %v", got, err)
			}
		} else if err != nil || !slices.Contains(got.Env, env) {
			t.Errorf("%+v, %v", got.Env, err)
		}
	}
}

func unfit(err error) *agent.Unfit {
	var u *agent.Unfit
	errors.As(err, &u)
	return u
}

func TestPlanRefuses(t *testing.T) {
	o, data := open(t, nil)
	file := filepath.Join(data, "storage", "session", "p", planID+".json")
	for name, c := range map[string]struct {
		change func(r *agent.Request)
		unfit  bool
	}{
		"sub-agent":     {func(r *agent.Request) { r.Info.Parent = "ses_x" }, true},
		"archived":      {func(r *agent.Request) { r.Info.Archived = true }, true},
		"folder gone":   {func(r *agent.Request) { r.Info.Dir += "/gone" }, true},
		"no folder":     {func(r *agent.Request) { r.Info.Dir = "" }, true},
		"id is options": {func(r *agent.Request) { r.Session.ID = "--continue" }, false},
		"id with dots":  {func(r *agent.Request) { r.Session.ID = "ses_../../../../etc/passwd000" }, false},
		"id too long":   {func(r *agent.Request) { r.Session.ID = "ses_" + strings.Repeat("a", 41) }, false},
		"no program":    {func(r *agent.Request) { r.Program.Path = "opencode" }, false},
		"agent untold":  {func(r *agent.Request) { r.Info.Setup.Role = "" }, true},
		"model untold":  {func(r *agent.Request) { r.Info.Setup.Model = "" }, true},
		"odd model":     {func(r *agent.Request) { r.Info.Setup.Model = "--dangerous x/y" }, true},
		"odd agent":     {func(r *agent.Request) { r.Info.Setup.Role = "--yes" }, true},
		"odd variant":   {func(r *agent.Request) { r.Info.Setup.Effort = "--yes" }, true},
		"own tools":     {func(r *agent.Request) { r.Info.Setup.Bound = true }, true},
		"no prompt":     {func(r *agent.Request) { r.Prompt = "" }, false},
		"old files":     {func(r *agent.Request) { r.Session.Path = file }, true},
		"foreign file":  {func(r *agent.Request) { r.Session.Path = "/etc/" + planID + ".json" }, false},
	} {
		r := request(t, data)
		c.change(&r)
		got, err := o.Plan(r)
		if err == nil || (unfit(err) != nil) != c.unfit {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if strings.HasPrefix(name, "own ") || strings.HasSuffix(name, " untold") {
			r.Handoff = []byte("x")
			if _, err = o.Fresh(r); unfit(err) == nil {
				t.Errorf("%s: a fresh session would begin with more: %v", name, err)
			}
			r.Holder.URL = "http://127.0.0.1:1"
			if _, err := o.Wake(r); unfit(err) == nil {
				t.Errorf("%s: a server would be asked: %v", name, err)
			}
		}
	}
	r := request(t, data)
	r.Session.Path, r.Program.Version = file, "1.1.53"
	if _, err := o.Plan(r); err != nil {
		t.Errorf("old files and an old opencode: %v", err)
	}
}

// What the config's arguments name is theirs, and its agent is the one that is looked for.
func TestConfiguredSetup(t *testing.T) {
	o, data := open(t, nil)
	r := request(t, data)
	for args, want := range map[string]string{
		"":                           "plan: --agent plan -m anthropic/claude-y --variant low",
		"--agent=own":                "own: -m anthropic/claude-y --variant low --agent=own",
		"--agent own -m a/b":         "own: --variant low --agent own -m a/b",
		"--model=a/b --variant high": "plan: --agent plan --model=a/b --variant high",
		"--title --agent":            "plan: --agent plan -m anthropic/claude-y --variant low --title --agent",
	} {
		o.cfg.Args = strings.Fields(args)
		p, err := o.Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Role(r) + ": " + strings.Join(p.Argv[6:len(p.Argv)-2], " "); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
}

// agents is what `opencode agent list` of 1.18.33 printed, with the rules of all but one cut.
func TestHasRole(t *testing.T) {
	o, _ := open(t, nil)
	printed := []byte(readFile(t, "testdata/agent-list.txt"))
	for role, want := range map[string]bool{
		"build": true, "strict": true, "plan": false, "sub one": false, "general": false, "": false, "allow": false, "strict (primary)\n": false,
	} {
		if got := o.HasRole(printed, role); got != want {
			t.Errorf("%q: %v", role, got)
		}
	}
}

func TestListRoles(t *testing.T) {
	o, data := open(t, nil)
	o.cfg.Args, o.cfg.Env = []string{"--print-logs"}, map[string]string{"OPENCODE_CONFIG": "/x"}
	r := request(t, data)
	p, err := o.ListRoles(r)
	if err != nil || strings.Join(p.Argv, " ") != "/opt/opencode agent list" || p.Dir != r.Info.Dir || !slices.Contains(p.Env, "OPENCODE_CONFIG=/x") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestFresh(t *testing.T) {
	o, data := open(t, nil)
	r := request(t, data)
	r.Handoff = []byte("what was done\nwhat is next\n")
	got, err := o.Fresh(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/opt/opencode", "run", "--format", "json", "--agent", "plan", "-m", "anthropic/claude-y", "--variant", "low"}
	if d := cmp.Diff(want, got.Argv); d != "" || got.Form != resume.FormFresh || got.Session != "" || !bytes.Equal(got.Stdin, r.Handoff) {
		t.Errorf("%s %+v", d, got)
	}
	if got.Prompt != detect.HashText(string(r.Handoff)) {
		t.Errorf("prompt %q", got.Prompt)
	}
	r.Handoff = []byte(" \n")
	if _, err = o.Fresh(r); err == nil {
		t.Error("an empty hand-off would be refused by opencode")
	}
}

// notFound is how 1.1 to 1.14 print what they do not find, with exit code 0.
func notFound(message string) string {
	return "NotFoundError: NotFoundError\n data: {\n  message: \"" + message + "\",\n},\n\n      at <anonymous> (/$bunfs/root/src/index.js:268387:15)\n"
}

func TestOutput(t *testing.T) {
	file := func(name string) string { return readFile(t, filepath.Join(cases, name)) }
	long := `{"type":"tool_use","sessionID":"` + planID + `","part":{"messageID":"msg_long","x":"` + strings.Repeat("y", 2*agent.OutputMax) + `"}}` + "\n"
	step := func(message, cost string) string {
		return `{"type":"step_finish","sessionID":"` + planID + `","part":{"type":"step-finish","messageID":"` + message + `","reason":"stop","cost":` + cost + "}}\n"
	}
	for name, c := range map[string]struct {
		text string
		want agent.Output
	}{
		"two steps":          {step("msg_1", "1.25") + step("msg_2", "2.5"), agent.Output{Began: true, Session: planID, Messages: []string{"msg_1", "msg_2"}, CostUSD: 3.75}},
		"finished":           {file("finished/run.stdout"), agent.Output{Began: true, Session: "ses_e0491b3a1ffeGTrIChWya3Gu8d", Messages: []string{"msg_1fb6e896a001CekvGF1kN7J7NK"}}},
		"permission":         {file("permission-run/run.stdout") + file("permission-run/run.stderr"), agent.Output{Began: true, Session: "ses_e04861059ffer7QfviLTUBIrwX", Messages: []string{"msg_1fb79f6f10012wNgb345RiXHB3"}, Denials: 1}},
		"limited":            {file("rate-limit-gives-up/run.stdout"), agent.Output{Began: true, Session: "ses_e0490bdf4ffetoGb2yI1hytQKC", Failed: true}},
		"unknown id":         {"\x1b[91m\x1b[1mError: \x1b[0mSession not found\n", agent.Output{Refused: true}},
		"unknown id, 1.1":    {notFound("Resource not found: /home/dev/.local/share/opencode/storage/session/global/ses_00000000000000000000000000.json"), agent.Output{Refused: true}},
		"unknown id, 1.3":    {notFound("Session not found: ses_00000000000000000000000000"), agent.Output{Refused: true}},
		"another file, 1.1":  {notFound("Resource not found: /home/dev/.local/share/opencode/storage/message/ses_00000000000000000000000000/msg_1.json"), agent.Output{}},
		"another error, 1.3": {notFound("Message not found: ses_00000000000000000000000000"), agent.Output{}},
		"opened, and not found, 1.3": {`{"type":"text","sessionID":"` + planID + `","part":{"messageID":"msg_1"}}` + "\n" + notFound("Session not found: ses_00000000000000000000000000"),
			agent.Output{Began: true, Session: planID, Messages: []string{"msg_1"}}},
		"opened, and not found": {`{"type":"text","sessionID":"` + planID + `","part":{"messageID":"msg_1"}}` + "\nError: Session not found\n",
			agent.Output{Began: true, Session: planID, Messages: []string{"msg_1"}}},
		"in an answer": {`{"type":"text","sessionID":"` + planID + `","part":{"messageID":"msg_1","text":"Error: Session not found"}}` + "\nno Error: Session not found\n",
			agent.Output{Began: true, Session: planID, Messages: []string{"msg_1"}}},
		"long line": {long + `{"type":"error","sessionID":"` + planID + `"}`, agent.Output{Began: true, Session: planID, Failed: true}},
		"cut line":  {`{"type":"text","sessionID":"` + planID, agent.Output{}},
		"nothing":   {"", agent.Output{}},
	} {
		o, _ := open(t, nil)
		got, err := o.Output(strings.NewReader(c.text), nil)
		if d := cmp.Diff(c.want, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}
