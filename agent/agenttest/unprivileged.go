package agenttest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

const unprivileged = "CLAWD_TEST_UNPRIVILEGED"

// Unprivileged tells a test about files that cannot be read to go on. Root reads everything, so as
// root the test runs once more in a process of its own, without the right to, and the caller
// returns.
func Unprivileged(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 || os.Getenv(unprivileged) != "" {
		return true
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("root can read everything, and there is no setpriv to give that up")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var name []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		name = append(name, "^"+regexp.QuoteMeta(part)+"$")
	}
	const rights = "-dac_override,-dac_read_search"
	cmd := exec.CommandContext(t.Context(), setpriv, "--inh-caps="+rights, "--bounding-set="+rights,
		self, "-test.v", "-test.run", strings.Join(name, "/"))
	cmd.Env = append(os.Environ(), unprivileged+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("without root's rights: %v\n%s", err, out)
	}
	return false
}
