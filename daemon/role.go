package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/spawn"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// roles asks the agent whether the role that a session would get is still there: without it another, which
// may do more, would answer. That takes seconds, so the agent is asked shortly before the wait is over; after
// that, when nothing else keeps the session from being resumed.
type roles struct {
	s     *session
	a     agent.Roles
	asked chan struct{} // closed when what follows is there
	role  string
	at    time.Time // zero: it was not asked
	err   error
}

const (
	// rolesAhead is how long before the end of a wait the agent is asked.
	rolesAhead = 20 * time.Second
	// rolesLast is how long an answer holds.
	rolesLast = time.Minute
	// rolesMost is how long a question that failed is put off at most.
	rolesMost = time.Hour
)

// askAhead has the agent asked before a wait ends for the first time; nil: the agent has no roles.
func (s *session) askAhead(ctx context.Context, wake time.Time) *roles {
	a, ok := s.a.(agent.Roles)
	if !ok {
		return nil
	}
	r := &roles{s: s, a: a, asked: make(chan struct{})}
	if !s.notYet.IsZero() || !wake.After(s.d.sleeper.Now()) {
		close(r.asked)
		return r
	}
	rec := s.rec
	s.d.wg.Go(func() {
		defer close(r.asked)
		if s.d.sleeper.Until(ctx, wake.Add(-rolesAhead)) == nil {
			r.ask(ctx, rec)
		}
	})
	return r
}

// stands says why there can be no attempt in the role of the session. late: it had to ask.
func (r *roles) stands(ctx context.Context, rec state.Session) (late bool, err error) {
	select {
	case <-r.asked:
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	q, err := r.s.request(rec)
	if err != nil {
		return false, postponed(r.s.d.sleeper.Now().Add(lookAgain), "%v", err)
	}
	if age := time.Since(r.at); r.at.IsZero() || age > rolesLast || r.err != nil || r.role != r.a.Role(q) {
		r.ask(ctx, rec)
		late = true
	}
	switch {
	case r.err == nil:
		r.s.failing = 0
	case ctx.Err() == nil && !errors.As(r.err, new(*resume.Refusal)) && !errors.As(r.err, new(*ruledError)):
		again := min(lookAgain<<min(r.s.failing, 10), rolesMost)
		r.s.failing++
		return late, postponed(r.s.d.sleeper.Now().Add(again), "%v", r.err)
	}
	return late, r.err
}

// ask asks now.
func (r *roles) ask(ctx context.Context, rec state.Session) {
	r.at, r.err = time.Time{}, nil
	q, err := r.s.request(rec)
	if err != nil {
		r.err = err
		return
	}
	r.role = r.a.Role(q)
	p, err := r.a.ListRoles(q)
	if r.role == "" || err != nil { // the plan says why there is none
		r.at = time.Now()
		return
	}
	told, err := r.s.d.questions.ask(ctx, p)
	switch {
	case ctx.Err() != nil:
		r.err = context.Cause(ctx)
	case err != nil:
		r.err = fmt.Errorf("whether agent %q is still there can't be seen: %w", r.role, err)
		if aboutMachine(err) {
			r.err = r.s.d.short(r.err.Error())
		}
	case !r.a.HasRole(told.printed, r.role):
		r.err = r.s.d.unplanned(rec, r.a.RoleGone(q))
	}
	r.at = told.at
}

// questions puts questions to agents, a few at a time: all sessions of an account may be due at one moment, and
// each question is a process of the agent. Sessions of one folder share an answer.
type questions struct {
	slots   chan struct{}
	mu      sync.Mutex // guards answers
	answers map[string]reply
}

// reply is what an agent printed. at: zero: it did not.
type reply struct {
	printed []byte
	at      time.Time
}

const askedAtOnce = 2

func newQuestions() *questions {
	return &questions{slots: make(chan struct{}, askedAtOnce), answers: map[string]reply{}}
}

func (q *questions) ask(ctx context.Context, p resume.Plan) (reply, error) {
	select {
	case q.slots <- struct{}{}:
	case <-ctx.Done():
		return reply{}, context.Cause(ctx)
	}
	defer func() { <-q.slots }()
	key := fmt.Sprintf("%q", []any{p.Dir, p.Argv, p.Env, p.Unset})
	q.mu.Lock()
	known, ok := q.answers[key]
	q.mu.Unlock()
	if ok && time.Since(known.at) < rolesLast/2 {
		return known, nil
	}
	printed, err := spawn.Ask(ctx, p)
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
