package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/state"
)

// oneSession takes the name of one session.
func oneSession(_ *cobra.Command, args []string) error {
	const name = "name one session by its id or the beginning of that, 4 characters at least"
	switch len(args) {
	case 0:
		return usage(errors.New(name))
	case 1:
		return nil
	}
	return usage(fmt.Errorf("%s; got %d: %s", name, len(args), strings.Trim(fmt.Sprintf("%q", args), "[]")))
}

// orderStatus ends the help of every order.
const orderStatus = `

SESSION is a session's id or the start of one, also with its agent:
claude/92268.

Exit status: 0 ok, 1 refused or failed, 2 usage error (also: several sessions
are meant), 3 no daemon is running, 4 no such session.`

func newResume() *cobra.Command {
	var o daemon.Order
	cmd := &cobra.Command{
		Use:   "resume SESSION",
		Short: "Resume a stopped session",
		Long: `Resume a stopped session: when its limit is over, or now. It works also for a
session that clawd has given up, has on hold or leaves alone. Budgets and the
rules for quit and overdue sessions do not hold it back; whatever guards against
two agents in one session does.` + orderStatus,
		Args: oneSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch with := cmd.Flags().Changed("with"); {
			case with && o.With == "":
				return usage(errors.New("--with needs the name of an agent"))
			case with && o.Fresh:
				return usage(errors.New("--fresh is a new session of the same agent, --with AGENT one of another: give one of them"))
			}
			return order(cmd, "resume", o, args[0])
		},

		ValidArgsFunction: completeSession(state.NeedsYou, state.Waits, state.OnHold),
	}
	cmd.Flags().BoolVar(&o.Now, "now", false, "right away, before the limit is over")
	cmd.Flags().BoolVar(&o.Fresh, "fresh", false, "in a new session, with a summary")
	cmd.Flags().StringVar(&o.With, "with", "", "in a new session of this other `agent`: right away, with what its own config and [agent.NAME] allow")
	if err := cmd.RegisterFlagCompletionFunc("with", cobra.FixedCompletions(all.Names(), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is there
	}
	return cmd
}

func newCancel() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel SESSION",
		Short: "Cancel a resume, or stop clawd's run",
		Long: `Cancel a resume, or stop the run that clawd started (SIGTERM). Nothing more is
done about this stop. A prompt that was typed into an open terminal or sent to a
server is not taken back.` + orderStatus,
		Args: oneSession,
		RunE: func(cmd *cobra.Command, args []string) error { return order(cmd, "cancel", daemon.Order{}, args[0]) },

		ValidArgsFunction: completeSession(state.NeedsYou, state.Waits, state.Resuming, daemon.Running),
	}
}

func newIgnore() *cobra.Command {
	var o daemon.Order
	cmd := &cobra.Command{
		Use:   "ignore SESSION",
		Short: "Ignore a session from now on",
		Long:  "Ignore a session from now on. An attempt under way is not ended." + orderStatus,
		Args:  oneSession,
		RunE:  func(cmd *cobra.Command, args []string) error { return order(cmd, "ignore", o, args[0]) },

		ValidArgsFunction: completeSession(),
	}
	cmd.Flags().BoolVar(&o.Off, "off", false, "stop ignoring it")
	return cmd
}

func order(cmd *cobra.Command, verb string, o daemon.Order, session string) error {
	o.Session = session
	var d daemon.Done
	if err := call(cmd.Context(), http.MethodPost, "/v1/"+verb, o, &d); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s session %s (%s): %s\n", d.Agent, d.Session, tame(d.Project), tame(d.Text))
	return err
}
