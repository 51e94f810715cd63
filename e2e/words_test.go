//go:build linux

package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
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
