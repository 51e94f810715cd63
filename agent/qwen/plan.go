package qwen

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
	"github.com/clawd-project/clawd/resume"
)

// Plan gives the headless resume, in the very folder of the session: from another one the agent finds no session. The
// prompt goes in by stdin, for an argument is seen by others.
func (q *Qwen) Plan(r agent.Request) (resume.Plan, error) {
	if _, err := q.path(r.Session); err != nil {
		return resume.Plan{}, err
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return resume.Plan{}, errors.New("the prompt to resume with is empty")
	}
	p, err := q.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Session = resume.FormPrompt, r.Session.ID
	p.Stdin, p.Prompt = []byte(r.Prompt), detect.HashText(r.Prompt)
	p.Argv = append(p.Argv, "--resume", r.Session.ID)
	return p, nil
}

// Fresh gives a new session with an id of our choice; the hand-off goes in by stdin. The old session's file need not be
// there any more.
func (q *Qwen) Fresh(r agent.Request) (resume.Plan, error) {
	if !agent.IsUUID(r.Session.ID) || !agent.IsUUID(r.NewID) {
		return resume.Plan{}, errors.New("the session's id, or that for the new session, is not a lower-case UUID")
	}
	if len(strings.TrimSpace(string(r.Handoff))) == 0 {
		return resume.Plan{}, errors.New("there is no hand-off to begin the new session with")
	}
	p, err := q.plan(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p.Form, p.Session = resume.FormFresh, r.NewID
	p.Stdin, p.Prompt = r.Handoff, detect.HashText(string(r.Handoff))
	p.Argv = append(p.Argv, "--session-id", r.NewID)
	return p, nil
}

// plan is what both forms share, up to the session.
func (q *Qwen) plan(r agent.Request) (resume.Plan, error) {
	if !filepath.IsAbs(r.Program.Path) {
		return resume.Plan{}, errors.New("the program's path is not absolute")
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	if err := q.whole(r.Info.Dir); err != nil {
		return resume.Plan{}, err
	}
	kept, known, err := q.restore(r)
	if err != nil {
		return resume.Plan{}, err
	}
	p := resume.Plan{Dir: r.Info.Dir, Flags: known,
		Argv: slices.Concat([]string{r.Program.Path, "--output-format", "stream-json"}, kept, q.cfg.Args)}
	err = q.pay(&p, r)
	return p, err
}

// whole refuses a run in a folder while its settings are broken: versions before 0.24 pass over what they forbid.
func (q *Qwen) whole(dir string) error {
	return agent.WholeSettings(settingsMax, agent.Uncommented, nil, filepath.Join(q.root, "settings.json"), filepath.Join(dir, ".qwen", "settings.json"))
}

// restore gives the options of the session. The model and the way to pay are recorded; what it may do is not.
func (q *Qwen) restore(r agent.Request) (args []string, known detect.Known, err error) {
	known = detect.KnownNot
	var flags []detect.Flag
	if r.Launch != nil {
		var lost *agent.Unfit
		if flags, lost = options.Kept(r.Launch, q.env, q.cfg, section); lost != nil {
			return nil, "", q.unfit(r, lost.Why, lost.Key)
		}
		known = detect.KnownSeen
	}
	mode, err := q.mode(r, flags)
	if err != nil {
		return nil, "", err
	}
	args = mode
	given := options.Given(q.cfg.Args)
	for _, f := range flags {
		if f.Name == modeFlag || f.Name == yoloFlag || f.Name == "--model" || f.Name == wayFlag {
			continue
		}
		args = append(args, f.Args()...)
	}
	switch model := r.Info.Model; {
	case given["--model"]:
	case modelName.MatchString(model):
		args = append(args, "--model", model)
	default:
		return nil, "", q.unfit(r, "its records do not tell its model", argsKey)
	}
	if _, is := serverOf[r.Info.Provider]; is && !given[wayFlag] {
		args = append(args, wayFlag, r.Info.Provider)
	}
	return args, known, nil
}

// wayFlag names the way to pay.
const wayFlag = "--auth-type"

var modelName = lazyregexp.New(`^[A-Za-z0-9][\w./:@+~()-]{0,127}$`)

// mode gives the approval mode. The agent records none. In a mode that asks, a headless run is refused every tool that
// writes or runs a command, so that is what a run gets of which nobody saw how it was started. A session from a
// terminal is left, unless the config says what a run may do.
func (q *Qwen) mode(r agent.Request, flags []detect.Flag) ([]string, error) {
	least := []string{modeFlag, "default"}
	if options.Given(q.cfg.Args)[modeFlag] {
		return nil, nil
	}
	if r.Info.Interactive || r.Info.Untold {
		return nil, q.unfit(r, "the session may ask you for approvals, and a headless run cannot", argsKey)
	}
	if r.Launch == nil {
		return least, nil
	}
	had := "" // as the settings say
	for _, f := range flags {
		switch {
		case f.Name == modeFlag && len(f.Values) > 0:
			had = f.Values[0]
		case f.Name == yoloFlag && !slices.Contains(f.Values, "false"):
			had = yolo
		}
	}
	if had == "" && (q.settings().Tools.Mode == yolo || settingsIn(filepath.Join(r.Info.Dir, ".qwen")).Tools.Mode == yolo) {
		had = yolo
	}
	switch {
	case had == yolo && !q.cfg.RestoreBypass:
		return least, nil
	case had != "":
		return []string{modeFlag, had}, nil
	case agent.AtLeast(r.Info.Version, 0, 24) && agent.AtLeast(r.Program.Version, 0, 24):
		return nil, nil // the same default as then
	}
	return least, nil
}

const yolo = "yolo"

func (q *Qwen) unfit(r agent.Request, why, key string) error {
	return &agent.Unfit{Why: why, Key: key, Command: agent.Command(q.vars(), r.Info.Dir, q.Command(), "--resume", r.Session.ID)}
}
