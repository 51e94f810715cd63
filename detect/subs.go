package detect

import (
	"fmt"
	"strings"
	"time"
)

// SubStop is a sub-agent of a session that stopped before it was done. It holds no text of a model, a user or a tool.
type SubStop struct {
	ID      string    `json:"id"`             // the agent's own; letters, digits, "_" and "-"
	Name    string    `json:"name,omitempty"` // what the agent calls it, such as "general-purpose"; the same signs
	Key     string    `json:"key"`            // id of the record that says so
	Reason  Reason    `json:"reason"`
	Window  Window    `json:"window,omitempty"`
	At      time.Time `json:"at"`
	ResetAt time.Time `json:"reset_at,omitzero"`
}

// endsWith is how long after its session an agent may take to end a sub-agent.
const endsWith = time.Minute

// Counts tells whether a sub-agent did not stop by its user's own hand: where the session failed, the agent ends what still works in
// it, with the same words as its user does.
func (s SubStop) Counts(main Stop) bool {
	if s.Reason != Interrupted {
		return true
	}
	failed := main.IsStop() && main.Reason != Interrupted && main.Reason != Crashed
	return failed && !s.At.Before(main.At) && s.At.Sub(main.At) <= endsWith
}

// SubStop gives the verdict on a sub-agent's own records as that of the session that started it. False: nothing outside of it
// has stopped it. What a sub-agent has itself brought about, such as a context that is full, its session answers for.
func (s Stop) SubStop(id, name string) (SubStop, bool) {
	switch s.Reason {
	case RateLimit, UsageLimit, Overloaded, ServerError, Network, Auth, Billing, Interrupted:
	default:
		return SubStop{}, false
	}
	if s.Key == "" || s.State != Stopped || !plainName(id) {
		return SubStop{}, false
	}
	if !plainName(name) {
		name = ""
	}
	return SubStop{ID: id, Name: name, Key: s.Key, Reason: s.Reason, Window: s.Window, At: s.At, ResetAt: s.ResetAt}, true
}

// plainName: a name that means nothing in a prompt, a command or on a screen.
func plainName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		switch b := s[i]; {
		case '0' <= b && b <= '9', 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_', b == '-':
		default:
			return false
		}
	}
	return true
}

// MaxNamed is how many sub-agents a notice or a prompt names.
const MaxNamed = 5

// SubStopsWords says in words which sub-agents stopped and why.
func SubStopsWords(stops []SubStop) string {
	text := "a sub-agent stopped before it was done: "
	if len(stops) > 1 {
		text = fmt.Sprintf("%d sub-agents stopped before they were done: ", len(stops))
	}
	var each []string
	for _, x := range stops[:min(len(stops), MaxNamed)] {
		each = append(each, strings.TrimSpace(x.Name+" "+x.ID)+", "+x.Words())
	}
	if more := len(stops) - MaxNamed; more > 0 {
		each = append(each, fmt.Sprintf("and %d more", more))
	}
	return text + strings.Join(each, "; ")
}

// subReasons and subWindows are what its user reads of them.
var (
	subReasons = map[Reason]string{RateLimit: "rate limit", UsageLimit: "usage limit", Overloaded: "provider overloaded",
		ServerError: "server error", Network: "network failure", Auth: "sign-in rejected", Billing: "no credit left",
		Interrupted: "ended with its session"}
	subWindows = map[Window]string{FiveHour: "5-hour limit", Daily: "daily limit", Weekly: "weekly limit",
		Monthly: "monthly limit", Model: "limit of the model"}
)

// Words says why a sub-agent stopped; times in UTC.
func (s SubStop) Words() string {
	text := subReasons[s.Reason]
	if w := subWindows[s.Window]; w != "" && s.Reason == UsageLimit {
		text = w
	}
	if !s.ResetAt.IsZero() {
		text += ", resets " + s.ResetAt.UTC().Format(time.RFC3339)
	}
	return text
}
