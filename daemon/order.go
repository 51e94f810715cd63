package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// Order is what a user says about one session: POST /v1/resume, /v1/cancel and /v1/ignore.
type Order struct {
	Session string `json:"session"` // an id, or the beginning of one that names no other; may follow "agent/"
	resume.Order
	Off bool `json:"off,omitempty"` // ignore: no longer
}

// Done answers an order that was taken.
type Done struct {
	Agent   string      `json:"agent"`
	Session string      `json:"session"`
	Project string      `json:"project"`
	Phase   state.Phase `json:"phase"`
	WakeAt  *time.Time  `json:"wake_at"` // of a session that waits
	Text    string      `json:"text"`    // what comes of it
}

// Problem answers an order or a question that comes to nothing.
type Problem struct {
	Error    string   `json:"error"`
	Command  string   `json:"command,omitempty"`  // what the user can type instead
	Sessions []string `json:"sessions,omitempty"` // agent/id of all that are meant
}

// unreadableError: what was sent is no order. unknownError: no session has the name. ambiguousError: several have. refusedError: the order would
// do harm, or comes to nothing.
type (
	unknownError    struct{ error }
	unreadableError struct{ error }
	ambiguousError  struct {
		error
		sessions []string
	}
	refusedError struct {
		error
		command string
	}
)

func refused(format string, args ...any) error {
	return &refusedError{error: fmt.Errorf(format, args...)}
}

// minPrefix is how much of an id must be said at least.
const minPrefix = 4

// find gives the one session that a name means.
func (d *Daemon) find(ref string) (*session, state.Session, error) {
	if err := d.flush(); err != nil { // what was only read so far is to be found, too
		return nil, state.Session{}, err
	}
	agentName, id := "", ref
	if name, rest, ok := strings.Cut(ref, "/"); ok {
		agentName, id = name, rest
	}
	if len(id) < minPrefix {
		return nil, state.Session{}, &ambiguousError{error: fmt.Errorf("%q is too short; say at least %d characters of the session's id", ref, minPrefix)}
	}
	var found []state.Session
	err := d.store.Sessions(func(rec state.Session) error {
		if strings.HasPrefix(rec.ID, id) && (agentName == "" || rec.Agent == agentName) && d.agent(rec.Agent) != nil {
			found = append(found, rec)
		}
		return nil
	})
	if whole := slices.DeleteFunc(slices.Clone(found), func(r state.Session) bool { return r.ID != id }); len(whole) == 1 {
		found = whole
	}
	switch {
	case len(found) == 1:
		return d.session(d.agent(found[0].Agent), found[0].Session), found[0], nil
	case len(found) == 0:
		return nil, state.Session{}, &unknownError{errors.Join(fmt.Errorf("clawd knows no session whose id begins with %q", ref), err)}
	}
	many := &ambiguousError{error: fmt.Errorf("%q means %d sessions; say more of the id", ref, len(found))}
	for _, rec := range found {
		many.sessions = append(many.sessions, state.Key(rec.Session))
	}
	return nil, state.Session{}, many
}

// obey lets the session's loop, which ends with work, act on an order that stands in the store.
func (d *Daemon) obey(work context.Context, s *session) {
	s.ordered.Store(true)
	signal(s.news) // a run under way looks at it, too
	d.poke(work, s)
}

func done(rec state.Session, text string) Done {
	a := Done{Agent: rec.Agent, Session: rec.ID, Project: rec.Info.Dir, Phase: rec.Phase, Text: text}
	if rec.Phase == state.Waiting {
		a.WakeAt = &rec.Decision.WakeAt
	}
	return a
}

