// Command storm kills and stops the release build of clawd from outside, at random moments and at aimed
// ones, and looks into a ledger that clawd cannot reach for whether a session was resumed twice, lost, or
// held without a reason.
//
// It works in homes of their own with 20 sessions each that stop, and with a fake agent that does what Claude
// Code does as far as clawd can see. A round is one strike: clawd, its shims, its agents are killed or stopped
// and go on later, right when a mark was made, the store was written, a child was born, an agent asked; between
// two lives of clawd its store may be gone, old or cut. After four to eight rounds clawd is left alone until all
// of a home is at rest. What it is judged by comes from the ledger, the sessions' files, clawd's answers and its
// log alone.
//
// The seed of a home gives its sessions, scripts and strikes; what the machine makes of them differs from run to
// run. The folder of a home in which something was wrong is kept.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

func main() {
	if filepath.Base(os.Args[0]) == "claude" {
		if err := agentMain(); err != nil {
			fmt.Fprintln(os.Stderr, "fake claude:", err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.IntVar(&o.rounds, "rounds", 20, "how many rounds, at least: what is begun is ended")
	flag.Uint64Var(&o.seed, "seed", 0, "of the first home; the next ones count on; 0: by the clock")
	flag.IntVar(&o.parallel, "parallel", 4*runtime.NumCPU(), "homes at a time: they wait more than they work")
	flag.IntVar(&o.sessions, "sessions", 20, "sessions a home")
	flag.StringVar(&o.clawd, "clawd", "bin/clawd", "the program to be tried")
	flag.StringVar(&o.dir, "dir", "", "where the homes are; empty: the folder for temporary files")
	flag.BoolVar(&o.keep, "keep", false, "keep the homes in which all went well, too")
	flag.Parse()
	if err := storm(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "storm:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds, parallel, sessions int
	seed                       uint64
	clawd, dir                 string
	keep                       bool
}

func storm(o options, out io.Writer) error {
	if runtime.GOOS != "linux" {
		return errors.New("the storm needs /proc")
	}
	if o.seed == 0 {
		o.seed = uint64(time.Now().UnixNano())/1000%1e9 + 1
	}
	clawd, err := filepath.Abs(o.clawd)
	if err != nil {
		return err
	}
	if _, err := os.Stat(clawd); err != nil {
		return fmt.Errorf("%w (make build)", err)
	}
	base, err := os.MkdirTemp(o.dir, "storm-")
	if err != nil {
		return err
	}
	if base, err = filepath.Abs(base); err != nil {
		return err
	}
	claude, err := copySelf(base)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	fmt.Fprintf(out, "storm: %d rounds in homes of %d sessions, seeds from %d, %d homes at a time\n", o.rounds, o.sessions, o.seed, o.parallel)
	t := newTally(out, o)
	next := make(chan uint64)
	done := make(chan struct{})
	for range o.parallel {
		go func() {
			for seed := range next {
				t.add(seed, live(ctx, seed, base, clawd, claude, o))
			}
			done <- struct{}{}
		}()
	}
	for seed, n := o.seed, 0; n < o.rounds && ctx.Err() == nil; seed++ {
		select {
		case next <- seed:
			n += len(draw(seed, o.sessions).strikes)
		case <-ctx.Done():
		}
	}
	close(next)
	for range o.parallel {
		<-done
	}
	t.print()
	_ = os.Remove(claude)
	if os.Remove(base) != nil {
		fmt.Fprintln(out, "kept:", base)
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return t.err()
}

// copySelf gives the fake agent: this program, by its name.
func copySelf(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "claude")
	return path, os.WriteFile(path, b, 0o700)
}

// result is one home's.
type result struct {
	verdict
	dir    string
	rounds int
	blows  map[string]int
	took   time.Duration
	err    error
}

// live is one home, from its folder to its verdict.
func live(ctx context.Context, seed uint64, base, clawd, claude string, o options) (r result) {
	began := time.Now()
	w, err := newWorld(seed, base, clawd, claude, o.sessions)
	if w == nil {
		return result{err: err}
	}
	r.dir = w.dir
	// Who is interrupted ends everything: what is waited for fails then.
	stop := context.AfterFunc(ctx, func() { sweep(w.dir) })
	defer stop()
	if r.err = err; err == nil {
		r.verdict, r.err = w.run(ctx)
	}
	r.rounds, r.blows, r.took = w.rounds, w.blows, time.Since(began)
	w.close(o.keep || len(r.findings) > 0 || r.err != nil && ctx.Err() == nil)
	return r
}
