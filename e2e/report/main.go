// Command report runs `go test` and prints what a person wants to know: what runs and how long it took
// last time, each package, the output of what failed, every skip with its reason, what hangs, and figures
// that add up.
//
//	report [-name NAME] [-cases] [-race] [-memory] [-hang TIME] GO test FLAGS... -json PACKAGES...
//
// It exits with 1 when anything failed. The times are kept in .cache/times/NAME.json.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
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
	memory := flag.Bool("memory", false, "spend memory, not time: have the tests' files there, where there is room, and their garbage")
	flag.Parse()
	os.Exit(report(*name, *cases, *race, *memory, *hang))
}

func report(name string, cases, race, memory bool, hang time.Duration) (status int) {
	if memory {
		defer keepsInMemory()()
		if os.Getenv("GOGC") == "" {
			os.Setenv("GOGC", garbage)
		}
	}
	last := readTimes(filepath.Join(".cache", "times", name+".json"))
	s := newSummary(os.Stdout, last, cases, hang)
	if err := s.run(flag.Args(), race); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		return 1
	}
	if !s.ok() {
		return 1
	}
	return 0
}

// keepsInMemory has the tests' temporary files in memory: no test is about a disk, and most of them make many small files, and
// wait for each to be safe. What the go command builds stays where it was.
func keepsInMemory() (remove func()) {
	dir, remove, err := inMemory(shared)
	if err != nil {
		fmt.Fprintln(os.Stderr, "report: the tests' files are not in memory:", err)
		return func() {}
	}
	if os.Getenv("GOTMPDIR") == "" {
		os.Setenv("GOTMPDIR", os.TempDir())
	}
	os.Setenv("TMPDIR", dir)
	return remove
}

// garbage is how much of it there may be before it is collected, in percent of what is in use: a test ends soon.
const garbage = "400"

// process is a go command that runs.
type process struct {
	command
	cmd  *exec.Cmd
	text string // a line of its output; with it the process is sent
}

// run runs the commands: the first one beside the others, which run one after the other.
func (s *summary) run(args []string, race bool) error {
	commands, err := plan(args, race, s.times)
	if err != nil {
		return err
	}
	for _, c := range commands {
		s.packages += c.packages
	}
	s.opening()
	s.end = s.signal
	// An interrupt from the terminal reaches the tests as well: the report ends when they have.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	said, stop, ended := make(chan process), make(chan struct{}), make(chan outcome, 2)
	first := min(1, len(commands))
	go func() { ended <- chain(ctx, commands[:first], said, stop) }()
	go func() { ended <- chain(ctx, commands[first:], said, stop) }()
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	var used time.Duration
	for left := 2; left > 0; {
		select {
		case p := <-said:
			if p.text == "" {
				s.print("%s %s", counted("package", p.packages), p.about)
				continue
			}
			s.line(&p, p.text)
		case o := <-ended:
			left--
			used, s.broken, err = used+o.used, s.broken || o.broken, errors.Join(err, o.err)
		case <-ticks.C:
			s.tick()
		case got := <-signals:
			if !s.stopped {
				s.stopped = true
				close(stop)
			}
			if got == syscall.SIGTERM {
				cancel()
			}
		}
	}
	if err != nil {
		return err
	}
	s.close(fmt.Sprintf("%.0f s of processor time on %d cores", used.Seconds(), runtime.NumCPU()))
	return s.times.write()
}

// outcome is what came of commands.
type outcome struct {
	used   time.Duration // of the processors
	broken bool          // one did not end well
	err    error         // one could not be run
}

// chain runs commands one after the other, until stop is closed, and says what they print.
func chain(ctx context.Context, commands []command, said chan<- process, stop <-chan struct{}) (o outcome) {
	for _, c := range commands {
		select {
		case <-stop:
			return o
		default:
		}
		cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.Env = append(os.Environ(), c.env...)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			o.err = err
			return o
		}
		if c.about != "" {
			said <- process{command: c}
		}
		for in := bufio.NewReader(out); err == nil; {
			var text string
			if text, err = in.ReadString('\n'); text != "" {
				said <- process{c, cmd, text}
			}
		}
		o.broken = cmd.Wait() != nil || o.broken
		o.used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return o
}

// signal ends the test program of a package, which prints its goroutines at a SIGQUIT.
func (s *summary) signal(by *process, pkg, word string, sig syscall.Signal) {
	dir, err := exec.Command(by.args[0], "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		s.print("      its folder is not known: %v", err)
		return
	}
	pid, err := testProcess(by.cmd.Process.Pid, strings.TrimSpace(string(dir)))
	if err == nil {
		err = syscall.Kill(pid, sig)
	}
	if err != nil {
		s.print("      the time-out of go test ends it: %v", err)
		return
	}
	s.print("      %s", word)
}