// Resume has a stopped session resumed because its user wants it. The loops that it starts end with work.
func (d *Daemon) Resume(work context.Context, o Order) (Done, error) {
	s, rec, err := d.find(o.Session)
	if err != nil {
		return Done{}, err
	}
	holders, err := s.a.Live(work, s.ds, rec.Info)
	if err != nil {
		return Done{}, fmt.Errorf("who has the session open cannot be seen: %w", err)
	}
	if !d.lookedFor(s.a) {
		return Done{}, refused("clawd has just started and has not found out yet which version %q is; say it again in a minute", s.a.Command())
	}
	text := ""
	for range 5 { // something may be written of it meanwhile
		if now, ok, err := d.store.Session(s.ds); err != nil {
			return Done{}, err
		} else if ok {
			rec = now
		}
		rec, text, err = s.takeOrder(work, rec, o.Order, holders)
		if !errors.Is(err, state.ErrMoved) {
			break
		}
	}
	switch {
	case errors.Is(err, state.ErrMoved):
		return Done{}, refused("something is written to the session right now; say it again")
	case errors.Is(err, state.ErrPhase):
		return Done{}, refused("it is being resumed right now, attempt %d since %s", rec.Claim.N, rec.Claim.At.Format(time.RFC3339))
	case err != nil:
		return Done{}, err
	}
	d.log.Info().Str("event", "resume_ordered").EmbedObject(name{rec}).Bool("now", o.Now).Bool("fresh", o.Fresh).
		Time("wake_at", rec.Decision.WakeAt).Int("attempt", rec.Decision.Attempt).Msg("its user wants this session resumed")
	d.obey(work, s)
	return done(rec, text), nil
}

// takeOrder takes an order in, as long as the record stands that was looked at.
func (s *session) takeOrder(ctx context.Context, rec state.Session, o resume.Order, holders []detect.Holder) (state.Session, string, error) {
	if rec.Phase == state.Claimed || rec.Phase == state.Fired {
		return rec, "", state.ErrPhase
	}
	stop, d, text, err := s.order(ctx, rec, o, holders)
	if err != nil {
		return rec, "", err
	}
	rec, err = s.d.store.Order(s.ds, rec.Rev, stop, d)
	return rec, text, err
}

// order looks what the session's files end in and what speaks against a resume that its user wants. holders were just
// seen. The text says what comes.
func (s *session) order(ctx context.Context, rec state.Session, o resume.Order, holders []detect.Holder) (stop detect.Stop, d resume.Decision, text string, err error) {
	if stop, err = s.tail(ctx, rec, o, strongest(holders)); err != nil {
		return stop, d, "", err
	}
	_, policy := s.d.settings()
	tried := resume.Tried{Attempts: rec.Episode.Attempts, Fresh: rec.Episode.Fresh, Refused: rec.RefusedNow()}
	d = policy.Ordered(stop, tried, s.d.sleeper.Now(), o)
	rec.Stop, rec.Decision = stop, d
	text = "it is resumed at " + d.WakeAt.Format(time.RFC3339)
	if !d.WakeAt.After(s.d.sleeper.Now()) {
		text = "it is resumed now"
	}
	h, attended := attendedBy(holders)
	f := s.d.facts(rec, h)
	s.d.seeProject(&f)
	if err := s.d.askCallers(&f); err != nil {
		return stop, d, "", err
	}
	if c := rec.Claim; rec.Phase == state.Held && c != nil && c.Plan.Way == resume.Queue && c.Stop.Key == stop.Key && slices.ContainsFunc(holders, c.Plan.Reaches) {
		f.Record.Queued = c.Plan.Holder
	}
	found, ok := rules.Ask(rules.Order, &f)
	switch {
	case ok:
		return stop, d, "", &refusedError{errors.New(found.Why), found.Command}
	case attended:
		if _, err := s.livePlan(ctx, rec, d, holders); err != nil {
			text = fmt.Sprintf("process %d has it open, and clawd cannot type there (%v): it is resumed when that process has ended", h.PID, err)
		}
		return stop, d, text, nil
	}
	_, err = s.plan(rec, d, []byte("-"))
	s.d.planFacts(&f, rec, err)
	if found, ok := rules.Ask(rules.Order, &f); ok {
		return stop, d, "", &refusedError{errors.New(found.Why), found.Command}
	}
	return stop, d, text, nil
}

