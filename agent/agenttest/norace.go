//go:build !race

package agenttest

const raceFactor = 1
