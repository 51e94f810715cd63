package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/daemon"
)

func newStatus(*globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what the running daemon does",
		Long: `Show the sessions that wait, run or need their user, and the counters.

Exit status: 0 ok, 1 failed, 3 no daemon is running.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return status(cmd.Context(), cmd.OutOrStdout(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func status(ctx context.Context, out io.Writer, asJSON bool) error {
	var st daemon.Status
	if err := ask(ctx, "/v1/status", &st); err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(out).Encode(st)
	}
	fmt.Fprintf(out, "clawd %s, pid %d, since %s\n", st.Version, st.PID, st.Started.Local().Format(time.DateTime))
	for _, a := range st.Agents {
		if a.Missing != "" {
			fmt.Fprintf(out, "%s: not found (%s)\n", a.Name, tame(a.Missing))
			continue
		}
		fmt.Fprintf(out, "%s %s: %s\n", a.Name, a.Version, tame(a.Path))
	}
	fmt.Fprintf(out, "resumes %d (fresh sessions %d), failed attempts %d, given up %d, waited %s\n", st.Stats.TotalResumes,
		st.Stats.Recovered, st.Stats.Failures, st.Stats.GivenUp, time.Duration(st.Stats.SecondsWaited)*time.Second)
	if len(st.Sessions) == 0 {
		fmt.Fprintln(out, "no session waits")
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "\nAGENT\tSESSION\tPHASE\tREASON\tLEFT\tPID\tPROJECT\tWHY")
	for _, s := range st.Sessions {
		left, pid := "-", "-"
		if s.WakeAt != nil {
			left = (time.Duration(s.LeftS) * time.Second).String()
		}
		if s.PID != 0 {
			pid = fmt.Sprint(s.PID)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Agent, s.Session, s.Phase, s.Reason, left, pid, tame(s.Project), tame(s.Why))
	}
	return w.Flush()
}
