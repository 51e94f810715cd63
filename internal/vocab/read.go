package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
)

// written is when all strings are taken to have been printed, in UTC.
var written = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// noStop is what a reader says of a text that is none, and unasked of one that the agent has no such record for.
const (
	noStop  = "none"
	unasked = "-"
)

// reader asks clawd what it makes of a string.
type reader struct {
	agent   agent.Agent
	records []string // kind.Records
}

func newReader(repo, name string) (*reader, error) {
	from, err := readKind(repo, name)
	if err != nil {
		return nil, err
	}
	k, err := all.Kind(name)
	if err != nil {
		return nil, err
	}
	env := agent.Env{Home: "/nonexistent", Getenv: func(string) string { return "" }, Zone: time.UTC}
	return &reader{agent: k.Open(env, agent.Config{}), records: from.Records}, nil
}

func (r *reader) ask(text string) string {
	stop, ok := r.agent.Message(text, written, time.UTC)
	switch {
	case !ok:
		return noStop
	case stop.State == detect.Stopped:
		return string(stop.Reason)
	}
	return string(stop.State)
}

// text is what clawd makes of the string alone.
func (r *reader) text(e entry) string { return r.ask(e.seen()) }

// record is what clawd makes of it in a record: of a failure, or of a notice where it is no stop.
func (r *reader) record(e entry) string {
	said, forms := unasked, r.records
	if e.class != ends && e.class != unclassified && len(forms) > 0 {
		forms = forms[1:]
	}
	for _, form := range forms {
		quoted, _ := json.Marshal(e.seen()) // of a string
		said = r.ask(fmt.Sprintf(form, quoted))
		if said != noStop && said != string(detect.Unknown) {
			break
		}
	}
	return said
}
