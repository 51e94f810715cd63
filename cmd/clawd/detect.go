package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/internal/plain"
	"github.com/clawd-project/clawd/resume"
)

type detectOptions struct {
	agent, at, zone, live string
	message               string
	json, unknown         bool
}

func newDetect(g *globals) *cobra.Command {
	var o detectOptions
	cmd := &cobra.Command{
		Use:   "detect PATH... | detect --agent NAME --message TEXT | detect --unknown",
		Short: "Explain why a session stopped, offline",
		Long: `Explain why sessions stopped, from their files, folders or databases: state,
reason, reset time, and what clawd would do. With --message, what one message
means that the agent printed as its own error. With --unknown, the failures that
no rule explains, redacted, in a form for an issue. Nothing is written and no
daemon is needed.

Exit status: 0 whatever it finds, 1 a path cannot be read, 2 usage error.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.unknown {
				return listUnknown(cmd.Context(), o, args, cmd.OutOrStdout())
			}
			return runDetect(cmd.Context(), g, o, args, cmd.Flags().Changed("message"), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "agent that wrote it: "+strings.Join(all.Names(), ", "))
	f.StringVar(&o.at, "at", "", "decide as if it were this time, RFC 3339 (default now); with --message: when it was written")
	f.StringVar(&o.zone, "zone", "", "time zone of the agent, where a text names none (default this machine's)")
	f.StringVar(&o.live, "live", "auto", "\"auto\": look who has the session open; \"none\": take it that nobody has")
	f.StringVar(&o.message, "message", "", "a message instead of files")
	f.BoolVar(&o.unknown, "unknown", false, "list the failures that clawd did not understand")
	f.BoolVar(&o.json, "json", false, "print JSON, one object a line")
	return cmd
}

// finding is the contract of "detect --json".
type finding struct {
	Agent        string          `json:"agent"`
	Session      string          `json:"session"`
	Path         string          `json:"path"`
	Project      string          `json:"project"`
	State        detect.State    `json:"state"`
	CouldBe      []detect.State  `json:"could_be"`
	Reason       *detect.Reason  `json:"reason"`
	Window       *detect.Window  `json:"window"`
	At           *time.Time      `json:"at"`
	RetryAfterS  *float64        `json:"retry_after_s"`
	ResetAt      *time.Time      `json:"reset_at"`
	SelfResumeAt *time.Time      `json:"self_resume_at"`
	Resumable    bool            `json:"resumable"`
	Strategy     resume.Kind     `json:"strategy"`
	WakeAt       *time.Time      `json:"wake_at"`
	Why          string          `json:"why"`
	Notes        []string        `json:"notes,omitempty"`
	Evidence     detect.Evidence `json:"evidence"`

	SubAgents []detect.SubStop `json:"sub_agents,omitempty"` // that stopped before they were done, and were not sent on
}

func runDetect(ctx context.Context, g *globals, o detectOptions, paths []string, message bool, out, warn io.Writer) error {
	cfg, _, err := g.load()
	if err != nil {
		return err
	}
	now := time.Now()
	if o.at != "" {
		if now, err = time.Parse(time.RFC3339, o.at); err != nil {
			// Not a time in UTC: errors show those in this machine's zone, in a form that --at refuses.
			return usage(fmt.Errorf("--at: %q is not a time such as 2026-11-21T00:10:03+01:00", o.at))
		}
	}
	env := agentEnv(cfg)
	if o.zone != "" {
		if env.Zone, err = time.LoadLocation(o.zone); err != nil || o.zone == "Local" {
			return usage(fmt.Errorf("--zone: %q is not a time zone such as Europe/Rome or UTC", o.zone))
		}
	}
	switch {
	case o.live != "auto" && o.live != "none":
		return usage(fmt.Errorf("--live: %q is not one of auto, none", o.live))
	case message && len(paths) > 0:
		return usage(errors.New("give paths or --message, not both"))
	case message && o.agent == "":
		return usage(errors.New("--message needs --agent"))
	case !message && len(paths) == 0:
		return usage(errors.New("give the path of a session file, a data folder or a database"))
	case slices.Contains(paths, ""): // as of a variable that is not set; it would mean this folder
		return usage(errors.New("an empty path names no file"))
	}
	d := detecting{ctx: ctx, o: o, env: env, cfg: cfg, now: now, warn: warn}
	agents, err := d.agents(nil)
	if err != nil {
		return usage(err)
	}
	var found []finding
	if message {
		found = []finding{d.message(agents[0])}
	}
	debug.SetMemoryLimit(detectGarbage)
	more, failed := eachPath(ctx, paths, func(ctx context.Context, p string) ([]finding, error) {
		return bounded(ctx, detectPatience, detectMemory, func(ctx context.Context) ([]finding, error) {
			within := d
			within.ctx = ctx
			return within.path(p)
		})
	})
	return errors.Join(printFindings(out, append(found, more...), o.json), failed)
}

// eachPath looks at one path after another, until one took too much: what is still at work there would be
// held against the next.
func eachPath(ctx context.Context, paths []string, look func(context.Context, string) ([]finding, error)) (found []finding, failed error) {
	for n, p := range paths {
		f, err := look(ctx, p)
		if err != nil && !strings.Contains(err.Error(), p) {
			err = fmt.Errorf("%s: %w", p, err)
		}
		found = append(found, f...)
		failed = errors.Join(failed, err)
		if left := paths[n+1:]; len(left) > 0 && (errors.Is(err, errTooMuch) || ctx.Err() != nil) {
			return found, errors.Join(failed, fmt.Errorf("not looked at: %s", strings.Join(left, " ")))
		}
	}
	return found, failed
}

type detecting struct {
	ctx  context.Context
	o    detectOptions
	env  agent.Env
	cfg  config.Config
	now  time.Time
	warn io.Writer
}

// agents gives the agents that are asked for, with changed settings where sections has them.
func (d detecting) agents(change func(k agent.Kind, e *agent.Env, c *agent.Config)) ([]agent.Agent, error) {
	var list []agent.Agent
	for _, k := range all.Kinds() {
		if d.o.agent != "" && d.o.agent != k.Name {
			continue
		}
		env, c := d.env, d.cfg.Agent[k.Name]
		if change != nil {
			change(k, &env, &c)
		}
		list = append(list, k.Open(env, c))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("--agent: %q is not one of %s", d.o.agent, strings.Join(all.Names(), ", "))
	}
	return list, nil
}

func (d detecting) session(a agent.Agent, s detect.Session) (finding, error) {
	stop, b, err := agent.Look(d.ctx, a, s, d.o.live == "auto")
	if err != nil {
		return finding{}, fmt.Errorf("%s: %w", s.Path, err)
	}
	f := d.finding(s.Agent, stop)
	f.Session, f.Path, f.Project = s.ID, s.Path, b.Info.Dir
	switch {
	case f.Strategy == resume.Leave:
	case b.Info.Parent != "":
		f.Strategy, f.Resumable, f.WakeAt = resume.Leave, false, nil
		f.Why = "it is a sub-agent's session; what counts is the main one"
	case b.Info.Archived:
		f.Strategy, f.Resumable, f.WakeAt = resume.Leave, false, nil
		f.Why = "it is archived"
	case d.cfg.Watch.Ignores(b.Info.Dir):
		f.Strategy, f.Resumable, f.WakeAt = resume.Leave, false, nil
		f.Why = "its project is in [watch] ignore_projects"
	}
	if b.Problem != "" {
		f.Notes = append(f.Notes, b.Problem)
	}
	if p, ok := a.(agent.Parent); ok && b.Info.Parent == "" {
		subs, err := p.SubStops(d.ctx, s, time.Time{})
		if err != nil {
			f.Notes = append(f.Notes, "what became of its sub-agents cannot be read: "+err.Error())
		}
		f.SubAgents = slices.DeleteFunc(subs, func(x detect.SubStop) bool { return !x.Counts(stop) })
	}
	return f, nil
}

func (d detecting) message(a agent.Agent) finding {
	stop, ok := all.Message(a, d.o.message, d.now, d.env.Zone)
	if !ok {
		stop = detect.Stop{State: detect.Running}
	}
	stop.Evidence.Source = "message"
	return d.finding(a.Name(), stop)
}

func (d detecting) finding(agentName string, s detect.Stop) finding {
	f := finding{Agent: agentName, State: s.State, CouldBe: s.CouldBe, Notes: s.Notes, Evidence: s.Evidence,
		At: timeOrNil(s.At), ResetAt: timeOrNil(s.ResetAt), SelfResumeAt: timeOrNil(s.SelfResumeAt)}
	if f.CouldBe == nil {
		f.CouldBe = []detect.State{}
	}
	if s.Reason != "" {
		f.Reason = &s.Reason
	}
	if s.Window != "" {
		f.Window = &s.Window
	}
	if s.RetryAfter != nil {
		sec := s.RetryAfter.Seconds()
		f.RetryAfterS = &sec
	}
	p := d.cfg.Policy()
	tried := resume.Tried{Agent: agentName, FirstRead: d.o.message == ""} // as by a daemon that reads it for the first time
	dec := p.Select(s, tried).Decide(s, tried, d.now)
	// What the agent does by itself, nobody else resumes meanwhile.
	f.Strategy, f.Why, f.Resumable = dec.Strategy, dec.Why, dec.Strategy != resume.Leave && s.State == detect.Stopped
	if !dec.WakeAt.IsZero() {
		f.WakeAt = timeOrNil(dec.WakeAt.Add(dec.Grace))
	}
	return f
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func printFindings(out io.Writer, found []finding, asJSON bool) error {
	var b bytes.Buffer
	enc := json.NewEncoder(plain.JSON(&b))
	enc.SetEscapeHTML(false)
	for _, f := range found {
		if asJSON {
			if err := enc.Encode(f); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(&b, "%s: %s", strings.TrimSpace(f.Agent+" "+f.Session), f.State)
		if f.Reason != nil {
			fmt.Fprintf(&b, ", %s", *f.Reason)
		}
		if f.ResetAt != nil {
			fmt.Fprintf(&b, ", resets %s", local(*f.ResetAt))
		}
		fmt.Fprintf(&b, "\n  %s: %s\n", f.Strategy, tame(f.Why))
		if len(f.SubAgents) > 0 {
			fmt.Fprintf(&b, "  %s\n", tame(detect.SubStopsWords(f.SubAgents)))
		}
		for _, n := range f.Notes {
			fmt.Fprintf(&b, "  note: %s\n", tame(n))
		}
	}
	_, err := b.WriteTo(out)
	return err
}
