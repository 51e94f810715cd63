package agent

// Screen is what a terminal shows now. It never outlives the decision that it was read for.
type Screen struct {
	Rows     []string // the visible rows, top first, without trailing blanks or colours
	Faint    [][2]int // half-open column ranges of row Row that are drawn faint or grey: a placeholder, not typed text
	Row, Col int      // of the cursor, from 0
	Title    string   // as the program set it (OSC 0 or 2)
}

// View is what an agent's own screen says about a prompt that is to be typed into it.
type View struct {
	// Ready: the agent is idle, its input box is drawn and empty, and nothing lies over it.
	Ready bool
	// Input is what stands in the input box, where the box is recognised and nothing lies over it.
	// It is compared with what clawd typed, and with nothing else.
	Input string
	// Close is the one key that removes what lies over the box without choosing anything; the
	// screen is looked at again after it. Empty: there is none.
	Close []byte
	// Instead is what makes the agent repeat its request by itself; then no prompt is typed.
	Instead []byte
	// Dialog is the text of a limit that the agent draws and writes nowhere, for Agent.Message.
	Dialog string
	// Why it is not ready, for a person; never a text of the screen.
	Why string
}
