package turn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// records is what the agent's own files say of a try.
type records struct {
	found    bool
	prompted bool // the request stands in the session, where the agent did not take it back
	worked   bool // the model answered, or a tool ran
	back     bool // the agent took it back
	stop     detect.Stop
	err      error
}

// read reads what a try left in the session's files.
func (t *runner) read(ctx context.Context) records {
	var r records
	if t.ds.ID != t.result.Session {
		t.cursor = ""
		if t.result.Session == "" {
			return r
		}
		if ok, err := t.find(ctx, t.result.Session); !ok {
			r.err = err
			return r
		}
	}
	r, c := t.news(ctx, t.began.Truncate(time.Second)) // not every agent writes parts of a second
	if r.err != nil {
		return r
	}
	c.Feed(detect.Event{Kind: detect.KindHolder, At: time.Now(), Holder: &detect.Holder{Liveness: detect.LeftBehind, Why: "the agent ended in mid turn"}})
	r.stop = c.Stop()
	if w, ok := t.a.(agent.Withdrawer); ok { // known at once, while a reason may still come
		back, turns := w.Withdrew(t.cursor)
		r.back, r.prompted = back, r.prompted && !back
		r.stop.NotResumable = r.stop.NotResumable || !turns
	}
	return r
}

// news reads on in the session's files. Where they must be read from their beginning, as after one was put back, what is older than
// since is no news.
func (t *runner) news(ctx context.Context, since time.Time) (records, *detect.Classifier) {
	type part struct {
		records
		detect.Classifier
	}
	var all, late part
	batch, err := t.a.Read(ctx, t.ds, t.cursor, func(e detect.Event) {
		all.Feed(e)
		all.count(e)
		if !e.At.Before(since) {
			late.Feed(e)
			late.count(e)
		}
	})
	if err != nil {
		return records{found: true, err: err}, nil
	}
	t.cursor = batch.Cursor
	t.info.Merge(batch.Info)
	if batch.Anew {
		all = late
	}
	all.found = true
	return all.records, &all.Classifier
}

func (r *records) count(e detect.Event) {
	switch e.Kind {
	case detect.KindPrompt:
		r.prompted = r.prompted || !e.Meta
	case detect.KindAnswer, detect.KindToolResult, detect.KindDenied:
		r.worked = true
	}
}

// alone says whether a further try may go on in the session: nobody has opened it in the wait, or gone on in it.
func (t *runner) alone(ctx context.Context) error {
	if t.session == "" || t.result.Attempts == 0 {
		return nil
	}
	return t.aloneSince(ctx, t.ended)
}

// aloneSince says whether the session may be gone on in: nobody has it open, or has gone on in it since the last look, or since that
// time where its file is another one.
func (t *runner) aloneSince(ctx context.Context, since time.Time) error {
	if err := t.free(ctx); err != nil {
		return err
	}
	switch r, _ := t.news(ctx, since); {
	case r.err != nil:
		return fmt.Errorf("whether session %s was continued cannot be read: %w", t.session, r.err)
	case r.prompted || r.worked:
		return fmt.Errorf("%w: session %s was continued", ErrBusy, t.session)
	}
	return nil
}

// verdict says what became of a try; nil: the turn ended well.
func (t *runner) verdict(ctx context.Context, h *heard, out agent.Output, ps *os.ProcessState) error {
	t.result.Text = detect.Unstyled(h.answer.String())
	t.result.Stop = detect.Stop{State: detect.Stopped, Reason: detect.Completed, At: time.Now().UTC()}
	if h.ended == agent.SaidDone && !out.Refused {
		if h.long {
			return fmt.Errorf("%w: the answer is longer than %d bytes", ErrOutput, answerMax)
		}
		return nil
	}
	t.result.Stop = detect.Stop{}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if out.Refused {
		return t.refused(h)
	}
	if out.NoInput && ps.ExitCode() != 0 {
		return &noInputError{h.note()}
	}
	look := context.WithoutCancel(ctx)
	r := t.read(look)
	if r.err == nil && r.stop.Reason == detect.Completed && h.ended == "" && ps.ExitCode() == 0 && len(t.result.Text) > 0 {
		t.result.Stop = r.stop // opencode tells no end when a permission was refused
		return nil
	}
	e := &StopError{Stop: t.why(h, &r), Text: words(h.last.Failed.Text)}
	if h.ended == "" && e.Stop.Reason == "" {
		return t.speechless(h, out, ps, &r)
	}
	if e.Text == "" {
		e.Text = h.note()
	}
	if e.Stop.Reason == detect.Crashed {
		e.Text = fmt.Sprintf("the agent ended in mid turn (%s)", ps)
	}
	t.result.Stop = e.Stop
	if err := t.again(h, &r, e); err != nil {
		return err
	}
	return e
}

