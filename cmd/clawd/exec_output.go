package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/internal/plain"
	"github.com/clawd-project/clawd/turn"
)

// execJSON is what clawd exec prints. Its keys are part of the contract with scripts.
type execJSON struct {
	Success       bool      `json:"success"`
	Result        string    `json:"result"`
	Errors        []string  `json:"errors"`
	Agent         string    `json:"agent"`
	SessionID     string    `json:"session_id"`
	Recovered     bool      `json:"recovered"`
	Attempts      int       `json:"attempts"`
	Usage         execUsage `json:"usage"`
	DurationMs    int64     `json:"duration_ms"`
	DurationAPIMs int64     `json:"duration_api_ms"`
	Stop          execStop  `json:"stop"`
}

type execUsage struct {
	Input         int64    `json:"input_tokens"`
	Output        int64    `json:"output_tokens"`
	CacheCreation int64    `json:"cache_creation_input_tokens"`
	CacheRead     int64    `json:"cache_read_input_tokens"`
	CostUSD       *float64 `json:"total_cost_usd"` // the agent's own figure; null: it gives none
	Whole         bool     `json:"whole_session,omitempty"`
}

type execStop struct {
	Reason      *string    `json:"reason"` // null: no turn began, or how it ended is not known
	Window      *string    `json:"window"`
	RetryAfterS *float64   `json:"retry_after_s"`
	ResetAt     *time.Time `json:"reset_at"`
}

// word is a JSON value that is null where there is nothing.
func word[T ~string](v T) *string {
	if v == "" {
		return nil
	}
	s := string(v)
	return &s
}

func printJSON(out io.Writer, r turn.Result, err error) error {
	u := r.Usage
	j := execJSON{Success: err == nil, Result: r.Text, Errors: execErrors(r, err), Agent: r.Agent, SessionID: r.Session, Recovered: r.Recovered, Attempts: r.Attempts,
		Usage:      execUsage{u.InputTokens, u.OutputTokens, u.CacheCreationTokens, u.CacheReadTokens, u.CostUSD, u.Whole},
		DurationMs: r.Duration.Milliseconds(), DurationAPIMs: u.API.Milliseconds(),
		Stop: execStop{Reason: word(r.Stop.Reason), Window: word(r.Stop.Window)}}
	if d := r.Stop.RetryAfter; d != nil {
		s := d.Seconds()
		j.Stop.RetryAfterS = &s
	}
	if at := r.Stop.ResetAt; !at.IsZero() {
		at = at.UTC()
		j.Stop.ResetAt = &at
	}
	return json.NewEncoder(plain.JSON(out)).Encode(j)
}

// execErrors are the failures of all tries, and what ended the command.
func execErrors(r turn.Result, err error) []string {
	all := append([]string{}, r.Errors...)
	if err != nil && !slices.Contains(all, err.Error()) {
		all = append(all, err.Error())
	}
	return all
}

// printText prints the answer alone.
func printText(out io.Writer, r turn.Result) error {
	if r.Text == "" {
		return nil
	}
	_, err := fmt.Fprintln(out, strings.TrimRight(r.Text, "\n"))
	return err
}

// printFacts says how it went; an error is for main to print.
func printFacts(out io.Writer, r turn.Result, err error) {
	if r.Attempts > 1 {
		fmt.Fprintln(out, "attempts:", r.Attempts)
	}
	if r.Session != "" {
		note := ""
		if r.Recovered {
			note = " (new: the one asked for is gone)"
		}
		fmt.Fprintf(out, "session:  %s%s\n", r.Session, note)
	}
	if at := r.Stop.ResetAt; err != nil && !at.IsZero() {
		fmt.Fprintln(out, "resets:  ", at.Local().Format(time.RFC3339))
	}
	u := r.Usage
	fmt.Fprintf(out, "tokens:   %d in, %d out, %d written to the cache, %d read from it\n", u.InputTokens, u.OutputTokens, u.CacheCreationTokens, u.CacheReadTokens)
	if u.CostUSD != nil {
		fmt.Fprintf(out, "cost:     $%.4f\n", math.Max(*u.CostUSD, 0))
	}
	fmt.Fprintln(out, "duration:", r.Duration.Round(100*time.Millisecond))
}
