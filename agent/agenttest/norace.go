//go:build !race

package agenttest

const race = false
