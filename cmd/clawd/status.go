package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/internal/plain"
	"github.com/clawd-project/clawd/state"
)

func newStatus(*globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what needs you, waits and runs",
		Long: `Show which sessions need you, wait, run or are on hold, and the counters.
Without a daemon it shows what clawd knew last.

Exit status: 0 ok, 1 failed, 3 no daemon is running.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return status(cmd.Context(), cmd.OutOrStdout(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func status(ctx context.Context, out io.Writer, asJSON bool) error {
	var st daemon.Status
	var alive time.Time
	var damage error
	absent := ask(ctx, "/v1/status", &st)
	if c := (*codeError)(nil); errors.As(absent, &c) && c.code == exitNoDaemon {
		if st, alive, damage = stored(); errors.Is(damage, fs.ErrNotExist) {
			return absent // clawd never ran here
		} else if damage != nil {
			absent = &codeError{exitNoDaemon, fmt.Errorf("%w\nnot all of what clawd knew can be read: %w", absent, damage)}
		}
	} else if absent != nil {
		return absent
	}
	if asJSON {
		return errors.Join(json.NewEncoder(plain.JSON(out)).Encode(st), absent)
	}
	if damage != nil && len(st.Sessions) == 0 {
		return absent // nobody knows whether all is quiet
	}
	if st.PID == 0 {
		known := ""
		if !alive.IsZero() {
			known = " at " + local(alive)
		}
		fmt.Fprintf(out, "No daemon is running. This is what clawd knew last%s:\n", known)
	} else {
		printDaemon(out, st)
	}
	fmt.Fprintf(out, "resumes %d (fresh sessions %d), failed attempts %d, given up %d, waited %s\n", st.Stats.TotalResumes,
		st.Stats.Recovered, st.Stats.Failures, st.Stats.GivenUp, (time.Duration(st.Stats.SecondsWaited) * time.Second))
	return errors.Join(printSessions(out, st), absent)
}

// stored is what the store says while no daemon runs, and when clawd was last there. It takes no lock.
func stored() (st daemon.Status, alive time.Time, err error) {
	st = daemon.Status{Version: version(), Agents: []daemon.AgentStatus{}, Sessions: []daemon.SessionStatus{}}
	now := time.Now()
	known, err := state.Peek(filepath.Join(userPaths().state, "clawd.db"), func(rec state.Session) {
		st.Watched++
		if s, ok := daemon.Stands(rec, now, 0); ok {
			st.Sessions = append(st.Sessions, s)
		}
	})
	st.Stats = known.Stats
	return st, known.Alive, err
}

func printDaemon(out io.Writer, st daemon.Status) {
	dry := ""
	if st.DryRun {
		dry = ", a dry run: it resumes nothing"
	}
	fmt.Fprintf(out, "clawd %s, pid %d, since %s%s\n", st.Version, st.PID, local(st.Started), dry)
	for _, a := range st.Agents {
		if a.Missing != "" {
			fmt.Fprintf(out, "%s: can't be started now: %s\n", a.Name, tame(a.Missing))
			continue
		}
		fmt.Fprintf(out, "%s: %s\n", strings.TrimSpace(a.Name+" "+tame(a.Version)), tame(a.Path))
	}
}

// groups are the parts of the answer, in their order: what is stuck comes first.
var groups = []struct {
	title string
	of    []state.Standing
}{
	{"NEEDS YOU", []state.Standing{state.NeedsYou}},
	{"WAITING", []state.Standing{state.Waits}},
	{"RUNNING", []state.Standing{state.Resuming, daemon.Running}},
	{"ON HOLD", []state.Standing{state.OnHold}},
}

func printSessions(out io.Writer, st daemon.Status) error {
	if len(st.Sessions) == 0 {
		_, err := fmt.Fprintf(out, "All quiet: nothing waits and nothing needs you; %s watched.\n", plain.Count(st.Watched, "session"))
		return err
	}
	for _, g := range groups {
		sessions := slices.DeleteFunc(slices.Clone(st.Sessions), func(s daemon.SessionStatus) bool { return !slices.Contains(g.of, s.Status) })
		if len(sessions) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s\n", g.title)
		w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
		for _, s := range sessions {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.Agent, tame(s.Session), tame(cmp.Or(s.Project, "-")), cmp.Or(string(s.Reason), "-"), standing(s))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// standing says in words how a session stands.
func standing(s daemon.SessionStatus) string {
	run := ""
	if s.PID != 0 {
		run = fmt.Sprintf(" (pid %d)", s.PID)
	}
	switch {
	case s.Needs != nil:
		return tame(s.Needs.What) + "; " + tame(s.Needs.Command)
	case s.Status == state.Waits && s.WakeAt != nil && s.LeftS > 0:
		return fmt.Sprintf("attempt %d in %s (%s): %s", s.Attempt, time.Duration(s.LeftS)*time.Second, local(*s.WakeAt), tame(s.Why))
	case s.Status == state.Waits:
		return fmt.Sprintf("attempt %d is due: %s", s.Attempt, tame(s.Why))
	case s.Status == state.Resuming:
		return fmt.Sprintf("attempt %d is under way%s", s.Attempt, run)
	case s.Status == daemon.Running:
		return "resumed by clawd" + run
	case s.Ignored:
		return "ignored by you; clawd ignore --off " + s.Session
	default:
		return "canceled by you; clawd resume " + s.Session
	}
}
