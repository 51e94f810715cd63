package agent

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"
)

// A line of clawd's is shown as it is, whatever the folder's name holds, and a shell takes it for that name.
func TestQuoteIsShownAndTyped(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"/a b", "/it's", "/a\nb", "/a\\nb", "/a\x1b[2Jb'c", "/a\u00a0b", "/\u202eb", "/a\xffb", "/a\u200d4", "/a\t\"$HOME`id`\"!", "/\U000e0041", "-n", ""} {
		quoted := Quote(name)
		if strings.ContainsFunc(quoted, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
			t.Errorf("%q is shown otherwise than it is: %q", name, quoted)
		}
		if got, err := exec.Command(bash, "-c", "printf %s "+quoted).Output(); err != nil || string(got) != name {
			t.Errorf("%q is typed as %s and means %q (%v)", name, quoted, got, err)
		}
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Command(nil, "/home/dev/it's here", "opencode", "-s", "ses_1"), `cd '/home/dev/it'\''s here' && opencode -s ses_1`},
		{Command(nil, "", "x", ""), `x ''`},
		{Command(nil, "/a/b-c.d+e_f", "x", "=y", "~", "$z"), `cd /a/b-c.d+e_f && x '=y' '~' '$z'`},
		{Command([]string{"A=/my dir", "B=", "C=1=2"}, "/a", "x"), `cd /a && A='/my dir' C='1=2' x`},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestSets(t *testing.T) {
	environ := []string{"A=1", "B=", "C"}
	if !Sets(environ, "X", "A") || Sets(environ, "B", "C", "1") {
		t.Error("a variable without a value counts, or one with a value does not")
	}
}

func TestIDAndCut(t *testing.T) {
	for id, want := range map[string]bool{"5c0bd4d0-0000-4000-8000-000000000001": true, "5C0BD4D0-0000-4000-8000-000000000001": false,
		"5c0bd4d0-0000-4000-8000-00000000000": false, "5c0bd4d0-0000-4000-8000x000000000001": false, "": false, "5c0bd4d0-0000-4000-8000-00000000000/": false} {
		if IsUUID(id) != want {
			t.Errorf("%q is one: %v", id, !want)
		}
	}
	for most, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "a\u00fc", 9: "a\u00fcb"} {
		if got := Cut("a\u00fcb", most); got != want {
			t.Errorf("%d bytes: %q", most, got)
		}
	}
}
