package opencode

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// A message of a kind that nobody knows may say that the session went on, or that its user stopped it.
func TestUnknownRecordBehindFailure(t *testing.T) {
	o, dir := open(t, agenttest.Procs{})
	s := load(t, o, dir, "rate-limit-gives-up")[0].Session
	if stop := judge(read(t, o, s, "").Events, detect.Gone); stop.Reason != detect.RateLimit {
		t.Fatalf("as recorded: %s", stop.Reason)
	}
	exec(t, writer(t, s.Path), `insert into message (id, session_id, time_created, time_updated, data)
		select 'msg_zzzzzzzzzzzzzzzz', session_id, time_created + 60000, time_updated + 60000, '{"role":"robot"}' from message order by rowid desc limit 1`)
	if stop := judge(read(t, o, s, "").Events, detect.Gone); stop.Reason != detect.Unknown {
		t.Errorf("with a message of another kind behind it: %s", stop.Reason)
	}
}

// An error without what every error has is of a form that nobody knows.
func TestFailureOfAnotherForm(t *testing.T) {
	var e rowError
	e.Name, e.Data.Retryable = "APIError", true
	for name, change := range map[string]func(*rowError){
		"no text":               func(e *rowError) { e.Data.StatusCode = 429 },
		"an answer, no status":  func(e *rowError) { e.Data.Message, e.Data.Body = "x", "<html>" },
		"headers and no status": func(e *rowError) { e.Data.Message, e.Data.Headers = "x", map[string]string{"server": "x"} },
	} {
		x := e
		change(&x)
		if f := failure(&x, time.Now(), time.UTC, "database"); f.Reason != detect.Unknown {
			t.Errorf("%s: %s", name, f.Reason)
		}
	}
}
