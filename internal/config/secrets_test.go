package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A secret in the arguments or the variables of an agent is not shown, and its user hears of it when others can read the file.
func TestSecretsOfAgents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.toml")
	for text, secret := range map[string]bool{
		`args = ["--api-key", "hunter2"]`:                                       true,
		`args = ["-c", "model_providers.x.experimental_bearer_token=hunter22"]`: true,
		`args = ["--mcp-config", "{\"token\":\"hunter22\"}"]`:                   true,
		`args = ["--token=hunter2"]`:                                            true,
		`env = { HTTPS_PROXY = "http://dev:hunter2@gw:8080" }`:                  true,
		`env = { ANTHROPIC_CUSTOM_HEADERS = "X-Gateway: hunter2" }`:             true,
		`env = { GOOGLE_APPLICATION_CREDENTIALS_JSON = "hunter2" }`:             true,
		`env = { DB_PASS = "hunter2" }`:                                         true,
		`env = { GATEWAY_AUTH = "hunter2" }`:                                    true,
		`env = { SESSION_COOKIE = "hunter2" }`:                                  true,
		`env = { X = "sk-ant-hunter2hunter2" }`:                                 true,
		`args = ["--model", "opus", "--token-limit", "5"]`:                      false,
		`env = { HTTPS_PROXY = "http://gw:8080", CLAUDE_CODE_MODEL = "opus" }`:  false,
	} {
		if err := os.WriteFile(path, []byte("[agent.claude]\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := Load(path, true, []string{"claude"})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(c.Problems(path), "\n")
		if warns := strings.Contains(said, "others can read this file"); warns != secret || strings.Contains(said, "hunter") {
			t.Errorf("%s: %q", text, said)
		}
		if shown := fmt.Sprint(c.Shown()); strings.Contains(shown, "hunter") || !secret && strings.Contains(text, "args") && !strings.Contains(shown, "opus --token-limit 5") {
			t.Errorf("%s is shown as %s", text, shown)
		}
		if kept := fmt.Sprint(c.Agent); secret && !strings.Contains(kept, "hunter") {
			t.Errorf("%s is gone: %s", text, kept)
		}
	}
}
