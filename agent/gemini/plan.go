package gemini

import (
	"errors"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/resume"
)

// Plan gives none yet: what its user can type instead.
func (g *Gemini) Plan(r agent.Request) (resume.Plan, error) {
	if !idForm.MatchString(r.Session.ID) {
		return resume.Plan{}, errors.New("the session id is not a lower-case UUID")
	}
	return resume.Plan{}, g.unfit(r, " --resume "+r.Session.ID)
}

// Fresh gives none yet, as Plan.
func (g *Gemini) Fresh(r agent.Request) (resume.Plan, error) {
	return resume.Plan{}, g.unfit(r, "")
}

func (g *Gemini) unfit(r agent.Request, args string) error {
	cmd := quote(g.Command()) + args
	if r.Info.Dir != "" { // elsewhere the agent does not find the session
		cmd = "cd " + quote(r.Info.Dir) + " && " + cmd
	}
	return &agent.Unfit{Why: "clawd cannot resume Gemini CLI sessions yet", Command: cmd}
}

// quote makes one word for a shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
