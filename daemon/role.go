package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/spawn"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// rolesLast is how long an answer about roles holds.
const rolesLast = time.Minute

// askRoles asks the agent whether the role that a session would get is still there: without it another, which
// may do more, would answer. That takes seconds, so the agent is asked shortly before the wait is over, if it is not
// busy with others; after that, when it is the session's turn and nothing else keeps it from being resumed.
func (s *session) askRoles(ctx context.Context, a agent.Roles, rec *state.Session, waits bool) *machine.Roles {
	out := &machine.Roles{}
	q, err := s.request(rec)
	if err != nil {
		out.Err = err
		return out
	}
	out.Role = a.Role(q)
	p, err := a.ListRoles(q)
	if out.Role == "" || err != nil { // the plan says why there is none
		out.At = time.Now()
		return out
	}
	told, err := s.d.questions.ask(ctx, p, waits)
	switch {
	case err != nil:
		out.Err = fmt.Errorf("whether %q is still there can't be seen: %w", out.Role, err)
	case !a.HasRole(told.printed, out.Role):
		out.Err = a.RoleGone(q)
	}
	out.At = told.at
	return out
}

// needsRole tells whether the agent has to be asked about a session. Where it cannot be told how that one is resumed, it is.
func (s *session) needsRole(rec *state.Session) (agent.Roles, bool) {
	a, ok := s.a.(agent.Roles)
	if !ok {
		return nil, false
	}
	q, err := s.request(rec)
	return a, err != nil || a.Role(q) != ""
}

// rolesAhead asks ahead of the end of a wait. Nil: there is nothing to ask, or the agent has to answer for other sessions first.
func (s *session) rolesAhead(ctx context.Context, rec *state.Session) machine.Answer {
	a, ok := s.needsRole(rec)
	if !ok {
		return nil
	}
	if out := s.askRoles(ctx, a, rec, false); !errors.Is(out.Err, errBusy) {
		return out
	}
	return nil
}

// seeRoles says why there can be no attempt in the role of the session. turn: it is the session's turn; all sessions of an
// account may be due at one moment, and an answer gets old while others go first. late: it had to ask.
func (s *session) seeRoles(ctx context.Context, a agent.Roles, turn bool, out *machine.AllSeen) (late bool) {
	q, err := s.request(out.Rec)
	if err != nil {
		out.Later = s.later(lookAgain, "%v", err)
		return false
	}
	if r := out.Roles; r == nil || r.At.IsZero() || time.Since(r.At) > rolesLast || r.Err != nil || r.Role != a.Role(q) {
		if !turn {
			out.Lacks = machine.Unasked
			return false
		}
		out.Roles = s.askRoles(ctx, a, out.Rec, true)
		late = true
	}
	switch err := out.Roles.Err; {
	case err == nil:
	case aboutMachine(err):
		out.Short = err.Error()
	case errors.As(err, new(*agent.Unfit)):
		s.d.planFacts(&out.Facts, out.Rec, err)
	default:
		out.Later, out.Lacks = s.later(0, "%v", err), machine.Unanswered
	}
	return late
}

// questions puts questions to agents, a few at a time: all sessions of an account may be due at one moment, and
// each question is a process of the agent. Sessions of one folder share an answer.
type questions struct {
	slots   chan struct{}
	mu      sync.Mutex // guards answers
	answers map[string]reply
	run     func(context.Context, resume.Plan) ([]byte, error)
}

// reply is what an agent printed. at: zero: it did not.
type reply struct {
	printed []byte
	at      time.Time
}

const askedAtOnce = 2

var errBusy = errors.New("other questions come first")

func newQuestions(environ []string) *questions {
	run := func(ctx context.Context, p resume.Plan) ([]byte, error) { return spawn.Ask(ctx, environ, p) }
	return &questions{slots: make(chan struct{}, askedAtOnce), answers: map[string]reply{}, run: run}
}

// ask puts a question. Where others were put before, it waits for them or comes to errBusy.
func (q *questions) ask(ctx context.Context, p resume.Plan, waits bool) (reply, error) {
	select {
	case q.slots <- struct{}{}:
	default:
		if !waits {
			return reply{}, errBusy
		}
		select {
		case q.slots <- struct{}{}:
		case <-ctx.Done():
			return reply{}, context.Cause(ctx)
		}
	}
	defer func() { <-q.slots }()
	key := fmt.Sprintf("%q", []any{p.Dir, p.Argv, p.Env, p.Unset})
	q.mu.Lock()
	known, ok := q.answers[key]
	q.mu.Unlock()
	if ok && time.Since(known.at) < rolesLast/2 {
		return known, nil
	}
	printed, err := q.run(ctx, p)
	if err != nil {
		return reply{}, err
	}
	known = reply{printed, time.Now()}
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.answers, func(_ string, r reply) bool { return time.Since(r.at) > rolesLast })
	q.answers[key] = known
	return known, nil
}
