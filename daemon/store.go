package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// checkPatience is how long another process may take to read the store. Where it takes longer the store is
// written anew, which loses nothing of a sound one.
const checkPatience = time.Minute

func (d *Daemon) storeOptions() state.Options {
	o := state.Options{Now: d.now, Orders: filepath.Join(d.o.UserDir, "orders"), Fired: d.fired, Unreadable: func(err error) {
		d.log.Error().Str("event", "record_damaged").Err(err).Msg("a record cannot be read and counts as absent; the others are as they were")
	}}
	if len(d.o.CheckStore) > 0 {
		o.Check = d.checkStore
	}
	return o
}

// checkStore has the store opened and read in another process: bbolt may panic over it where nothing can be
// recovered, or hang.
func (d *Daemon) checkStore(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), checkPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.o.CheckStore[0], append(d.o.CheckStore[1:], path)...)
	said := &head{}
	cmd.Stderr = said
	err := cmd.Run()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", state.ErrUnchecked, err) // no process could be had; that says nothing of the store
	}
	if err == nil {
		return nil
	}
	text, _, _ := bytes.Cut(said.b, []byte("\n"))
	return fmt.Errorf("it cannot be read (%w): %s", err, bytes.TrimPrefix(text, []byte("clawd: ")))
}

// head keeps the beginning of what is written to it.
type head struct{ b []byte }

func (h *head) Write(p []byte) (int, error) {
	h.b = append(h.b, p[:min(len(p), 1000-min(1000, len(h.b)))]...)
	return len(p), nil
}

// fired gives the attempts since a time, from their marks.
func (d *Daemon) fired(since time.Time) []resume.Claim {
	claims, err := marks.Since(d.marks(), since)
	if err != nil {
		d.log.Warn().Str("event", "marks_unread").Err(err).Msg("some attempts of today may not count for the budget")
	}
	for i := range claims {
		if p := &claims[i].Plan; p.Form == resume.FormFresh && p.Session == "" { // the agent chose its id
			p.Session = d.chosen(claims[i])
		}
	}
	return claims
}

// chosen is the session that a run said it began; empty: it has not, or what it printed is gone.
func (d *Daemon) chosen(c resume.Claim) string {
	a := d.runnerOf(c)
	if a == nil {
		return ""
	}
	f, err := agent.OpenRegular(c.Output)
	if err != nil {
		return ""
	}
	defer f.Close()
	out, _ := a.Output(f, nil) // what cannot be read said nothing
	return out.Session
}

// tellStore says what became of a store that was damaged or gone.
func (d *Daemon) tellStore() {
	s := d.store
	if s.Quarantined != "" {
		d.log.Error().Str("event", "state_damaged").Str("moved_to", s.Quarantined).AnErr("why", s.Damage).Int("records_kept", s.Kept).
			Msg("the store was damaged and moved aside; clawd continues with what was left in it")
	}
	switch {
	case s.Restored != "":
		d.log.Warn().Str("event", "state_lost").Str("snapshot", s.Restored).
			Msg("the rest comes from the newest snapshot; attempts since then are known from their marks")
	case s.Lost:
		d.log.Warn().Str("event", "state_lost").Msg("the store that belongs here is gone; attempts are known from their marks")
	}
}
