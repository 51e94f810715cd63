package resume

import (
	"fmt"
	"slices"

	"github.com/clawd-project/clawd/detect"
)

// Judge gives the verdict on a fired attempt from the records behind its claim's cursor. The
// first rule that fits counts. False: too early to say.
//
// alive: an agent process of our group lives. settled: the group is gone and two looks, a settle
// time apart, saw the same.
func Judge(c Claim, s Sight, alive, settled bool) (Outcome, bool) {
	t := readTurn(c, s)
	o, done := verdict(c, s, t, alive, settled)
	if done && t.ours != nil && t.ours.Hash != c.Plan.Prompt {
		o.Prompt = t.ours.Hash
	}
	if unexplained := o.Unsaid || o.Verdict == Unsure || o.Verdict == Cut; done && unexplained && s.Output.Any && !s.NoOutput && c.Output != "" {
		o.Why += "; what it printed is in " + c.Output // its words are a stranger's: they are for its user alone
	}
	return o, done
}

func verdict(c Claim, s Sight, t turn, alive, settled bool) (Outcome, bool) {
	switch {
	case t.oursAnswered:
		return Outcome{Verdict: Resumed, Why: "the agent's own record shows its answer"}, true
	case t.foreignAnswered && !alive:
		return Outcome{Verdict: ByHand, Why: "it was continued outside of clawd"}, true
	case t.foreignPrompt && !alive:
		return Outcome{Verdict: ByHand, Why: "a prompt that is not clawd's stands in this session"}, true
	case alive && t.foreignPrompt && t.ours == nil && !c.Plan.Way.Live(): // ours is yet to ask, so what failed is not
		return Outcome{}, false
	case t.failure != nil:
		return again(c, t), true
	case alive, !settled:
		return Outcome{}, false
	case t.ours != nil:
		return cut(*t.ours), true
	}
	return saidWhy(c, s.Output, nothing(c, s, t)), true
}

// cut: our prompt is the last thing that is written.
func cut(ours detect.Event) Outcome {
	st := detect.Stop{State: detect.Stopped, Reason: detect.Crashed, Key: "cut:" + ours.ID, At: ours.At,
		Evidence: detect.Evidence{Source: "attempt", Offset: ours.Offset, Field: "prompt"}}
	return Outcome{Verdict: Cut, Stop: &st, Why: "clawd's prompt stands in the session without an answer and the process is gone"}
}

// nothing: no prompt, answer or failure, the group is gone, settled.
func nothing(c Claim, s Sight, t turn) Outcome {
	o, printed := Outcome{Verdict: NoEffect}, !c.OutputCut && !s.NoOutput && !s.Output.Mute
	switch {
	case s.ExecFail != "":
		o.Proof, o.Why = "mark: exec-failed", "the agent could not be started: "+s.ExecFail
	case !s.Marked && !s.Output.Began && !c.OutputCut: // else it was there, and somebody removed it
		o.Proof, o.Why = "no mark", "the agent was never started"
	case !s.SameBoot && c.Boot == "":
		return Outcome{Verdict: Unsure, Why: "the mark of the attempt is damaged, so what became of it cannot be seen"}
	case !s.SameBoot:
		return Outcome{Verdict: Unsure, Why: "the machine went down after the start; whether the session went on cannot be seen"}
	case t.traces, t.strange:
		return Outcome{Verdict: Unsure, Why: "the session has records from after the start, and clawd can't tell whose they are"}
	case s.Output.Refused && printed:
		o.Proof, o.Refused, o.Why = "output: session refused", true, "the agent says that it does not know the session"
	case !s.Output.Began && printed && c.Plan.Form == FormIdempotent && (s.Output.Idle != "" || s.Grew):
		o.Proof, o.Why = "output: no request was begun", "the agent opened the session, saw nothing to go on with by itself, and asked nothing"
		if s.Output.Idle != "" {
			o.Why += ": " + s.Output.Idle
		}
	case !s.Output.Began && printed && c.Plan.Form != FormFresh:
		o.Proof, o.Why = "output: the session was never opened", "the agent ended before it opened the session"
	case !s.Output.Began && printed && s.SetBack && c.Plan.Session == "":
		return Outcome{Verdict: Unsure, Why: "the clock was set back while the agent ran, so clawd can't tell a session that it opened by its time"}
	case !s.Output.Began && printed:
		o.Proof, o.Why = "output: no session was opened", "the agent ended before it opened a session"
	default:
		return Outcome{Verdict: Unsure, Why: "the agent ran and left no record; can't tell if it resumed"}
	}
	return o
}

// again: a new failure after the fire. A prompt that is too long right after our own fire speaks
// of the size of the window the run got, not of the session, so the old reason stays.
func again(c Claim, t turn) Outcome {
	cl := detect.Classifier{}
	cl.Feed(*t.failure)
	st := cl.Stop()
	o := Outcome{Verdict: StoppedAgain, Stop: &st, Why: fmt.Sprintf("it stopped again: %s", st.Reason)}
	if st.Reason == detect.ContextFull && c.Stop.Reason != detect.ContextFull && c.Plan.Form != FormFresh && !c.Plan.Way.Live() {
		o.Verdict, o.Proof = NoEffect, "record "+st.Key+": the prompt was refused as too long"
		o.Why = "the prompt was refused as too long right after clawd's own start"
		kept := c.Stop
		kept.Key, kept.At, kept.Evidence, kept.RetryAfter = st.Key, st.At, st.Evidence, nil
		o.Stop = &kept
	}
	return o
}

