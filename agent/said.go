package agent

import (
	"time"

	"github.com/clawd-project/clawd/detect"
)

// SaidKind names what a run printed.
type SaidKind string

const (
	SaidOpened SaidKind = "opened" // the session is known: Session
	SaidText   SaidKind = "text"   // a piece of the answer: Text, Message
	SaidPiece  SaidKind = "piece"  // some words as they are made: Text, Message; a SaidText has them again
	SaidTool   SaidKind = "tool"   // a tool is used: Text is its name
	SaidRetry  SaidKind = "retry"  // the agent itself waits and asks again: Text
	SaidUsage  SaidKind = "usage"  // what was used since the last one: Usage
	SaidDone   SaidKind = "done"   // the turn ended well; Text is the whole answer where the agent repeats it
	SaidFailed SaidKind = "failed" // the turn failed: Text in the agent's words, Stop where they tell why
	SaidNote   SaidKind = "note"   // a line that is none of the agent's structured output
)

// Said is one thing that a run printed, in words common to all agents.
type Said struct {
	Kind    SaidKind
	Session string
	// Message names the message that a SaidText is a piece of. Another name begins another message, and
	// the last one of a turn is its answer.
	Message string
	Text    string
	Usage   Usage
	Stop    *detect.Stop
}

// Usage is what an agent says that a run used. Cached tokens are not among the input tokens.
type Usage struct {
	InputTokens, OutputTokens            int64
	CacheCreationTokens, CacheReadTokens int64
	CostUSD                              *float64      // the agent's own figure; nil: it gives none
	API                                  time.Duration // that the provider took; 0: not told
	// Whole: the figures are of the whole session, not of this run.
	Whole bool
}

// TurnRequest asks for one turn that a caller wants, with the caller's own arguments and environment.
type TurnRequest struct {
	Program Program
	Session string   // to go on with; empty: a new one
	NewID   string   // an unused UUID, for agents that let the caller choose the id of a new session
	Dir     string   // working folder
	Model   string   // empty: the agent's own choice
	Prompt  string   // goes in by stdin
	Args    []string // further arguments of the agent's command
	Pieces  bool     // SaidPiece is wanted, where the agent gives it
}
