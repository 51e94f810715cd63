package agent

import (
	"bytes"
	"encoding/json"
	"io"
)

// OutputMax is the longest line of a run's output that is held.
const OutputMax = 16 << 20

// Printed is what a run has printed so far, as an agent reads it.
type Printed struct {
	Out  Output
	Each func(Said) // nil: nobody listens
}

// Say passes a thing on.
func (p *Printed) Say(s Said) {
	if p.Each != nil {
		p.Each(s)
	}
}

// NoInput notes that a run says it was given no prompt, if it has not opened its session yet.
func (p *Printed) NoInput(says bool) { p.Out.NoInput = p.Out.NoInput || says && !p.Out.Began }

// Read gives line each line of a run's output, and what these made of Out. A run that opened its session was not refused,
// whatever else was printed.
func (p *Printed) Read(r io.Reader, line func(Line)) (Output, error) {
	err := Lines(r, OutputMax, line)
	if err == nil {
		p.Out.Refused = p.Out.Refused && !p.Out.Began
	}
	return p.Out, err
}

// Words gives what a line tells of a run that prints an object a line, with stderr among them. False: it is too
// long, or it is half an object, which proves nothing. Plain words may come without a newline.
func (l Line) Words() ([]byte, bool) {
	text := bytes.TrimSpace(l.Text)
	return text, !l.Long && (l.Whole || !bytes.HasPrefix(text, []byte("{")) || json.Valid(text))
}
