package agent

import "testing"

func TestCommand(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Command("/home/dev/it's here", "opencode", "-s", "ses_1"), `cd '/home/dev/it'\''s here' && opencode -s ses_1`},
		{Command("", "x", ""), `x ''`},
		{Command("/a/b-c.d+e_f", "x", "=y", "~", "$z"), `cd /a/b-c.d+e_f && x '=y' '~' '$z'`},
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