// why finds the reason of a failure: the files first, for they are what the agent itself recorded; the
// output where they do not tell, and for times that are more exact there.
func (t *runner) why(h *heard, r *records) detect.Stop {
	s, said := r.stop, h.last.Failed.Stop
	if h.ended == "" && r.stop.Reason == detect.Completed {
		return detect.Stop{} // what was read is the turn before
	}
	switch {
	case said == nil:
		if h.ended == agent.SaidFailed && (!s.IsStop() || s.Reason == detect.Crashed) { // it spoke, so it did not crash
			s = detect.Stop{State: detect.Stopped, Reason: detect.Unknown, At: time.Now().UTC()}
		}
		if !s.IsStop() {
			return detect.Stop{}
		}
		return s
	case !s.IsStop(), s.Reason == detect.Unknown, s.Reason == detect.Crashed, s.Reason == detect.Interrupted:
		said.NotResumable = s.NotResumable
		return *said
	}
	if s.Reason == said.Reason {
		if !said.ResetAt.IsZero() && (s.ResetAt.IsZero() || s.ResetMinute && !said.ResetMinute) {
			s.ResetAt, s.ResetMinute = said.ResetAt, said.ResetMinute
		}
		if s.RetryAfter == nil {
			s.RetryAfter = said.RetryAfter
		}
		if s.Window == "" {
			s.Window = said.Window
		}
	}
	return s
}

// refused: the agent does not know the session.
func (t *runner) refused(h *heard) error {
	if t.result.Attempts > 1 {
		return fmt.Errorf("%w: session %s, which it had opened itself, is not there any more: %s", ErrOutput, t.session, h.note())
	}
	if err := t.unknown(h.note()); err != nil {
		return err
	}
	return errAnew
}

// errAnew: the session is not there and a new one may be begun.
var errAnew = errors.New("begin anew")

// speechless: the run ended without a word on how the turn did, and the files do not tell either.
func (t *runner) speechless(h *heard, out agent.Output, ps *os.ProcessState, r *records) error {
	said := h.note()
	if s, ok := h.last.Stop(t.a, time.Now()); ok {
		t.result.Stop = s
		e := &StopError{Stop: s, Text: said}
		if err := t.again(h, r, e); err != nil {
			return err
		}
		return e
	}
	if out.Began && ps.ExitCode() != 0 || ps.ExitCode() < 0 { // below 0: a signal ended it
		t.result.Stop = detect.Stop{State: detect.Stopped, Reason: detect.Crashed, At: time.Now().UTC(), Evidence: detect.Evidence{Source: "process", Field: "exit"}}
		return &StopError{Stop: t.result.Stop, Text: fmt.Sprintf("the agent ended in mid turn (%s)", ps)}
	}
	if said != "" {
		said = ": " + said
	}
	return fmt.Errorf("%w (%s)%s", ErrOutput, ps, said)
}

// again prepares another try: it goes on in the session that this one opened when the request stands in
// it, and asks again when it does not. An error says that neither is safe.
func (t *runner) again(h *heard, r *records, e *StopError) error {
	t.asked = t.asked || r.worked || r.prompted
	switch {
	case !e.Retryable() && e.Stop.Reason != detect.UsageLimit:
		return nil // nothing is tried again
	case r.err != nil:
		return final(e, "what it left cannot be read: "+r.err.Error())
	case h.worked && !t.asked && !r.back:
		return final(e, "it may have done work that no session keeps")
	case r.found && !e.Stop.NotResumable && !r.stop.NotResumable:
		t.session = t.result.Session
	case t.asked || h.worked:
		return final(e, "it may have done work that no session keeps")
	default: // nothing of it is left
		t.session, t.ds, t.cursor = "", detect.Session{}, ""
	}
	return nil
}

// final is a failure that is not tried again though its reason may pass.
func final(e *StopError, why string) error {
	return &finalError{e, why}
}

type finalError struct {
	stop *StopError
	why  string
}

func (e *finalError) Error() string   { return e.stop.Error() + "; it is not tried again, for " + e.why }
func (e *finalError) Unwrap() error   { return e.stop }
func (e *finalError) Retryable() bool { return false }
