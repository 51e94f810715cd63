package machine

import "testing"

// What became of a session's sub-agents cannot be read: its own file was read on, and nothing was written anew.
func TestSubsCannotBeRead(t *testing.T) {
	k, p := plain(t)
	p.files = func(f *FilesSeen) { f.Problem = "what became of its sub-agents cannot be read: permission denied" }
	p.limited("stop", 0)
	k.wantLog("file_rewritten", 0)
}
