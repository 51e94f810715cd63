//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// agentCase is one agent in one version.
type agentCase struct {
	kind    string // clawd's name of the agent
	version string
}

var (
	claude330 = agentCase{kind: "claude", version: "2.1.330"}
	claude329 = agentCase{kind: "claude", version: "2.1.329"}
	claude197 = agentCase{kind: "claude", version: "2.1.197"}
	opencode  = agentCase{kind: "opencode", version: "1.18.33"}
	codex169  = agentCase{kind: "codex", version: "0.169.0"}
	gemini061 = agentCase{kind: "gemini", version: "0.61.0"}
)

// bin is the agent's program. It ends the test when the agent is not installed.
func (a agentCase) bin(t *testing.T) string {
	t.Helper()
	cache := os.Getenv(envCache)
	if cache == "" {
		cache = filepath.Join("..", ".cache", "agents")
	}
	path, err := filepath.Abs(filepath.Join(cache, a.kind+"-"+a.version, "node_modules", ".bin", a.kind))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		require(t, a.kind+" "+a.version+" is not installed (make agents)")
	}
	return path
}

func (a agentCase) isClaude() bool   { return a.kind == "claude" }
func (a agentCase) isOpencode() bool { return a.kind == "opencode" }
func (a agentCase) isCodex() bool    { return a.kind == "codex" }
func (a agentCase) isGemini() bool   { return a.kind == "gemini" }

// byText: the version writes a reset time only as a text with minutes.
func (a agentCase) byText() bool { return a == claude197 }
