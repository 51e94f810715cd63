package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/wrap"
)

// Exit codes of programs that start another, as shells have them.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

func newWrap() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wrap -- PROGRAM [ARGUMENT]...",
		Short: "Run an agent so that the daemon can type into its terminal",
		Long: `Run an agent in a pseudo terminal of clawd's. Nothing changes for you; but when
the agent stops at a limit with its window open, the daemon can look at its
screen and type the prompt there, unless you typed something yourself. "clawd
shell-init" has functions that call this.

Without a terminal, without a running daemon, without HOME, and inside another
wrap, clawd becomes the program.

Exit status: the program's; 128 + N when signal N killed it; 126 it cannot be
run, 127 not found.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New(`name the program: clawd wrap -- claude`))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return runWrap(args) },
	}
	cmd.Flags().SetInterspersed(false) // flags after PROGRAM are its own
	return cmd
}

// newPtyLeader is started by wrap alone.
func newPtyLeader() *cobra.Command {
	return &cobra.Command{
		Use: ptyLeader, Hidden: true, Args: cobra.MinimumNArgs(2), DisableFlagParsing: true,
		Short: "Lead the session of a wrapped program",
		RunE:  func(_ *cobra.Command, args []string) error { return wrap.Leader(args[0], args[1:]) },
	}
}

const ptyLeader = "pty-leader"

func runWrap(argv []string) error {
	// main waits for these; whatever runs now handles them itself.
	signal.Reset(os.Interrupt, syscall.SIGTERM)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	path, err := findProgram(argv[0], self)
	if err != nil {
		return err
	}
	p := userPaths()
	o := wrap.Options{Path: path, Argv: argv, Leader: []string{self, ptyLeader},
		Dir: p.wraps(), Sockets: wrap.Sockets(p.socket), Lock: p.lock(), Procs: agent.NewProcs()}
	if checkHome() != nil || !wrap.Useful(o) { // without a home there is no place to meet the daemon
		return notRun(path, syscall.Exec(path, argv, os.Environ()))
	}
	code, err := wrap.Run(o)
	if err != nil {
		return notRun(path, err)
	}
	os.Exit(code) // the program said what there was to say
	return nil
}

func notRun(path string, err error) error {
	return &codeError{exitNotExecutable, fmt.Errorf("%s cannot be run: %w", path, err)}
}

// findProgram looks in PATH, where no shell function is, and never gives clawd itself.
func findProgram(name, self string) (string, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) { // a relative folder in PATH: the user's shell takes it
		err = nil
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", &codeError{exitNotExecutable, err}
	case err != nil:
		return "", &codeError{exitNotFound, fmt.Errorf("%s is not in PATH", name)}
	}
	a, errA := os.Stat(path)
	b, errB := os.Stat(self)
	if err := errors.Join(errA, errB); err != nil {
		return "", err
	}
	if os.SameFile(a, b) {
		return "", usage(fmt.Errorf("%s is clawd itself", path))
	}
	return path, nil
}
