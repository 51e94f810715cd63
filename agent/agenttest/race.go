//go:build race

package agenttest

// race: this test program has the race detector.
const race = true
