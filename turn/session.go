package turn

import (
	"context"
	"iter"
	"sync"

	"github.com/clawd-project/clawd/agent"
)

// Session is a conversation: every turn goes on where the last one ended. Its turns run one after
// the other. ID and Reset never wait for a turn; a callback must not begin one.
type Session struct {
	turn sync.Mutex // held for a whole turn
	r    Request    // but its Session and Prompt

	mu     sync.Mutex // guards what follows
	id     string
	resets int
}

// NewSession begins with r.Session, or with a new session. Everything but the prompt is the same for
// all turns.
func NewSession(r Request) *Session { return &Session{r: r, id: r.Session} }

// ID of the session, also of one that a running turn has just opened; empty: there is none.
func (s *Session) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Reset lets the next turn begin a new session. A turn that runs ends in its own.
func (s *Session) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = ""
	s.resets++
}

// Turn asks, as Run does. A turn that failed keeps its session: the next one goes on there.
func (s *Session) Turn(ctx context.Context, prompt string) (Result, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.mu.Lock()
	before, resets := s.id, s.resets
	s.mu.Unlock()
	set := func(id string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.resets == resets {
			s.id = id
		}
	}
	r := s.r
	r.Prompt, r.Session = prompt, before
	r.OnEvent = func(e Event) {
		if e.Kind == agent.SaidOpened && e.Session != "" {
			set(e.Session)
		}
		if s.r.OnEvent != nil {
			s.r.OnEvent(e)
		}
	}
	res, err := Run(ctx, r)
	if res.Session == "" { // what was opened on the way was not kept
		set(before)
	} else {
		set(res.Session)
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
