package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/detect"
)

// A purse tells another account from the same, and keeps nothing by which a secret could be found.
func TestPurse(t *testing.T) {
	const name, key = "SOME_API_KEY", "sk-a-long-secret-of-its-user"
	purse := Purse("key", []string{"A=b", name + "=" + key, "EMPTY="}, name, "EMPTY", "ABSENT")
	if Payer(purse) != "key" || strings.Contains(purse, "secret") || len(purse) != len("key,SOME_API_KEY=,EMPTY=,ABSENT=")+digestLen {
		t.Errorf("%q", purse)
	}
	old := "key," + name + "=" + detect.HashText(key) // as qwen's servers were noted before
	for _, c := range []struct {
		what  string
		purse string
		here  string // clawd's value
		cfg   map[string]string
		unset bool
		left  bool
	}{
		{what: "the same", purse: purse, here: key},
		{what: "another", purse: purse, here: key + "x", left: true},
		{what: "none here", purse: purse, left: true},
		{what: "another, by the config", purse: purse, here: key, cfg: map[string]string{name: "mine"}},
		{what: "it had none", purse: Purse("key", []string{"A=b"}, name), here: key, unset: true},
		{what: "neither has one", purse: Purse("key", []string{"A=b"}, name)},
		{what: "nobody saw it", here: key},
		{what: "not noted", purse: "key@server", here: key},
		{what: "a name without a digest", purse: name, here: key},
		{what: "a long digest", purse: old, here: key},
		{what: "a long digest of another", purse: old, here: key + "x", left: true},
	} {
		env := Env{Getenv: func(n string) string {
			if n == name {
				return c.here
			}
			return ""
		}}
		unset, why := Config{Env: c.cfg}.SameAccount(env, c.purse, name)
		if slices.Contains(unset, name) != c.unset || (why != "") != c.left || strings.Contains(why, key) {
			t.Errorf("%s: unset %q, %q", c.what, unset, why)
		}
	}
}
