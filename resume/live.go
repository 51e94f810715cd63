package resume

import "time"

const (
	keysProof  = 10 * time.Second
	callProof  = 60 * time.Second
	queueProof = 10 * time.Minute
)

// Proof is how long after the act "nothing" stays open, in time that the machine is awake for.
func (w Way) Proof() time.Duration {
	switch w {
	case HTTP:
		return callProof
	case Queue:
		return queueProof
	}
	return keysProof
}

// Silent is the verdict when the holder lives and no record of our prompt came in time. untouched is the proof that
// nothing has reached the agent; empty: there is none. restarted: another clawd acted, or was about to.
func Silent(c Claim, s Sight, untouched string, restarted bool) Outcome {
	if restarted && s.SameBoot && !s.Marked {
		return Outcome{Verdict: NoEffect, Proof: "no mark", Why: "nothing was typed or sent"}
	}
	if untouched != "" && !readTurn(c, s).strange {
		return Outcome{Verdict: NoEffect, Proof: untouched, Why: "the prompt did not reach the agent"}
	}
	why := "clawd typed its prompt and the session's files show nothing of it"
	if restarted {
		why = "clawd ended while it was about to type its prompt or had typed it; the session's files show nothing of it, so look into the input box"
	}
	switch c.Plan.Way {
	case HTTP:
		why = "clawd sent its prompt to the agent's server and the session's files show nothing of it"
		if restarted {
			why = "clawd ended while it sent its prompt to the agent's server, and the session's files show nothing of it"
		}
	case Queue:
		why = inQueue
	}
	return Outcome{Verdict: Unsure, Why: why}
}

const inQueue = "the prompt may still lie in the agent's queue; it runs when its owner next ends a turn"

// JudgeLive gives the verdict on an attempt by a live way. False: too early to say.
//
// alive: the holder that was reached lives. settled: it has been gone for the settle time.
func JudgeLive(c Claim, s Sight, alive, settled bool) (Outcome, bool) {
	t := readTurn(c, s)
	switch {
	case t.oursAnswered:
		return Outcome{Verdict: Resumed, Why: "the agent's own record shows its answer"}, true
	case c.Plan.Way == Queue && s.Marked && s.ExecFail == "" && t.ours == nil: // whatever others do meanwhile, it may still run
		if alive || !settled {
			return Outcome{}, false
		}
		return Outcome{Verdict: Unsure, Why: inQueue}, true
	case t.failure != nil:
		return again(c, t), true
	case t.interrupted:
		return Outcome{Verdict: ByHand, Why: "you stopped the turn that clawd's prompt had started"}, true
	case t.foreignAnswered, t.foreignPrompt:
		return Outcome{Verdict: ByHand, Why: "it was continued outside of clawd"}, true
	case s.ExecFail != "":
		return Outcome{Verdict: NoEffect, Proof: "mark: exec-failed", Why: "the agent's program could not be started: " + s.ExecFail}, true
	case alive, !settled:
		return Outcome{}, false
	case !s.Marked:
		return Outcome{Verdict: NoEffect, Proof: "no mark", Why: "nothing was typed or sent"}, true
	case t.ours != nil:
		return cut(*t.ours), true
	}
	return Outcome{Verdict: Unsure, Why: "the process ended after clawd's prompt, and no record shows what became of it"}, true
}
