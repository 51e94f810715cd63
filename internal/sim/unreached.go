package sim

// unreached are the cells that no seed comes to, with the reason why none can.
var unreached = because(map[string][]string{
	"nothing is begun, and no run is guarded, before a session is restored":        {"counting Restored", "guarding Restored"},
	"nothing is asked while an attempt is under way":                               {"claimed Answered", "fired Answered"},
	"an attempt that is taken has a timer only where its end could not be written": {"claimed Due"},
	"it has no timer": {"given_up Due"},
	"only a session whose wait is over waits for its turn": {"following Turn", "waiting Turn", "claimed Turn", "fired Turn", "guarding Turn", "held Turn",
		"given_up Turn"},
	"only a claim starts a child, and nothing waits or is guarded then": {"counting Started", "fired Started", "guarding Started", "given_up Started"},
	"the gate is opened when the attempt is stored as fired, and until it answers only the verdict ends that": {"following Opened", "waiting Opened", "counting Opened",
		"claimed Opened", "guarding Opened", "held Opened", "given_up Opened"},
	"no process of clawd's is known then": {"following Gone", "counting Gone", "claimed Gone", "given_up Gone", "following Sighted", "counting Sighted",
		"claimed Sighted", "given_up Sighted"},
})

// because gives each cell its reason.
func because(reasons map[string][]string) map[string]string {
	all := map[string]string{}
	for why, cells := range reasons {
		for _, cell := range cells {
			all[cell] = why
		}
	}
	return all
}
