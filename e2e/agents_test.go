//go:build linux

package e2e

import (
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pinnedFile says which versions the tests use: see pinned.
//
//go:embed agents/pinned
var pinnedFile string

// agentCase is one agent in one version.
type agentCase struct {
	kind    string // clawd's name of the agent
	version string
}

var (
	claude332 = pinned("claude", "2.1.332")
	claude330 = pinned("claude", "2.1.330")
	claude329 = pinned("claude", "2.1.329")
	claude197 = pinned("claude", "2.1.197")
	opencode  = pinned("opencode", "1.18.33")
	opencode3 = pinned("opencode", "1.3.2")
	codex171  = pinned("codex", "0.171.0")
	codex169  = pinned("codex", "0.169.0")
	codex120  = pinned("codex", "0.120.0")
	copilot   = pinned("copilot", "1.0.102")
	copilot65 = pinned("copilot", "1.0.65")
	gemini061 = pinned("gemini", "0.61.0")
	gemini028 = pinned("gemini", "0.28.2")
	pi160     = pinned("pi", "1.6.0")
	pi152     = pinned("pi", "1.5.2")
	pi80      = pinned("pi", "0.80.3")
	pi73      = pinned("pi", "0.73.1")
	qwen024   = pinned("qwen", "0.24.4")
	qwen015   = pinned("qwen", "0.15.6")
)

// pinned is an agent of agents/pinned: no other is installed.
func pinned(kind, version string) agentCase {
	a := agentCase{kind: kind, version: version}
	if !slices.Contains(pins(), a) {
		panic(kind + " " + version + " does not stand in agents/pinned")
	}
	return a
}

// pins are the agents in that file.
func pins() (all []agentCase) {
	for line := range strings.Lines(pinnedFile) {
		if f := strings.Fields(line); len(f) == 2 && f[0] != "#" {
			all = append(all, agentCase{f[0], f[1]})
		}
	}
	return all
}

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
func (a agentCase) isCopilot() bool  { return a.kind == "copilot" }
func (a agentCase) isGemini() bool   { return a.kind == "gemini" }
func (a agentCase) isPi() bool       { return a.kind == "pi" }
func (a agentCase) isQwen() bool     { return a.kind == "qwen" }

// older is a version of which the everyday cases and the proofs alone are run: not the newest one of its agent, nor the oldest
// Claude Code, which records the least.
func (a agentCase) older() bool { return !a.newest() && a != claude197 }

// newest: agents/pinned has no later version of the agent.
func (a agentCase) newest() bool {
	last := a
	for _, p := range pins() {
		if p.kind == a.kind {
			last = p
		}
	}
	return last == a
}

// byText: the version writes a reset time only as a text with minutes.
func (a agentCase) byText() bool { return a == claude197 }

// unfit says which cases an agent cannot have.
func (a agentCase) unfit(name string) string {
	switch {
	case a.isGemini() && name == "10Twenty":
		return "Gemini's requests do not name their session"
	case a.isGemini() && name == "11LoopBeside":
		return "Gemini never tells when its daily quota resets"
	case (a.isGemini() || a.isCodex()) && name == "12LoginAndKey":
		return "their logins ask servers that cannot be had on loopback"
	case a == codex120 && (name == "01RateLimit" || name == "06Left" || name == "07KilledWhileWaiting"):
		return "a headless run of it records why it failed only where a window is used up; see TestCodex120Resumes"
	case a.isCodex() && name == "09ByHandDuring":
		return "Codex itself refuses a second writer"
	case a.isCopilot() && (name == "02UsageLimit" || name == "05RefusedThenFresh" || name == "12LoginAndKey"):
		return "see TestCopilotHangs: only GitHub tells when a limit ends; a prompt that is too long it sends six times"
	case a.isPi() && name == "02UsageLimit":
		return "pi does not record when a Claude plan's limit resets"
	case (a.isPi() || a.isQwen() || a.isCopilot()) && (name == "10Twenty" || name == "11LoopBeside"):
		return "their requests do not name their session"
	case a.isPi() && (name == "05RefusedThenFresh" || name == "12LoginAndKey"):
		return "see TestPiFresh; its keys stand in models.json"
	case a.isQwen() && (name == "02UsageLimit" || name == "05RefusedThenFresh" || name == "12LoginAndKey"):
		return "a plan's limit comes in no form that it records; it refuses no session that is there; it has keys alone"
	case a == opencode3 && (name == "01RateLimit" || name == "02UsageLimit" || name == "07KilledWhileWaiting"):
		return "after a 429 it asks again for ever; see TestOpencode3Resumes"
	case a == qwen015 && (name == "01RateLimit" || name == "07KilledWhileWaiting"):
		return "it gives up on a 429 after an hour; see TestQwen015Resumes"
	case !a.isGemini() && (name == "13HistoryIsKept" || name == "14FirstTurn" || name == "15Forgotten"):
		return "it is about what Gemini deletes"
	}
	return ""
}
