package turn

import (
	"context"
	"errors"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// finder is an agent that lists nothing, and has one session or cannot look.
type finder struct {
	agent.Agent
	has string
	err error
}

func (finder) Scan(context.Context, string) ([]agent.Touched, error) { return nil, nil }

func (f finder) Find(_ context.Context, id string) (detect.Session, bool, error) {
	return detect.Session{ID: f.has}, f.has == id, f.err
}

// TestFindBeyondTheList: a session that is too old to be listed is there all the same.
func TestFindBeyondTheList(t *testing.T) {
	busy := errors.New("busy")
	for _, c := range []struct {
		f   finder
		ok  bool
		err error
	}{{finder{has: "a"}, true, nil}, {finder{has: "b"}, false, nil}, {finder{has: "b", err: busy}, false, busy}} {
		if ok, err := (&runner{a: c.f}).find(t.Context(), "a"); ok != c.ok || !errors.Is(err, c.err) {
			t.Errorf("%+v: found %v, err %v", c.f, ok, err)
		}
	}
}
