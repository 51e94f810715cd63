package opencode

import (
	"context"
	"slices"

	"github.com/clawd-project/clawd/detect"
)

// queued looks at the newest answer where prompts stand behind it: what its user types while opencode works is there at once, and
// is answered when the work is done. When that fails, opencode leaves the prompts unanswered, and the failure, of an older row,
// is how the session ended: it is told once more, as the newest.
func (r *reader) queued(ctx context.Context, st store, rows []message) error {
	var asked *message
	if r.from.Asked != "" {
		m, ok, err := st.message(ctx, r.from.Asked)
		if err != nil {
			return err
		}
		if ok {
			asked = &m
		}
	}
	prompts := rows
	for i := range rows {
		if !isUser(rows[i]) {
			asked, prompts = &rows[i], rows[i+1:]
		}
	}
	switch {
	case asked == nil || len(prompts) == 0:
		return nil
	case asked.Data.Role == "assistant" && asked.completed().IsZero():
		r.to.Asked = asked.ID
		return nil
	case asked.Data.Error == nil || len(r.events) == 0 && asked.ID != r.from.Asked:
		return nil
	case slices.ContainsFunc(prompts, func(m message) bool { return !m.created().Before(asked.completed()) }):
		return nil // given to it afterwards, so it is at work on that
	}
	if e := r.event(asked); e.Kind == detect.KindFailure || e.Kind == detect.KindInterrupt {
		r.events = append(r.events, e)
	}
	return nil
}
