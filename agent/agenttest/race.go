//go:build race

package agenttest

// raceFactor: the race detector keeps notes of all memory.
const raceFactor = 4
