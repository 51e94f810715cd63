//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/provider"
)

const (
	dummyKey   = "sk-ant-api03-dummy-key-for-tests"
	dummyLogin = "sk-ant-oat01-dummy-login-for-tests"

	// agentTime bounds one run of an agent on a busy machine of two cores.
	agentTime = 3 * time.Minute
	// tick is the step in which files are looked at again.
	tick = 50 * time.Millisecond
)

// world is one HOME with one agent, a provider on loopback, and processes that end with the test.
type world struct {
	t          *testing.T
	agent      agentCase
	program    string
	root       string
	project    string
	port       int
	provider   *provider.Provider
	login      bool // Claude Code runs on a claude.ai login instead of an API key, Copilot on one of GitHub's
	anthro     bool // opencode speaks the Anthropic API
	background bool // Codex's terminal uses its background server
	look       look
	keyInAuth  bool // opencode has its key from its login file
	env        []string
	outputs    int
	again      int // further requests that Gemini makes by itself in a turn that fails as the last one
}

// newWorld makes a world. Claude Code runs on an API key unless useLogin is called.
func newWorld(t *testing.T, a agentCase) *world {
	t.Helper()
	return newWorldIn(t, a, "demo")
}

// newWorldIn makes a world whose project's folder has a name.
func newWorldIn(t *testing.T, a agentCase, name string) *world {
	t.Helper()
	require(t, missing)
	if !a.newest() {
		inAll(t)
	}
	inTime(t)
	program := a.bin(t)
	ran.Store(a, true)
	// Not t.TempDir: the test's name would make paths longer than a socket's may be.
	root, err := os.MkdirTemp(os.Getenv(envBase), "w")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, agent: a, program: program, root: root, provider: provider.New(), look: large}
	began := time.Now()
	t.Cleanup(func() {
		w.endAll()
		t.Logf("took %.1f s", time.Since(began).Seconds())
		if os.Getenv(envKeep) == "1" {
			t.Logf("kept %s", root)
		} else if err := os.RemoveAll(root); err != nil {
			t.Logf("cleaning up: %v", err)
		}
	})
	w.project = w.folder(name)
	if a == opencode3 {
		// Its window does not see a title that comes while it opens the session, which takes seconds on a busy machine.
		w.provider.DelayAside(8 * time.Second)
	}
	w.serve()
	w.configure(a)
	return w
}

// configure gives the world's HOME what an agent reads there.
func (w *world) configure(a agentCase) {
	switch {
	case a.isClaude():
		w.writeJSON(".claude.json", map[string]any{"hasCompletedOnboarding": true})
	case a.isOpencode():
		w.writeOpencodeConfig()
	case a.isCodex():
		w.write(".codex/config.toml", w.codexConfig())
	case a.isCopilot():
		w.writeJSON(".copilot/config.json", map[string]any{"trustedFolders": []string{filepath.Join(w.home(), "work")}, "firstLaunchAt": "2026-11-24T15:54:36.853Z", "appTipShown": true})
	case a.isGemini():
		w.writeGeminiConfig(".gemini")
	case a.isPi():
		w.writePiConfig()
	case a.isQwen():
		w.writeQwenConfig()
	}
}

func (w *world) home() string { return filepath.Join(w.root, "home") }

