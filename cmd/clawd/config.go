package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	clawd "github.com/clawd-project/clawd"
	"github.com/clawd-project/clawd/internal/config"
)

func newConfig(g *globals) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Write, check or show the config", Args: noArgs, RunE: help}
	cmd.AddCommand(
		&cobra.Command{Use: "init", Short: "Write a config with every key and its default", Args: noArgs,
			Long: "Write a config file with every key explained. An existing file is not touched.\n\nExit status: 0 ok, 1 failed (also: the file is there).",
			RunE: func(cmd *cobra.Command, _ []string) error {
				path, err := configInit(g)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), path)
				return nil
			}},
		&cobra.Command{Use: "check", Short: "Check the config", Args: noArgs,
			Long: "Check the config file, and say what it names in vain on this machine.\n\nExit status: 0 good, 2 bad: the message names file, line and key.",
			RunE: func(cmd *cobra.Command, _ []string) error {
				c, path, err := g.load()
				if err != nil {
					return err
				}
				for _, problem := range c.Problems(path) {
					fmt.Fprintln(cmd.OutOrStdout(), problem)
				}
				if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: no config file; using defaults\n", path)
					return nil
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: OK\n", path)
				return nil
			}},
		&cobra.Command{Use: "show", Short: "Show the config in force, defaults included", Args: noArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				c, _, err := g.load()
				if err != nil {
					return err
				}
				return toml.NewEncoder(cmd.OutOrStdout()).Encode(c.Shown())
			}},
	)
	return cmd
}

func configInit(g *globals) (string, error) {
	path := g.config
	if path == "" {
		path = config.Path(os.Getenv)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s is there already; it was left as it is", path)
	}
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(clawd.ExampleConfig)
	return path, errors.Join(err, f.Close())
}
