package opencode

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// /undo leaves the messages that it takes back until the next prompt, and writes the session alone. The turn is no stop any
// more then, and /redo makes it one again.
func TestUndoneTurn(t *testing.T) {
	o, db, s := newStore(t)
	exec(t, db, "alter table session add column revert text")
	insert(t, db, "msg_a0000000000001", at0, fmt.Sprintf(user, at0))
	insertPart(t, db, "prt_a1", "msg_a0000000000001", at0, `{"type":"text","text":"one"}`)
	insert(t, db, "msg_a0000000000002", at0+10, fmt.Sprintf(stop, "msg_a0000000000001", at0+10, at0+20))
	insert(t, db, "msg_a0000000000003", at0+30, fmt.Sprintf(user, at0+30))
	insertPart(t, db, "prt_a3", "msg_a0000000000003", at0+30, `{"type":"text","text":"drop the tables"}`)
	insert(t, db, "msg_a0000000000004", at0+40, fmt.Sprintf(fail, "msg_a0000000000003", at0+40, at0+50))
	revert := func(value any) func() {
		return func() {
			exec(t, db, `update session set revert = ?, time_updated = ? where id = ?`, value, at0+60_000, testID)
		}
	}
	undone(t, o, s, revert(`{"messageID":"msg_a0000000000003","snapshot":"4b82"}`), revert(nil))
	for _, value := range []any{"null", nil, `{"messageID":"msg_a00000`, `{}`, `{"a":1}`} { // opencode does not go on with a session that has one like the last
		revert(value)()
		if st := judge(read(t, o, s, "").Events, detect.Gone); st.Reason != detect.RateLimit {
			t.Errorf("revert %v: %+v", value, st)
		}
	}
	for _, value := range []any{`{"messageID":"msg_a0000000000003"}`, `{"messageID":"msg_a0000000000004","partID":"prt_a4"}`} {
		revert(value)()
		if st := judge(read(t, o, s, "").Events, detect.Gone); st.Reason != detect.Interrupted || !st.At.Equal(time.UnixMilli(at0+60_000)) {
			t.Errorf("revert %v: %+v", value, st)
		}
	}
}

func TestUndoneTurnInFiles(t *testing.T) {
	o, dir := open(t, &testProcs{})
	root := filepath.Join(dir, "storage")
	s := detect.Session{Agent: Name, ID: testID, Path: filepath.Join(root, "session", "p", testID+".json")}
	put := func(path, record string) {
		t.Helper()
		path = filepath.Join(root, path+".json")
		writeFile(t, path, record)
		if err := os.Chtimes(path, time.UnixMilli(at0), time.UnixMilli(at0)); err != nil {
			t.Fatal(err)
		}
	}
	put("message/"+testID+"/msg_a0000000000001", fmt.Sprintf(user, at0))
	put("part/msg_a0000000000001/prt_a1", `{"type":"text","text":"one"}`)
	put("message/"+testID+"/msg_a0000000000003", fmt.Sprintf(user, at0+30))
	put("part/msg_a0000000000003/prt_a3", `{"type":"text","text":"drop the tables"}`)
	put("message/"+testID+"/msg_a0000000000004", fmt.Sprintf(fail, "msg_a0000000000003", at0+40, at0+50))
	revert := func(more string) func() {
		return func() { writeFile(t, s.Path, `{"id":"`+testID+`","time":{"updated":1795219797195}`+more+`}`) }
	}
	revert("")()
	undone(t, o, s, revert(`,"revert":{"messageID":"msg_a0000000000003"}`), revert(""))
}

// undone undoes the failed turn of a session, and brings it back.
func undone(t *testing.T, o *OpenCode, s detect.Session, undo, redo func()) {
	t.Helper()
	b := read(t, o, s, "")
	var c detect.Classifier
	is := func(what string, b agenttest.Batch, want detect.Reason, prompt string) {
		t.Helper()
		for _, e := range b.Events {
			c.Feed(e)
		}
		got := c.Stop()
		text, err := o.LastPrompt(t.Context(), s)
		if got.State != detect.Stopped || got.Reason != want || b.Anew || text != prompt || err != nil {
			t.Errorf("%s: %s %q %s, anew %v; the last prompt is %q, %v", what, got.State, got.Reason, got.Key, b.Anew, text, err)
		}
		whole := read(t, o, s, "")
		if anew := judge(whole.Events, detect.Gone); anew.Key != got.Key || anew.Reason != want || whole.Cursor != b.Cursor {
			t.Errorf("%s, read from its beginning: %s %q %s", what, anew.State, anew.Reason, anew.Key)
		}
		if again := read(t, o, s, b.Cursor); len(again.Events) != 0 {
			t.Errorf("%s: read twice: %v", what, kinds(again.Events))
		}
	}
	is("before", b, detect.RateLimit, "drop the tables")
	undo()
	b = read(t, o, s, b.Cursor)
	if d := cmp.Diff([]string{"interrupt"}, kinds(b.Events)); d != "" {
		t.Errorf("undone (-want +got):\n%s", d)
	}
	is("undone", b, detect.Interrupted, "one")
	redo()
	is("redone", read(t, o, s, b.Cursor), detect.RateLimit, "drop the tables")
}
