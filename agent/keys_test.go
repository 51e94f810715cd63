package agent

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHasEnter(t *testing.T) {
	for _, c := range []struct {
		keys any
		has  bool
	}{
		{"enter", true}, {" Return ", true}, {"ctrl+s,return", true}, {"shift+enter", false}, {"<leader>return", false}, {"none", false}, {"", false},
		{[]any{"f5", "enter"}, true}, {[]any{"f5"}, false}, {[]any{}, false},
		{map[string]any{"key": "return", "preventDefault": false}, true}, {map[string]any{"key": "f5"}, false}, {[]any{map[string]any{"key": "enter"}}, true},
		{false, false}, {nil, false}, {1.0, false},
	} {
		if has := HasEnter(c.keys); has != c.has {
			t.Errorf("%v: %v", c.keys, has)
		}
	}
}

func TestReadKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	var keys map[string]any
	if ReadKeys(path, &keys) {
		t.Error("a file that is not there was read")
	}
	for text, read := range map[string]bool{
		"{\"a\":\"b\"}": true, "// keys\n{\"a\": \"b\", /* those */}": true, "{\"a\": \"http://b\"}": true, "\ufeff{\"a\":\"b\"}": true, "{": false, "": false,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		keys = nil
		if got := ReadKeys(path, &keys); got != read || read && keys["a"] == "" {
			t.Errorf("%q: %v, %v", text, got, keys)
		}
	}
}
