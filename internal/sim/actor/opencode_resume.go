package actor

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// Resume is opencode run --session ID --agent A -m M -- PROMPT, or a new session with the prompt on stdin.
func (o *OpenCode) Resume(plan resume.Plan, environ []string, out io.Writer, now time.Time) (Session, error) {
	if len(plan.Argv) < 2 || plan.Argv[1] != "run" {
		return nil, ErrCannot
	}
	id, old := option(plan.Argv, "--session")
	s := Start{Dir: plan.Dir}
	role, _ := option(plan.Argv, "--agent")
	prompt := string(plan.Stdin)
	if i := slices.Index(plan.Argv, "--"); i >= 0 && i+1 < len(plan.Argv) {
		prompt = plan.Argv[i+1]
	}
	fell := role != "" && !slices.Contains(o.Roles, role)
	if !fell {
		s.Mode = role
	}
	f := o.files[id]
	p := o.spawn(f, s, slices.Concat([]string{"opencode"}, plan.Argv[1:]), slices.Concat(plan.Env, environ), now)
	p.out, p.by = out, Clawd
	say := func(text string) {
		if out != nil {
			_, _ = io.WriteString(out, text)
		}
	}
	if old && (f == nil || !there(f.path)) {
		say("Error: Session not found\n")
		return p, p.exit(now, 1, false)
	}
	if fell {
		say("!  agent \"" + role + "\" not found. Falling back to default agent\n")
	}
	p.lost, p.piped = old && f.dir != plan.Dir, len(plan.Stdin) > 0
	return p, p.give(prompt, Clawd, now)
}

// there tells whether a file can be read as JSON.
func there(path string) bool {
	b, err := os.ReadFile(path)
	return err == nil && json.Valid(b)
}
