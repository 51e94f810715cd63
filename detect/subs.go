package detect

import "time"

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
