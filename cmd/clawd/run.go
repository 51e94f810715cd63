package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/crash"
)

func newRun(g *globals) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Watch and resume sessions, in the foreground",
		Long: `Watch and resume sessions until interrupted. SIGTERM and SIGINT stop it cleanly,
and so does the end of its terminal, but under nohup. SIGHUP reads the config
again, and restarts clawd in the same process where the new config asks for
that. Running children go on without it and are taken up at the next start.

Exit status: 0 stopped by a signal, 1 failed, 2 usage or config error.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), g, dry) },
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "log decisions, resume nothing")
	return cmd
}

// watchdog is how often the service manager wants a sign: at half of its patience.
func watchdog() time.Duration {
	d, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		return 0
	}
	return d / 2
}

// gcPercent is lower than Go's: a service that mostly waits should be small rather than fast at
// collecting what it rarely throws away.
const gcPercent = 30

// there tells whether a path is that of something.
func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// onTerminal tells whether clawd has a terminal that may hang up.
func onTerminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

func run(ctx context.Context, g *globals, dry bool) error {
	debug.SetGCPercent(gcPercent)
	ignored := signal.Ignored(syscall.SIGHUP)
	seen := !ignored && onTerminal()
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP) // first of all: to open the store takes a while, and until then the signal would end clawd
	defer signal.Stop(hup)
	outer := ctx
	ctx, stop := context.WithCancelCause(outer)
	defer stop(nil)
	had, opened := handedOn()
	zone := machineZone()
	cfg, path, err := g.loadAgain(had)
	if err != nil {
		return err
	}
	had = had || there(path)
	cfg.Resume.DryRun = cfg.Resume.DryRun || dry
	log, file, err := newLogger(cfg.Log)
	opened()
	if err != nil {
		return err
	}
	defer func() { file.Close() }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := userPaths()
	var next *os.File // the log that takes the place of the one that is open
	d, err := daemon.New(daemon.Options{
		Config: cfg, Version: version(), Env: agentEnv(cfg), Environ: all.Environ(os.Environ()), Shim: []string{self, "shim"}, CheckStore: []string{self, "check-store"}, Log: log,
		Paths: daemon.Paths{ConfigPath: path, StateDir: p.state, UserDir: p.marks, Socket: p.socket, Wraps: p.wraps()},
		Reload: func() (config.Config, error) {
			c, _, err := g.loadAgain(had)
			c.Resume.DryRun = c.Resume.DryRun || dry
			had = had || there(path)
			next.Close()
			if next = nil; err == nil && (c.Log != cfg.Log || moved(file, c.Log.File)) {
				_, next, err = newLogger(c.Log)
			}
			return c, err
		},
		Moved: func() (what []string) {
			if next != nil {
				what = append(what, "log")
			}
			if zone.stale.Load() {
				what = append(what, "time zone")
			}
			return what
		},
		MayRestart: func() error { return unix.Access(self, unix.X_OK) },
		Manager:    daemon.Manager{Ready: func() { notify(sd.SdNotifyReady) }, Alive: func() { notify(sd.SdNotifyWatchdog) }, AliveEvery: watchdog()},
	})
	if err != nil {
		return err
	}
	go follow(ctx, stop, hup, seen, d)
	go zone.follow(ctx, time.Duration(cfg.Watch.Rescan), hup)
	err = d.Run(ctx)
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		return err
	case !errors.Is(context.Cause(ctx), errAgain):
		return nil
	}
	signal.Reset(os.Interrupt, syscall.SIGTERM) // from here on they end the process, for this program may not live to act on them
	switch {
	case outer.Err() != nil:
		return nil
	case ignored:
		signal.Ignore(syscall.SIGHUP) // a program inherits that, and knows by it that it runs under nohup
	}
	if next != nil {
		file = next
	}
	crash.At("again")
	return fmt.Errorf("clawd cannot restart itself: %w", syscall.Exec(self, os.Args, handOn(os.Environ(), file, had)))
}

// follow reloads the config at each SIGHUP, until clawd ends. seen: clawd has a terminal that may hang up.
func follow(ctx context.Context, stop context.CancelCauseFunc, hup <-chan os.Signal, seen bool, d *daemon.Daemon) {
	for {
		select {
		case <-ctx.Done():
			notify(sd.SdNotifyStopping)
			return
		case <-hup:
			if seen && !onTerminal() { // its terminal was closed, and nobody would know that it goes on
				stop(nil)
				continue
			}
			notify(reloading())
			if d.Reload() {
				stop(errAgain)
				return
			}
			notify(sd.SdNotifyReady)
		}
	}
}
