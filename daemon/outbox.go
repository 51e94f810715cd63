package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/notify"
	"github.com/clawd-project/clawd/state"
)

// How long a channel that fails is tried again, and for how long after the notice was written.
const (
	notifyFirst = 30 * time.Second
	notifyMost  = time.Hour
	notifyFor   = 24 * time.Hour
	// notifyGather: what is told in so long is due at once.
	notifyGather = 2 * time.Second
	// notifyLook bounds how late a try comes after the machine slept.
	notifyLook = time.Minute
)

// channels are the ways to the user that the config names, besides the log.
func (d *Daemon) channels() []notify.Channel {
	if d.dry() {
		return nil
	}
	cfg, _ := d.settings()
	if d.o.Channels != nil {
		return d.o.Channels(cfg.Notify)
	}
	return notify.Channels(cfg.Notify.Desktop, string(cfg.Notify.Webhook))
}

// tell brings what stands new in the outbox to the log, and leaves the rest to the channels.
func (d *Daemon) tell() {
	d.telling.Lock()
	defer d.telling.Unlock()
	all, err := d.store.Outbox()
	notices := slices.DeleteFunc(all, func(n state.Notice) bool { return n.Logged })
	if err != nil || len(notices) == 0 {
		return
	}
	channels := d.channels()
	for i, n := range notices {
		level, text := zerolog.WarnLevel, "this session needs you"
		switch n.Event {
		case state.HandedOver:
			level, text = zerolog.InfoLevel, "another agent went on with its work"
		case state.SubStopped:
			text = "sub-agents of this session stopped"
		}
		d.log.WithLevel(level).Str("event", n.Event).EmbedObject(d.named(n.Session)).
			Func(func(e *zerolog.Event) {
				said(e, "reason", string(n.Reason))
				said(e, "why", n.Why)
				said(e, "command", n.Command)
			}).Time("at", n.At).Msg(text)
		for _, c := range channels {
			notices[i].Left = append(notices[i].Left, state.Delivery{Channel: c.Name})
		}
	}
	if err := d.store.Told(notices); err != nil {
		d.broken(err)
	}
	signal(d.notices)
}

// deliver brings notices to the channels until ctx ends. Each is sent at least once: it goes out of the
// outbox after it was sent.
func (d *Daemon) deliver(ctx context.Context) {
	for {
		again := d.deliverDue(ctx)
		if ctx.Err() != nil {
			return
		}
		var tick <-chan time.Time
		if !again.IsZero() {
			tick = time.After(min(max(0, again.Sub(d.now())), notifyLook))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick:
		case <-d.notices: // what happens to several sessions is told together
			select {
			case <-ctx.Done():
				return
			case <-time.After(notifyGather):
			}
		}
	}
}

// deliverDue sends what is due, and says when to look again; zero: when there is something new. A
// channel that fails is left for this time, so that it does not hold up the others.
func (d *Daemon) deliverDue(ctx context.Context) (again time.Time) {
	channels := d.channels()
	for _, c := range channels {
		if err := d.deliverBy(ctx, c); err != nil {
			d.broken(err)
			return d.now().Add(notifyLook)
		}
		if ctx.Err() != nil {
			return again
		}
	}
	return d.pending(channels)
}

// deliverBy sends what is due on one channel.
func (d *Daemon) deliverBy(ctx context.Context, c notify.Channel) error {
	due, err := d.store.Outbox() // anew: what the channel before has is out of it
	if err != nil {
		return err
	}
	due = slices.DeleteFunc(due, func(n state.Notice) bool {
		i := left(n, c.Name)
		return !n.Logged || i < 0 || n.Left[i].Next.After(d.now())
	})
	if due, err = d.still(due, c.Name); err != nil {
		return err
	}
	for ok := true; ok && len(due) > 0 && ctx.Err() == nil; {
		batch := due[:1]
		if c.Most > 0 && len(due) > c.Most {
			batch = due
		}
		due = due[len(batch):]
		if ok, err = d.send(ctx, c, batch); err != nil {
			return err
		}
	}
	return nil
}

// still gives the notices that are as true as when they were written, and takes out those about which there is nothing to do any more:
// what could not be sent for hours is not to call somebody who has seen to it meanwhile.
func (d *Daemon) still(due []state.Notice, channel string) (now []state.Notice, err error) {
	read := sync.OnceValue(func() map[string]detect.Classifier { _, all := d.atHand(); return all })
	for _, n := range due {
		needed, soon, err := d.needed(n, read)
		if err != nil {
			return nil, err
		}
		if needed {
			now = append(now, n)
			continue
		}
		at := left(n, channel)
		n.Left = slices.Clone(n.Left)
		if soon && d.now().Sub(n.At) < notifyFor {
			n.Left[at].Next = d.now().Add(notifyFirst)
		} else {
			n.Left = slices.Delete(n.Left, at, at+1)
		}
		if err := d.store.Told([]state.Notice{n}); err != nil {
			return nil, err
		}
	}
	return now, nil
}

