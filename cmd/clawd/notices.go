package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	users "github.com/clawd-project/clawd/internal/notify" // notify is for the service manager
	"github.com/clawd-project/clawd/internal/plain"
)

func newNotify(g *globals) *cobra.Command {
	cmd := &cobra.Command{Use: "notify", Short: "Try the notifications", Args: noArgs, RunE: help}
	cmd.AddCommand(&cobra.Command{Use: "test", Short: "Send a test notice through each configured channel", Args: noArgs,
		Long: `Send a test notice through each channel of [notify], and say how each went. It
needs no daemon.

Exit status: 0 ok, 1 one of them failed or none works, 2 usage or config error.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return notifyTest(cmd, g) }})
	return cmd
}

func notifyTest(cmd *cobra.Command, g *globals) error {
	cfg, _, err := g.load()
	if err != nil {
		return err
	}
	channels := users.Channels(cfg.Notify.Desktop, string(cfg.Notify.Webhook))
	if len(channels) == 0 {
		return errors.New("no notification channel is set up: set desktop or webhook in [notify]")
	}
	failed, sent := 0, 0
	for _, c := range channels {
		said := "sent"
		switch err := c.Send(cmd.Context(), users.Test(time.Now())); {
		case errors.Is(err, users.ErrMissing):
			said = err.Error()
		case err != nil:
			failed++
			said = "failed: " + err.Error()
		default:
			sent++
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", c.Name, said)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %s failed", failed, plain.Count(len(channels), "channel"))
	}
	if sent == 0 {
		return errors.New("no notification channel works here")
	}
	return nil
}
