package agent

import (
	"strings"

	"github.com/clawd-project/clawd/detect"
)

// digestLen is in hexadecimal digits. Two accounts are taken for one in one of 65,536 cases, and nobody finds a secret by 16 of its bits: that many of all that
// one could guess fit, too.
const digestLen = 4

// Digest names a value by which accounts differ, so that another one is told from the same.
func Digest(value string) string { return detect.HashText(value)[:digestLen] }

// Purse is who pays for a process, for detect.Launch: in its agent's words, and behind that the variables by which accounts of one kind
// differ, each with a digest of its value, or with nothing where it is not set.
func Purse(who string, environ []string, names ...string) string {
	var b strings.Builder
	b.WriteString(who)
	for _, name := range names {
		b.WriteString("," + name + "=")
		for _, kv := range environ {
			if value, ok := strings.CutPrefix(kv, name+"="); ok && value != "" {
				b.WriteString(Digest(value))
				break
			}
		}
	}
	return b.String()
}

// Payer is who pays, in the agent's words.
func Payer(purse string) string {
	who, _, _ := strings.Cut(purse, ",")
	return who
}

// noted gives the digest that a purse has of a variable; false: none, as in those of an older clawd.
func noted(purse, name string) (digest string, ok bool) {
	for part := range strings.SplitSeq(purse, ",") {
		if digest, ok = strings.CutPrefix(part, name+"="); ok {
			return digest, true
		}
	}
	return "", false
}

// SameValue tells whether a variable had this value, as far as a purse tells.
func SameValue(purse, name, value string) bool {
	was, ok := noted(purse, name)
	return !ok || was == "" && value == "" || was != "" && value != "" && strings.HasPrefix(was, Digest(value))
}

// SameAccount sees to it that the account that paid for a process pays for a run of clawd's: unset are variables that the process did not have, why
// says what the run lacks or has another one of. What the config sets is its user's own word.
func (c Config) SameAccount(env Env, purse string, names ...string) (unset []string, why string) {
	for _, name := range names {
		was, ok := noted(purse, name)
		value := env.Getenv(name)
		if _, set := c.Env[name]; set || !ok || SameValue(purse, name, value) {
			continue
		}
		switch {
		case was == "":
			unset = append(unset, name)
		case value == "":
			return nil, "it was started with " + name + ", which clawd's environment does not have"
		default:
			return nil, "it was started with another " + name + " than that of clawd's environment"
		}
	}
	return unset, ""
}
