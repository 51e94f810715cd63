package daemon

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/clawd-project/clawd/state"
)

// TestPlainStop is the plainest stop there is: headless, one 429, one resume. tools/measure runs it in a binary
// that counts, once with the stop, to the log's word of the verdict, and once without it.
func TestPlainStop(t *testing.T) {
	in(t, func(r *rig) {
		measured := os.Getenv("CLAWD_MEASURE")
		if measured != "" {
			r.o.Log = zerolog.New(io.MultiWriter(r.log, atVerdict{}))
		}
		r.start()
		if measured == "idle" {
			r.pass(plainVerdict)
			os.Exit(counted)
		}
		id, _ := r.stopped("limit")
		r.pass(plainVerdict)
		r.wantPhase(id, state.Following)
		if n := len(r.children.started()); n != 1 || r.resumes() != 1 {
			t.Errorf("%d starts, %d resumes; want 1, 1", n, r.resumes())
		}
	})
}

const (
	// plainVerdict is how long after the stop its verdict comes: 30 s are waited, and the agent answers at once.
	plainVerdict = 30 * time.Second
	// counted is what a process that counts ends with. The tests' own end would shut the daemon down first.
	counted = 3
)

// atVerdict ends the process.
type atVerdict struct{}

func (atVerdict) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(`"resume_succeeded"`)) {
		os.Exit(counted)
	}
	return len(line), nil
}