// folder makes a git repository with a README.md to work in.
func (w *world) folder(name string) string {
	w.t.Helper()
	dir := filepath.Join(w.home(), "work", name)
	for _, d := range []string{"objects", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", d), 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
	w.write(filepath.Join("work", name, "README.md"), []byte("# demo\n"))
	w.write(filepath.Join("work", name, ".git", "HEAD"), []byte("ref: refs/heads/main\n"))
	w.write(filepath.Join("work", name, ".git", "config"), []byte("[core]\n\trepositoryformatversion = 0\n\tbare = false\n"))
	return dir
}

func (w *world) serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.port = listener.Addr().(*net.TCPAddr).Port
	server := &http.Server{Handler: w.provider, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // ends with Close
	w.t.Cleanup(func() { _ = server.Close() })
}

// write makes a file below HOME.
func (w *world) write(name string, data []byte) {
	w.t.Helper()
	path := filepath.Join(w.home(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) writeJSON(name string, v any) {
	w.t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(name, data)
}

// useLogin lets Claude Code run on a login of the Max plan.
func (w *world) useLogin() {
	w.login = true
	w.writeJSON(".claude/.credentials.json", map[string]any{"claudeAiOauth": map[string]any{
		"accessToken": dummyLogin, "refreshToken": "sk-ant-ort01-dummy", "expiresAt": time.Now().Add(1000 * time.Hour).UnixMilli(),
		"scopes": []string{"user:inference", "user:profile"}, "subscriptionType": "max", "rateLimitTier": "default_claude_max_5x"}})
}

// useOpencodeLogin moves opencode's key from the config to its login file. The provider then also
// knows the variable of an API key.
func (w *world) useOpencodeLogin() {
	w.keyInAuth = true
	w.writeOpencodeConfig()
	w.writeJSON(".local/share/opencode/auth.json", map[string]any{
		"fake":       map[string]any{"type": "api", "key": dummyKey},
		"fakeclaude": map[string]any{"type": "api", "key": dummyKey},
	})
}

// noModels is the file with opencode's list of the world's models: empty, for all that are asked stand in the
// config, and reading its own list takes a quarter of the time that a start takes.
const noModels = "models.json"

func (w *world) writeOpencodeConfig() {
	w.write(filepath.Join(".config", "opencode", noModels), []byte("{}"))
	options := func() map[string]any {
		o := map[string]any{"baseURL": fmt.Sprintf("http://127.0.0.1:%d/v1", w.port)}
		if !w.keyInAuth {
			o["apiKey"] = dummyKey
		}
		return o
	}
	models := func(names ...string) map[string]any {
		m := map[string]any{}
		for _, n := range names {
			m[n] = map[string]any{"name": n, "tool_call": true, "limit": map[string]any{"context": 200000, "output": 8000}}
		}
		return m
	}
	w.writeJSON(".config/opencode/opencode.json", map[string]any{
		"model": "fake/demo-1", "small_model": "fake/demo-small", "autoupdate": false, "share": "disabled",
		"provider": map[string]any{
			"fake": map[string]any{"npm": "@ai-sdk/openai-compatible", "name": "Fake", "models": models("demo-1", "demo-small"),
				"options": options()},
			"fakeclaude": map[string]any{"npm": "@ai-sdk/anthropic", "name": "Fake", "models": models("demo-claude"),
				"env": []string{"ANTHROPIC_API_KEY"}, "options": options()},
		},
	})
}

// codexConfig has a provider of its own, of which nothing is asked twice. Codex's own sandbox cannot
// be had in every container.
func (w *world) codexConfig() []byte {
	return fmt.Appendf(nil, "model = \"demo-1\"\nmodel_provider = \"fake\"\nsandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n"+
		"[analytics]\nenabled = false\n[model_providers.fake]\nname = \"Fake\"\nbase_url = \"http://127.0.0.1:%d/v1\"\nwire_api = \"responses\"\n"+
		"env_key = \"FAKE_API_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n", w.port)
}

// writeGeminiConfig trusts the projects, and has each request made once.
func (w *world) writeGeminiConfig(dir string) {
	w.writeJSON(filepath.Join(dir, "settings.json"), map[string]any{
		"security":  map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}},
		"general":   map[string]any{"maxAttempts": 1, "retryFetchErrors": false, "enableAutoUpdate": false},
		"telemetry": map[string]any{"enabled": false},
		"privacy":   map[string]any{"usageStatisticsEnabled": false},
	})
	w.writeJSON(filepath.Join(dir, "trustedFolders.json"), map[string]any{filepath.Join(w.home(), "work"): "TRUST_FOLDER"})
}

// writePiConfig has a provider of its own, and pi's own tries come fast.
func (w *world) writePiConfig() {
	models := []any{map[string]any{"id": "demo-1", "name": "Demo 1", "reasoning": false, "input": []string{"text"}, "contextWindow": 100000, "maxTokens": 8000,
		"cost": map[string]any{"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}}}
	w.writeJSON(".pi/agent/models.json", map[string]any{"providers": map[string]any{"fake": map[string]any{
		"baseUrl": fmt.Sprintf("http://127.0.0.1:%d/v1", w.port), "api": "openai-completions", "apiKey": dummyKey, "models": models}}})
	w.writePiSettings(nil)
}

func (w *world) writePiSettings(more map[string]any) {
	set := map[string]any{"defaultProvider": "fake", "defaultModel": "demo-1", "enableInstallTelemetry": false,
		"defaultProjectTrust": "always", "lastChangelogVersion": w.agent.version, "retry": map[string]any{"baseDelayMs": 50}}
	maps.Copy(set, more)
	w.writeJSON(".pi/agent/settings.json", set)
}

// writeQwenConfig has the agent ask seven times in a row and then give up, instead of for an hour.
func (w *world) writeQwenConfig() {
	w.writeJSON(".qwen/settings.json", map[string]any{
		"$version": 4, "security": map[string]any{"auth": map[string]any{"selectedType": "openai"}, "folderTrust": map[string]any{"enabled": false}},
		"privacy": map[string]any{"usageStatisticsEnabled": false}, "telemetry": map[string]any{"enabled": false},
		"general": map[string]any{"enableAutoUpdate": false, "disableAutoUpdate": true, "disableUpdateNag": true}, "ide": map[string]any{"enabled": false},
		"ui":     map[string]any{"hideTips": true, "hideBanner": true},
		"model":  map[string]any{"name": "demo-1", "generationConfig": map[string]any{"contextWindowSize": 100000, "maxRetries": 0}},
		"memory": map[string]any{"enableManagedAutoMemory": false, "enableManagedAutoDream": false},
	})
}

// environ is the whole environment of the agents and of clawd in this world.
func (w *world) environ() []string {
	env := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + w.home(), "LANG=C.UTF-8", "TZ=Europe/Rome", "TERM=dumb", "SHELL=/bin/sh",
		"USER=dev", "TMPDIR=" + w.dir("tmp"), "XDG_STATE_HOME=" + w.dir("state"), "XDG_RUNTIME_DIR=" + w.dir("run"),
		// No agent runs long enough here for the last compiler of Bun to pay. Node keeps what it compiled for all worlds.
		"BUN_JSC_useFTLJIT=0", "NODE_COMPILE_CACHE=" + filepath.Join(os.Getenv(envBase), "compiled"),
	}
	return slices.Concat(env, w.variables(w.agent, w.program), w.env)
}

// variables are what an agent is given beside that. Of two of one name the last one counts.
func (w *world) variables(a agentCase, program string) []string {
	switch {
	case a.isClaude():
		env := []string{fmt.Sprintf("ANTHROPIC_BASE_URL=http://127.0.0.1:%d", w.port), "CLAUDE_CODE_MAX_RETRIES=0",
			"CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1"}
		if !w.login {
			env = append(env, "ANTHROPIC_API_KEY="+dummyKey)
		}
		return env
	case a.isOpencode():
		return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_SHARE=1",
			"OPENCODE_MODELS_PATH=" + filepath.Join(w.home(), ".config", "opencode", noModels)}
	case a.isCodex():
		return []string{"FAKE_API_KEY=" + dummyKey}
	case a.isCopilot(): // it unpacks itself, once for all worlds
		env := []string{"COPILOT_AUTO_UPDATE=false", "COPILOT_CACHE_HOME=" + filepath.Join(filepath.Dir(program), "..", "..", "unpacked")}
		if !w.login {
			env = append(env, fmt.Sprintf("COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:%d/v1", w.port), "COPILOT_PROVIDER_API_KEY="+dummyKey, "COPILOT_MODEL=demo-1")
			if a == copilot { // else it looks for GitHub's own program all the time, which takes a core and a half
				env = append(env, "COPILOT_OFFLINE=true")
			}
		}
		return env
	case a.isGemini():
		return []string{fmt.Sprintf("GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:%d", w.port), "GEMINI_API_KEY=" + dummyKey, ownNode(gemini061.bin(w.t))}
	case a.isPi():
		return []string{"PI_OFFLINE=1", ownNode(program)}
	case a.isQwen():
		return []string{fmt.Sprintf("OPENAI_BASE_URL=http://127.0.0.1:%d/v1", w.port), "OPENAI_API_KEY=" + dummyKey, "OPENAI_MODEL=demo-1", ownNode(program)}
	}
	return nil
}

// ownNode has an agent run by the Node that is installed beside it, if one is: pi and qwen-code need a newer one than some machines have,
// and one that keeps what it compiled starts Gemini CLI in two thirds of the time.
func ownNode(program string) string {
	return "PATH=" + filepath.Dir(program) + ":/usr/local/bin:/usr/bin:/bin"
}

// dir makes a folder beside HOME.
func (w *world) dir(name string) string {
	w.t.Helper()
	dir := filepath.Join(w.root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	return dir
}

// endAll kills what is left of this world: every process whose HOME it is.
func (w *world) endAll() {
	for range 3 {
		for _, pid := range w.processes() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
		}
	}
}

// running tells whether a program of this name runs in this world.
func (w *world) running(name string) bool {
	for _, pid := range w.processes() {
		comm, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
		if err == nil && strings.TrimSpace(string(comm)) == name {
			return true
		}
	}
	return false
}

func (w *world) processes() []int {
	mark := []byte("HOME=" + w.home() + "\x00")
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err == nil && bytes.Contains(env, mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// slowTool puts a program into the project that an agent may run as a tool. 2.1.329 refuses to run a
// plain sleep in the foreground.
func (w *world) slowTool() {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.project, "wait.sh"), []byte("#!/bin/sh\nexec sleep 60\n"), 0o700); err != nil {
		w.t.Fatal(err)
	}
}

// agents lists the processes of this world that are the agent, launchers among them.
func (w *world) agents() []int {
	program, err := filepath.EvalSymlinks(w.program)
	if err != nil {
		w.t.Fatal(err)
	}
	var pids []int
	for _, pid := range w.processes() {
		exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
		if err != nil {
			continue
		}
		argv, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		title := w.agent.isPi() && bytes.HasPrefix(argv, []byte("pi\x00")) || w.agent.isCopilot() && bytes.Contains(argv, []byte("/copilot\x00"))
		script := !w.agent.isClaude() && w.agent != opencode && (bytes.Contains(argv, []byte(w.program)) || bytes.Contains(argv, []byte(program)))
		if exe == program || err == nil && (script || title) {
			pids = append(pids, pid)
		}
	}
	return pids
}
