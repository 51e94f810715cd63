package actor

import (
	"strings"
	"time"
)

// Ask is a prompt that reached the provider.
type Ask struct {
	Agent, Session string
	// Stop is the newest record of the conversation, or its newest turn, when the prompt was given: see For.
	Stop     string
	By       By
	At       time.Time
	PID      int
	Requests int  // of the whole turn, with the agent's own retries
	Unkept   bool // no file has it: its user has taken it back, or its process was killed before its lines came to the disk
}

// Ledger counts what the provider was asked.
type Ledger struct {
	Asks []*Ask
	by   map[askKey][]*Ask
	of   map[askKey]string // records that stand for the same stop as an older one
}

type askKey struct{ agent, session, stop string }

// NewLedger gives an empty one.
func NewLedger() *Ledger { return &Ledger{by: map[askKey][]*Ask{}, of: map[askKey]string{}} }

func (l *Ledger) add(a *Ask) {
	k := askKey{a.Agent, a.Session, a.Stop}
	l.Asks, l.by[k] = append(l.Asks, a), append(l.by[k], a)
}

// same notes that a record stands for the same stop as the first of its kind: which of them names the stop, only its reader
// says.
func (l *Ledger) same(agent, session, record, first string) {
	l.of[askKey{agent, session, record}] = first
}

// For gives the prompts that were given in a session at a stop, by the key that clawd gives it. A turn that was
// cut is named by its last record, which may be named by its turn and its place, and so is one that its agent gave up.
func (l *Ledger) For(agent, session, key string) []*Ask {
	stop, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(key, "cut:"), "ended:"), "/")
	if first := l.of[askKey{agent, session, stop}]; first != "" {
		stop = first
	}
	return l.by[askKey{agent, session, stop}]
}
