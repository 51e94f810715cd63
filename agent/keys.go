package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/jsonc"
)

// keysMax bounds a file that binds keys.
const keysMax = 4 << 20

// ReadKeys reads a JSON file that binds keys, which may have comments and trailing commas. False: there is none, or none that can be read.
func ReadKeys(path string, v any) bool {
	b, err := ReadSettings(path, keysMax)
	b = bytes.TrimPrefix(b, mark)
	return err == nil && json.Unmarshal(jsonc.ToJSON(b), v) == nil
}

// IsEnter tells whether a key, as an agent's config names it, is Enter and nothing else.
func IsEnter(key string) bool {
	key = strings.ToLower(strings.TrimSpace(key))
	return key == "enter" || key == "return"
}

// HasEnter tells whether Enter is among the keys that a config gives an action: one, several with commas between them, a list of
// such, or objects that name one as "key".
func HasEnter(keys any) bool {
	switch keys := keys.(type) {
	case string:
		for key := range strings.SplitSeq(keys, ",") {
			if IsEnter(key) {
				return true
			}
		}
	case []any:
		for _, key := range keys {
			if HasEnter(key) {
				return true
			}
		}
	case map[string]any:
		return HasEnter(keys["key"])
	}
	return false
}
