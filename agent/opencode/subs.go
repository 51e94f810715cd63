package opencode

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// maxSubs bounds how many sub-agents of a session are looked at: those that were begun last.
const maxSubs = 200

// SubStops looks at the sessions that name this one as their parent, each with messages of its own. Before 1.2, when sessions were
// JSON files, nobody has seen one.
func (o *OpenCode) SubStops(ctx context.Context, s detect.Session, since time.Time) ([]detect.SubStop, error) {
	if err := o.check(s); err != nil || isJSON(s) {
		return nil, err
	}
	var ids []string
	err := o.view(ctx, s.Path, func(ctx context.Context, tx *sql.Tx) error {
		ids = nil
		return each(ctx, tx, func(scan func(...any) error) error {
			var id string
			if err := scan(&id); err != nil {
				return err
			}
			if idForm.MatchString(id) && id != s.ID {
				ids = append(ids, id)
			}
			return nil
		}, `select substr(id, 1, 100) from session where parent_id = ?
			and exists (select 1 from message m where m.session_id = session.id and m.time_updated >= ?)
			order by time_created desc limit ?`, s.ID, since.UnixMilli(), maxSubs)
	})
	if errors.Is(err, errNoTables) {
		return nil, nil
	}
	var all []detect.SubStop
	errs := []error{err}
	for _, id := range ids {
		var c detect.Classifier
		b, err := o.Read(ctx, o.Beside(s, id), "", c.Feed)
		if err != nil {
			errs = append(errs, agent.SkipAbsent(err))
			continue
		}
		if stop, failed := c.Stop().SubStop(id, b.Info.Setup.Role); failed && (c.Last.Kind == detect.KindFailure || c.Last.Kind == detect.KindInterrupt) {
			all = append(all, stop)
		}
	}
	return all, errors.Join(errs...)
}
