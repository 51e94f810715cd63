//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/pi"
	"github.com/clawd-project/clawd/detect"
)

// TestQwenWords: what the packages draw for the English texts that clawd looks for, in every language, is known.
func TestQwenWords(t *testing.T) {
	t.Parallel()
	require(t, lacking("node"))
	var words map[string][]string
	if err := json.Unmarshal([]byte(readAll(filepath.Join("..", "agent", "qwen", "words.json"))), &words); err != nil {
		t.Fatal(err)
	}
	const script = `Promise.all(process.argv.slice(1).map(f => import(f))).then(all => console.log(JSON.stringify(all.map(m => m.default))))`
	for _, a := range pins() {
		if !a.isQwen() {
			continue
		}
		root := filepath.Join(filepath.Dir(a.bin(t)), "..", "@qwen-code", "qwen-code", "locales")
		files, err := filepath.Glob(filepath.Join(root, "*.js"))
		if err != nil || len(files) < 9 {
			t.Fatalf("%s: %d languages (%v)", a.version, len(files), err)
		}
		out, err := exec.CommandContext(t.Context(), "node", append([]string{"-e", script, "--"}, files...)...).Output()
		var locales []map[string]any
		if err == nil {
			err = json.Unmarshal(out, &locales)
		}
		if err != nil {
			t.Fatalf("%s: %v", a.version, err)
		}
		for n, locale := range locales {
			for english, known := range words {
				if text, ok := locale[english].(string); ok && text != english && !slices.Contains(known, text) {
					t.Errorf("%s, %s: %q is %q, which agent/qwen/words.json lacks", a.version, filepath.Base(files[n]), english, text)
				}
			}
		}
	}
}

// TestPiPayers: of each provider that both a login and a key of the environment can pay for, in the newest package, clawd knows the key.
func TestPiPayers(t *testing.T) {
	t.Parallel()
	both := regexp.MustCompile(`createProvider\(\{id:"([a-z-]+)"[^{}]*auth:\{apiKey:envApiKeyAuth\("[^"]*",\["(\w+)"\]\),oauth:`)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(pi160.bin(t)), "..", "@earendil-works", "pi-coding-agent", "dist", "bundle", "chunks", "*.js"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		for _, m := range both.FindAllStringSubmatch(readAll(file), -1) {
			provider, variable := m[1], m[2]
			found[provider] = true
			home := t.TempDir()
			payer := func() string {
				env := agent.Env{Home: home, Getenv: func(name string) string { return map[string]string{variable: "k"}[name] }}
				return pi.New(env, agent.Config{}).Account(detect.Info{Provider: provider})
			}
			if got := payer(); !strings.HasSuffix(got, ":key") {
				t.Errorf("%s with %s alone: %s; agent/pi/pay.go lacks it", provider, variable, got)
			}
			if err := os.MkdirAll(filepath.Join(home, ".pi", "agent"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, ".pi", "agent", "auth.json"), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := payer(); !strings.HasSuffix(got, ":login") {
				t.Errorf("%s with a login beside %s: %s; agent/pi/pay.go lacks it", provider, variable, got)
			}
		}
	}
	if len(found) < 6 {
		t.Errorf("both pay for %v alone: is the package laid out anew?", found)
	}
}
