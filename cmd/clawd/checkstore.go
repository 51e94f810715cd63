package main

import (
	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/state"
)

// newCheckStore is the process that may die of a damaged store, so that the daemon does not.
func newCheckStore() *cobra.Command {
	return &cobra.Command{
		Use: "check-store FILE", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Open a store and read all of it",
		RunE:  func(_ *cobra.Command, args []string) error { return state.Check(args[0]) },
	}
}
