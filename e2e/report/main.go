// Command report runs `go test` and prints what a person wants to know: what runs and how long it took
// last time, each package, the output of what failed, every skip with its reason, what hangs, and figures
// that add up.
//
//	report [-name NAME] [-cases] [-race] [-hang TIME] GO test FLAGS... -json PACKAGES...
//
// It exits with 1 when anything failed. The times are kept in .cache/times/NAME.json.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// pace is how often the report says what runs.
const pace = 30 * time.Second

func main() {
	name := flag.String("name", "test", "the name under which the times are kept")
	cases := flag.Bool("cases", false, "print every test's seconds")
	hang := flag.Duration("hang", 5*time.Minute, "a test that runs longer hangs: its goroutines are printed, and its package ends")
	race := flag.Bool("race", false, "test with the race detector what starts goroutines")
	flag.Parse()
	last := readTimes(filepath.Join(".cache", "times", *name+".json"))
	s := newSummary(os.Stdout, last, *cases, *hang)
	if err := s.run(flag.Args(), *race); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	if !s.ok() {
		os.Exit(1)
	}
}

// run runs the commands one after the other.
func (s *summary) run(args []string, race bool) error {
	commands, err := plan(args, race, s.times)
	if err != nil {
		return err
	}
	for _, c := range commands {
		s.packages += c.packages
	}
	s.opening()
	// An interrupt from the terminal reaches the tests as well: the report ends when they have.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var used time.Duration
	for _, c := range commands {
		if c.about != "" {
			s.print("%s %s", counted("package", c.packages), c.about)
		}
		took, stop, err := s.command(c, signals)
		used += took
		if err != nil {
			return err
		}
		if s.stopped = s.stopped || stop; s.stopped {
			break
		}
	}
	s.close(fmt.Sprintf("%.0f s of processor time on %d cores", used.Seconds(), runtime.NumCPU()))
	return s.times.write()
}

// command runs one command and reads what it prints, to the end.
func (s *summary) command(c command, signals <-chan os.Signal) (used time.Duration, stop bool, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, false, err
	}
	if err := cmd.Start(); err != nil {
		return 0, false, err
	}
	s.kind = c.kind
	s.end = func(p, word string, sig syscall.Signal) { s.signal(c.args[0], cmd.Process.Pid, p, word, sig) }
	lines := make(chan string)
	go scan(out, lines)
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for open := true; open; {
		var text string
		select {
		case text, open = <-lines:
			if open {
				s.line(text)
			}
		case <-ticks.C:
			s.tick()
		case got := <-signals:
			stop = true
			if got == syscall.SIGTERM {
				cancel()
			}
		}
	}
	s.broken = cmd.Wait() != nil || s.broken
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), stop, nil
}

// scan gives the lines of r and closes the channel at its end.
func scan(r io.Reader, lines chan<- string) {
	defer close(lines)
	in := bufio.NewReader(r)
	for {
		text, err := in.ReadString('\n')
		if text != "" {
			lines <- text
		}
		if err != nil {
			return
		}
	}
}

// signal ends the test program of a package, which prints its goroutines at a SIGQUIT.
func (s *summary) signal(goTool string, root int, pkg, word string, sig syscall.Signal) {
	dir, err := exec.Command(goTool, "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		s.print("      its folder is not known: %v", err)
		return
	}
	pid, err := testProcess(root, strings.TrimSpace(string(dir)))
	if err == nil {
		err = syscall.Kill(pid, sig)
	}
	if err != nil {
		s.print("      the time-out of go test ends it: %v", err)
		return
	}
	s.print("      %s", word)
}
