package config

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/BurntSushi/toml"
)

// A path that is no file, or an endless one, is an error at once: nothing waits for it, and nothing runs out of memory.
func TestOddConfigFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, long, folder := filepath.Join(dir, "pipe"), filepath.Join(dir, "long"), filepath.Join(dir, "folder")
	err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Mkdir(folder, 0o700), os.WriteFile(long, []byte(strings.Repeat("#", maxSize+1)), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "is a pipe", long: "longer than 1048576 bytes", folder: "is a directory", "/dev/zero": "longer than", os.DevNull: ""} {
		_, err := Load(path, true, nil)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// A hint can be typed as it stands, whatever the path.
func TestWritableForOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a $b's config.toml")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path, true, nil)
	if err == nil {
		t.Fatal("it was read")
	}
	_, hint, _ := strings.Cut(err.Error(), "type: ")
	if out, err := exec.Command("sh", "-c", hint).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", hint, err, out)
	}
	if _, err := Load(path, true, nil); err != nil {
		t.Error(err)
	}
}

// A value of the wrong type is told as any other mistake: by file, line and key, in words of TOML.
func TestWrongType(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for text, want := range map[string]string{
		"[resume]\nmax_attempts = \"5\"":     ":2: resume.max_attempts: must be an integer, not a string",
		"[resume]\njitter = \"a\"":           ":2: resume.jitter: must be a number, not a string",
		"[resume]\nprobe = \"15m\"":          ":2: resume.probe: must be a list, not a string",
		"[resume]\nbase = [\"30s\"]":         ":2: resume.base: must be a string, not a list",
		"[resume]\nprompt = 1.5":             ":2: resume.prompt: must be a string, not a number",
		"[resume]\nreasons = true":           ":2: resume.reasons: must be a table, not a boolean",
		"[terminal]\nenabled = 2026-11-21":   ":2: terminal.enabled: must be a boolean, not a time",
		"resume = 5":                         ":1: resume: must be a table, not an integer",
		"\n[[resume]]\nbase = \"1s\"":        ":2: resume: must be a table, not a list",
		"[agent]\nclaude = 1":                ":2: agent.claude: must be a table, not an integer",
		"agent = [\"claude\"]":               ":1: agent: must be a table, not a list",
		"[agent.claude]\nenv = \"A=1\"":      ":2: agent.claude.env: must be a table, not a string",
		"agent.claude.env = 1":               ":1: agent.claude.env: must be a table, not an integer",
		"agent = [{claude = 1}]":             ":1: agent: must be a table, not a list",
		"[agent.claude]\nargs = {a = 1}":     ":2: agent.claude.args: must be a list, not a table",
		"[agent.claude]\nenv = {A = 1}":      ":2: agent.claude.env.A: must be a string, not an integer",
		"[agent.claude]\nargs = [\"a\", 1]":  ":2: agent.claude.args: must be a string, not an integer",
		"[agent.claude]\nrestore_bypass = 1": ":2: agent.claude.restore_bypass: must be a boolean, not an integer",
	} {
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, true, []string{"claude"}); err == nil || err.Error() != path+want {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
}

// Tables in each form that TOML has are taken.
func TestTables(t *testing.T) {
	for _, text := range []string{"agent = {}", "resume.reasons = {crashed = \"same_session\"}", "[resume.reasons]", "[agent]\n[agent.claude]\nenv = {A = \"1\"}",
		"[agent.claude.env]\nA = \"1\"", "agent.claude.env.A = \"1\"", "agent = {claude = {env = {A = \"1\"}}}"} {
		if _, err := Parse(text+"\n", []string{"claude"}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The hint at a misspelt key names each key that there is.
func TestHintNamesEveryKey(t *testing.T) {
	var b strings.Builder
	if err := toml.NewEncoder(&b).Encode(Default()); err != nil {
		t.Fatal(err)
	}
	md, err := toml.Decode(b.String(), new(map[string]any))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range md.Keys() {
		if leaf := md.Type(key...) != "Hash" && !strings.HasPrefix(key.String(), "resume.reasons."); leaf && !slices.Contains(keys, key.String()) {
			t.Errorf("%s is missing", key)
		}
	}
}

// A secret that stands in the wrong form is in no error, for errors are logged.
func TestErrorsKeepSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for _, text := range []string{"[notify]\nwebhook = hunter2", "[notify]\nwebhook = https://h.invalid/hunter2", "notify.webhook = 12hunter2", "notify = {webhook = hunter2}", "[notify]\nwebhook = 'hunter2",
		"[notify]\nwebhook = \"hunter2\" hunter2", "[agent.claude]\nenv = {API_KEY = hunter2}", "[agent.claude.env]\nAPI_KEY = hunter2", "[agent.claude.env]\nAPI_KEY = 1_hunter2", "[agent.claude.env]\nAPI_KEY = [hunter2]",
		"[agent.claude]\nargs = [\"--api-key\", hunter2]", "[agent.claude]\nargs = hunter2", "[notify]\nwebhook = \"https://h.invalid/hunter\\xyz\"",
		"[notify]\nwebhook = \"https://h.invalid/hunter\\uxyz\"", "[agent.claude.env]\nAPI_KEY = \"hunter\\Uxyz\"",
		"[agent.claude.env]\nPIN = 0814815", "[agent.claude.env]\nPIN = 81481508148150814815", "[agent.claude.env]\nPIN = 8148_15_", "[agent.claude.env]\nPIN = 814815.", "[agent.claude.env]\nPIN = 8148.15e999",
		"[agent.claude.env]\nPIN = 8148-15-99", "[agent.claude.env]\nPIN = 0b1814815", "[agent.claude.env]\nPIN = +0x814815", "[notify]\nwebhook = \"\\U00814815\""} {
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, true, []string{"claude"}); err == nil || !strings.HasPrefix(err.Error(), path+":") || strings.Contains(err.Error(), "hunter") ||
			strings.Contains(err.Error(), "814") || strings.Contains(err.Error(), "0b1") || strings.Contains(err.Error(), "0x8") {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// What is no secret is quoted, for its user to find it.
func TestErrorsQuoteTheRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for text, want := range map[string]string{"[resume]\nbase = \"30 seconds\"": `:2: resume.base: "30 seconds" is not a length of time`, "[resume]\nbackoff = \"soon\"": `:2: resume.backoff: "soon" is not one of `,
		"[resume.reasons]\nauth = \"wait\"": `:2: resume.reasons.auth: "wait" is not one of `, "[log]\nlevel = \"loud\"": `"loud" is not one of `} {
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, true, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
