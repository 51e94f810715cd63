package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/daemon/machine"
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

// askError is of an order or a question that means no one session: it has no form, or no session has the name, or several
// have. An order that would do harm, or comes to nothing, gets a *machine.OrderError.
type askError struct {
	error
	code     int      // of HTTP
	sessions []string // that are meant
}

// minPrefix is how much of an id must be said at least.
const minPrefix = 4

// find gives the one session that a name means, as it is now.
func (d *Daemon) find(ref string) (s *session, rec state.Session, err error) {
	agentName, id := "", ref
	if name, rest, ok := strings.Cut(ref, "/"); ok {
		agentName, id = name, rest
	}
	if len(id) < minPrefix {
		return nil, rec, &askError{fmt.Errorf("%q is too short; say at least %d characters of the session's id", ref, minPrefix), http.StatusBadRequest, nil}
	}
	found, err := d.known(func(rec state.Session) bool {
		return strings.HasPrefix(rec.ID, id) && (agentName == "" || rec.Agent == agentName) && d.agent(rec.Agent) != nil
	})
	if whole := slices.DeleteFunc(slices.Clone(found), func(r state.Session) bool { return r.ID != id }); len(whole) == 1 {
		found = whole
	}
	switch {
	case len(found) == 1:
		return d.session(d.agent(found[0].Agent), found[0].Session), found[0], nil
	case len(found) == 0:
		return nil, rec, &askError{errors.Join(fmt.Errorf("no session matches %q", ref), err), http.StatusNotFound, nil}
	}
	many := &askError{fmt.Errorf("%q means %d sessions; say more of the id", ref, len(found)), http.StatusBadRequest, nil}
	for _, rec := range found {
		many.sessions = append(many.sessions, state.Key(rec.Session))
	}
	return nil, rec, many
}

// known gives the records that fit, as the loop has them where it does, sorted by their keys.
func (d *Daemon) known(fits func(state.Session) bool) ([]state.Session, error) {
	all := map[string]state.Session{}
	err := d.store.Sessions(func(rec state.Session) error {
		if fits(rec) {
			all[state.Key(rec.Session)] = rec
		}
		return nil
	})
	d.loop.ask(func(l *loop) {
		for key, s := range l.seats {
			if _, stored := all[key]; stored || s.s.Rec.Cursor != "" && fits(s.s.Rec) {
				all[key] = s.s.Rec
			}
		}
	})
	var found []state.Session
	for _, key := range slices.Sorted(maps.Keys(all)) {
		found = append(found, all[key])
	}
	return found, err
}

// orders are those that wait for their answer.
type orders struct {
	mu   sync.Mutex // guards what follows
	last uint64
	all  map[uint64]chan machine.Reply
}

func newOrders() *orders { return &orders{all: map[uint64]chan machine.Reply{}} }

// expect numbers an order, and gives where its answer comes.
func (o *orders) expect(order *machine.Order) <-chan machine.Reply {
	c := make(chan machine.Reply, 1)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	order.ID = o.last
	o.all[order.ID] = c
	return c
}

func (o *orders) reply(r machine.Reply) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.all[r.ID]; c != nil {
		c <- r
		delete(o.all, r.ID)
	}
}

// drop: nobody waits for the answer any more.
func (o *orders) drop(id uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, id)
}

// orderPatience is less than whoever gives an order waits for the answer.
const orderPatience = 5 * time.Second

// give hands an order to its session and waits for the answer. Where the session's files do not answer in time nothing is
// promised, and nothing comes of it later.
func (d *Daemon) give(ctx context.Context, s *session, o machine.Order) machine.Reply {
	c := d.orders.expect(&o)
	d.loop.post(mail{s: s, e: machine.Ordered{Order: o}})
	defer d.orders.drop(o.ID)
	late := time.NewTimer(orderPatience + 3*time.Second) // whoever gives it waits 10 s
	defer late.Stop()
	select {
	case r := <-c:
		return r
	case <-late.C:
	case <-ctx.Done():
	}
	d.tooLate(s, o.ID)
	select {
	case r := <-c: // it was answered meanwhile
		return r
	default:
		return machine.Reply{Err: machine.Refuse("its files do not answer, so nothing was done; say it again later")}
	}
}

// tooLate: nothing comes of an order any more.
func (d *Daemon) tooLate(s *session, id uint64) {
	d.loop.ask(func(l *loop) {
		if at := l.seat(s, ""); at != nil {
			l.step(at, machine.TooLate{ID: id})
		}
	})
}

// Obey finds the session that an order of its user means, and gives it the order.
func (d *Daemon) Obey(ctx context.Context, kind machine.OrderKind, o Order) (Done, error) {
	s, _, err := d.find(o.Session)
	if err != nil {
		return Done{}, err
	}
	r := d.give(ctx, s, machine.Order{Kind: kind, Order: o.Order, Off: o.Off})
	if r.Err != nil && r.Older != "" { // the run that took over belongs to the older one
		if old, _, err := d.find(r.Older); err == nil {
			if before := d.give(ctx, old, machine.Order{Kind: kind, Run: true}); before.Err == nil {
				r = before
			}
		}
	}
	if r.Err != nil {
		return Done{}, r.Err
	}
	a := Done{Agent: r.Rec.Agent, Session: r.Rec.ID, Project: r.Rec.Info.Dir, Phase: r.Rec.Phase, Text: r.Text}
	if r.Rec.Phase == state.Waiting {
		a.WakeAt = &r.Rec.Decision.WakeAt
	}
	return a, nil
}
