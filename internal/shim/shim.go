package shim

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/crash"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/resume"
)

// Spec is what the daemon tells the shim. It goes through the gate's pipe, so that nothing of it
// stands in an argument list or a file.
type Spec struct {
	Claim resume.Claim `json:"claim"`
	Env   []string     `json:"env"`
	Agent agent.Config `json:"agent"`
}

// The shim's two pipes, by number.
const (
	fdGate  = 3 // reads: a line of JSON (the Spec), then one byte
	fdReply = 4 // writes: lines "taken WHY", "marked", "mark", "short WHY", "failed WHY"
)

// Check looks once more before the mark is made. A text says why not.
type Check func(Spec) (taken string)

// Clear ends what would be in the agent's way, once the mark is made.
type Clear func(Spec) error

// Run is the body of "clawd shim". It returns only when the agent was not started.
func Run(check Check, end Clear) error {
	syscall.CloseOnExec(fdGate)
	syscall.CloseOnExec(fdReply)
	in, reply := bufio.NewReader(os.NewFile(fdGate, "gate")), os.NewFile(fdReply, "reply")
	if reply == nil {
		return errors.New("clawd shim is started by the daemon only")
	}
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the gate closed: %w", err)
	}
	var spec Spec
	if err := json.Unmarshal(line, &spec); err != nil {
		return fmt.Errorf("the daemon's order cannot be read: %w", err)
	}
	if _, err := in.ReadByte(); err != nil { // closed before the byte: nothing may happen
		return fmt.Errorf("the gate closed: %w", err)
	}
	crash.At("gate")
	say := func(format string, args ...any) { fmt.Fprintf(reply, format+"\n", args...) }
	if why := check(spec); why != "" {
		say("taken %s", why)
		return nil
	}
	c := spec.Claim
	c.PID = os.Getpid()
	crash.At("mark.before")
	switch err := marks.Make(c.Mark, c); {
	case errors.Is(err, marks.ErrMade):
		say("marked")
		return nil
	case errors.Is(err, marks.ErrStays):
		say("failed %v", err)
		return errors.Join(err, marks.Fail(c.Mark, err))
	case err != nil:
		say("short %v", err)
		return err
	}
	crash.At("mark.after")
	say("mark")
	if err = end(spec); err == nil {
		err = syscall.Chdir(c.Plan.Dir)
	}
	if err == nil {
		crash.At("exec")
		err = syscall.Exec(c.Plan.Argv[0], c.Plan.Argv, spec.Env)
	}
	say("failed %v", err)
	return errors.Join(err, marks.Fail(c.Mark, err))
}

// readReply reads the shim's answer to the opened gate, to the end of its pipe.
func readReply(r io.Reader) (resume.Gate, string, error) {
	gate, why := resume.Gate(""), ""
	for s := bufio.NewScanner(r); s.Scan(); {
		word, rest := s.Text(), ""
		for i, c := range word {
			if c == ' ' {
				word, rest = word[:i], word[i+1:]
				break
			}
		}
		switch word {
		case "mark":
			gate = resume.GateExec
		case "marked":
			gate = resume.GateMarked
		case "taken":
			gate, why = resume.GateTaken, rest
		case "short":
			gate, why = resume.GateShort, rest
		case "failed":
			gate, why = resume.GateFailed, rest
		}
	}
	if gate == "" {
		return "", "", errors.New("the shim ended without an answer")
	}
	return gate, why, nil
}
