package agent

import (
	"context"

	"github.com/clawd-project/clawd/detect"
)

// Look reads a session from its beginning and says how it stands. live: who has it open counts,
// else it is taken that nobody has.
func Look(ctx context.Context, a Agent, s detect.Session, live bool) (detect.Stop, Batch, error) {
	b, err := a.Read(ctx, s, "")
	if err != nil {
		return detect.Stop{}, b, err
	}
	var c detect.Classifier
	for _, e := range b.Events {
		c.Feed(e)
	}
	holders := []detect.Holder{{Liveness: detect.Gone}}
	if live {
		if holders, err = a.Live(ctx, s, b.Info); err != nil {
			return detect.Stop{}, b, err
		}
	}
	for _, h := range holders {
		c.Feed(detect.Event{Kind: detect.KindHolder, Holder: &h})
		if h.Liveness == detect.Alive {
			break
		}
	}
	return c.Stop(), b, nil
}
