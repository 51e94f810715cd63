package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/turn"
)

// execFlags are the flags of clawd exec.
type execFlags struct {
	agent, resume, resumeOrNew, model, cwd, backoff, format string
	timeout, total, base, max                               time.Duration
	retries                                                 int
	jitter                                                  float64
	wait                                                    waitLimit
	quiet, verbose                                          bool
}

// waitLimit is a duration or "forever".
type waitLimit time.Duration

func (w *waitLimit) Type() string { return "duration|forever" }

func (w *waitLimit) String() string {
	if time.Duration(*w) == turn.Forever {
		return "forever"
	}
	return time.Duration(*w).String()
}

func (w *waitLimit) Set(s string) error {
	if s == "forever" {
		*w = waitLimit(turn.Forever)
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a length of time such as \"30s\" or \"5h\", nor \"forever\"", s)
	}
	*w = waitLimit(d)
	return nil
}

const execHelp = `Run one turn of an agent, headless, and say how it went. Temporary failures are
retried, in the session that the failed try opened: a rate limit, an overloaded
or broken provider, a lost connection. A usage limit is waited for when it ends
within --wait-limit. What the agent recorded decides whether it is asked again
or told to go on, so no work is done twice.

PROMPT is the last argument; "-" reads it from stdin. Arguments behind "--" are
the agent's own. The agent gets this environment, but for the marks of an agent
that clawd itself may run in.

With --output-format json (the default) stdout gets one object: success, result,
errors, agent, session_id, recovered, attempts, usage, duration_ms,
duration_api_ms, stop. Pass session_id on with --resume to go on. With text it
gets the bare answer, and stderr the rest. While clawd exec has a session open,
waits included, the daemon leaves it alone.

Exit status: 0 the turn ended well, 1 it failed, 2 usage or config error, 4 no
such session, 75 still limited (try after stop.reset_at, or in
stop.retry_after_s seconds), 124 time-out, 127 agent not found, 130 interrupted.`

func newExec(g *globals) *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] [-- AGENT-ARGUMENT...] PROMPT|-",
		Short: "Run one turn of an agent, waiting out limits",
		Long:  execHelp,
		Example: `  clawd exec "say hello"
  clawd exec --agent codex --wait-limit 5h --output-format text "fix the failing test"
  clawd exec --resume 5f0c4f4e-… - < next-step.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New(`name the prompt, or "-" to read it from stdin`))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := f.request(cmd, g, args)
			if err != nil {
				return err
			}
			return f.run(r, cmd.OutOrStdout())
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.agent, "agent", all.Names()[0], strings.Join(all.Names(), ", "))
	fl.StringVar(&f.resume, "resume", "", "continue the session with this id")
	fl.StringVar(&f.resumeOrNew, "resume-or-new", "", "continue the session with this id, or start a new one when it is gone")
	fl.StringVar(&f.model, "model", "", "the agent's model (default: the agent's own choice)")
	fl.StringVar(&f.cwd, "cwd", "", "working folder (default: the session's own, or the current one)")
	fl.DurationVar(&f.timeout, "timeout", 10*time.Minute, "for each try; 0: none")
	fl.DurationVar(&f.total, "total-timeout", 0, "for the whole command, with waits; 0: none")
	fl.IntVar(&f.retries, "max-retries", 3, "tries after the first one")
	fl.DurationVar(&f.base, "base-delay", 2*time.Second, "wait before the first retry")
	fl.DurationVar(&f.max, "max-delay", time.Minute, "longest wait by backoff")
	fl.Float64Var(&f.jitter, "jitter", 0.5, "random share of a delay, 0 to 1")
	fl.StringVar(&f.backoff, "backoff", "exponential", "exponential, linear, constant")
	fl.Var(&f.wait, "wait-limit", "longest wait for usage limits; 0: none")
	fl.StringVar(&f.format, "output-format", "json", "json, text")
	fl.BoolVar(&f.quiet, "quiet", false, "say nothing on stderr")
	fl.BoolVar(&f.verbose, "verbose", false, "say on stderr what the agent does")
	return cmd
}

// request makes a Request of the command line.
func (f *execFlags) request(cmd *cobra.Command, g *globals, args []string) (turn.Request, error) {
	prompt, extra, err := f.prompt(cmd.Context(), args, cmd.ArgsLenAtDash(), cmd.InOrStdin())
	if err != nil {
		return turn.Request{}, err
	}
	given := cmd.Flags().Changed
	backoff := resume.BackoffKind("")
	err = backoff.UnmarshalText([]byte(f.backoff))
	switch {
	case err != nil:
		return turn.Request{}, usage(fmt.Errorf("--backoff: %w", err))
	case f.format != "json" && f.format != "text":
		return turn.Request{}, usage(fmt.Errorf("--output-format: %q is not one of json, text", f.format))
	case f.timeout < 0 || f.total < 0 || f.base < 0 || f.max < 0 || f.retries < 0:
		return turn.Request{}, usage(errors.New("times and --max-retries cannot be negative"))
	case given("resume") && given("resume-or-new") || f.quiet && f.verbose:
		return turn.Request{}, usage(errors.New("--resume and --resume-or-new, and --quiet and --verbose, exclude each other"))
	case given("resume") && f.resume == "" || given("resume-or-new") && f.resumeOrNew == "":
		return turn.Request{}, usage(errors.New("the id of the session is empty"))
	case !(f.jitter >= 0 && f.jitter <= 1):
		return turn.Request{}, usage(fmt.Errorf("--jitter: %v is not within 0 to 1", f.jitter))
	}
	kind, err := all.Kind(f.agent)
	if err != nil {
		return turn.Request{}, usage(fmt.Errorf("--agent: %w", err))
	}
	cfg, _, err := g.load()
	if err != nil {
		return turn.Request{}, err
	}
	section, waits := cfg.Agent[f.agent], cfg.Policy()
	return turn.Request{
		Agent: kind, Prompt: prompt, Session: f.resume + f.resumeOrNew, ResumeOrNew: f.resumeOrNew != "", Model: f.model, Dir: f.cwd, Args: extra,
		// The section's arguments and variables are for resumes that nobody asked for; here the caller says.
		Environ: all.Environ(os.Environ()),
		Config:  agent.Config{Command: section.Command, ConfigDir: section.ConfigDir},
		Timeout: f.timeout, TotalTimeout: f.total, WaitLimit: time.Duration(f.wait), Continue: cfg.Resume.Prompt,
		Retry: &resume.RetryPolicy{Attempts: f.retries + 1, Backoff: resume.Backoff{Kind: backoff, Base: max(f.base, 1), Cap: noneBelow(f.max), Jitter: noneBelow(f.jitter)}},
		Waits: &waits, Held: filepath.Join(userPaths().marks, "held"),
	}, nil
}

// noneBelow is how a policy says that a zero means none, not the usual value.
func noneBelow[T time.Duration | float64](v T) T {
	if v == 0 {
		return -1
	}
	return v
}

// prompt takes the prompt out of the arguments: the one before "--", else the last one. dash is how
// many stand before it; -1: there is none.
func (f *execFlags) prompt(ctx context.Context, args []string, dash int, in io.Reader) (prompt string, extra []string, err error) {
	switch {
	case dash == 1:
		prompt, extra = args[0], args[1:]
	case dash == 0, len(args) == 1:
		prompt, extra = args[len(args)-1], args[:len(args)-1]
	default:
		return "", nil, usage(errors.New(`there is more than one prompt; quote it, and put the agent's own arguments behind "--"`))
	}
	if prompt == "-" {
		if prompt, err = readPrompt(ctx, in); err != nil {
			return "", nil, err
		}
	}
	if strings.TrimSpace(prompt) == "" {
		return "", nil, usage(errors.New("the prompt is empty"))
	}
	return prompt, extra, nil
}

