package turn_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/turn"
)

// demo is a request to an agent that answers with its prompt. Leave Config and Environ out to run the
// agent that is installed.
func demo(prompt string) (turn.Request, func()) {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	home, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	return turn.Request{
		Agent: claude.Kind, Prompt: prompt, Dir: home, Held: filepath.Join(home, "held"),
		Environ: []string{"HOME=" + home, "TURN_FAKE=answer"}, Config: agent.Config{Command: program},
	}, func() { os.RemoveAll(home) }
}

func ExampleRun() {
	r, clean := demo("say hello")
	defer clean()
	r.Timeout = 10 * time.Minute
	r.WaitLimit = 5 * time.Hour                // of the plan's limit, if it ends by then
	r.Retry = &resume.RetryPolicy{Attempts: 3} // what may pass
	got, err := turn.Run(context.Background(), r)

	var stop *turn.StopError
	switch {
	case errors.As(err, &stop):
		fmt.Println("it stopped:", stop.Stop.Reason, "until", stop.Stop.ResetAt)
	case errors.Is(err, turn.ErrTimeout), errors.Is(err, turn.ErrAgentNotFound):
		fmt.Println("no answer:", err)
	default:
		fmt.Println(got.Text, got.Attempts, got.Usage.OutputTokens, err)
	}
	// Output: say hello 1 5 <nil>
}

func ExampleStream() {
	r, clean := demo("say hello")
	defer clean()
	for e, err := range turn.Stream(context.Background(), r) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Kind)
	}
	// Output:
	// opened
	// usage
	// done
	// result
}

func ExampleSession() {
	r, clean := demo("")
	defer clean()
	r.ResumeOrNew = true // the demo agent keeps no sessions
	s := turn.NewSession(r)
	for _, prompt := range []string{"one", "two"} {
		got, err := s.Turn(context.Background(), prompt)
		fmt.Println(got.Text, got.Session == s.ID(), got.Recovered, err)
	}
	// Output:
	// one true false <nil>
	// two true true <nil>
}
