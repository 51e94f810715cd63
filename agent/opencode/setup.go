package opencode

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// setup gives the options for what the stopped prompt ran with, and for what bounded its process. What the config's arguments name is theirs.
// An agent of opencode is a set of permissions, so a session that does not tell its own is left.
func (o *OpenCode) setup(r agent.Request) ([]string, error) {
	s := r.Info.Setup
	if err := o.settled(r, o.Role(r)); err != nil {
		return nil, err
	}
	args, err := o.restore(r)
	if err != nil {
		return nil, err
	}
	if _, given := o.option("--agent"); !given {
		args = append(args, "--agent", s.Role)
	}
	_, short := o.option("-m")
	if _, long := o.option("--model"); !short && !long {
		args = append(args, "-m", s.Model)
	}
	if _, given := o.option("--variant"); !given && s.Effort != "" {
		args = append(args, "--variant", s.Effort)
	}
	return args, nil
}

// settled says why a prompt cannot be given what the stopped one had; nil: it can.
func (o *OpenCode) settled(r agent.Request, role string) error {
	s := r.Info.Setup
	unfit := &agent.Unfit{Command: agent.Command(o.vars(), r.Info.Dir, o.Command(), "--session", r.Session.ID)}
	switch {
	case role == "" || !reModel.MatchString(s.Model):
		unfit.Why = "its records do not name the agent and the model that it ran with"
	case strings.HasPrefix(role, "-") || strings.HasPrefix(s.Effort, "-"):
		unfit.Why = "the name of its agent or variant looks like an option"
	case s.Bound:
		unfit.Why = "it was prompted with tools or a system prompt of its own, which clawd can't give again"
	default:
		return nil
	}
	return unfit
}

// option gives the value of an option in the configured arguments.
func (o *OpenCode) option(name string) (string, bool) {
	for i, a := range o.cfg.Args {
		if a == name && i+1 < len(o.cfg.Args) {
			return o.cfg.Args[i+1], true
		}
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// Role is the agent that a resume is given.
func (o *OpenCode) Role(r agent.Request) string {
	if v, given := o.option("--agent"); given {
		return v
	}
	return r.Info.Setup.Role
}

// ListRoles is `opencode agent list`. With --agent NAME, `run` takes the default agent, which writes, when
// the name is gone or is a sub-agent's, and says so only in its output. It is asked within the bounds of the
// session: its user's plugins would run for this, too.
func (o *OpenCode) ListRoles(r agent.Request) (resume.Plan, error) {
	bounds, err := o.restore(r)
	if err != nil {
		return resume.Plan{}, err
	}
	if options.Given(o.cfg.Args)[pure] {
		bounds = []string{pure}
	}
	p, err := o.plan(r)
	p.Argv = slices.Concat([]string{r.Program.Path, "agent", "list"}, bounds)
	return p, err
}

// HasRole looks for "NAME (primary)" or "NAME (all)" at the beginning of a line.
func (o *OpenCode) HasRole(printed []byte, role string) bool {
	lines := strings.Split(detect.Plain(string(bytes.ToValidUTF8(printed, nil))), "\n")
	return slices.Contains(lines, role+" (primary)") || slices.Contains(lines, role+" (all)")
}

// RoleGone leaves the session.
func (o *OpenCode) RoleGone(r agent.Request) *agent.Unfit {
	return &agent.Unfit{
		Why:     fmt.Sprintf("it ran as agent %q, which is gone; opencode would take another one, which may do more", o.Role(r)),
		Command: agent.Command(o.vars(), r.Info.Dir, o.Command(), "--session", r.Session.ID),
	}
}
