package agent

import (
	"context"

	"github.com/clawd-project/clawd/detect"
)

// Look reads a session from its beginning and says how it stands. live: who has it open counts,
// else it is taken that nobody has.
func Look(ctx context.Context, a Agent, s detect.Session, live bool) (detect.Stop, Batch, error) {
	var c detect.Classifier
	b, err := a.Read(ctx, s, "", c.Feed)
	if err != nil {
		return detect.Stop{}, b, err
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
