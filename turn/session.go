package turn

import (
	"context"
	"iter"
	"sync"

	"github.com/clawd-project/clawd/agent"
)

// Session is a conversation: every turn goes on where the last one ended. Its turns run one after
// the other.
type Session struct {
	mu sync.Mutex
	r  Request
}

// NewSession begins with r.Session, or with a new session. Everything but the prompt is the same for
// all turns.
func NewSession(r Request) *Session { return &Session{r: r} }

// ID of the session; empty: no turn has opened one.
func (s *Session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Session
}

// Reset lets the next turn begin a new session.
func (s *Session) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.r.Session = ""
}

// Turn asks, as Run does. A turn that failed keeps its session: the next one goes on there.
func (s *Session) Turn(ctx context.Context, prompt string) (Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.r.Prompt = prompt
	res, err := Run(ctx, s.r)
	if res.Session != "" {
		s.r.Session = res.Session
	}
	return res, err
}

// Stream is Run as a sequence of what the agent says. Its last element is an Event with the Result, or
// the error. Leaving the loop ends the agent.
func Stream(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		events, told := make(chan Event), r.OnEvent
		r.OnEvent = func(e Event) {
			if told != nil {
				told(e)
			}
			select {
			case events <- e:
			case <-ctx.Done():
			}
		}
		var res Result
		var err error
		go func() {
			defer close(events)
			res, err = Run(ctx, r)
		}()
		for e := range events {
			if !yield(e, nil) {
				cancel()
				for range events { // until the agent has ended
				}
				return
			}
		}
		if err != nil {
			yield(Event{Attempt: res.Attempts, Result: &res}, err)
			return
		}
		yield(Event{Said: agent.Said{Kind: EventResult, Session: res.Session, Text: res.Text}, Attempt: res.Attempts, Result: &res}, nil)
	}
}
