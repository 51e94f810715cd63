package opencode

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Message files have no order but their times: what came while the clock was set back stands before the cursor, and must not
// go unnoticed.
func TestFilesBehindTheCursor(t *testing.T) {
	o, dir := open(t, &testProcs{})
	root := filepath.Join(dir, "storage")
	s := detect.Session{Agent: Name, ID: testID, Path: filepath.Join(root, "session", "p", testID+".json")}
	writeFile(t, s.Path, `{"id":"`+testID+`"}`)
	put := func(id, record string) {
		t.Helper()
		path := filepath.Join(root, "message", testID, id+".json")
		writeFile(t, path, record)
		if err := os.Chtimes(path, time.UnixMilli(at0), time.UnixMilli(at0)); err != nil {
			t.Fatal(err)
		}
	}
	var c detect.Classifier
	var cursor agent.Cursor
	read := func() (kinds []detect.Kind) {
		t.Helper()
		b, err := o.Read(t.Context(), s, cursor, func(e detect.Event) {
			kinds = append(kinds, e.Kind)
			c.Feed(e)
		})
		if err != nil || b.Anew || b.Skipped > 0 {
			t.Fatalf("%+v, %v", b, err)
		}
		cursor = b.Cursor
		return kinds
	}
	put("msg_1", fmt.Sprintf(user, at0+5000))
	put("msg_2", fmt.Sprintf(fail, "msg_1", at0+5001, at0+5002))
	read()
	stands := c.Stop()
	put("msg_0", fmt.Sprintf(user, at0+1))
	if got := read(); !slices.Equal(got, []detect.Kind{detect.KindStrange}) {
		t.Errorf("a prompt behind the cursor: %v", got)
	}
	if now := c.Stop(); stands.Reason != detect.RateLimit || now.Reason != detect.Unknown {
		t.Errorf("the session is %+v before it, and %+v after", stands, now)
	}
	if got := read(); len(got) != 0 {
		t.Errorf("it is told again: %v", got)
	}
	put("msg_3", fmt.Sprintf(user, at0+6000))
	if got := read(); !slices.Equal(got, []detect.Kind{detect.KindPrompt}) {
		t.Errorf("a prompt before the cursor: %v", got)
	}
}
