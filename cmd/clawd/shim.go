package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/internal/shim"
)

func newShim() *cobra.Command {
	return &cobra.Command{
		Use: "shim", Hidden: true, Args: noArgs,
		Short: "Become an agent, when the daemon says so",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return shim.Run(func(s shim.Spec) string { return lookOnce(cmd.Context(), s) })
		},
	}
}

// lookOnce is the last look before an agent is started.
func lookOnce(ctx context.Context, s shim.Spec) string {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	env := agent.Env{Home: os.Getenv("HOME"), Getenv: os.Getenv, Procs: agent.NewProcs()}
	kind, err := all.Kind(s.Claim.Session.Agent)
	if err != nil {
		return err.Error()
	}
	return daemon.LastLook(ctx, kind.Open(env, s.Agent), s.Claim, filepath.Join(userPaths().marks, "held"))
}