// readPrompt ends with a signal: a pipe whose writer is still there gives neither a byte nor an end, and timeout sends one SIGTERM alone.
func readPrompt(ctx context.Context, in io.Reader) (string, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(in)
		done <- read{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", &codeError{exitInterrupted, errSignal}
	case r := <-done:
		if r.err != nil {
			return "", fmt.Errorf("the prompt cannot be read from stdin: %w", r.err)
		}
		return string(r.text), nil
	}
}

// errSignal is why a turn ends when a signal comes.
var errSignal = errors.New("interrupted")

func (f *execFlags) run(r turn.Request, out io.Writer) error {
	// main's handler lets a second signal end clawd at once, and an agent would be left behind.
	signal.Reset(os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // else a closed stderr ends clawd and leaves the agent
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			cancel(fmt.Errorf("%w by signal %q", errSignal, s))
		case <-ctx.Done():
		}
	}()
	p := newProgress(f.quiet, f.verbose)
	r.OnWait, r.OnEvent = p.wait, p.event
	res, err := turn.Run(ctx, r)
	p.end()
	if f.format == "text" {
		lost := printText(out, res)
		if !f.quiet {
			printFacts(p.out, res, err)
		}
		if lost != nil {
			return lost
		}
	} else if jerr := printJSON(out, res, err); jerr != nil {
		return jerr
	}
	if err == nil {
		return nil
	}
	c := &codeError{code: execCode(err)}
	if f.format == "text" && !f.quiet || errors.Is(err, turn.ErrRequest) {
		c.err = err
	}
	return c
}

// execCode is the exit status for an error of turn.Run.
func execCode(err error) int {
	stop, session := (*turn.StopError)(nil), (*turn.NoSessionError)(nil)
	switch {
	case errors.Is(err, errSignal):
		return exitInterrupted
	case errors.Is(err, turn.ErrTimeout):
		return exitTimeout
	case errors.Is(err, turn.ErrRequest):
		return exitUsage
	case errors.Is(err, turn.ErrAgentNotFound):
		return exitNotFound
	case errors.As(err, &session):
		return exitNoSession
	case errors.As(err, &stop) && (stop.Limited || stop.Stop.Reason == detect.UsageLimit || stop.Stop.Reason == detect.RateLimit):
		return exitLimited
	}
	return exitFailed
}
