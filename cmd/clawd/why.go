package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/plain"
	"github.com/clawd-project/clawd/state"
)

func newWhy() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "why SESSION",
		Short: "Explain why a session stopped and what comes next",
		Long:  "Explain what clawd saw of a session, what it decided and why, and what is next." + orderStatus,
		Args:  oneSession,

		ValidArgsFunction: completeSession(),
		RunE: func(cmd *cobra.Command, args []string) error {
			var w daemon.Why
			if err := ask(cmd.Context(), "/v1/why?"+url.Values{"session": args}.Encode(), &w); err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(plain.JSON(cmd.OutOrStdout())).Encode(w)
			}
			_, err := cmd.OutOrStdout().Write(explain(w))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// explain says it for people, times in their zone.
func explain(w daemon.Why) []byte {
	var b bytes.Buffer
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("%s session %s", w.Agent, w.Session)
	say("Project %s, file %s.", tame(cmp.Or(w.Project, "unknown")), tame(w.Path))
	if w.Old != "" {
		say("It took over from session %s.", w.Old)
	}
	if w.New != "" {
		say("Session %s took over from it.", w.New)
	}
	say("")
	explainStop(say, w.Stop)
	for _, x := range w.Subs {
		say("Its sub-agent %s stopped at %s before it was done: %s.", strings.TrimSpace(tame(x.Name)+" "+tame(x.ID)), local(x.At), tame(x.Words))
	}
	explainHolder(say, w.Holder)
	say("")
	switch w.Phase {
	case state.Waiting:
		say("Waiting: %s.", tame(w.Decision.Why))
	case state.Claimed, state.Fired:
		say("Resuming (attempt %d): %s.", w.Decision.Attempt, tame(w.Decision.Why))
	case state.Held:
		say("clawd does not try again by itself: %s.", tame(w.Decision.Why))
	case state.GivenUp:
		say("clawd gave up: %s.", tame(w.Decision.Why))
	default:
		if w.Decision.Why != "" && (w.Stop == nil || !w.Stop.Over) {
			say("What clawd decided last: %s (%s).", tame(w.Decision.Why), w.Decision.Strategy)
		}
	}
	if w.Decision.HeldBack != "" {
		say("What holds it back: %s.", tame(w.Decision.HeldBack))
	}
	if text := flagTexts[w.Decision.Flags]; text != "" {
		say("%s", text)
	}
	say("%s", tame(w.Next))
	if w.Command != "" {
		say("You can type: %s", tame(w.Command))
	}
	if len(w.History) > 0 {
		say("\nHistory:")
	}
	for _, e := range w.History {
		line := fmt.Sprintf("  %s  %s", local(e.At), e.Kind)
		if e.N > 0 {
			line += fmt.Sprintf(" (attempt %d)", e.N)
		}
		if e.Why != "" {
			line += ": " + e.Why
		}
		if e.Proof != "" {
			line += "; proof: " + e.Proof
		}
		say("%s", tame(line))
	}
	return b.Bytes()
}

// flagTexts say what a run of clawd's is started with.
var flagTexts = map[detect.Known]string{
	detect.KnownSeen:     "clawd starts it with the options that it was started with.",
	detect.KnownRecorded: "clawd starts it with the options that the agent recorded.",
	detect.KnownNot:      "clawd did not see which options it was started with, so it can't pass them again.",
}

func local(t time.Time) string { return t.Local().Format(time.DateTime) }

func explainStop(say func(string, ...any), s *daemon.WhyStop) {
	if s == nil {
		say("It has not stopped since clawd watches.")
		return
	}
	stopped := "It stopped at"
	if s.Over {
		stopped = "It was continued since. It last stopped at"
	}
	window := ""
	if s.Window != "" {
		window = " of the window " + string(s.Window)
	}
	record := ""
	if e := s.Evidence; e.Source != "" { // else a process that is gone tells, not a record
		record = fmt.Sprintf(" So says %s in its %s, at %d.", tame(e.Field), tame(e.Source), e.Offset)
	}
	say("%s %s: %s%s.%s", stopped, local(s.At), s.Reason, window, record)
	if s.RetryAfterS != nil {
		say("The provider asked to wait %s.", time.Duration(*s.RetryAfterS*float64(time.Second)))
	}
	if s.ResetAt != nil {
		say("The limit resets at %s.", local(*s.ResetAt))
	}
	if s.SelfResumeAt != nil {
		say("The agent has set its own retry for %s.", local(*s.SelfResumeAt))
	}
	if len(s.Notes) > 0 {
		say("Note: %s.", tame(strings.Join(s.Notes, "; ")))
	}
}

func explainHolder(say func(string, ...any), h daemon.WhyHolder) {
	switch {
	case h.Liveness == detect.Alive && h.Terminal != "":
		say("Process %d (%s) has it open at %s: %s.", h.PID, h.Kind, tame(h.Terminal), tame(h.Why))
	case h.Liveness == detect.Alive:
		say("Process %d (%s) has it open: %s.", h.PID, h.Kind, tame(h.Why))
	case h.Liveness == detect.HolderUnknown:
		say("clawd can't tell whether it is open: %s.", tame(h.Why))
	default:
		say("No process has it open (%s).", tame(h.Why))
	}
}
