// Package e2e holds tests that run the real agents, in pinned versions from npm, against
// internal/provider on loopback, and clawd beside them. The tests run in a network namespace of
// their own in which only loopback exists, with a clean environment, a HOME in a temporary folder
// and dummy keys.
//
// Names: TestClaude332…, TestClaude329…, TestClaude197…, TestOpencode…. `make agents` installs the agents.
//
//	CLAWD_AGENT_CACHE  where they lie (default: .cache/agents in the repository)
//	CLAWD_E2E=all      run every case; without it the four of everyday, per agent
//	CLAWD_E2E_WITHIN=40m  begin rare cases within this time alone; those that were not reached are skipped and say so
//	CLAWD_E2E_REQUIRE=1  whatever is missing fails the tests instead of skipping them
//	CLAWD_E2E_CLAWD    a clawd to test, instead of one built from ./cmd/clawd
//	CLAWD_E2E_KEEP=1   keep the temporary folders and print their names
package e2e
