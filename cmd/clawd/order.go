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

SESSION is a session's id or the beginning of one, if you like with the agent before it: claude/92268.

Exit status: 0 ok, 1 refused or failed, 2 usage error (also: several sessions are meant), 3 no daemon is
running, 4 no such session.`

func newResume() *cobra.Command {
	var o daemon.Order
	cmd := &cobra.Command{
		Use:   "resume SESSION",
		Short: "Have a stopped session resumed, whatever was decided before",
		Long: `Have a stopped session resumed: at the time that its stop asks for, or now. It counts also for a session
that clawd holds, has given up or leaves. Budgets and the rules for quit and overdue sessions do not hold
it back; whatever guards against two agents in one session does.` + orderStatus,
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
	cmd.Flags().BoolVar(&o.Now, "now", false, "at once")
	cmd.Flags().BoolVar(&o.Fresh, "fresh", false, "by a new session that takes over, with a hand-off")
	cmd.Flags().StringVar(&o.With, "with", "", "by a new session of this `agent`, another one: at once, with what its own config and [agent.NAME] allow")
	if err := cmd.RegisterFlagCompletionFunc("with", cobra.FixedCompletions(all.Names(), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is there
	}
	return cmd
}

func newCancel() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel SESSION",
		Short: "End a session's wait, or the run that clawd started in it",
		Long: `End a session's wait, or the run that clawd started in it (SIGTERM). Nothing more is done about this stop. A
prompt that was typed into an open terminal or sent to a server is not taken back.` + orderStatus,
		Args: oneSession,
		RunE: func(cmd *cobra.Command, args []string) error { return order(cmd, "cancel", daemon.Order{}, args[0]) },

		ValidArgsFunction: completeSession(state.NeedsYou, state.Waits, state.Resuming, daemon.Running),
	}
}

func newIgnore() *cobra.Command {
	var o daemon.Order
	cmd := &cobra.Command{
		Use:   "ignore SESSION",
		Short: "Have clawd leave a session, from now on",
		Long:  "Have clawd leave a session, from now on. An attempt under way goes on." + orderStatus,
		Args:  oneSession,
		RunE:  func(cmd *cobra.Command, args []string) error { return order(cmd, "ignore", o, args[0]) },

		ValidArgsFunction: completeSession(),
	}
	cmd.Flags().BoolVar(&o.Off, "off", false, "no longer")
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
