package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/agent/all"
)

// newServiceVars tells deploy/install.sh what of its user's environment the service must have.
func newServiceVars() *cobra.Command {
	return &cobra.Command{
		Use: "service-vars", Hidden: true, Args: noArgs,
		Short: "Name the variables that say where the agents keep their files and what they may do",
		Run: func(cmd *cobra.Command, _ []string) {
			for _, name := range all.Vars() {
				fmt.Fprintln(cmd.OutOrStdout(), name)
			}
		},
	}
}