// tail gives the stop that the session's files end in.
func (s *session) tail(ctx context.Context, rec state.Session, o resume.Order, h detect.Holder) (detect.Stop, error) {
	now, err := s.readOn(ctx, rec)
	switch {
	case errors.Is(err, fs.ErrNotExist) && deleted(rec) && (o.Fresh || rec.Decision.Strategy == resume.FreshSession):
		return rec.Stop, nil // what a fresh session needs of it was kept
	case errors.Is(err, fs.ErrNotExist):
		found, _ := rules.Ask(rules.Order, &rules.Facts{Tail: rules.Tail{Gone: true}})
		return detect.Stop{}, refused("%s", found.Why)
	case err != nil:
		return detect.Stop{}, fmt.Errorf("its files cannot be read: %w", err)
	}
	if rec.Stop.State == detect.Stopped && moved(rec, now) == "" {
		return rec.Stop, nil
	}
	c := now.fold
	c.Feed(detect.Event{Kind: detect.KindHolder, Holder: &h, At: s.d.sleeper.Now()})
	switch stop := c.Stop(); {
	case stop.IsStop(), stop.State == detect.Retrying && stop.Reason != "":
		return stop, nil
	case stop.Reason == detect.Completed:
		return stop, refused("there is nothing to resume: its turn ended well")
	default:
		return stop, refused("there is nothing to resume: the session is %s", stop.State)
	}
}

// Cancel ends a wait, or the run that clawd started.
func (d *Daemon) Cancel(work context.Context, o Order) (Done, error) {
	s, _, err := d.find(o.Session)
	if err != nil {
		return Done{}, err
	}
	ours := s.child.Load() != 0
	was, err := d.store.Cancel(s.ds, ours)
	if errors.Is(err, state.ErrPhase) && was.OldSession != "" { // the run that took over belongs to the older one
		old := Order{Session: s.ds.Agent + "/" + was.OldSession}
		if before, _, e := d.find(old.Session); e == nil && before.child.Load() != 0 {
			return d.Cancel(work, old)
		}
	}
	switch {
	case errors.Is(err, state.ErrPhase):
		return Done{}, refused("there is nothing to cancel: the session is %s", was.Phase)
	case err != nil:
		return Done{}, err
	case was.TakenBack():
		return done(was, "it was canceled before; nothing more is done about this stop"), nil
	}
	d.log.Info().Str("event", "resume_cancelled").EmbedObject(name{was}).Str("phase", string(was.Phase)).Str("cause", "its user wants it").Msg("cancelled by its user")
	d.obey(work, s)
	rec, _, err := d.store.Session(s.ds)
	switch {
	case was.Phase == state.Waiting && !ours, was.Phase == state.Claimed:
		return done(rec, "nothing was started, and nothing will be for this stop"), err
	case was.Phase == state.Fired && was.Claim.Plan.Way.Live():
		return done(rec, "clawd's prompt is with the agent already, and nothing is undone; no other one follows for this stop"), err
	}
	return done(rec, "clawd's run is being ended; no other one follows"), err
}

// Ignore has clawd leave a session from now on, or no longer.
func (d *Daemon) Ignore(work context.Context, o Order) (Done, error) {
	s, _, err := d.find(o.Session)
	if err != nil {
		return Done{}, err
	}
	was, err := d.store.Ignore(s.ds, o.Off)
	if err != nil {
		return Done{}, err
	}
	event, text := "session_ignored", "clawd leaves it from now on"
	switch {
	case o.Off:
		event, text = "session_unignored", "clawd looks after its next stop again; \"clawd resume "+s.ds.ID+"\" has this one resumed"
	case was.Phase == state.Claimed, was.Phase == state.Fired:
		text = "clawd leaves it once the attempt under way has ended; \"clawd cancel " + s.ds.ID + "\" ends it"
	}
	d.log.Info().Str("event", event).EmbedObject(name{was}).Str("phase", string(was.Phase)).Msg("as its user wants")
	d.obey(work, s)
	rec, _, err := d.store.Session(s.ds)
	return done(rec, text), err
}

// anew forgets why a resume was put off.
func (s *session) anew() {
	s.parked, s.notYet = false, time.Time{}
	s.standBy.Store(nil)
}
