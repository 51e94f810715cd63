package main

import (
	"context"
	"errors"
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
			return shim.Run(func(s shim.Spec) string { return lookOnce(cmd.Context(), s) },
				func(s shim.Spec) error { return endHung(cmd.Context(), s) })
		},
	}
}

// lookOnce is the last look before an agent is started.
func lookOnce(ctx context.Context, s shim.Spec) string {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	a, _, err := agentOf(s)
	if err != nil {
		return err.Error()
	}
	return daemon.LastLook(ctx, a, s.Claim, filepath.Join(userPaths().marks, "held"))
}

// endHung ends what has the session open and waits for ever.
func endHung(ctx context.Context, s shim.Spec) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	a, procs, err := agentOf(s)
	if err != nil {
		return err
	}
	holders, err := a.Live(ctx, s.Claim.Session, s.Claim.Info)
	if err != nil {
		return err
	}
	for _, h := range holders {
		if h.Hung {
			err = errors.Join(err, shim.EndHung(procs, h))
		}
	}
	return err
}

func agentOf(s shim.Spec) (agent.Agent, agent.Procs, error) {
	env := agent.Env{Home: os.Getenv("HOME"), Getenv: os.Getenv, Procs: agent.NewProcs()}
	kind, err := all.Kind(s.Claim.Session.Agent)
	if err != nil {
		return nil, nil, err
	}
	return kind.Open(env, s.Agent), env.Procs, nil
}
