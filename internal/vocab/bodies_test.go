package main

import (
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
)

// mostBodyGaps is how many records of answers in testdata/vocab/bodies.tsv clawd may misread. It only falls.
const mostBodyGaps = 0

// fewestBodies is how many answers of a provider the list has at least.
const fewestBodies = 8

// Each provider that gateways and agents stand before has its answers in the list. TestBodies of each agent reads them.
func TestBodiesOfEachProvider(t *testing.T) {
	count, gaps := map[string]int{}, 0
	once := map[string]bool{}
	for _, b := range agenttest.Bodies(t, repo+"/testdata/vocab/bodies.tsv") {
		count[b.Provider]++
		gaps += len(b.Gaps)
		if key := b.Provider + "\t" + b.Text; once[key] {
			t.Errorf("%s twice: %s", b.Provider, b.Text)
		} else {
			once[key] = true
		}
	}
	for _, p := range []string{"openrouter", "litellm", "zai", "bedrock", "vertex", "azure", "copilot", "dashscope", "deepseek", "moonshot"} {
		if count[p] < fewestBodies {
			t.Errorf("%s has %d answers, want %d", p, count[p], fewestBodies)
		}
	}
	if gaps != mostBodyGaps {
		t.Errorf("%d gaps, mostBodyGaps is %d: it may fall", gaps, mostBodyGaps)
	}
}
