package detect

import (
	"slices"
	"time"
)

// Launch is how a process that has a session open was started, as far as a later one may be started
// the same way. It never holds a secret.
type Launch struct {
	PID   int      `json:"pid"`
	Start uint64   `json:"start"` // see Holder.Start
	Boot  string   `json:"boot"`
	Flags []Flag   `json:"flags,omitempty"` // to be passed again, in their order
	Lost  []string `json:"lost,omitempty"`  // names of options that are not kept: a secret may stand in them, or nobody knows what they do. So are variables that were compared before
	// Bounds are the variables that bound what it may do, by name: a hash of the value, or empty where it is not set. nil: its environment
	// was not read.
	Bounds map[string]string `json:"bounds,omitempty"`
	Pays   string            `json:"pays,omitempty"`   // who pays, in the agent's words; empty: not known
	Inside int               `json:"inside,omitempty"` // pid of the agent that ran it as its tool; 0: none did
	Seen   time.Time         `json:"seen"`             // when the process was last known to live
	Over   bool              `json:"over,omitempty"`   // it has ended
	Gone   time.Time         `json:"gone,omitzero"`    // when that was found, if nobody saw it end: it may have lived until then, and another run after it
}

// Flag is an option with its values; none: it takes none.
type Flag struct {
	Name   string   `json:"name"`
	Values []string `json:"values,omitempty"`
	Limits bool     `json:"limits,omitempty"` // it may take something from what the process may do
}

// Args is the flag as it is passed again: no value can be taken for an option or a prompt.
func (f Flag) Args() []string {
	if len(f.Values) == 0 {
		return []string{f.Name}
	}
	args := make([]string, 0, len(f.Values))
	for _, v := range f.Values {
		args = append(args, f.Name+"="+v)
	}
	return args
}

// Value gives the last value of an option; false: it was not given.
func (l Launch) Value(name string) (string, bool) {
	for _, f := range slices.Backward(l.Flags) {
		if f.Name == name && len(f.Values) > 0 {
			return f.Values[len(f.Values)-1], true
		}
	}
	return "", false
}

// Known says how the options are known with which a plan is made.
type Known string

const (
	KnownSeen     Known = "seen"     // on the command line of the process
	KnownRecorded Known = "recorded" // from the agent's own records
	KnownNot      Known = "unknown"
)

// Same tells whether two launches are of the same process.
func (l Launch) Same(o Launch) bool { return l.PID == o.PID && l.Start == o.Start && l.Boot == o.Boot }