// saidWhy adds why the agent asked nothing, as it says itself. What only its user can mend is not tried again: the session has that stop now. Another
// agent that was to take over speaks of itself.
func saidWhy(c Claim, out Output, o Outcome) Outcome {
	why := out.Why
	if o.Verdict != NoEffect || o.Refused || out.Began {
		return o
	}
	if why == nil {
		o.Unsaid = out.Idle == "" && !out.NoInput && c.Plan.Agent == ""
		return o
	}
	o.Why += ": " + string(why.Reason)
	if c.Plan.Agent == "" && slices.Contains(mended, why.Reason) {
		st := *why
		st.Key = c.Stop.Key // the session's files end where they did
		o.Stop = &st
	}
	return o
}

// mended are the reasons that no time heals.
var mended = []detect.Reason{detect.Auth, detect.Billing, detect.InvalidRequest}

type turn struct {
	ours            *detect.Event // our prompt
	oursAnswered    bool
	foreignPrompt   bool
	foreignAnswered bool
	failure         *detect.Event // newest failure that is not the claimed stop
	interrupted     bool          // after our prompt, by its user
	traces          bool          // further records: a request that began, an interruption
	strange         bool          // a record that nobody knows, which may be our prompt
}

// readTurn tells our prompt and its answer from everybody else's. What our run printed is the
// best proof that a record is its own.
func readTurn(c Claim, s Sight) turn {
	var t turn
	var theirs []string        // prompts
	var others []*detect.Event // answers
	printed := s.Output.printed
	changed := changed(c, s)
	for i := range s.Events {
		e := &s.Events[i]
		switch e.Kind {
		case detect.KindPrompt:
			switch {
			case e.Meta && (c.Plan.Form != FormIdempotent || t.ours != nil):
				// the agent's own: a bridge over a turn that was cut, a summary, a notification
			case t.ours == nil && (isOurs(c, *e) || e.Hash == "" && c.Plan.MessageID == "" || changed != "" && e.ID == changed):
				t.ours = e // a prompt whose text is not written yet is ours until it says otherwise
				if t.failure != nil && t.failure.Parent != e.ID {
					t.failure = nil // of what went before: some agents' records say only with the next prompt that a failure was the last
				}
			case printed(*e): // a hook or an extension of its user's had our run go on
			default:
				t.foreignPrompt, theirs = true, append(theirs, e.ID)
			}
		case detect.KindAnswer, detect.KindDenied:
			switch {
			case printed(*e) || (t.ours != nil || c.Plan.Form == FormIdempotent) && !t.foreignPrompt:
				// The idempotent form need not write a prompt: its answer may hang below the old one.
				t.oursAnswered = true
			default:
				others = append(others, e)
			}
		case detect.KindFailure:
			if e.ID != c.Stop.Key && (e.Parent == "" || !slices.Contains(theirs, e.Parent)) {
				t.failure = e
			}
		case detect.KindOpen, detect.KindInterrupt, detect.KindToolResult:
			t.interrupted = t.interrupted || e.Kind == detect.KindInterrupt && t.ours != nil
			t.traces = t.traces || e.ID != c.Stop.Key && "cut:"+e.ID != c.Stop.Key
		case detect.KindStrange:
			t.strange = true
		}
	}
	for _, e := range others { // an answer may be written before its prompt
		below := t.ours != nil && e.Parent == t.ours.ID
		t.oursAnswered, t.foreignAnswered = t.oursAnswered || below, t.foreignAnswered || !below
	}
	return t
}

// printed tells whether the run printed a record, or what the record is named by.
func (o Output) printed(e detect.Event) bool {
	return slices.Contains(o.Messages, e.ID) || e.Msg != "" && slices.Contains(o.Messages, e.Msg)
}

// changed gives the prompt that our run wrote in other words than it was given, as hooks and extensions of its user's may have it; empty:
// there is none. What our run printed is that prompt or hangs below it; or the run failed, and so did the only prompt that is there.
func changed(c Claim, s Sight) (id string) {
	if !c.Plan.rewordable() {
		return ""
	}
	var prompts []string
	for _, e := range s.Events {
		prompt := e.Kind == detect.KindPrompt && !e.Meta
		switch {
		case prompt && isOurs(c, e):
			return ""
		case id != "":
		case prompt && s.Output.printed(e):
			id = e.ID
		case prompt:
			prompts = append(prompts, e.ID)
		case slices.Contains(prompts, e.Parent) && (s.Output.printed(e) || e.Kind == detect.KindFailure && s.Output.Failed && len(prompts) == 1):
			id = e.Parent
		}
	}
	return id
}

// rewordable tells whether a run may write its prompt in other words than it was given.
func (p Plan) rewordable() bool { return p.Form == FormPrompt && p.MessageID == "" && !p.Way.Live() }

func isOurs(c Claim, e detect.Event) bool {
	if c.Plan.MessageID != "" {
		return e.ID == c.Plan.MessageID
	}
	if c.Plan.Form == FormIdempotent {
		return e.Meta
	}
	return e.Hash == c.Plan.Prompt
}

// Foreign says, while our run lives, who else is in the session; empty: nobody.
func Foreign(c Claim, s Sight) string {
	if s.Holder != "" {
		return s.Holder
	}
	// Before it says that it began, the run may have written its prompt in other words.
	if t := readTurn(c, s); t.foreignPrompt && (t.ours != nil || s.Output.Began || !c.Plan.rewordable()) {
		return "a prompt that is not clawd's"
	}
	return ""
}

// Prompted tells whether a record of our prompt is there.
func Prompted(c Claim, s Sight) bool { return readTurn(c, s).ours != nil }