// needed tells whether there still is something to do about a notice; soon: how a run ends will show that. read gives what was read of
// sessions and is not stored yet.
func (d *Daemon) needed(n state.Notice, read func() map[string]detect.Classifier) (needed, soon bool, err error) {
	if d.now().Sub(n.At) < notifyFirst || n.Event == state.HandedOver || n.Event == state.SubStopped {
		return true, false, nil
	}
	agentName, id, _ := strings.Cut(n.Session, "/")
	rec, _, err := d.store.Session(detect.Session{Agent: agentName, ID: id}) // the zero record of one that is gone needs nobody
	if err != nil {
		return false, false, err
	}
	if c, unsaved := read()[n.Session]; unsaved {
		rec.Classifier = c
	}
	standing, told := rec.Standing(d.now())
	switch standing {
	case state.NeedsYou:
		needed = told.Event == "" || !told.At.After(n.At)
	case state.Waits:
		needed = n.Key == rec.Stop.Key // whatever window it is about may be there still
	}
	return needed, standing == state.Resuming, nil
}

// pending takes out what waits for a channel that is gone from the config, and says when the next try is
// due; zero: never.
func (d *Daemon) pending(channels []notify.Channel) (next time.Time) {
	all, err := d.store.Outbox()
	if err != nil {
		return d.now().Add(notifyLook)
	}
	for _, n := range slices.DeleteFunc(all, func(n state.Notice) bool { return !n.Logged }) {
		was := len(n.Left)
		n.Left = slices.DeleteFunc(n.Left, func(l state.Delivery) bool {
			return !slices.ContainsFunc(channels, func(c notify.Channel) bool { return c.Name == l.Channel })
		})
		if len(n.Left) < was {
			if err := d.store.Told([]state.Notice{n}); err != nil {
				d.broken(err)
			}
		}
		for _, l := range n.Left {
			next = sooner(next, l.Next, d.now())
		}
	}
	return next
}

// sooner is the earlier one of two times of which the first may not be set, and the second is now where it is not.
func sooner(next, at, now time.Time) time.Time {
	if at.IsZero() {
		at = now
	}
	if next.IsZero() || at.Before(next) {
		return at
	}
	return next
}

// left gives the place of a channel among those that lack the notice; -1: it has it.
func left(n state.Notice, channel string) int {
	return slices.IndexFunc(n.Left, func(l state.Delivery) bool { return l.Channel == channel })
}

// send brings notices to one channel: one, or all in one word. False: it did not take them.
func (d *Daemon) send(ctx context.Context, c notify.Channel, batch []state.Notice) (bool, error) {
	now := d.now()
	sessions := map[string]bool{}
	for _, n := range batch {
		sessions[n.Session] = true
	}
	told := notify.Many(len(sessions), now)
	if len(batch) == 1 {
		n := batch[0]
		who := d.named(n.Session).rec
		told = notify.Notice{Event: n.Event, Agent: who.Agent, Session: who.ID, Project: who.Info.Dir, Reason: string(n.Reason),
			Why: n.Why, Command: n.Command, At: n.At}
		if n.Command == "" {
			told.Command = "clawd why " + who.ID
		}
	}
	failed := c.Send(ctx, told)
	switch {
	case failed != nil && ctx.Err() != nil:
		return false, nil // not the channel's fault
	case errors.Is(failed, notify.ErrMissing):
		if !d.missing[c.Name] {
			d.missing[c.Name] = true
			d.log.Debug().Str("event", "notify_missing").Str("channel", c.Name).Err(failed).Msg("no notification channel is set up")
		}
		failed = nil
	}
	for i := range batch {
		n := &batch[i]
		at := left(*n, c.Name)
		n.Left = slices.Clone(n.Left)
		l := &n.Left[at]
		if failed != nil && now.Sub(n.At) < notifyFor {
			l.Next, l.Tries = now.Add(min(notifyFirst<<min(l.Tries, 10), notifyMost)), l.Tries+1
			continue
		}
		if failed != nil {
			d.log.Warn().Str("event", "notify_failed").EmbedObject(d.named(n.Session)).Str("channel", c.Name).Str("notice", n.Event).
				Int("tries", l.Tries+1).Err(failed).Msg("a notification could not be sent")
		}
		n.Left = slices.Delete(n.Left, at, at+1)
	}
	return failed == nil, d.store.Told(batch)
}
