// Command clawd keeps sessions of coding agents going.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	_ "time/tzdata" // reset times name zones, and small systems have no zone files

	"github.com/spf13/cobra"
)

// Exit codes, part of the contract with scripts.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitNoDaemon    = 3
	exitNoSession   = 4
	exitLimited     = 75
	exitTimeout     = 124
	exitInterrupted = 130
)

// codeError carries an exit code to main. err nil: it was said already.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}
func (e *codeError) Unwrap() error { return e.err }

func usage(err error) error { return &codeError{exitUsage, err} }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	err := root().ExecuteContext(ctx)
	if err == nil {
		return
	}
	code := exitFailed
	c := (*codeError)(nil)
	if errors.As(err, &c) {
		code = c.code
	}
	if c == nil || c.err != nil {
		fmt.Fprintf(os.Stderr, "clawd: %s\n", lines(err))
	}
	os.Exit(code)
}

// lines is an error for a terminal: paths in it are strangers' bytes.
func lines(err error) string {
	all := strings.Split(err.Error(), "\n")
	for i, l := range all {
		all[i] = tame(l)
	}
	return strings.Join(all, "\n")
}

func root() *cobra.Command {
	var g globals
	cmd := &cobra.Command{
		Use:   "clawd",
		Short: "Resume coding agents after rate and usage limits",
		Long: `clawd watches the sessions of coding agents on this machine. When one stops
because of a rate or usage limit, an overloaded provider or a broken network, it
waits exactly as long as it should and resumes the same session.

Exit status: 0 ok, 1 failed, 2 usage or config error, 3 no daemon is running, 4
no such session, 75 still limited, 124 time-out, 127 agent not found, 130
interrupted.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		Args:          noArgs, // without it an unknown command is no usage error
		RunE:          help,
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	cmd.PersistentFlags().StringVar(&g.config, "config", "", "config file (default $CLAWD_CONFIG or $XDG_CONFIG_HOME/clawd/config.toml)")
	for _, c := range []*cobra.Command{newRun(&g), newExec(&g), newStatus(&g), newWhy(), newResume(), newCancel(), newIgnore(), newNotify(&g), newDetect(&g), newConfig(&g)} {
		c.PersistentPreRunE = func(*cobra.Command, []string) error { return checkHome() }
		cmd.AddCommand(c)
	}
	cmd.AddCommand(newVersion(), newWrap(), newShellInit(), newShim(), newCheckStore(), newServiceVars(), newPtyLeader())
	ownCommands(cmd)
	completeNoFiles(cmd)
	group(cmd)
	return cmd
}

// group sorts the commands in the help by what they are for, and wraps the flags at 80 columns.
func group(cmd *cobra.Command) {
	of := map[string]string{}
	for _, g := range [][]string{{"Look:", "status", "why"}, {"Act:", "resume", "cancel", "ignore"}, {"Run agents:", "exec", "wrap", "shell-init"},
		{"Set up:", "run", "config", "notify", "completion"}, {"Offline:", "detect", "help", "version"}} {
		cmd.AddGroup(&cobra.Group{ID: g[0], Title: g[0]})
		for _, name := range g[1:] {
			of[name] = g[0]
		}
	}
	for _, c := range cmd.Commands() {
		c.GroupID = of[c.Name()]
	}
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), "FlagUsages |", "FlagUsagesWrapped 80 |"))
}

// version of this build: the module's, else the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}

func newVersion() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "clawd %s\n", version())
			return err
		}}
}

// help is what a command does that only groups others.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// noArgs refuses arguments. What stands behind a command that only groups others was to be one of those.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !cmd.HasSubCommands():
		return usage(fmt.Errorf("%q takes no arguments, but got %q", cmd.CommandPath(), args[0]))
	}
	_, group, _ := strings.Cut(cmd.CommandPath()+" ", " ")
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usage(fmt.Errorf("unknown command %q. Did you mean %q?", group+args[0], group+near[0]))
	}
	return usage(fmt.Errorf("unknown command %q; \"%s --help\" lists what there is", group+args[0], cmd.CommandPath()))
}

// ownCommands makes the commands that the library adds refuse what they do not know, as all others do.
func ownCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				of, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 && !of.HasSubCommands() {
					err = fmt.Errorf("there is no help on %q", strings.Join(args, " "))
				}
				if err != nil {
					return usage(err)
				}
				return noArgs(of, rest)
			}
		case "completion":
			c.Args, c.RunE = noArgs, help
			for _, shell := range c.Commands() {
				shell.Args = noArgs
			}
		}
	}
}
